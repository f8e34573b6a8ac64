//! Calls of the cores' functions.
#![allow(unsafe_code)]

use bytemuck::{Pod, Zeroable};
use std::fmt::Debug;

/// The function of a core.
type Call<C, S> = unsafe extern "C" fn(*const C, *mut S, *const Input, *mut Output);

/// The constants of a core, which choose it.
pub trait CoreConstants: Pod + Debug + Send {
    /// The state of a connection; all zero for a new one.
    type State: Pod + Debug + Send;
    /// The core's function, which reads and writes what it is given and keeps no pointer.
    const DECIDE: Call<Self, Self::State>;
}

/// Declares the cores: of each the function, its constants, and what a connection remembers.
macro_rules! cores {
    ($($function:ident($constants:ty, $state:ty);)*) => {
        unsafe extern "C" {
            $(fn $function(_: *const $constants, _: *mut $state, _: *const Input, _: *mut Output);)*
        }
        $(impl CoreConstants for $constants {
            type State = $state;
            const DECIDE: Call<$constants, $state> = $function;
        })*
    };
}

// Rust's side of the headers, which build.rs writes: `Event`, `Recovery`, `Input` and `Output` of
// `core.h`; for each core a module with its `Constants` and `State`.
include!(concat!(env!("OUT_DIR"), "/cores.rs"));

/// One connection's controller.
#[derive(Clone, Debug)]
pub struct Core<C: CoreConstants> {
    constants: C,
    /// The state of the connection.
    pub state: C::State,
    /// The latest decision.
    pub output: Output,
}

impl<C: CoreConstants> Core<C> {
    /// Of a connection that has not begun.
    pub fn new(constants: C) -> Core<C> {
        Core { constants, state: C::State::zeroed(), output: Output::default() }
    }

    /// One call of the kernel, with all of what the socket shows.
    pub fn decide(&mut self, input: &Input) {
        self.output =
            Output { pacing_rate: input.pacing_rate, cwnd: input.cwnd, ssthresh: input.ssthresh };
        // SAFETY: the function is a core's, which reads and writes what these valid and separate
        // references point to, in the layout asserted on both sides, and keeps no pointer.
        unsafe { C::DECIDE(&self.constants, &mut self.state, input, &mut self.output) }
    }

    /// Decides where the latest decision is in force.
    pub fn next(&mut self, event: Event, input: &Input) {
        let Output { pacing_rate, cwnd, ssthresh } = self.output;
        self.decide(&Input { event: event as u32, pacing_rate, cwnd, ssthresh, ..*input });
    }
}
