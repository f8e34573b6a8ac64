//! The TCP around a program: it shows the socket as Linux would have it, calls the callbacks in
//! Linux' order, and obeys what they leave in the socket.
//!
//! Sources: Linux 6.18 net/ipv4/tcp_input.c (`tcp_ack`, `tcp_fastretrans_alert`, `tcp_enter_loss`,
//! `tcp_cong_control`), tcp_output.c (`tcp_event_data_sent`, `tcp_slow_start_after_idle_check`,
//! `tcp_cwnd_restart`), tcp_cong.c, tcp_rate.c.
//!
//! Deviations:
//! * the transport spreads a reduction over acknowledgements (PRR), and the socket shows its
//!   window; what `snd_cwnd` a program without `cong_control` writes in a reduction is lost;
//! * all segments are full, a window is never closed by the receiver, and there is no send buffer
//!   (`sndbuf_expand` is not called);
//! * the connection restarts after idleness with its first segment, not with the application's
//!   write.

mod acknowledgement;
mod callbacks;
mod opening;
mod outside;
mod round_trips;
mod samples;
mod sending;

use crate::fault::Reason;
use crate::functions::World;
use crate::machine::{Callback, Code, Machine};
use crate::memory::ARGUMENTS;
use crate::program::address;
use crate::socket::Field;
use crate::socket::fields as f;
use callbacks::{Callbacks, Event};
use narrows_control::{
    Awaited, CaState, Controller, Decision, Fault, Feedback, Open, Reduction, Sent, Setup, Tag,
    Timeout,
};
use narrows_units::{Bytes, Rate, Segments, Time};
use narrows_wire::Ecn;
use outside::Outside;
use std::sync::Arc;

/// `TCP_INFINITE_SSTHRESH`.
const NO_THRESHOLD: u64 = 0x7fff_ffff;
/// `TCP_CONG_NEEDS_ECN`.
const NEEDS_ECN: u32 = 2;
/// `TCP_ECN_OK`.
const ECN_OK: u64 = 1;
/// No rate is set (`~0UL`).
const NO_RATE: u64 = u64::MAX;
/// Segments of a burst where the program does not say (`sysctl_tcp_min_tso_segs`).
const MIN_SEGMENTS: u64 = 2;

/// How a program is run, beside its own variables.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// `CONFIG_HZ` of the simulated host.
    pub hz: u32,
    /// The sequence number that precedes the first byte.
    pub isn: u32,
    /// A value shown of the private area: a name for traces, the first bit, the width in bits and
    /// whether it can be negative.
    pub shown: Arc<[Shown]>,
    /// Values of the program's variables that are not those of the object: the section, its first
    /// byte, and the bytes.
    pub set: Arc<[(usize, usize, Vec<u8>)]>,
}

/// An integer of the private area (`icsk_ca_priv`).
#[derive(Clone, Debug)]
pub struct Shown {
    /// As traces name it.
    pub name: &'static str,
    /// From the beginning of the area.
    pub bit: usize,
    /// Width, 1 to 64.
    pub bits: u32,
    /// Whether it can be negative.
    pub signed: bool,
}

/// A connection whose window and pace a program decides.
#[derive(Clone, Debug)]
pub struct Around {
    machine: Machine,
    callbacks: Callbacks,
    conditions: Conditions,
    outside: Outside,
    mss: u64,
    packet: Bytes,
    initial_window: u64,
    /// The program may look at members of the socket that are kept only for those that name them.
    details: bool,
    /// `init` has been called.
    begun: bool,
    state: CaState,
    /// Segments that are delivered and lost at the latest acknowledgement.
    delivered: u64,
    marked: u64,
    una: u64,
    /// Segments of a burst, as `min_tso_segs` said.
    quantum: u64,
    undo: bool,
    /// The rate in bytes of payload per second that was converted last, and what it is on the wire.
    pace: (u64, Rate),
    fault: Option<Fault>,
}

impl Around {
    /// A connection at its beginning.
    pub fn new(code: Arc<Code>, conditions: Conditions, setup: &Setup) -> Around {
        let callbacks = Callbacks::of(&code);
        let details = code.looks_at_details();
        let mut machine = Machine::new(code);
        for (section, offset, bytes) in conditions.set.iter() {
            machine.data_mut(*section)[*offset..*offset + bytes.len()].copy_from_slice(bytes);
        }
        let mut around = Around {
            machine,
            callbacks,
            outside: Outside::new(conditions.hz, setup.seed),
            conditions,
            mss: setup.mss.get().clamp(1, u32::MAX as u64),
            packet: setup.mss + setup.headers,
            initial_window: setup.initial_window.whole().max(1) as u64,
            details,
            begun: false,
            state: CaState::Open,
            delivered: 0,
            marked: 0,
            una: 0,
            quantum: MIN_SEGMENTS,
            undo: false,
            pace: (0, Rate::from_bps(0)),
            fault: None,
        };
        around.fill(setup.seed);
        around.convert_rate();
        around
    }

    #[inline(always)]
    fn get(&self, field: Field) -> u64 {
        field.get(self.machine.socket())
    }

    #[inline(always)]
    fn set(&mut self, field: Field, value: u64) {
        field.set(self.machine.socket_mut(), value);
    }

    #[inline(always)]
    fn add(&mut self, field: Field, amount: u64) {
        let socket = self.machine.socket_mut();
        let sum = field.get(socket).wrapping_add(amount);
        field.set(socket, sum);
    }

    /// True if the program sets window and rate itself, by `cong_control`.
    fn controls(&self) -> bool {
        self.callbacks.cong_control.is_some()
    }

    fn in_reduction(&self) -> bool {
        matches!(self.state, CaState::Cwr | CaState::Recovery)
    }

    /// The sequence number of a segment's first byte.
    fn sequence(&self, segment: u64) -> u64 {
        u64::from((self.conditions.isn as u64).wrapping_add(segment.wrapping_mul(self.mss)) as u32)
    }

    /// It is `now`.
    #[inline]
    fn at(&mut self, now: Time) {
        self.outside.set(now);
        let micros = self.outside.micros(now);
        let nanos = self.outside.uptime();
        self.set(f::MSTAMP, micros);
        self.set(f::CLOCK_CACHE, nanos);
    }

    /// Calls a callback if the program has it, and nothing after a fault. The first argument is the
    /// socket.
    #[inline(always)]
    fn call<const N: usize>(
        &mut self,
        callback: Option<Callback>,
        arguments: [u64; N],
    ) -> Option<u64> {
        let callback = callback?;
        let mut all = [0; ARGUMENTS];
        all[0] = address::of(address::SOCKET, 0);
        for (place, argument) in all[1..].iter_mut().zip(arguments) {
            *place = argument;
        }
        self.execute(callback, &all)
    }

    fn execute(&mut self, callback: Callback, arguments: &[u64; ARGUMENTS]) -> Option<u64> {
        if self.fault.is_some() {
            return None;
        }
        match self.machine.call(callback, arguments, &mut self.outside) {
            Ok(answer) => {
                if self.get(f::CWND) == 0 && self.begun {
                    self.refuse(Some(callback), &Reason::NoWindow);
                }
                Some(answer)
            }
            Err(fault) => {
                self.fault = Some(Fault::new(fault.to_string()));
                None
            }
        }
    }

    /// Ends the run for what a callback has answered or left, unless it ends already.
    #[cold]
    fn refuse(&mut self, callback: Option<Callback>, reason: &Reason) {
        let name = callback.map_or("", |callback| self.machine.code().name(callback));
        let fault = Fault::new(format!("{name}: {reason}"));
        self.fault.get_or_insert(fault);
    }

    fn event(&mut self, event: Event) {
        if event == Event::TxStart && self.callbacks.cwnd_event_tx_start.is_some() {
            self.call(self.callbacks.cwnd_event_tx_start, []);
        } else {
            self.call(self.callbacks.cwnd_event, [event as u64]);
        }
    }

    /// `tcp_set_ca_state`: the program is told while the socket still has the old state.
    fn enter(&mut self, state: CaState) {
        self.call(self.callbacks.set_state, [number(state)]);
        self.state = state;
        self.set(f::CA_STATE, number(state));
    }

    fn set_window(&mut self, window: u64) {
        let tick = self.outside.tick();
        self.set(f::CWND, window);
        self.set(f::CWND_STAMP, tick as u64);
    }

    /// `tcp_current_ssthresh`.
    fn current_threshold(&self) -> u64 {
        let window = self.get(f::CWND);
        let threshold = self.get(f::SSTHRESH);
        if self.in_reduction() { threshold } else { threshold.max((window >> 1) + (window >> 2)) }
    }

    /// Asks the program what a reduction leaves (`ssthresh`).
    fn reduce(&mut self) {
        let window = self.get(f::CWND);
        self.set(f::PRIOR_CWND, window);
        if let Some(left) = self.call(self.callbacks.ssthresh, []) {
            let left = left & u32::MAX as u64;
            // Where the program sets the window itself, the kernel does not spread a reduction down
            // to the threshold.
            if left == 0 && !self.controls() {
                self.refuse(self.callbacks.ssthresh, &Reason::NoThreshold);
            }
            self.set(f::SSTHRESH, left);
        }
    }

    /// `tcp_update_pacing_rate`, for programs that set no rate: 200 % of a window per round trip
    /// below half of the threshold, else 120 %.
    fn update_pacing(&mut self) {
        if self.controls() {
            return;
        }
        let window = self.get(f::CWND);
        let threshold = self.get(f::SSTHRESH);
        let srtt = self.get(f::SRTT);
        let percent: u128 = if window < threshold / 2 { 200 } else { 120 };
        let packets = window.max(self.get(f::PACKETS_OUT));
        // The smoothed round trip is in eighths of a microsecond.
        let rate = divide(self.mss as u128 * 80_000 * percent * packets as u128, srtt.max(1));
        let rate = rate.min(self.get(f::MAX_PACING_RATE));
        self.set(f::PACING_RATE, rate);
    }

    /// An event is over: converts the rate if it has changed, and counts. A segment that leaves
    /// seldom changes it, and each asks for the decision.
    #[inline]
    fn convert_rate(&mut self) {
        if self.get(f::PACING_STATUS) == 0 {
            return;
        }
        let rate = self.get(f::PACING_RATE).min(self.get(f::MAX_PACING_RATE));
        if rate != self.pace.0 {
            self.pace = (
                rate,
                Rate::from_bps(divide(rate as u128 * self.packet.get() as u128 * 8, self.mss)),
            );
        }
    }

    fn ask_for_bursts(&mut self) {
        if let Some(segments) = self.call(self.callbacks.min_tso_segs, []) {
            self.quantum = (segments & u32::MAX as u64).max(1);
        }
    }
}

/// At most what 64 bits hold. Most dividends fit them, and are divided much faster.
fn divide(dividend: u128, divisor: u64) -> u64 {
    match u64::try_from(dividend) {
        Ok(dividend) => dividend / divisor,
        Err(_) => u64::try_from(dividend / divisor as u128).unwrap_or(u64::MAX),
    }
}

/// `enum tcp_ca_state`.
fn number(state: CaState) -> u64 {
    match state {
        CaState::Open => 0,
        CaState::Disorder => 1,
        CaState::Cwr => 2,
        CaState::Recovery => 3,
        CaState::Loss => 4,
    }
}

impl Controller for Around {
    fn on_open(&mut self, open: &Open) {
        self.open(open);
        self.convert_rate();
    }

    fn on_close(&mut self, now: Time) {
        self.at(now);
        self.call(self.callbacks.release, []);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.segment_leaves(sent);
        self.convert_rate();
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.acknowledged(feedback);
        self.ask_for_bursts();
        self.convert_rate();
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.timer_expired(timeout);
        self.convert_rate();
    }

    fn on_undo(&mut self, _now: Time) {
        // Carried out in its place within the acknowledgement that proves it.
        self.undo = true;
    }

    #[inline]
    fn decision(&self) -> Decision {
        let spread = self.in_reduction() && !self.controls();
        let window = self.get(if spread { f::SSTHRESH } else { f::CWND });
        let (rate, on_wire) = self.pace;
        let paced = self.get(f::PACING_STATUS) != 0 && rate > 0 && rate != NO_RATE;
        let ecn = self.get(f::ECN_FLAGS) & ECN_OK != 0;
        Decision {
            window: Segments::new(window as f64),
            pacing: paced.then_some(on_wire),
            quantum: self.packet * self.quantum,
            ecn: if ecn { Ecn::Ect0 } else { Ecn::NotEct },
            reduction: if spread { Reduction::Transport } else { Reduction::Immediate },
        }
    }

    fn fault(&self) -> Option<Fault> {
        self.fault.clone()
    }

    fn decide(&self, decision: &mut Decision) -> Awaited {
        if self.fault.is_some() {
            return Awaited::Fault;
        }
        *decision = self.decision();
        Awaited::Event
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let threshold = self.get(f::SSTHRESH);
        visit("cwnd", self.get(f::CWND) as f64);
        visit("ssthresh", if threshold >= NO_THRESHOLD { f64::INFINITY } else { threshold as f64 });
        let private = &self.machine.socket()[f::PRIVATE.offset()..];
        for shown in self.conditions.shown.iter() {
            visit(shown.name, shown.value(private));
        }
    }
}

impl Shown {
    fn value(&self, private: &[u8]) -> f64 {
        let bits = (0..self.bits as usize).rev().fold(0_u64, |value, bit| {
            let at = self.bit + bit;
            value << 1 | (private[at / 8] >> (at % 8) & 1) as u64
        });
        let unused = 64 - self.bits.clamp(1, 64);
        if self.signed { ((bits << unused) as i64 >> unused) as f64 } else { bits as f64 }
    }
}
