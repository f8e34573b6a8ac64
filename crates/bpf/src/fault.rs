//! Faults of BPF programs: actions that the kernel would refuse to load, or that no sender
//! survives. A fault ends a run.

use crate::lines::Line;
use std::fmt;

/// A fault of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The callback in which it happened, a member of `struct tcp_congestion_ops`.
    pub callback: String,
    /// The function of the program in which it happened.
    pub function: String,
    /// The index of the instruction in that function.
    pub instruction: usize,
    /// Where in the source; `None` for an object without it.
    pub line: Option<Line>,
    /// The reason of the fault.
    pub reason: Reason,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { callback, function, instruction, line, reason } = self;
        if let Some(Line { file, line, .. }) = line {
            write!(f, "{file}:{line}: ")?;
        }
        write!(f, "{callback}")?;
        if function != callback {
            write!(f, ", in {function}")?;
        }
        match line {
            Some(Line { text, .. }) if !text.is_empty() => write!(f, ", \"{text}\"")?,
            Some(_) => {}
            None => write!(f, ", at instruction {instruction}")?,
        }
        write!(f, ": {reason}")
    }
}

impl std::error::Error for Fault {}

/// An attempt to read or write memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// True to write.
    pub writes: bool,
    /// Bytes.
    pub size: usize,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Access { writes, size } = self;
        write!(
            f,
            "{} {size} byte{}",
            if *writes { "writes" } else { "reads" },
            if *size == 1 { "" } else { "s" }
        )
    }
}

/// Why a program cannot go on: what it did, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The null pointer, or something near it.
    #[error(
        "{access} at {address:#x}, next to the null pointer: test the answer of a look-up against NULL before it is used"
    )]
    Null {
        /// The attempted access.
        access: Access,
        /// Where.
        address: u64,
    },
    /// A number below 2^32 that is no offset from the null pointer either.
    #[error(
        "{access} at {address:#x}, which is a number and no pointer: pass a pointer that the kernel gave"
    )]
    Number {
        /// The attempted access.
        access: Access,
        /// Where.
        address: u64,
    },
    /// The second argument of `cong_control`, taken for the sample.
    #[error(
        "{access} at {address:#x}: it takes the acknowledged sequence number for the rate sample, being written for Linux before 6.10: declare cong_control(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)"
    )]
    OldControl {
        /// The attempted access.
        access: Access,
        /// Where.
        address: u64,
    },
    /// Outside of what a pointer points to.
    #[error("{access} at byte {offset} of {place} ({length} bytes): stay inside of it")]
    Outside {
        /// The attempted access.
        access: Access,
        /// From the beginning of the place; negative before it.
        offset: i64,
        /// The content of the place.
        place: String,
        /// Bytes of it.
        length: u32,
    },
    /// Outside of the area of a controller.
    #[error(
        "{access} at byte {offset} of icsk_ca_priv ({length} bytes): keep what a connection remembers within {length} bytes, or in a map of the kind BPF_MAP_TYPE_SK_STORAGE"
    )]
    Private {
        /// The attempted access.
        access: Access,
        /// From the beginning of the area.
        offset: i64,
        /// Bytes of it.
        length: usize,
    },
    /// Below the frames of the functions.
    #[error(
        "{access} {below} bytes below the end of the stack, which has {length} here: keep large things in a map"
    )]
    BelowStack {
        /// The attempted access.
        access: Access,
        /// From the end of the stack.
        below: i64,
        /// Bytes of it.
        length: u32,
    },
    /// Something that is no pointer at all.
    #[error(
        "{access} at {address:#x}, where nothing is: use pointers only as the kernel gave them"
    )]
    Wild {
        /// The attempted access.
        access: Access,
        /// Where.
        address: u64,
    },
    /// A map itself.
    #[error(
        "{access} of the map {map} itself: use bpf_map_lookup_elem, or for a socket's value bpf_sk_storage_get"
    )]
    Handle {
        /// The attempted access.
        access: Access,
        /// Its name.
        map: String,
    },
    /// Memory that cannot be changed.
    #[error("{access} of {place}, which cannot be written{remedy}")]
    ReadOnly {
        /// The attempted access.
        access: Access,
        /// The content of the place.
        place: String,
        /// Begins with a colon, or empty.
        remedy: &'static str,
    },
    /// A field of the socket that controllers may not change.
    #[error(
        "{access} of {field}, which the kernel lets no controller change: it may change {allowed}"
    )]
    Field {
        /// The attempted access.
        access: Access,
        /// The field.
        field: String,
        /// Those that may be changed.
        allowed: String,
    },
    /// A field that a controller may change, from the middle or beyond its end.
    #[error(
        "{access} of {field} ({length} bytes): write it from its beginning and not beyond its end, as the kernel demands"
    )]
    Across {
        /// The attempted access.
        access: Access,
        /// The field.
        field: String,
        /// Bytes of it.
        length: usize,
    },
    /// Something that the simulator's socket does not have.
    #[error(
        "reads {0}, which the simulator does not have: ask bpf_core_field_exists before it is read, or do without"
    )]
    Missing(String),
    /// A loop without an end.
    #[error("jumps back and calls more than {0} times in one callback: give the loop a bound")]
    Endless(u32),
    /// Functions that call each other too often.
    #[error(
        "calls functions more than {0} deep: the kernel allows no recursion and no deeper chain"
    )]
    Deep(usize),
    /// Too much on the stack.
    #[error(
        "needs {needed} bytes of stack, this function and its callers together, and the kernel gives {most}: keep large things in a map"
    )]
    Stack {
        /// Bytes.
        needed: u32,
        /// Bytes.
        most: u32,
    },
    /// The window is 0.
    #[error("leaves snd_cwnd at 0, which would stop the sender for good: keep it at 1 or more")]
    NoWindow,
    /// `ssthresh` answers 0.
    #[error(
        "answers 0: Linux then spreads the reduction down to a window of 0, warns of it in its log (tcp_snd_cwnd_set in tcp_cwnd_reduction), and may send nothing before a timeout: answer at least 2, as the kernel's own controllers do"
    )]
    NoThreshold,
    /// `undo_cwnd` answers 0.
    #[error(
        "answers 0: Linux takes the answer for the window, warns of it in its log (tcp_snd_cwnd_set), and sends nothing before a timeout: answer the larger of snd_cwnd and prior_cwnd"
    )]
    UndoneToNothing,
    /// `tcp_cong_avoid_ai` with a width of 0.
    #[error("calls tcp_cong_avoid_ai with w = 0, by which the kernel divides: pass at least 1")]
    ZeroWidth,
    /// A function was called with an argument that it does not take.
    #[error("calls {function} with {found} as {parameter}: pass {wanted}")]
    Argument {
        /// The function.
        function: &'static str,
        /// The argument that was passed.
        found: String,
        /// The parameter that it is for.
        parameter: &'static str,
        /// The argument that the function takes.
        wanted: &'static str,
    },
    /// Another controller for the connection.
    #[error(
        "gives its connection the controller \"{0}\": a simulated connection keeps the one it began with; start the run with that"
    )]
    Other(String),
    /// More in maps than we keep.
    #[error(
        "holds more than {most} bytes in its maps on one connection, with the map {map}: lower its max_entries or its value"
    )]
    Full {
        /// Its name.
        map: String,
        /// Bytes.
        most: usize,
    },
    /// A record that was reserved and not given on.
    #[error(
        "ends with a record of the ring {0} in its hands: pass it to bpf_ringbuf_submit or bpf_ringbuf_discard on every way"
    )]
    Reserved(String),
}
