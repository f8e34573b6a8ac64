//! VCP's sender as the kernel gets it: integer arithmetic, in C that BPF can include, driven by
//! what a kernel controller is shown.
//!
//! It follows the article, with the code points for accurate ECN (RFC 9768): the receiver's counts
//! of bytes per code point tell the newest code.
//!
//! Deviations from `vcp?codes=accecn`:
//! * fixed point: the window has 32 bits of fraction, and steps are those of a round trip of at
//!   most eight t_rho;
//! * a code is stale t_rho after the acknowledgement that told it, and not after the last packet
//!   sent; the window is kept however long the flow is idle, because it is paced;
//! * as the kernel's own pacing does, the rate counts payload; the decision counts headers too, at
//!   the same packets per second;
//! * without a handshake the connection begins with its first packet.

#[cfg(test)]
mod tests;

use super::law::{BETA, T_RHO, XI};
use crate::cores::{Twin, recovery, replay};
use crate::parts::micros::micros;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{
    CaState, Congestion, Controller, Decision, EcnDelta, Feedback, Open, Reduction, Sent, Tag,
    Timeout,
};
use narrows_cores::vcp::{Constants, State};
use narrows_cores::{Core, Event, Input};
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::{CodePoints, LoadCode};

/// Registry line.
pub static KERNEL: Entry = Entry {
    name: "vcp-kernel",
    kernel: Some("vcp_kernel"),
    summary: "VCP in integers for the Linux kernel by BPF: codes from the byte counts of accurate ECN",
    source: "Xia, Subramanian, Stoica, Kalyanaraman, SIGCOMM 2005; RFC 9768",
    basis: Basis::Routers,
    needs: &[Need::LoadCode, Need::EcnCounts, Need::Pacing],
    numbered: false,
    params: &[CODES.spec, T_RHO.spec, XI.spec, ALPHA.spec, BETA.spec, WEIGHT.spec, PACING.spec],
    build: Build::Function(|setup, params| Ok(Built::new(VcpKernel::new(setup, params)))),
};

const CODES: Param<CodePoints> = Param::choice(
    "codes",
    "accecn",
    &[("accecn", CodePoints::AccEcn)],
    "code points of low load, high load, overload: ECT(0), ECT(1), CE; equal in routers",
);
const ALPHA: Param<f64> = Param::number(
    "alpha",
    1.0,
    (0.0, 100.0),
    "segments",
    "additive increase per round trip of t_rho",
);
const WEIGHT: Param<f64> =
    Param::number("weight", 1.0, (0.01, 10.0), "", "multiplies alpha: the flow's weight");
const PACING: Param<bool> = Param::flag("pacing", true, "pace a window per round trip");

/// The kernel's form of it.
pub static TWIN: Twin = Twin {
    kernel: "vcp_kernel",
    entry: &KERNEL,
    choice: "vcp-kernel",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};

/// The parameters in fixed point.
fn constants(params: &Params) -> Constants {
    let fixed = |value: f64, bits: u32| libm::round(value * (1_u64 << bits) as f64) as u32;
    Constants {
        t_rho: libm::round(params.get(&T_RHO) * 1e3) as u32,
        growth: fixed(libm::log1p(params.get(&XI)), 30),
        alpha: fixed(params.get(&ALPHA) * params.get(&WEIGHT), 16),
        beta: fixed(params.get(&BETA), 16),
        pacing: params.get(&PACING) as u32,
        reserved: 0,
    }
}

/// The controller around the core.
#[derive(Clone, Debug)]
struct VcpKernel {
    core: Core<Constants>,
    input: Input,
    mss: u32,
    packet: Bytes,
    opened: bool,
}

impl VcpKernel {
    fn new(setup: &Setup, params: &Params) -> VcpKernel {
        let mss = setup.mss.get().clamp(1, u32::MAX as u64) as u32;
        let input =
            Input { max_pacing_rate: u64::MAX, cwnd_clamp: u32::MAX, mss, ..Input::default() };
        let mut core = Core::new(constants(params));
        core.output.cwnd = setup.initial_window.get() as u32;
        core.next(Event::Init, &input);
        VcpKernel { core, input, mss, packet: setup.mss + setup.headers, opened: false }
    }

    /// The connection begins, with what the handshake told.
    fn open(&mut self, now: Time, srtt: Span) {
        if !self.opened {
            self.opened = true;
            self.input.now = micros(now);
            self.input.srtt = srtt.as_micros() as u32;
            self.core.next(Event::Init, &self.input);
        }
    }

    /// The counts of accurate ECN, of full segments.
    fn count(&mut self, ecn: EcnDelta) {
        let counts =
            [&mut self.input.ect0_bytes, &mut self.input.ect1_bytes, &mut self.input.ce_bytes];
        for (count, packets) in counts.into_iter().zip([ecn.ect0, ecn.ect1, ecn.ce]) {
            *count = count.wrapping_add(packets.wrapping_mul(self.mss));
        }
    }

    fn state(&mut self, state: CaState) {
        if self.input.recovery != recovery(state) {
            self.input.recovery = recovery(state);
            self.core.next(Event::State, &self.input);
        }
    }
}

impl Controller for VcpKernel {
    fn on_open(&mut self, open: &Open) {
        self.open(open.now, open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.open(sent.now, Span::ZERO);
        if sent.in_flight == 0 {
            self.input.now = micros(sent.now);
            self.core.next(Event::Restart, &self.input);
        }
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.input.now = micros(feedback.now);
        self.input.srtt = feedback.srtt.as_micros() as u32;
        self.input.in_flight = feedback.in_flight;
        self.input.cwnd_limited = feedback.acked.iter().any(|acked| acked.window_limited) as u32;
        self.input.delivered = feedback.totals.delivered as u32;
        self.count(feedback.ecn);
        if feedback.congestion == Some(Congestion::Loss) {
            // A repair that follows another at once.
            self.state(CaState::Open);
        }
        self.state(feedback.ca_state);
        self.core.next(Event::Ack, &self.input);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.input.now = micros(timeout.now);
        self.input.recovery = recovery(CaState::Loss);
        self.core.next(Event::State, &self.input);
    }

    fn on_undo(&mut self, now: Time) {
        self.input.now = micros(now);
        self.core.next(Event::Undo, &self.input);
    }

    fn decision(&self) -> Decision {
        let payload = self.core.output.pacing_rate;
        Decision {
            window: Segments::new(self.core.output.cwnd as f64),
            pacing: (payload > 0)
                .then(|| Rate::from_bps(payload * self.packet.get() / self.mss as u64 * 8)),
            quantum: self.packet,
            ecn: CodePoints::AccEcn.of(LoadCode::Low),
            reduction: Reduction::Immediate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let state = &self.core.state;
        visit("cwnd", state.window as f64 / (1_u64 << 32) as f64);
        visit("code", state.code as f64);
        visit("resting", (state.rest == 1) as u32 as f64);
    }
}
