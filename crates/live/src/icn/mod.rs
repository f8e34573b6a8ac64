//! Information-centric scenarios: each node is a process with a forwarder, consumers and producers,
//! in its own namespace.
//!
//! The caller provides the program of a node ([`NodeProgram`]), which reads a [`NodePlan`] and
//! answers with a [`NodeReport`].

mod addresses;
mod asked;
mod egress;
mod load;
mod messages;
mod names;
mod plan;
mod process;
mod record;
mod run;
mod sizes;

pub(crate) use load::affordable;
pub use messages::{
    ConsumerPlan, ConsumerReport, Counts, FacePlan, FaceReport, Interests, Moment, NodeAnswer,
    NodeFailure, NodePlan, NodeReport, ProducerPlan, RequestsReport, RouteEntry, Times,
};
pub use process::NodeProgram;
pub(crate) use run::run;
