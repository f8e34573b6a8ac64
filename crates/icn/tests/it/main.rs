//! Tests of the crate as its users see it, in one program.

mod beside;
mod common;
mod nacks;
mod node;
mod random_operations;
mod rates;
mod two_paths;
mod window;
