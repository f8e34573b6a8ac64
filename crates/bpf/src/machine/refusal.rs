//! Why a program is not executed at all.

use crate::lines::Line;
use crate::problem::Problem;
use std::fmt;

/// Something in a program that the machine does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The function it is in; empty if it is in none, as a map is.
    pub function: String,
    /// Its index in the program.
    pub instruction: usize,
    /// Where in the source; `None` for an object without it.
    pub line: Option<Line>,
    /// Why.
    pub reason: Unfit,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal { function, instruction, line, reason } = self;
        match line {
            _ if matches!(reason, Unfit::Map { .. }) => reason.fmt(f),
            Some(Line { file, line, .. }) => write!(f, "{file}:{line}: {function}: {reason}"),
            None => write!(f, "{function}, instruction {instruction} of the program: {reason}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    /// The refusal, with its place apart.
    pub fn problem(&self) -> Problem {
        let place = match &self.line {
            Some(Line { file, line, .. }) => format!("function {}, {file}:{line}", self.function),
            None => format!("function {}, instruction {}", self.function, self.instruction),
        };
        let reason = self.reason.to_string();
        let (reason, remedy) = reason.split_once(": ").unwrap_or((&reason, "do without it"));
        Problem::new(place, reason, remedy)
    }
}

/// Why the machine does not take an instruction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// No instruction, or with fields set that it does not use.
    #[error(
        "the code {code:#04x} with these fields is no instruction of BPF: build the program with clang for -target bpf, -mcpu=v4 or lower"
    )]
    Unknown {
        /// The code.
        code: u8,
    },
    /// Instructions that are BPF and not carried out.
    #[error("{0}")]
    Forbidden(&'static str),
    /// A register beyond 10, or a write to 10.
    #[error("register {register} {why}: build the program with clang for -target bpf")]
    Register {
        /// Its number.
        register: u8,
        /// The defect.
        why: &'static str,
    },
    /// A jump to where no instruction of the function begins.
    #[error(
        "jumps to instruction {target}, where none of the function begins: link the object anew"
    )]
    Jump {
        /// The index in the program.
        target: i64,
    },
    /// A call to where no function begins.
    #[error("calls instruction {target}, where no function begins: link the object anew")]
    Call {
        /// The index in the program.
        target: i64,
    },
    /// A function that goes on behind its end.
    #[error("goes on behind its end: end each way through it with a return")]
    Open,
    /// A helper that does not exist.
    #[error("calls the helper {0}, which does not exist: see include/uapi/linux/bpf.h")]
    NoHelper(i32),
    /// A function of the kernel that controllers may not call, or that does not exist.
    #[error(
        "calls {0}, which the kernel offers to no congestion controller: write it into the program"
    )]
    NoFunction(String),
    /// A helper or function of the kernel that does not work here.
    #[error("calls {name}, which does not work here: {why}")]
    Refused {
        /// Its name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// A map of a kind that does not work here, or that no kernel would create.
    #[error("the map {name} {why}")]
    Map {
        /// Its name.
        name: String,
        /// The defect and its remedy.
        why: &'static str,
    },
    /// No callbacks or an entry outside.
    #[error(
        "the callback {callback} is at instruction {target}, where no function begins: link the object anew"
    )]
    Callback {
        /// Its name.
        callback: String,
        /// The index in the program.
        target: usize,
    },
}
