//! Tests of the crate.

mod socket;
