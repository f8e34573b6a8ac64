//! Tests of the crate as its users see it, in one program.

mod acks;
mod common;
mod exact;
mod follower;
mod replay;
mod vcp;
mod workloads;
