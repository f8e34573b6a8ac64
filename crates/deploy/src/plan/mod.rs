//! The plan: the experiment itself in the simulator, before anything is tried on a host.
//!
//! Two runs with one arm each give the total effect. A run with both arms side by side tells what an
//! A/B test would say, and switchbacks of several periods tell which period is long enough and how
//! many pairs are needed.

mod job;
mod network;
mod next;
mod observed;
mod outcome;
mod page;
mod reduced;
mod text;
mod whole;

pub use job::{Job, JobKind, Parts, Timing};
pub use network::{Exposed, NetworkError};
pub use observed::Observed;
pub(crate) use outcome::effect;
pub use outcome::{Candidate, Compared, Outcome, Ramp, Verdict};
pub use page::page;
pub(crate) use page::{drawn, table as page_table};
pub use reduced::Reduced;
pub use text::text;
pub(crate) use text::{span, words};
pub use whole::{Effort, Plan, RAMP};
