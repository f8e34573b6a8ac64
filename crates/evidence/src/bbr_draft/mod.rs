//! Conformance of BBRv3 to the example test cases of draft-ietf-ccwg-bbr-06, appendix A.
//!
//! The 22 cases are [`cases`], in order. [`run`] runs a case for a controller and returns one
//! [`Outcome`] for each variant of the set-up. A case that changes the network at a transition runs
//! twice: first to find the time of the transition, then with the change at that time. Both runs
//! must have the same record up to that time, bit by bit. If an example and the pseudocode of the
//! draft differ, the pseudocode decides, and the case describes the difference: section 1 of the
//! draft as of August 2026 makes state machine and pseudocode required behaviour.
//!
//! A controller is judged by the state that it reports through
//! [`Controller::inspect`](narrows_control::Controller::inspect), under the names of `bbr3`. For
//! controllers that do not report this state, the suite [`bbr_draft`](crate::suite::bbr_draft)
//! judges their behaviour from outside.

mod aggregation;
mod catalogue;
mod drain;
mod experiment;
mod grid;
mod idle;
mod known;
mod model;
mod outcome;
mod plan;
mod probe_rtt;
mod probe_up;
mod record;
mod small;
mod spurious;
mod startup;
mod steps;
mod subject;

pub use catalogue::{Case, cases};
pub use grid::{Cell, grid, run_on};
pub use outcome::{Outcome, Verdict};
pub use subject::{Profile, Subject};

/// Runs `case` for `subject` and returns an outcome for each variant of its set-up, in a fixed
/// order. Repeated calls return equal outcomes.
pub fn run(case: &Case, subject: &Subject) -> Vec<Outcome> {
    (case.carry_out)(subject)
        .into_iter()
        .map(|trial| trial.judge(case.id, case.differs_from_text, subject))
        .collect()
}
