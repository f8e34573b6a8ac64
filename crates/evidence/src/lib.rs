//! Verdicts on controllers: suites of scenarios with rules ([RFC
//! 9743](https://www.rfc-editor.org/rfc/rfc9743), the test cases of draft-ietf-ccwg-bbr), and the
//! search for networks that break a controller.

pub mod attack;
pub mod bbr_draft;
pub mod check;
mod error;
pub mod judge;
pub mod measures;
pub mod number;
pub mod report;
pub mod rule;
mod statistics;
pub mod suite;

pub use error::EvidenceError;
pub use statistics::{Estimate, estimate};
