//! Tests of verdicts.

mod faults;
mod measures;
mod suites;
mod verdicts;
