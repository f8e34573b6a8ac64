//! BPF programs that are congestion controllers for Linux, `struct tcp_congestion_ops`, outside of
//! a kernel: linked and relocated against a socket of our own, so that they need no rights, no
//! libbpf and no kernel's types, and give the same on every machine.

#![forbid(unsafe_code)]

mod around;
mod blame;
mod bytes;
mod callable;
mod check;
pub mod compile;
mod fault;
pub mod files;
mod flow;
mod for_kernel;
mod functions;
mod lines;
mod link;
pub mod log;
mod machine;
mod memory;
mod problem;
mod program;
pub mod recording;
mod relocate;
mod shape;
mod shown;
pub mod socket;
mod stack;
mod types;

pub use around::{Around, Conditions, Shown};
pub use callable::{Callable, Verdict};
pub use check::{doubts, problems, table_problems};
pub use fault::{Access, Fault, Reason};
pub use files::parameters;
pub use for_kernel::{ForKernel, Initial};
pub use functions::{
    FUNCTIONS, Service, SimulatedKernel, Standing, World, errno, function, helper, ticks,
};
pub use lines::{Line, Lines};
pub use link::{Settings, link, link_against};
pub use machine::{Callback, Code, MOST_JUMPS, Machine, Refusal, Unfit};
pub use problem::{LoadError, Problem};
pub use program::{
    Function, Instruction, MapSpec, Mention, Ops, Poisoned, Program, Region, Use, Variable, address,
};
pub use types::{StructMember, Types};
