//! Tests of the crate as its users see it, in one program.

mod acks;
mod common;
mod exact;
mod files;
mod follower;
mod replay;
mod vcp;
mod workloads;
