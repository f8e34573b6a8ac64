//! Tests of the crate as its users see it, in one program.

mod common;
mod requests;
mod steps;
mod worlds;
