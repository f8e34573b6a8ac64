//! Tests of verdicts.

mod bbr_draft;
mod faults;
mod measures;
mod mutants;
mod planning;
mod starts;
mod suites;
mod verdicts;
