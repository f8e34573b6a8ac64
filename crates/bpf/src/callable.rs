//! The functions that a program may call, as the linker asks of whatever will execute it.

/// Whether a function can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can.
    Known,
    /// The function exists in the kernel, and is refused: its name, and why.
    Refused(String),
    /// Nobody here knows it.
    Unknown,
}

/// Knows the helpers and the kfuncs.
pub trait Callable {
    /// A helper by its number, called from a callback, a member of `struct tcp_congestion_ops`:
    /// some callbacks may call less than others.
    fn helper(&self, number: i32, callback: &str) -> Verdict;

    /// A function of the kernel by its name.
    fn kfunc(&self, name: &str) -> Verdict;
}
