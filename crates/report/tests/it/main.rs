//! Tests of the crate as its users see it, in one program.

mod browser;
mod common;
mod directory;
mod figure;
mod page;
mod reproduction;
mod scorecard;
mod text;
mod underway;
