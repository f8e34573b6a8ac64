//! Tests of experiments through the crate's interface.

mod alarms;
mod errors;
mod kept;
mod plan;
