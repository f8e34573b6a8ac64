//! Tests of the crate.

mod assembled;
mod functions;
mod kernel;
mod linked;
mod machine;
mod objects;
mod refused;
mod socket;
