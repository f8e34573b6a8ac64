//! The output of programs, by `bpf_trace_printk` and `bpf_trace_vprintk`: nobody reads it unless it
//! is gathered.

use narrows_units::Time;
use std::cell::RefCell;

/// Most lines that are kept of a run. Ours: of some 100 MB.
const MOST: usize = 1 << 20;

/// A line that a program printed, without a line feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// When.
    pub at: Time,
    /// The seed of the connection's controller ([`Setup::seed`](narrows_control::Setup::seed)),
    /// which tells whose it is.
    pub seed: u64,
    /// The printed text.
    pub text: String,
}

/// The lines printed while something ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    /// In the order in which it was printed.
    pub lines: Vec<Printed>,
    /// Lines beyond the first 2^20, which are not kept.
    pub left_out: u64,
}

thread_local! {
    static GATHERED: RefCell<Option<Gathered>> = const { RefCell::new(None) };
}

/// Runs something on this thread, and gathers what programs print there meanwhile.
pub fn gather<T>(run: impl FnOnce() -> T) -> (T, Gathered) {
    let before = GATHERED.replace(Some(Gathered::default()));
    let answer = run();
    (answer, GATHERED.replace(before).unwrap_or_default())
}

/// A program prints a line.
pub(crate) fn print(at: Time, seed: u64, text: &str) {
    GATHERED.with_borrow_mut(|gathered| match gathered {
        Some(Gathered { lines, .. }) if lines.len() < MOST => {
            lines.push(Printed { at, seed, text: text.to_owned() })
        }
        Some(Gathered { left_out, .. }) => *left_out += 1,
        None => {}
    });
}
