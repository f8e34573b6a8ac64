//! Why a scenario was not run to its end.

use narrows_control::Fault;
use narrows_units::Span;
use thiserror::Error;

/// A scenario that the simulator cannot run.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SimError {
    /// A controller needs a signal that its route does not give, or would misread what it gives.
    #[error("flow \"{flow}\": {problem}; {remedy}")]
    Signal {
        /// The flow.
        flow: String,
        /// The problem.
        problem: String,
        /// The remedy.
        remedy: String,
    },
    /// A controller cannot be made with these parameters.
    #[error("flow \"{flow}\": {problem}")]
    Controller {
        /// The flow.
        flow: String,
        /// The problem.
        problem: String,
    },
    /// A controller cannot go on.
    #[error("flow \"{flow}\": its controller {controller} cannot go on at {at}: {fault}")]
    Fault {
        /// The flow.
        flow: String,
        /// The controller, with its parameters.
        controller: String,
        /// When.
        at: Span,
        /// Why.
        fault: Fault,
    },
    /// The connection of a guest, a transport of another implementation, cannot go on.
    #[error("flow \"{flow}\": {controller} cannot go on at {at}: {problem}")]
    Guest {
        /// The flow.
        flow: String,
        /// The controller, with its parameters.
        controller: String,
        /// When.
        at: Span,
        /// The implementation's own words, or the place and the message of its panic.
        problem: String,
    },
    /// The run would not end.
    #[error("flow \"{flow}\": {problem}; {remedy}")]
    Endless {
        /// The flow.
        flow: String,
        /// Why.
        problem: &'static str,
        /// The remedy.
        remedy: &'static str,
    },
    /// Packets pile up in the network.
    #[error(
        "flow \"{flow}\": {packets} packets are in the network at {at}, {own} of them its own, the most of any flow; lower its rate, or give its links less delay or a buffer"
    )]
    Crowded {
        /// The flow with the most of them.
        flow: String,
        /// How many.
        packets: u64,
        /// How many of them are of that flow.
        own: u64,
        /// When.
        at: Span,
    },
    /// Connections together have more outstanding than can be kept.
    #[error(
        "flow \"{flow}\": {segments} segments of all connections are outstanding at {at}, {own} of them its own, the most of any flow; keep its window at a few \
         times what the path holds, or let fewer transfers begin"
    )]
    Outstanding {
        /// The flow with the most of them.
        flow: String,
        /// How many.
        segments: u64,
        /// How many of them are of that flow.
        own: u64,
        /// When.
        at: Span,
    },
    /// More transfers begin than end.
    #[error(
        "flow \"{flow}\": {connections} connections are open at {at}, {own} of them its own, the most of any flow; let fewer transfers begin, or make them \
         smaller"
    )]
    Connections {
        /// The flow with the most of them.
        flow: String,
        /// How many.
        connections: u64,
        /// How many of them are of that flow.
        own: u64,
        /// When.
        at: Span,
    },
    /// The caller asked to stop.
    #[error("stopped before the end")]
    Stopped,
}

impl SimError {
    /// True if the controller, or the transport that it comes with, failed by itself: a result about
    /// it, in which nothing is wrong with the scenario.
    pub fn is_of_controller(&self) -> bool {
        matches!(self, SimError::Fault { .. } | SimError::Guest { .. })
    }
}
