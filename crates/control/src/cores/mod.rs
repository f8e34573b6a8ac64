//! The kernel's controllers: integer arithmetic in C (`cores/*.h`), which is compiled here for this machine and by the loader for BPF, behind safe calls.
//!
//! A [`Core`] is one connection's controller; a [`Twin`] says what the kernel and the simulator call it, and with which constants it starts. The only unsafe code of
//! this crate is here.
#![allow(unsafe_code)]

#[cfg(test)]
pub(crate) mod equations;
pub mod fast;
#[cfg(test)]
mod headers;
pub mod pcc;
mod twin;
pub mod vcp;
pub mod window;

use crate::Recovery;
use bytemuck::{Pod, Zeroable};
use std::fmt::Debug;

pub(crate) use twin::replay;
pub use twin::{Replay, Twin};

/// What happened to a connection; the callback of `struct tcp_congestion_ops` that tells it. `enum core_event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Event {
    /// It begins, or takes this controller (`init`).
    Init,
    /// Its recovery state changed (`set_state`).
    State,
    /// An acknowledgement, before the window is looked at (`pkts_acked`): a round trip may have been measured.
    Rtt,
    /// An acknowledgement: the window may move (`cong_control`, `cong_avoid`).
    Ack,
    /// The kernel asks for the threshold after a loss or mark (`ssthresh`).
    Reduce,
    /// The reduction was needless: the window to go back to (`undo_cwnd`).
    Undo,
    /// Sending begins again after nothing was in flight (`cwnd_event`).
    Restart,
}

/// What a socket shows its controller: rates in bytes/s, times in µs, counts and windows in segments. `struct core_input`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Input {
    /// The time (`tcp_mstamp`).
    pub now: u64,
    /// The rate in force (`sk_pacing_rate`).
    pub pacing_rate: u64,
    /// The most that was allowed (`sk_max_pacing_rate`).
    pub max_pacing_rate: u64,
    /// An [`Event`].
    pub event: u32,
    /// Fresh with each call.
    pub random: u32,
    /// Segments sent, retransmissions included (`data_segs_out`).
    pub sent: u32,
    /// Segments delivered.
    pub delivered: u32,
    /// Segments lost.
    pub lost: u32,
    /// Segments in flight.
    pub in_flight: u32,
    /// Smoothed round trip; 0 before the first sample.
    pub srtt: u32,
    /// The round trip that this acknowledgement measured, of a segment sent once; 0 for none.
    pub rtt: u32,
    /// What was in flight when the segment of that measurement was sent.
    pub flight_when_sent: u32,
    /// Segments newly acknowledged.
    pub acked: u32,
    /// The window in force (`snd_cwnd`).
    pub cwnd: u32,
    /// The threshold in force (`snd_ssthresh`).
    pub ssthresh: u32,
    /// The window before the latest reduction (`prior_cwnd`).
    pub prior_cwnd: u32,
    /// The largest window allowed (`snd_cwnd_clamp`).
    pub cwnd_clamp: u32,
    /// 1 if the window was what held sending back (`tcp_is_cwnd_limited`).
    pub cwnd_limited: u32,
    /// The recovery state: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub recovery: u32,
    /// Largest payload of a segment, at least 1.
    pub mss: u32,
    /// Bytes of payload that arrived with ECT(0), as AccECN tells.
    pub ect0_bytes: u32,
    /// With ECT(1).
    pub ect1_bytes: u32,
    /// With CE.
    pub ce_bytes: u32,
}

/// What a controller decides. `struct core_output`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Output {
    /// Bytes of payload per second.
    pub pacing_rate: u64,
    /// Segments that may be in flight.
    pub cwnd: u32,
    /// Slow start ends here.
    pub ssthresh: u32,
}

// `cores/core.h` asserts the same sizes.
const _: () = assert!(size_of::<Input>() == 104 && size_of::<Output>() == 16);

/// The number that the cores have for a recovery state.
pub fn recovery(state: Recovery) -> u32 {
    match state {
        Recovery::Open => 0,
        Recovery::Disorder => 1,
        Recovery::Cwr => 2,
        Recovery::Recovery => 3,
        Recovery::Loss => 4,
    }
}

/// A function of `cores/native.c`.
type Call<C, S> = unsafe extern "C" fn(*const C, *mut S, *const Input, *mut Output);

/// Constants that choose a core.
pub trait Constants: Pod + Debug + Send {
    /// What a connection remembers; all zero for a new one.
    type State: Pod + Debug + Send;
    /// The core's function, which reads and writes what it is given and keeps no pointer.
    const DECIDE: Call<Self, Self::State>;

    /// Names what the connection remembers, for traces.
    fn inspect(state: &Self::State, visit: &mut dyn FnMut(&'static str, f64)) {
        let _ = (state, visit);
    }
}

/// The cores of `cores/native.c`: the function, its constants, what it remembers, and what traces show of that.
macro_rules! cores {
    ($($function:ident($constants:ty, $state:ty $(, $inspect:path)?);)*) => {
        unsafe extern "C" {
            $(fn $function(_: *const $constants, _: *mut $state, _: *const Input, _: *mut Output);)*
        }
        $(impl Constants for $constants {
            type State = $state;
            const DECIDE: Call<$constants, $state> = $function;
            $(fn inspect(state: &$state, visit: &mut dyn FnMut(&'static str, f64)) {
                $inspect(state, visit);
            })?
        })*
    };
}

cores! {
    narrows_pcc_vivace(pcc::Vivace, pcc::State);
    narrows_pcc_allegro(pcc::Allegro, pcc::State);
    narrows_hstcp(window::Hstcp, window::HstcpState);
    narrows_scalable(window::Scalable, window::ScalableState);
    narrows_fast(fast::Fast, fast::State, crate::controllers::fast::inspect);
    narrows_vcp(vcp::Constants, vcp::State);
}

/// One connection's controller.
#[derive(Clone, Debug)]
pub struct Core<C: Constants> {
    constants: C,
    /// What it remembers.
    pub state: C::State,
    /// What it decided last.
    pub output: Output,
}

impl<C: Constants> Core<C> {
    /// Of a connection that has not begun.
    pub fn new(constants: C) -> Core<C> {
        Core { constants, state: C::State::zeroed(), output: Output::default() }
    }

    /// One call of the kernel, with all of what the socket shows.
    pub fn decide(&mut self, input: &Input) {
        self.output = Output { pacing_rate: input.pacing_rate, cwnd: input.cwnd, ssthresh: input.ssthresh };
        // SAFETY: the function is a core's, which reads and writes what these valid and separate references point to, in the layout asserted on both sides, and
        // keeps no pointer.
        unsafe { C::DECIDE(&self.constants, &mut self.state, input, &mut self.output) }
    }

    /// The same where what was decided last is in force.
    pub fn next(&mut self, event: Event, input: &Input) {
        let Output { pacing_rate, cwnd, ssthresh } = self.output;
        self.decide(&Input { event: event as u32, pacing_rate, cwnd, ssthresh, ..*input });
    }
}
