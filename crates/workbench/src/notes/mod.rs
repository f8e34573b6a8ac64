//! Notes below results: what a reader must know to use the numbers.

pub mod bursts;
pub mod flow_control;
mod named;
pub mod offload;
pub mod short_runs;
pub mod timed_out;
pub mod unmarked;
pub mod unopened;
pub mod unverified;
