//! Tests of the crate as its users see it, in one program.

mod common;
mod driven;
mod graph;
mod icn;
mod icn_refused;
mod paper;
mod paths;
mod refused;
mod resolved;
mod round_trip;
mod schema;
mod starting_points;
mod statements;
mod sweep;
