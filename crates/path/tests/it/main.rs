//! Tests of the crate as its users see it, in one program.

mod changes;
mod disciplines;
mod ecn;
mod forms;
mod priority;
mod sent;
mod trace;
