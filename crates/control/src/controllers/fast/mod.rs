//! FAST TCP: keeps α packets of each flow in the queue, by steps in proportion to the distance from
//! there.
//!
//! Sources: Jin, Wei and Low, "FAST TCP: motivation, architecture, algorithms, performance",
//! INFOCOM 2004, and ACM/IEEE ToN 14(6), 2006; ns-2.35 `tcp/tcp-fast.{cc,h}`; Jin, Wei and Low,
//! "FAST II: Algorithms and Performance", slides, for window pacing and `fast-sc2002`.
//!
//! Once in every other round trip w ← min{2w, (1 − γ)w + γ(w·baseRTT/RTT + α)}. At rest w·(RTT −
//! baseRTT)/RTT = α: every flow has α packets in the queue, so rates are shared in proportion to α,
//! whatever the round trips. After a change one round trip passes before round trips show it: hence
//! every *other* one.
//!
//! Deviations and choices of our own, the first two of `fast` alone (the slides' version never
//! doubles):
//! * whether there is a queue tells the *least* round trip of the round, where ns-2 has the mean:
//!   doubling sends bursts, and at 10 Mbit/s two packets back to back would end it, at 100 Mbit/s a
//!   window of thirty. The path has no queue if that is within `mi_threshold` of the base and less
//!   than half of α is queued, so that paths where α packets are a shorter queue than
//!   `mi_threshold` come to rest; or if less than a quarter of α is queued, which on slow links
//!   takes longer;
//! * without a queue the window doubles per round trip only at the start, up to where two whole
//!   round trips first showed one or a loss came; later α is a quarter of the window instead (the
//!   paper's form, α(w, q) = a·w while q = 0). Doubling shows its queue a round trip too late: with
//!   a buffer of the product on long paths each loss would end in a queue that doubling fills
//!   again. `mi=published` has the published rule, judged by the mean round trip as in ns-2;
//! * the round trip of the handshake does not count for the base: a SYN crosses slow links faster
//!   than data;
//! * a flow that the window does not limit does not raise it; one that was idle for longer than a
//!   timeout restarts from its initial window and keeps its base;
//! * after a timeout the window is 2 packets and doubles again, up to half of what it was.
//!
//! `fast-kernel` and `fast-sc2002?profile=linux` are the same laws in integers, in C that the
//! kernel can load: `cores/fast.h`.

mod alpha;
mod delay;
mod free;
mod increase;
mod kernel;
mod law;
#[cfg(test)]
mod lockstep;
mod params;
mod periodic;
mod sc2002;
mod slides;
#[cfg(test)]
mod tests;

use crate::parts::departed::Departed;
use crate::parts::ecn::codepoint;
use crate::parts::marks::highest;
use crate::parts::round::Round;
use crate::parts::window::{Window, growth};
use crate::{Acked, CaState, Controller, Decision, Feedback, Sent, Tag, Timeout};
use crate::{Basis, Build, Built, Entry, Setup};
use alpha::Alpha;
use delay::Delay;
use free::Free;
pub use kernel::{KERNEL, TWIN};
use law::{AckView, MIN_WINDOW, Past, WindowLaw};
use narrows_params::{Need, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Ecn;
use params::{ALPHA, BASE_RTT_WINDOW, GAMMA, LOSS_BETA, PACKET_PACING, RTT_WEIGHT, WINDOW_PACING};
use periodic::Periodic;
pub use slides::{SC2002, SC2002_TWIN};

/// Registry line of the later algorithm.
pub static ENTRY: Entry = Entry {
    name: "fast",
    kernel: None,
    summary: "FAST TCP: keeps alpha packets of each flow queued; steps are proportional to the distance",
    source: "Jin, Wei and Low, INFOCOM 2004 and ToN 14(6), 2006; ns-2.35 tcp/tcp-fast.cc",
    basis: Basis::Delay,
    needs: &[Need::Tags],
    numbered: false,
    params: &params::of_later_algorithm(WINDOW_PACING.spec, PACKET_PACING.spec),
    build: Build::Function(|setup, params| {
        let law = Periodic::new(params.get(&GAMMA), params.get(&WINDOW_PACING));
        Ok(Built::new(Fast::new(law, Free::new(params)?, setup, params)))
    }),
};

/// Pacing rate over window per round trip: a fifth more, so that the window is the limit and not
/// the pacer (as `sysctl_tcp_pacing_ca_ratio` of Linux).
const PACING_GAINS: (f64, f64) = (1.2, 1.2);
/// The round in progress.
#[derive(Clone, Debug, Default)]
struct Present {
    round: Round,
    began: Option<Time>,
    packets: u32,
    acks: u32,
}

/// A controller with this law.
#[derive(Clone, Debug)]
struct Fast<L> {
    law: L,
    window: Window,
    delay: Delay,
    alpha: Alpha,
    present: Present,
    past: Past,
    free: Free,
    loss_beta: f64,
    /// A full packet, headers included.
    packet: Bytes,
    paces: bool,
    srtt: Span,
    ecn: Ecn,
}

impl<L: WindowLaw> Fast<L> {
    fn new(law: L, free: Free, setup: &Setup, params: &Params) -> Fast<L> {
        Fast {
            law,
            window: Window::new(setup),
            delay: Delay::new(
                params.get(&RTT_WEIGHT),
                params.get(&BASE_RTT_WINDOW).map(Span::from_secs_f64),
            ),
            alpha: Alpha::new(params.get(&ALPHA)),
            present: Present::default(),
            past: Past::default(),
            free,
            loss_beta: params.get(&LOSS_BETA),
            packet: setup.mss + setup.headers,
            paces: params.get(&PACKET_PACING),
            srtt: Span::ZERO,
            ecn: codepoint(params),
        }
    }

    /// Takes in what an acknowledgement of `newest` and others says of round trip and rate.
    fn measure(&mut self, feedback: &Feedback<'_>, newest: &Acked) {
        self.past.ended = false;
        if highest(feedback).is_some_and(|highest| self.present.round.ends_with(highest)) {
            if self.free.start_ends(&self.delay, flight(newest), self.alpha.packets()) {
                self.window.threshold = self.window.threshold.min(self.window.cwnd.max(MIN_WINDOW));
            }
            self.end_round(feedback.now);
        }
        self.present.packets += feedback.acked.len() as u32;
        self.present.acks += 1;
        if let Some(rtt) = feedback.rtt.filter(|_| !Departed::from_tag(newest.tag).retransmission) {
            self.delay.sample(feedback.now, rtt, self.window.cwnd);
        }
    }

    fn end_round(&mut self, now: Time) {
        let Present { began, packets, acks, .. } = self.present;
        self.past = Past { ended: true, packets, acks };
        if let Some(took) = began.map(|began| now.since(began)).filter(|took| !took.is_zero()) {
            self.alpha.measured(packets as f64 * self.packet.bits() as f64 / took.as_secs_f64());
        }
        (self.present.began, self.present.packets, self.present.acks) = (Some(now), 0, 0);
        self.delay.begin_round();
    }

    fn move_window(&mut self, feedback: &Feedback<'_>, newest: &Acked) {
        let flight = flight(newest);
        let limited = growth(feedback) as f64;
        let Window { cwnd, threshold, .. } = self.window;
        let alpha = self.alpha.packets();
        let free = self.free.is_free(&self.delay, flight, alpha);
        if free && self.free.doubles(cwnd, threshold) {
            self.law.suspend();
            self.window.cwnd += limited;
            return;
        }
        let seen = AckView {
            now: feedback.now,
            packets: feedback.acked.len() as f64,
            limited,
            flight,
            alpha: if free { alpha.max(cwnd * self.free.share) } else { alpha },
            delay: &self.delay,
            round: self.past,
        };
        self.window.cwnd = self.law.on_ack(cwnd, &seen);
    }
}

/// Packets in flight when `acked` was sent, that one included.
fn flight(acked: &Acked) -> f64 {
    Departed::from_tag(acked.tag).in_flight as f64
}

impl<L: WindowLaw> Controller for Fast<L> {
    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if self.window.on_sent(sent) {
            self.law.suspend();
        }
        self.present.round.on_sent(sent.number);
        Departed::of(sent).tag()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        let newest = feedback.acked.iter().max_by_key(|acked| acked.sent_at);
        if let Some(newest) = newest {
            self.measure(feedback, newest);
        }
        if let Some(why) = feedback.congestion {
            self.window.reduce(self.window.cwnd * self.loss_beta, why);
        }
        match (feedback.ca_state, newest) {
            (CaState::Recovery | CaState::Cwr, _) => {
                self.law.suspend();
                self.present.round.begin();
            }
            (CaState::Loss, _) => {
                self.law.suspend();
                self.window.slow_start(growth(feedback) as f64, 1.0);
            }
            (CaState::Open | CaState::Disorder, Some(newest)) => self.move_window(feedback, newest),
            (CaState::Open | CaState::Disorder, None) => {}
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.collapse(timeout, self.window.cwnd * self.loss_beta);
        self.window.cwnd = MIN_WINDOW;
        self.delay.forget_queue();
        self.law.suspend();
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn next_timer(&self) -> Option<Time> {
        self.law.next_timer()
    }

    fn on_timer(&mut self, now: Time) {
        self.window.cwnd = self.law.on_timer(now, self.window.cwnd);
    }

    fn decision(&self) -> Decision {
        let pacing = if self.paces {
            self.window.pacing(PACING_GAINS, self.packet, self.srtt)
        } else {
            None
        };
        Decision { pacing, ..Decision::clocked(self.window.cwnd, self.packet, self.ecn) }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
        let (base, rtt) = self.delay.mean().unwrap_or((f64::NAN, f64::NAN));
        visit("base_rtt_s", base);
        visit("rtt_s", rtt);
        visit("alpha", self.alpha.packets());
    }
}
