//! Conformance of BBRv3 to the example test cases of draft-ietf-ccwg-bbr-06, appendix A.
//!
//! The 22 cases are [`cases`], in order; [`run`] carries one out for a controller and answers with one [`Outcome`] for each variant of its set-up. A case
//! that changes the network at a transition runs twice: once to find the time of the transition, and again with the change at that time; both runs must have
//! the same record up to then, bit by bit. Where an example and the pseudocode of the draft differ, the pseudocode decides, and the case says how they differ:
//! section 1 of the draft as of August 2026 makes state machine and pseudocode required behaviour.
//!
//! A controller is judged by the state that it shows through [`Controller::inspect`](narrows_control::Controller::inspect), under the names of `bbr3`. Of one that
//! shows none of it, the suite [`bbr_draft`](crate::suite::bbr_draft) judges what can be seen from outside.

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

/// Carries out `case` for `subject`: an outcome for each variant of its set-up, in a fixed order. The same outcomes each time.
pub fn run(case: &Case, subject: &Subject) -> Vec<Outcome> {
    (case.carry_out)(subject)
        .into_iter()
        .map(|trial| trial.judge(case.id, case.differs_from_text, subject))
        .collect()
}
