//! Tests of experiments through the crate's interface.

mod errors;
mod plan;
