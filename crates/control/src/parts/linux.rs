//! What Linux gives to every window-based controller: a window in whole segments, and the calls that a core of such a controller gets.
//!
//! Sources: Linux `tcp_slow_start`, `tcp_cong_avoid_ai`, `tcp_reno_undo_cwnd` (`net/ipv4/tcp_cong.c`), `tcp_init_cwnd_reduction`, `tcp_enter_loss`,
//! `tcp_undo_cwnd_reduction` (`tcp_input.c`) and `tcp_cwnd_restart` (`tcp_output.c`).
//!
//! Deviations:
//! * the segments that count for growth are those sent while the window was the limit; the kernel judges the connection at the time of the acknowledgement;
//! * in Disorder the window may grow on selective acknowledgements; the kernel waits for the cumulative acknowledgement to move;
//! * a window that the application leaves unused decays after idleness only, not while a little is still being sent (`tcp_cwnd_application_limited`).

#[cfg(test)]
pub(crate) mod lockstep;

use crate::Setup;
use crate::cores::{Core, CoreConstants, Event, Input, Output, recovery};
use crate::parts::ecn::codepoint;
use crate::parts::micros::micros;
use crate::parts::window::{growth, pacing};
use crate::{CaState, Controller, Decision, Feedback, Sent, Tag, Timeout};
use narrows_params::Params;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;

/// No slow start threshold yet (`TCP_INFINITE_SSTHRESH`).
pub(crate) const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// The window (`snd_cwnd`, `snd_ssthresh`, `snd_cwnd_cnt`).
#[derive(Clone, Debug)]
pub struct Window {
    /// Segments that may be in flight.
    pub cwnd: u32,
    /// Slow start ends here.
    pub threshold: u32,
    /// Segments acknowledged towards the next segment of growth.
    pub credit: u32,
    /// Window and threshold before the latest reduction, for undo.
    prior: (u32, u32),
    initial: u32,
    last_sent: Option<Time>,
}

impl Window {
    /// At the start of a connection.
    pub fn new(setup: &Setup) -> Window {
        let cwnd = setup.initial_window.whole().max(1);
        Window { cwnd, threshold: NO_THRESHOLD, credit: 0, prior: (cwnd, NO_THRESHOLD), initial: cwnd, last_sent: None }
    }

    /// A segment leaves: the window halves for each retransmission timeout of idleness before. Returns for how long nothing was in flight.
    pub fn on_sent(&mut self, sent: &Sent) -> Option<Span> {
        let last = self.last_sent.replace(sent.now);
        let idle = sent.now.since(last.filter(|_| sent.in_flight == 0)?);
        if !sent.retransmission && idle > sent.rto {
            self.restart(idle, sent.rto);
        }
        Some(idle)
    }

    fn restart(&mut self, idle: Span, rto: Span) {
        self.threshold = self.threshold.max(self.cwnd / 2 + self.cwnd / 4);
        let floor = self.initial.min(self.cwnd);
        let mut rest = idle - rto;
        while !rest.is_zero() && self.cwnd > floor {
            self.cwnd /= 2;
            rest -= rto;
        }
        self.cwnd = self.cwnd.max(floor);
    }

    /// True below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.threshold
    }

    /// Slow start up to the threshold. Returns the segments left over for avoidance.
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let step = acked.min(self.threshold.saturating_sub(self.cwnd));
        self.cwnd += step;
        acked - step
    }

    /// One segment per `count` acknowledged. Credit gathered at a higher count gives at most one segment.
    pub fn step(&mut self, count: u32, acked: u32) {
        if self.credit >= count {
            self.credit = 0;
            self.cwnd += 1;
        }
        self.credit += acked;
        if self.credit >= count {
            let steps = self.credit / count;
            self.credit -= steps * count;
            self.cwnd += steps;
        }
    }

    /// A reduction to `left` segments.
    pub fn reduce(&mut self, left: u32) {
        self.prior = (self.cwnd, self.threshold);
        self.threshold = left;
        self.cwnd = left;
        self.credit = 0;
    }

    /// All that was in flight is presumed lost.
    pub fn collapse(&mut self) {
        self.cwnd = 1;
        self.credit = 0;
    }

    /// The latest reduction was spurious: the window goes back to what it was.
    pub fn undo(&mut self) {
        self.undo_to(self.cwnd.max(self.prior.0));
    }

    /// The same, to `cwnd` segments.
    fn undo_to(&mut self, cwnd: u32) {
        self.cwnd = cwnd;
        self.threshold = self.threshold.max(self.prior.1);
    }

    /// Names window and threshold.
    pub fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.cwnd as f64);
        visit("ssthresh", if self.threshold == NO_THRESHOLD { f64::INFINITY } else { self.threshold as f64 });
    }
}

/// A kernel controller that this core is: the kernel asks it for growth (`cong_avoid`), for what a reduction leaves (`ssthresh`) and for the window to go back to
/// (`undo_cwnd`), tells it of recovery (`set_state`), and sees to everything else.
#[derive(Clone, Debug)]
pub struct Linux<C: CoreConstants> {
    core: Core<C>,
    input: Input,
    window: Window,
    packet: Bytes,
    ecn: Ecn,
    measures: bool,
    paces: bool,
    inspect: Inspect<C::State>,
    srtt: Span,
}

/// Shows what a connection remembers.
type Inspect<S> = fn(&S, &mut dyn FnMut(&'static str, f64));

/// Pacing rate over window per smoothed round trip, below half of the threshold and above (`sysctl_tcp_pacing_ss_ratio`, `sysctl_tcp_pacing_ca_ratio`).
const PACING_GAINS: (f64, f64) = (2.0, 1.2);

/// In a tag: the transmission was a retransmission. Below it, segments in flight.
const RETRANSMISSION: u32 = 1 << 31;

impl<C: CoreConstants> Linux<C> {
    /// A controller at the start of a connection.
    pub fn new(constants: C, setup: &Setup, params: &Params) -> Linux<C> {
        let ecn = codepoint(params);
        let input = Input { cwnd_clamp: u32::MAX, mss: setup.mss.get().clamp(1, u32::MAX as u64) as u32, ..Input::default() };
        let (core, window, packet) = (Core::new(constants), Window::new(setup), setup.mss + setup.headers);
        let mut linux = Linux { core, input, window, packet, ecn, measures: false, paces: false, inspect: |_, _| {}, srtt: Span::ZERO };
        linux.tell(Event::Init);
        linux
    }

    /// The same where the core is told of round trips (`pkts_acked`), and its packets are paced by the kernel or not.
    pub fn measuring(self, paces: bool) -> Linux<C> {
        Linux { measures: true, paces, ..self }
    }

    /// The same with more for traces: `inspect` shows what a connection remembers.
    pub fn inspected_by(self, inspect: Inspect<C::State>) -> Linux<C> {
        Linux { inspect, ..self }
    }

    /// Something happened to the connection. Returns what the core decided.
    fn tell(&mut self, event: Event) -> Output {
        let Window { cwnd, threshold, prior: (prior_cwnd, _), .. } = self.window;
        self.core.decide(&Input { event: event as u32, cwnd, ssthresh: threshold, prior_cwnd, ..self.input });
        self.core.output
    }

    /// The same where what it decides is in force at once.
    fn happened(&mut self, event: Event) {
        let Output { cwnd, ssthresh, .. } = self.tell(event);
        (self.window.cwnd, self.window.threshold) = (cwnd, ssthresh);
    }

    fn reduce(&mut self) {
        let left = self.tell(Event::Reduce).ssthresh;
        self.window.reduce(left);
    }

    fn enter(&mut self, state: CaState) {
        self.input.recovery = recovery(state);
        self.happened(Event::State);
    }

    /// What an acknowledgement tells of the round trip.
    fn measure(&mut self, feedback: &Feedback<'_>) {
        let Some(newest) = feedback.acked.iter().max_by_key(|acked| acked.sent_at) else { return };
        let rtt = feedback.rtt.filter(|_| newest.tag.0 & RETRANSMISSION == 0);
        self.input.rtt = rtt.map_or(0, |rtt| u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX).max(1));
        self.input.flight_when_sent = if rtt.is_some() { newest.tag.0 } else { 0 };
        self.input.acked = feedback.acked.len() as u32;
        self.happened(Event::Rtt);
        (self.input.rtt, self.input.flight_when_sent) = (0, 0);
    }
}

impl<C: CoreConstants> Controller for Linux<C> {
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.window.on_sent(sent);
        if !self.measures {
            return Tag::default();
        }
        Tag((sent.in_flight + 1) | if sent.retransmission { RETRANSMISSION } else { 0 })
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        self.input.now = micros(feedback.now);
        self.input.in_flight = feedback.in_flight;
        // As wide as the socket's counts.
        self.input.sent = feedback.totals.sent as u32;
        self.input.delivered = feedback.totals.delivered as u32;
        if self.measures {
            self.measure(feedback);
        }
        if feedback.congestion.is_some() {
            self.reduce();
        }
        if self.input.recovery != recovery(feedback.ca_state) {
            self.enter(feedback.ca_state);
        }
        if feedback.congestion.is_some() || matches!(feedback.ca_state, CaState::Cwr | CaState::Recovery) || feedback.acked.is_empty() {
            return;
        }
        let limited = growth(feedback);
        (self.input.acked, self.input.cwnd_limited) = if limited > 0 { (limited, 1) } else { (feedback.acked.len() as u32, 0) };
        self.happened(Event::Ack);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.input.now = micros(timeout.now);
        if !timeout.repeated {
            self.reduce();
        }
        self.window.collapse();
        self.enter(CaState::Loss);
    }

    fn on_undo(&mut self, now: Time) {
        self.input.now = micros(now);
        let cwnd = self.tell(Event::Undo).cwnd;
        self.window.undo_to(cwnd);
    }

    fn decision(&self) -> Decision {
        let Window { cwnd, threshold, .. } = self.window;
        let pace = || pacing((cwnd as f64, threshold as f64), PACING_GAINS, self.packet, self.srtt);
        Decision { pacing: if self.paces { pace() } else { None }, ..Decision::clocked(cwnd as f64, self.packet, self.ecn) }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
        (self.inspect)(&self.core.state, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, setup};

    #[test]
    fn slow_start_stops_at_the_threshold() {
        let mut window = Window { threshold: 25, ..Window::new(&setup(20.0)) };
        assert_eq!((window.slow_start(20), window.cwnd, window.slow_start(3)), (15, 25, 3));
    }

    #[test]
    fn credit_of_a_higher_count_gives_one_segment() {
        let mut window = Window { credit: 30, ..Window::new(&setup(10.0)) };
        window.step(10, 5);
        assert_eq!((window.cwnd, window.credit), (11, 5));
        window.step(10, 38);
        assert_eq!((window.cwnd, window.credit), (15, 3));
    }

    #[test]
    fn idleness_halves_the_window_per_timeout_and_keeps_the_initial_one() {
        let resume = |idle_ms: u64| {
            let mut window = Window { cwnd: 100, threshold: 60, ..Window::new(&setup(10.0)) };
            window.on_sent(&Sent::new(at(1_000), 0, Bytes::new(1448), 5));
            window.on_sent(&Sent { rto: Span::from_millis(200), ..Sent::new(at(1_000 + idle_ms), 1, Bytes::new(1448), 0) });
            (window.cwnd, window.threshold)
        };
        assert_eq!(resume(200), (100, 60));
        assert_eq!(resume(201), (50, 75));
        assert_eq!(resume(400), (50, 75));
        assert_eq!(resume(401), (25, 75));
        assert_eq!(resume(10_000), (10, 75));
    }
}
