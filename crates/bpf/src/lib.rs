//! BPF programs that are congestion controllers for Linux, `struct tcp_congestion_ops`, outside of a kernel: linked and relocated against a socket of our own, so that
//! they need no rights, no libbpf and no kernel's types, and give the same on every machine.

#![forbid(unsafe_code)]

mod blame;
mod fault;
mod functions;
mod lines;
mod machine;
mod memory;
mod program;
pub mod socket;

pub use fault::{Access, Fault, Reason};
pub use functions::{Callable, FUNCTIONS, HELPERS, Standing, World, errno, function, helper, map_fits, ticks};
pub use lines::{Line, Lines};
pub use machine::{Callback, Code, MOST_JUMPS, Machine, Refusal, Unfit};
pub use program::{Function, Instruction, MapSpec, Poisoned, Program, Region, Variable, address};
