//! Tests of the crate as its users see it, in one program.

mod browser;
#[path = "../../build/bundle.rs"]
mod bundle;
mod common;
mod directory;
mod figure;
#[path = "../../build/literals.rs"]
mod literals;
mod page;
mod reproduction;
mod scorecard;
mod script;
mod text;
mod underway;
