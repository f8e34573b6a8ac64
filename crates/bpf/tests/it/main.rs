//! The tests of this crate.

mod assembled;
mod functions;
mod machine;
