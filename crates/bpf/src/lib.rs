//! BPF programs that are congestion controllers for Linux, `struct tcp_congestion_ops`, outside of a kernel: linked and relocated against a socket of our own, so that
//! they need no rights, no libbpf and no kernel's types, and give the same on every machine.

#![forbid(unsafe_code)]

mod lines;
mod program;
pub mod socket;

pub use lines::{Line, Lines};
pub use program::{Function, Instruction, MapSpec, Poisoned, Program, Region, Variable, address};
