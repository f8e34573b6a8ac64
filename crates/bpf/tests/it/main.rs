//! Tests of the crate.

mod kernel;
mod linked;
mod objects;
mod refused;
mod socket;
