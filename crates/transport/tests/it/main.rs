//! Tests of the crate as its users see it, in one program.

mod autotuning;
mod channel;
mod common;
mod contract;
mod exchange;
mod faults;
mod linux_2_4;
mod marks;
mod ns2;
mod numbered;
mod offload;
mod ranges;
mod rates;
mod receiver;
mod recovery;
mod sending;
mod signals;
mod timeouts;
mod undo;
