//! Scenarios: one description of a network and its traffic, checked and typed, that every world can run.

mod model;

pub use model::{Flow, Link, LinkId, Node, NodeId, Scenario, Workload};
