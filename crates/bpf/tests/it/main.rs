//! Tests of the crate.

mod assembled;
mod compiled;
mod core;
mod for_kernel;
mod functions;
mod kernel;
mod linked;
mod machine;
mod mutated;
mod objects;
mod recorded;
mod refused;
mod reno;
mod socket;
