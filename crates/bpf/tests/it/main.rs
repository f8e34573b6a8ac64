//! Tests of the crate.

mod assembled;
mod functions;
mod machine;
mod socket;
