//! PCC as the Linux kernel module runs it: its integer arithmetic, in C that BPF can include,
//! driven by what a kernel controller is shown.
//!
//! Sources: github.com/PCCproject/PCC-Kernel, `src/tcp_pcc.c`, branches vivace and master; Gilad,
//! "A PCC-Vivace kernel module", 2018.
//!
//! It reads counts of segments (sent, delivered, lost, in flight), the smoothed round trip, the
//! time and whether a timeout is being repaired, and nothing else: no marks on packets, no rate
//! samples. So it takes packets to meet their fates in the order sent. With
//! `association=delivered`, which is ours, it also reads from rate samples how many segments were
//! delivered when a packet left: intervals begin and end with an acknowledgement, so that count
//! tells the packet's interval.
//!
//! Deviations:
//! * as the kernel's own pacing does, the rate counts payload; the decision counts headers too, at
//!   the same packets per second;
//! * `cong_control` runs with each acknowledgement; here also when the reordering timer declares
//!   losses;
//! * where the module would divide by zero, which takes a rate of zero, the quotient is zero, as in
//!   BPF;
//! * without a handshake the connection begins with its first packet.

pub mod allegro;
#[cfg(test)]
mod tests;
pub mod vivace;

use crate::Setup;
use crate::cores::recovery;
use crate::parts::micros::micros;
use crate::{CaState, Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout, Totals};
use narrows_cores::pcc::{Association, State};
use narrows_cores::{Core, CoreConstants, Event, Input};
use narrows_params::{Need, Param};
use narrows_units::{Bytes, Random, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// The rate at which a connection of either variant begins.
const FIRST_RATE: Param<u32> =
    Param::whole("first_rate", 524_288, (1_024, u32::MAX), "B/s", "initial rate, of payload");

/// How packets are accounted to intervals.
const ASSOCIATION: Param<Association> = Param::choice(
    "association",
    "count",
    &[("count", Association::ByCount), ("delivered", Association::ByDelivered)],
    "how packets are accounted to intervals; delivered: exactly, by rate samples, without `ignore`; ours, from Linux 6.10 on",
)
.needing(Need::RateSample);

/// The loss that Allegro's utility tolerates.
const LOSS_MARGIN: Param<u32> =
    Param::whole("loss_margin", 5, (0, 10), "%", "loss at which Allegro's utility collapses");

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
            // The limits of a socket of Linux 4.15: there are no limits.
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
    fn on_open(&mut self, open: &Open) {
        self.open(open.now, open.rtt);
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
        self.input.sampled = feedback.rate.is_some() as u32;
        self.input.prior_delivered =
            feedback.rate.map_or(0, |sample| sample.prior_delivered as u32);
        self.core.next(Event::State, &self.input);
        self.core.next(Event::Ack, &self.input);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.input.now = micros(timeout.now);
        self.input.recovery = recovery(CaState::Loss);
        self.core.next(Event::State, &self.input);
    }

    fn on_undo(&mut self, _now: Time) {}

    fn decides_in_flight(&self) -> bool {
        false
    }

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
