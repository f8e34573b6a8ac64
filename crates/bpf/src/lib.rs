//! BPF programs that are congestion controllers for Linux, `struct tcp_congestion_ops`, outside of a kernel: linked and relocated against a socket of our own, so that
//! they need no rights, no libbpf and no kernel's types, and give the same on every machine.

#![forbid(unsafe_code)]

mod bytes;
mod callable;
mod check;
pub mod compile;
mod lines;
mod link;
mod problem;
mod program;
mod relocate;
pub mod socket;
mod types;

pub use callable::{Callable, Verdict};
pub use check::{doubts, problems};
pub use lines::{Line, Lines};
pub use link::{Settings, link, link_against};
pub use problem::{LoadError, Problem};
pub use program::{Function, Instruction, MapSpec, Poisoned, Program, Region, Variable, address};
pub use types::{StructMember, Types};
