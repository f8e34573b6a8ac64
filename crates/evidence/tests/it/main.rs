//! Tests of verdicts.

mod measures;
mod suites;
mod verdicts;
