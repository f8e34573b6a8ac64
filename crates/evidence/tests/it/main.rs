//! Tests of verdicts.

mod bbr_draft;
mod faults;
mod measures;
mod suites;
mod verdicts;
