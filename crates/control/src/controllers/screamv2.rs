//! SCReAMv2: a reference window for real-time media, from which follows the rate that an encoder is
//! to produce.
//!
//! Source: draft-johansson-ccwg-rfc8298bis-screamv2, as it was while its post-congestion delay was
//! 4 s (its sections are named here), and the authors' implementation
//! (github.com/EricssonResearch/scream, `ScreamV2Tx.cpp`) for two constants that the draft uses and
//! does not give.
//!
//! The window is bytes; each feedback adds up to a segment per round trip, and up to 2 % of the
//! window once nothing has been congested for four seconds, less near the window of the latest
//! congestion. A loss leaves 0.7 of it, a mark 0.8, and a mean queueing delay above half of the
//! target up to half, once per round trip or 25 ms. Media may have 1.5 windows in flight, paced at
//! 1.5 times the encoder's rate, which is the window per smoothed round trip, less if more than 0.9
//! of the window is in flight or if the window is of few segments.
//!
//! Deviations: the queueing delay is computed from the round trip, since the transport reports no
//! one-way delays, so that a queue of acknowledgements counts, too; losses are found, and repaired,
//! by the transport, which reports those of one window once; a segment is the transport's, not of
//! 1000 bytes; marks are echoed, not counted, so that the acknowledgement with the echo adds
//! nothing.
//!
//! Left out: the L4S mode; the delay target that rises beside other flows ("Competing flows
//! compensation", which MAY be turned off: it then has little beside senders that fill the buffer);
//! the histogram of frame sizes, since the encoders here keep to their rate; several streams;
//! correction of encoders that do not.
//!
//! Ours: a timeout leaves the least window.

use crate::parts::base::Base;
use crate::parts::ecn::{ECN, codepoint};
use crate::parts::prior::Prior;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Congestion, Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "screamv2",
    kernel: None,
    summary: "SCReAMv2: for real-time media whose encoder follows it; keeps the queueing delay below a target",
    source: "draft-johansson-ccwg-rfc8298bis-screamv2",
    basis: Basis::Delay,
    needs: &[Need::Pacing],
    numbered: true,
    params: &[TARGET.spec, ECN.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Scream::new(setup, params)))),
};

const TARGET: Param<Span> = Param::millis(
    "target",
    60.0,
    (1.0, 1000.0),
    "queueing delay (QDELAY_TARGET_LO); from half of it on the window shrinks",
);

/// MIN_REF_WND, in bytes.
const MIN_WINDOW: f64 = 3000.0;
/// BETA_LOSS and BETA_ECN.
const LEFT_BY_LOSS: f64 = 0.7;
const LEFT_BY_MARK: f64 = 0.8;
/// VIRTUAL_RTT: reductions for delay are this or a round trip apart, whichever is shorter, and
/// growth is slower at shorter round trips.
const VIRTUAL_RTT: Span = Span::from_millis(25);
/// QDELAY_AVG_G.
const DELAY_WEIGHT: f64 = 0.25;
/// POST_CONGESTION_DELAY.
const CAUTION: Span = Span::from_secs(4);
/// MUL_INCREASE_FACTOR.
const MULTIPLICATIVE: f64 = 0.02;
/// A new inflection point is at least this after the one before ("Reference window update").
const INFLECTIONS_APART: Span = Span::from_millis(250);
/// Least part of the growth near the inflection point ("Reference window update").
const LEAST_SCALE: f64 = 0.1;
/// BYTES_IN_FLIGHT_HEAD_ROOM: the window grows up to this times what was in flight.
const HEAD_ROOM: f64 = 2.0;
/// REF_WND_OVERHEAD.
const OVERHEAD: f64 = 1.5;
/// PACKET_PACING_HEADROOM and RATE_PACE_MIN, in bytes per second.
const PACING_GAIN: f64 = 1.5;
const MIN_PACE: f64 = 50_000.0 / 8.0;
/// BYTES_IN_FLIGHT_LIMIT and its compensation: the authors' `kBytesInFlightLimit` and
/// `kMaxBytesInFlightLimitCompensation`.
const FULL: f64 = 0.9;
const MOST_COMPENSATION: f64 = 1.5;

/// The most bytes in flight of this round trip and of the one before (max_bytes_in_flight).
#[derive(Clone, Debug, Default)]
struct Flight {
    began: Time,
    most: f64,
    before: f64,
}

impl Flight {
    fn add(&mut self, now: Time, bytes: f64, srtt: Span) {
        if now.since(self.began) >= srtt {
            (self.before, self.most, self.began) = (self.most, 0.0, now);
        }
        self.most = self.most.max(bytes);
    }
}

/// The controller.
#[derive(Clone, Debug)]
struct Scream {
    /// ref_wnd, in bytes.
    window: f64,
    /// ref_wnd_i: the window when it was congested.
    inflection: f64,
    inflected: Option<Time>,
    prior: Prior,
    congested: Option<Time>,
    target: f64,
    base: Base,
    /// qdelay_avg in seconds, and when it was updated.
    mean_delay: f64,
    averaged: Time,
    flight: Flight,
    srtt: Span,
    /// Bytes per second of the encoder (target_bitrate).
    media: f64,
    mss: f64,
    /// A full packet, headers included.
    packet: Bytes,
    ecn: Ecn,
}

impl Scream {
    fn new(setup: &Setup, params: &Params) -> Scream {
        Scream {
            window: MIN_WINDOW,
            inflection: 1.0,
            inflected: None,
            prior: Prior::default(),
            congested: None,
            target: params.get(&TARGET).as_secs_f64(),
            base: Base::new(),
            mean_delay: 0.0,
            averaged: Time::ZERO,
            flight: Flight::default(),
            srtt: Span::ZERO,
            media: 0.0,
            mss: setup.mss.get() as f64,
            packet: setup.mss + setup.headers,
            ecn: codepoint(params),
        }
    }

    /// The mean follows a falling delay at once.
    fn average(&mut self, now: Time, delay: f64) {
        if now.since(self.averaged) >= self.srtt {
            let weight = if delay < self.mean_delay { 1.0 } else { DELAY_WEIGHT };
            self.mean_delay += weight * (delay - self.mean_delay);
            self.averaged = now;
        }
    }

    /// Reduces the window if something says so.
    fn react(&mut self, feedback: &Feedback<'_>, delay: f64) {
        let now = feedback.now;
        let apart = self.congested.is_none_or(|last| now.since(last) >= VIRTUAL_RTT.min(self.srtt));
        let delayed = apart && delay > self.target / 2.0;
        if !delayed && feedback.congestion.is_none() {
            return;
        }
        if self.inflected.is_none_or(|last| now.since(last) > INFLECTIONS_APART) {
            (self.inflected, self.inflection) = (Some(now), self.window);
        }
        if feedback.congestion.is_some() {
            self.prior.reduce(self.window);
        }
        self.window *= match feedback.congestion {
            Some(Congestion::Loss) => LEFT_BY_LOSS,
            Some(Congestion::Mark) => LEFT_BY_MARK,
            None => 1.0,
        };
        if delayed {
            let over = (self.mean_delay - self.target / 2.0) / (self.target / 2.0);
            self.window *= 1.0 - over.clamp(0.0, 1.0) / 2.0;
        }
        self.window = self.window.max(MIN_WINDOW);
        self.congested = Some(now);
    }

    /// Grows the window by what `acked` bytes allow.
    fn grow(&mut self, now: Time, acked: f64) {
        let calm = self
            .congested
            .map_or(1.0, |last| (now.since(last).as_secs_f64() / CAUTION.as_secs_f64()).min(1.0));
        let short = (self.srtt.as_secs_f64() / VIRTUAL_RTT.as_secs_f64()).min(1.0);
        let distance = 4.0 * (self.window - self.inflection) / self.inflection;
        let scale = (distance * distance).clamp(LEAST_SCALE, 1.0);
        let faster = 1.0 + MULTIPLICATIVE * self.window / self.mss * calm * scale;
        let grown = self.window + acked * self.mss / self.window * short * short * scale * faster;
        if grown <= self.mss + self.flight.most.max(self.flight.before) * HEAD_ROOM {
            self.window = grown;
        }
    }

    /// The encoder's rate, with `flight` windows in flight before the acknowledgement
    /// (bytes_in_flight_ratio).
    fn set_media(&mut self, flight: f64) {
        let rtt = self.srtt.as_secs_f64();
        if rtt <= 0.0 {
            return;
        }
        let full = (flight / FULL).clamp(1.0, MOST_COMPENSATION);
        let few = 1.0 - (self.mss / self.window - 0.1).clamp(0.0, 0.8);
        self.media = few / full * self.window / rtt;
    }
}

impl Controller for Scream {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
        self.set_media(0.0);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.flight.add(sent.now, f64::from(sent.in_flight + 1) * self.mss, self.srtt);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        let flight = f64::from(feedback.in_flight_before) * self.mss / self.window;
        if let Some(rtt) = feedback.rtt {
            self.base.sample(feedback.now, rtt);
            let delay = rtt.saturating_sub(self.base.get().unwrap_or(rtt)).as_secs_f64();
            self.average(feedback.now, delay);
            self.react(feedback, delay);
        } else if feedback.congestion.is_some() {
            self.react(feedback, 0.0);
        }
        let bytes: Bytes = feedback.acked.iter().fold(Bytes::ZERO, |sum, acked| sum + acked.bytes);
        let lost: Bytes = feedback.lost.iter().fold(Bytes::ZERO, |sum, lost| sum + lost.bytes);
        if feedback.congestion != Some(Congestion::Mark) {
            self.grow(feedback.now, (bytes + lost).get() as f64);
        }
        self.set_media(flight);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.prior.collapse(timeout, self.window);
        self.window = MIN_WINDOW;
        self.congested = Some(timeout.now);
        self.set_media(0.0);
    }

    fn on_undo(&mut self, _now: Time) {
        self.window = self.prior.restore(self.window);
    }

    fn decision(&self) -> Decision {
        let pace = Rate::from_bytes_per_sec(
            PACING_GAIN * self.media.max(MIN_PACE) * self.packet.get() as f64 / self.mss,
        );
        Decision {
            window: Segments::new((OVERHEAD * self.window / self.mss).max(1.0)),
            pacing: (self.media > 0.0).then_some(pace),
            quantum: self.packet,
            ecn: self.ecn,
            reduction: Reduction::Immediate,
        }
    }

    fn media_rate(&self) -> Option<Rate> {
        (self.media > 0.0).then(|| Rate::from_bytes_per_sec(self.media))
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window / self.mss);
        visit("media_bps", self.media * 8.0);
        visit("queueing_s", self.mean_delay);
        visit("base_rtt_s", self.base.get().map_or(f64::NAN, Span::as_secs_f64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acked, at, setup};
    use crate::{Acked, Choice};

    /// Segments of 1000 bytes, as in the draft, and a window of `window` bytes with twice of it in
    /// flight in the round trip before.
    fn scream(text: &str, window: f64) -> Scream {
        let setup = Setup { mss: Bytes::new(1000), headers: Bytes::new(50), ..setup(10.0) };
        let mut scream = Scream::new(&setup, &text.parse::<Choice>().unwrap().params());
        (scream.window, scream.flight.most, scream.srtt) =
            (window, 2.0 * window, Span::from_millis(100));
        scream
    }

    /// `count` segments of 1000 bytes are acknowledged at `ms` with a round trip of `rtt` ms.
    fn tell(scream: &mut Scream, ms: u64, count: u64, rtt: u64) -> f64 {
        let acked: Vec<Acked> = acked(0..count)
            .into_iter()
            .map(|acked| Acked { bytes: Bytes::new(1000), ..acked })
            .collect();
        scream.on_feedback(&Feedback {
            acked: &acked,
            rtt: Some(Span::from_millis(rtt)),
            srtt: Span::from_millis(100),
            ..Feedback::at(at(ms))
        });
        scream.window
    }

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6, "{value} instead of {expected}");
    }

    #[test]
    fn a_window_acknowledged_adds_a_segment_and_two_percent_of_the_window() {
        // 20,000 B: 1000 · (1 + 0.02 · 20).
        near(tell(&mut scream("screamv2", 20_000.0), 1_000, 20, 100), 21_400.0);
        // Congested 1 s ago: a quarter of the 40 %, at a window far from the inflection point; at
        // 10 % from it 16 % of the growth; near it a tenth.
        let after = |inflection: f64| {
            let mut scream = scream("screamv2", 20_000.0);
            (scream.congested, scream.inflection) = (Some(at(0)), inflection);
            tell(&mut scream, 1_000, 20, 100)
        };
        near(after(10_000.0), 20_000.0 + 1_000.0 * 1.1);
        near(after(20_000.0 / 1.1), 20_000.0 + 160.0 * (1.0 + 0.1 * 0.16));
        near(after(20_000.0), 20_000.0 + 100.0 * (1.0 + 0.1 * 0.1));
    }

    #[test]
    fn it_grows_up_to_twice_what_was_in_flight() {
        let mut scream = scream("screamv2", 20_000.0);
        scream.flight.most = 9_600.0;
        assert_eq!(tell(&mut scream, 50, 20, 100), 20_000.0);
        scream.flight.most = 10_200.0;
        near(tell(&mut scream, 60, 20, 100), 21_400.0);
    }

    #[test]
    fn a_queue_of_half_the_target_shrinks_it_once_per_25_ms() {
        let mut scream = scream("screamv2", 20_000.0);
        tell(&mut scream, 100, 0, 100);
        // The mean goes up by a quarter per round trip: 12, 21, 27.75, 32.8125 of 48 ms. The last
        // is 2.8125 of 30 ms above half of the target: half of 9.375 %.
        for (ms, mean) in [(200, 0.012), (300, 0.021), (400, 0.02775)] {
            assert_eq!(tell(&mut scream, ms, 0, 148), 20_000.0);
            near(scream.mean_delay, mean);
        }
        near(tell(&mut scream, 500, 0, 148), 20_000.0 * (1.0 - 0.046_875));
        near(tell(&mut scream, 524, 0, 148), 20_000.0 * (1.0 - 0.046_875));
        near(tell(&mut scream, 525, 0, 148), 20_000.0 * (1.0 - 0.046_875) * (1.0 - 0.046_875));
        tell(&mut scream, 700, 0, 101);
        near(scream.mean_delay, 0.001);
    }

    #[test]
    fn losses_marks_and_timeouts() {
        let left = |congestion| {
            let mut scream = scream("screamv2?ecn", 20_000.0);
            scream.on_feedback(&Feedback {
                congestion: Some(congestion),
                srtt: Span::from_millis(100),
                ..Feedback::at(at(100))
            });
            (scream.window, scream.inflection)
        };
        assert_eq!(left(Congestion::Loss), (14_000.0, 20_000.0));
        assert_eq!(left(Congestion::Mark), (16_000.0, 20_000.0));
        let mut scream = scream("screamv2", 20_000.0);
        scream.on_timeout(&Timeout::new(at(900), 20, 20, false));
        assert_eq!(scream.window, 3_000.0);
        scream.on_undo(at(950));
        assert_eq!(scream.window, 20_000.0, "an early timeout is undone as any other");
    }

    #[test]
    fn the_encoder_gets_the_window_per_round_trip_less_if_the_flight_is_full() {
        let mut scream = scream("screamv2", 20_000.0);
        let mut media = |flight| {
            scream.set_media(flight);
            scream.media
        };
        // 20,000 B in 100 ms; 0.99 of the window is 1.1 of the limit; at most 1.5.
        near(media(0.9), 200_000.0);
        near(media(0.99), 200_000.0 / 1.1);
        near(media(2.0), 200_000.0 / 1.5);
        // Two segments: 1 − (0.5 − 0.1).
        scream.window = 2_000.0;
        scream.set_media(0.0);
        near(scream.media, 20_000.0 * 0.6);
        scream.window = 20_000.0;
        scream.set_media(0.0);
        let decision = scream.decision();
        assert_eq!(decision.window, Segments::new(30.0));
        assert_eq!(decision.pacing, Some(Rate::from_bytes_per_sec(1.5 * 200_000.0 * 1.05)));
        assert_eq!(scream.media_rate(), Some(Rate::from_kbps(1_600)));
    }
}
