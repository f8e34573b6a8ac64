//! Experiments that give a congestion controller to a share of a host's real connections: the file
//! that describes one, the order of its periods, the numbers of each period, and the plan that
//! simulates it beforehand.
//!
//! An *arm* is what a connection gets: the control, which is what the host does today, or the
//! treatment. The *total effect* is what all connections would see if all had the treatment. An A/B
//! test compares treated connections with others beside them; where both share a queue this is not
//! the total effect, and its sign can be wrong (Spang et al., "Unbiased Experiments in Congested
//! Networks", IMC 2021). A *switchback* gives all connections of a period the same arm and changes
//! the arm from period to period.
//!
//! There is no clock and no I/O here.

pub mod counters;
pub mod experiment;
pub mod guards;
pub mod measured;
pub mod order;
pub mod plan;
pub mod result;
mod sections;
pub mod state;
pub mod trial;

pub use experiment::Experiment;
