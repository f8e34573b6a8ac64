//! Tests of the crate as its users see it, in one program.

mod adapted;
mod beside;
mod blackout;
mod common;
mod datagrams;
mod handshake;
mod held;
mod messages;
mod no_patch;
mod panics;
mod payload;
mod refused;
mod repeat;
mod standard;
