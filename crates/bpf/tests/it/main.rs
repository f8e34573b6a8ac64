//! Tests of the crate.

mod compiled;
mod kernel;
mod linked;
mod mutated;
mod objects;
mod refused;
mod socket;
