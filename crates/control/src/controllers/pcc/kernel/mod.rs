//! PCC as the Linux kernel module runs it: its integer arithmetic, in C that BPF can include, driven by what a kernel controller is shown.
//!
//! Sources: github.com/PCCproject/PCC-Kernel, `src/tcp_pcc.c`, branches vivace and master; Gilad, "A PCC-Vivace kernel module", 2018.
//!
//! It reads counts of segments (sent, delivered, lost, in flight), the smoothed round trip, the time and whether a timeout is being repaired, and nothing else: no
//! marks on packets, no rate samples. So it takes packets to meet their fates in the order sent.
//!
//! Deviations:
//! * as the kernel's own pacing does, the rate counts payload; the decision counts headers too, at the same packets per second;
//! * `cong_control` runs with each acknowledgement; here also when the reordering timer declares losses;
//! * where the module would divide by zero, which takes a rate of zero, the quotient is zero, as in BPF;
//! * without a handshake the connection begins with its first packet.

#[cfg(test)]
mod tests;

use crate::cores::pcc::State;
use crate::cores::pcc_allegro::Constants as Allegro;
use crate::cores::pcc_vivace::Constants as Vivace;
use crate::cores::{Core, CoreConstants, Event, Input, Twin, recovery, replay};
use crate::parts::micros::micros;
use crate::{Basis, Built, Entry, Setup};
use crate::{CaState, Controller, Decision, Feedback, Reduction, Sent, Tag, Timeout, Totals};
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::{Bytes, Random, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// The module's Vivace.
const VIVACE_CONSTANTS: Vivace = Vivace {
    first_rate: 524_288,
    interval_packets: 50,
    ignore: 10,
    probe: 5,
    latency: 900,
    loss: 11,
    latency_filter: 30,
    min_difference: 20,
    step: 25,
    amplifier: 2,
    swing_buffer: 2,
    change_bound: 100,
    change_step: 70,
    floor_packets: 2,
    fixed: 0,
    pair_bug: 0,
};

/// The module's Allegro.
const ALLEGRO_CONSTANTS: Allegro =
    Allegro { first_rate: 524_288, interval_packets: 40, ignore: 5, epsilon_min: 1, epsilon_max: 5, loss_margin: 5, fixed: 0, reserved: 0 };

/// Registry line of the module's Vivace.
pub const VIVACE: Entry = Entry {
    name: "pcc-vivace",
    kernel: Some("pcc_vivace"),
    summary: "PCC Vivace as the Linux kernel module computes it, defects included: gradient ascent on a utility linear in the rate",
    source: "PCC-Kernel, branch vivace, src/tcp_pcc.c",
    basis: Basis::Utility,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[
        Param::flag(
            "fixed",
            false,
            "repair three defects: double in the start, let downward moves go on, begin a move at the rate that won the probe",
        ),
        Param::flag("pair_bug", false, "as before 29 November 2018: the first pair's verdict chooses among the second pair's rates"),
        FIRST_RATE,
        whole("interval_packets", VIVACE_CONSTANTS.interval_packets, (1, 10_000), "packets", "an interval is at least so long"),
        whole(
            "ignore",
            VIVACE_CONSTANTS.ignore,
            (0, 1_000),
            "packets",
            "left out at either end of an interval, as they may belong to its neighbour",
        ),
        whole("probe", VIVACE_CONSTANTS.probe, (1, 99), "%", "probes are so far above and below the rate"),
        whole("latency", VIVACE_CONSTANTS.latency, (0, 1_000_000), "", "weight of the growth of the round trip per time"),
        whole("loss", VIVACE_CONSTANTS.loss, (0, 1_000_000), "", "weight of the loss"),
        whole(
            "latency_filter",
            VIVACE_CONSTANTS.latency_filter as u32,
            (0, 1_000_000),
            "thousandths",
            "less growth of the round trip per time counts as none",
        ),
        whole(
            "min_difference",
            VIVACE_CONSTANTS.min_difference as u32,
            (0, 1_000),
            "thousandths",
            "rates less far apart give no gradient; steps are at least 1.1 times as large",
        ),
        whole("step", VIVACE_CONSTANTS.step, (1, 1_000_000), "", "bytes/s for a gradient of 0.001 and an amplifier of 1"),
        whole("amplifier", VIVACE_CONSTANTS.amplifier as u32, (1, 1_000), "", "of the first step in a direction; each further one adds 1"),
        whole("swing_buffer", VIVACE_CONSTANTS.swing_buffer as u32, (0, 1_000), "", "most steps without amplification after reversals"),
        whole(
            "change_bound",
            VIVACE_CONSTANTS.change_bound as u32,
            (1, 1_000),
            "thousandths",
            "most that a first step changes of the rate",
        ),
        whole(
            "change_step",
            VIVACE_CONSTANTS.change_step as u32,
            (0, 1_000),
            "thousandths",
            "the bound widens by this while steps meet it",
        ),
        whole("floor_packets", VIVACE_CONSTANTS.floor_packets, (0, 1_000), "packets", "the least rate, per round trip"),
    ],
    build: |setup, params| Ok(Built::new(PccKernel::new(vivace(params)?, setup, "pcc-kernel"))),
};

fn vivace(params: &Params) -> Result<Vivace, ParamError> {
    let whole = |name| number(&VIVACE, params, name);
    Ok(Vivace {
        first_rate: whole("first_rate")?,
        interval_packets: whole("interval_packets")?,
        ignore: whole("ignore")?,
        probe: whole("probe")?,
        latency: whole("latency")?,
        loss: whole("loss")?,
        latency_filter: whole("latency_filter")? as i32,
        min_difference: whole("min_difference")? as i32,
        step: whole("step")?,
        amplifier: whole("amplifier")? as i32,
        swing_buffer: whole("swing_buffer")? as i32,
        change_bound: whole("change_bound")? as i32,
        change_step: whole("change_step")? as i32,
        floor_packets: whole("floor_packets")?,
        fixed: params.flag("fixed") as u32,
        pair_bug: params.flag("pair_bug") as u32,
    })
}

/// What the kernel gets of Vivace.
pub const VIVACE_TWIN: Twin = Twin {
    kernel: "pcc_vivace",
    entry: &VIVACE,
    choice: "pcc-vivace",
    constants: |params| Ok(bytemuck::bytes_of(&vivace(params)?).to_vec()),
    replay: replay::<Vivace>,
    state: size_of::<State>(),
};

/// Registry line of the module's Allegro.
pub const ALLEGRO: Entry = Entry {
    name: "pcc-allegro",
    kernel: Some("pcc_allegro"),
    summary: "PCC Allegro as the Linux kernel module computes it, defects included: steps of some percent toward the better of two rates",
    source: "PCC-Kernel, branch master, src/tcp_pcc.c",
    basis: Basis::Utility,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[
        Param::flag("fixed", false, "repair the start: double while the utility rises"),
        FIRST_RATE,
        whole("interval_packets", ALLEGRO_CONSTANTS.interval_packets, (1, 10_000), "packets", "an interval is at least so long"),
        whole(
            "ignore",
            ALLEGRO_CONSTANTS.ignore,
            (0, 1_000),
            "packets",
            "left out at either end of an interval, as they may belong to its neighbour",
        ),
        whole(
            "epsilon_min",
            ALLEGRO_CONSTANTS.epsilon_min,
            (1, 99),
            "%",
            "the first step, and how far the first probes are above and below the rate",
        ),
        whole("epsilon_max", ALLEGRO_CONSTANTS.epsilon_max, (1, 99), "%", "the largest"),
        whole("loss_margin", ALLEGRO_CONSTANTS.loss_margin, (0, 10), "%", "the loss at which the utility collapses"),
    ],
    build: |setup, params| Ok(Built::new(PccKernel::new(allegro(params)?, setup, "pcc-kernel-allegro"))),
};

fn allegro(params: &Params) -> Result<Allegro, ParamError> {
    let whole = |name| number(&ALLEGRO, params, name);
    Ok(Allegro {
        first_rate: whole("first_rate")?,
        interval_packets: whole("interval_packets")?,
        ignore: whole("ignore")?,
        epsilon_min: whole("epsilon_min")?,
        epsilon_max: whole("epsilon_max")?,
        loss_margin: whole("loss_margin")?,
        fixed: params.flag("fixed") as u32,
        reserved: 0,
    })
}

/// What the kernel gets of Allegro.
pub const ALLEGRO_TWIN: Twin = Twin {
    kernel: "pcc_allegro",
    entry: &ALLEGRO,
    choice: "pcc-allegro",
    constants: |params| Ok(bytemuck::bytes_of(&allegro(params)?).to_vec()),
    replay: replay::<Allegro>,
    state: size_of::<State>(),
};

const FIRST_RATE: Param =
    whole("first_rate", VIVACE_CONSTANTS.first_rate, (1_024, u32::MAX), "B/s", "the rate at which a connection begins, of payload");

const fn whole(name: &'static str, default: u32, range: (u32, u32), unit: &'static str, help: &'static str) -> Param {
    Param::number(name, default as f64, (range.0 as f64, range.1 as f64), unit, help)
}

/// The value of a number that the core takes as an integer.
fn number(entry: &'static Entry, params: &Params, name: &'static str) -> Result<u32, ParamError> {
    let value = params.number(name);
    if value.fract() == 0.0 {
        return Ok(value as u32);
    }
    Err(ParamError::Value { entry: entry.name, name, value: value.to_string(), allowed: "a whole number".to_owned() })
}

/// The controller around a core.
#[derive(Clone, Debug)]
struct PccKernel<C: CoreConstants<State = State>> {
    core: Core<C>,
    input: Input,
    packet: Bytes,
    opened: bool,
    random: Random,
}

impl<C: CoreConstants<State = State>> PccKernel<C> {
    /// Around a core whose draws come from the stream of this name.
    fn new(constants: C, setup: &Setup, stream: &str) -> PccKernel<C> {
        let mut random = Random::stream(setup.seed, stream);
        let input = Input {
            // What a socket has of Linux 4.15: no limits.
            max_pacing_rate: u32::MAX as u64,
            cwnd_clamp: u32::MAX,
            mss: setup.mss.get().clamp(1, u32::MAX as u64) as u32,
            random: random.bits() as u32,
            ..Input::default()
        };
        let mut core = Core::new(constants);
        core.next(Event::Init, &input);
        PccKernel { core, input, packet: setup.mss + setup.headers, opened: false, random }
    }

    /// The connection begins, with what the handshake told.
    fn open(&mut self, now: Time, srtt: Span) {
        if !self.opened {
            self.opened = true;
            self.input.now = micros(now);
            self.input.srtt = round_trip(srtt);
            self.core.next(Event::Init, &self.input);
        }
    }

    fn show(&mut self, totals: Totals) {
        // As wide as the socket's counts.
        self.input.sent = totals.sent as u32;
        self.input.delivered = totals.delivered as u32;
        self.input.lost = totals.lost as u32;
    }
}

impl<C: CoreConstants<State = State>> Controller for PccKernel<C> {
    fn on_open(&mut self, now: Time, rtt: Span) {
        self.open(now, rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.open(sent.now, Span::ZERO);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.show(feedback.totals);
        self.input.now = micros(feedback.now);
        self.input.in_flight = feedback.in_flight;
        self.input.srtt = round_trip(feedback.srtt);
        self.input.recovery = recovery(feedback.ca_state);
        self.input.random = self.random.bits() as u32;
        self.core.next(Event::State, &self.input);
        self.core.next(Event::Ack, &self.input);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.input.now = micros(timeout.now);
        self.input.recovery = recovery(CaState::Loss);
        self.core.next(Event::State, &self.input);
    }

    fn on_undo(&mut self, _now: Time) {}

    fn decision(&self) -> Decision {
        let payload = self.core.output.pacing_rate;
        Decision {
            window: Segments::new(self.core.output.cwnd as f64),
            pacing: Some(Rate::from_bps(payload * self.packet.get() / self.input.mss as u64 * 8)),
            quantum: self.packet,
            ecn: Ecn::NotEct,
            reduction: Reduction::Immediate,
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let state = &self.core.state;
        visit("cwnd", self.core.output.cwnd as f64);
        visit("rate_bytes_s", state.rate as f64);
        visit("last_rate_bytes_s", state.last_rate as f64);
        visit("utility", state.intervals[0].utility as f64);
        visit("phase", state.phase as f64);
        visit("waiting", state.waiting as f64);
        visit("amplifier", state.amplifier as f64);
        visit("change_bound", state.change_bound as f64);
        visit("epsilon", state.epsilon as f64);
    }
}

/// A round trip in µs; one that is known is never 0.
fn round_trip(span: Span) -> u32 {
    if span.is_zero() { 0 } else { u32::try_from(span.as_micros()).unwrap_or(u32::MAX).max(1) }
}
