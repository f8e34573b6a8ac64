//! What traffic meets on its way: links with a rate, a delay, losses and a queue discipline.
//!
//! A [`Link`] is generic over the packet, so the simulator's small value and an emulator's real buffer pass through the same code. It is sans-IO: it is told the
//! time and tells when it wants to be looked at next.

mod buffer;
mod codel;
mod discipline;
mod dualpi2;
mod far_end;
mod fifo;
mod fq_codel;
mod link;
mod loss;
mod mircc;
mod packet;
mod pie;
mod probe;
mod rate_law;
mod rates;
mod rcp;
mod red;
mod rtt;
mod service;
mod step;
#[cfg(test)]
mod testing;
mod ticks;
mod trace;
mod vcp;
mod xcp;

pub use codel::Codel;
pub use discipline::{
    AnyDiscipline, DISCIPLINES, Discipline, DisciplineChoice, DisciplineEntry, DisciplineSetup, Limit, Queued, Verdicts, offering,
};
pub use dualpi2::DualPi2;
pub use far_end::{Delivery, Jitter, Reorder, Spread};
pub use fifo::Fifo;
pub use fq_codel::FqCodel;
pub use link::{Fate, Form, Link, LinkChange, LinkConfig, Why};
pub use loss::LossModel;
pub use mircc::{Mircc, MirccSingle};
pub use packet::Packet;
pub use pie::Pie;
pub use probe::LinkProbe;
pub use rate_law::{AnyRateLaw, LAWS, LawChoice, LawEntry, LawSetup, Observed, RateLaw};
pub use rates::Rates;
pub use rcp::{Rcp, RcpLaw};
pub use red::Red;
pub use service::RateSource;
pub use step::Step;
pub use trace::{Trace, TraceError};
pub use vcp::Vcp;
pub use xcp::Xcp;
