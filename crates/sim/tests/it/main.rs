//! Tests of the crate as its users see it, in one program.

mod allocations;
mod baselines;
mod bbr3;
mod changes;
mod common;
mod conformance;
mod explicit;
mod fairness;
mod fast;
mod goodput;
mod icn_invariants;
mod icn_max_min;
mod marking;
mod observer;
mod opening;
mod overhead;
mod parts;
mod parts_of_time;
mod pcc;
mod physics;
mod queues;
mod refused;
mod response;
mod stopping;
mod transfers;
mod vcp;
