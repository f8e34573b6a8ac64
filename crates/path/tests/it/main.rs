//! Tests of the crate as its users see it, in one program.

mod changes;
mod disciplines;
mod forms;
mod sent;
mod trace;
