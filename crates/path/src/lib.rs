//! Paths of traffic: links with a rate, a delay, losses and a queue discipline.
//!
//! A [`Link`] is generic over the packet, so the simulator's small value and an emulator's real
//! buffer pass through the same code. It is sans-IO: it is told the time and tells when it wants to
//! be looked at next.

mod law;
mod link;
mod queue;
mod registry;
mod router;
mod work;

pub use law::contract::{LawChoice, LawEntry, LawSetup, Observed, RateLaw};
pub use law::mircc::{Mircc, MirccSingle};
pub use law::rcp::RcpLaw;
pub use law::registry::{AnyRateLaw, LAWS};
pub use link::{
    Delivery, EcnField, Form, Jitter, JitterDist, Link, LinkChange, LinkConfig, LinkProbe,
    LossModel, Packet, RateSource, Reorder, Steps, Trace, TraceError,
};
pub use queue::backlog::{Backlog, Limit};
pub use queue::discipline::{
    Discipline, DisciplineChoice, DisciplineEntry, DisciplineSetup, DropReason, Fate, Queued,
    Verdicts,
};
pub use queue::policer::largest_packet;
pub use registry::{AnyDiscipline, DISCIPLINES, offering};
pub use router::vcp::{KernelRouterError, kernel_router};
