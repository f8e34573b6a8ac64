//! SCReAMv2: a reference window for real-time media, from which follows the rate that an encoder is
//! to produce.
//!
//! Sources: draft-ietf-ccwg-rfc8298bis-screamv2-01 (`profile=draft`; its sections are named here);
//! draft-johansson-ccwg-rfc8298bis-screamv2, as it was while its post-congestion delay was 4 s
//! (`profile=johansson`), and the authors' implementation (github.com/EricssonResearch/scream,
//! `ScreamV2Tx.cpp`) for two constants that the older text uses and does not give. `profile.rs` has
//! what differs.
//!
//! The window is bytes; each feedback adds up to a segment per round trip, and up to 2 % of the
//! window once nothing has been congested for 100 round trips, less near the window of the latest
//! congestion. A loss leaves 0.7 of it, a mark 0.8, and a mean queueing delay above half of the
//! target takes up to half of it, less at round trips beyond 25 ms, once per round trip or 25 ms.
//! Media may have three windows in flight, paced at 1.5 times the encoder's rate, which is some
//! 0.8 of the window per smoothed round trip, less if the window is of few segments.
//!
//! Ambiguities of -01, and the choice made here:
//! * three windows may be in flight: REDUCE_JITTER is off, which leaves `ref_wnd_delay_scale` at
//!   one, and with it the overhead at its largest;
//! * losses and marks within the least time between two reactions are answered at its end.
//!
//! Deviations: the queueing delay is computed from the round trip, since the transport reports no
//! one-way delays, so that a queue of acknowledgements counts, too; losses are found, and repaired,
//! by the transport, which reports those of one window once; a segment is the transport's, not of
//! 1000 bytes; without L4S marks are echoed, not counted, so that the acknowledgement with the echo
//! adds nothing; the window grows with each acknowledgement, not once per round trip by the sum.
//!
//! Left out: the delay target that rises beside other flows ("Competing flows compensation", which
//! MAY be turned off: it then has little beside senders that fill the buffer); what -01 makes
//! optional: losses that count only above 1 % or with a queue, the answer to policers, smaller
//! reductions of encoders below their rate, clock drift, REDUCE_JITTER; the histogram of frame
//! sizes and the adjustment of encoders, since those here keep to their rate; several streams.
//!
//! Ours: a timeout leaves the least window.

mod l4s;
mod profile;
#[cfg(test)]
mod tests;

use crate::parts::base::Base;
use crate::parts::ecn::{ECN, codepoint};
use crate::parts::prior::Prior;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Congestion, Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use l4s::L4s;
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;
use profile::{Growing, Profile, VIRTUAL_RTT};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "screamv2",
    kernel: None,
    summary: "SCReAMv2: for real-time media whose encoder follows it; keeps the queueing delay below a target",
    source: "draft-ietf-ccwg-rfc8298bis-screamv2-01",
    basis: Basis::Delay,
    needs: &[Need::Pacing],
    numbered: true,
    params: &[PROFILE.spec, TARGET.spec, MAX_RATE.spec, L4S.spec, ECN.spec],
    build: Build::Function(build),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "draft",
    &[("draft", Profile::Draft), ("johansson", Profile::Johansson)],
    "draft: draft-ietf-ccwg-rfc8298bis-screamv2-01; johansson: the earlier draft, with 4 s of caution after congestion",
);
const TARGET: Param<Span> = Param::millis(
    "target",
    60.0,
    (1.0, 1000.0),
    "queueing delay (QDELAY_TARGET_LO); from half of it on the window shrinks",
);
const MAX_RATE: Param<Option<f64>> = Param::number_or(
    "max_rate",
    "none",
    (0.02, 10_000.0),
    "Mbit/s",
    "largest rate of the encoder (TARGET_BITRATE_MAX): the window does not grow at it, and near it pacing is up to four times faster",
);
const L4S: Param<bool> = Param::flag(
    "l4s",
    false,
    "send ECT(1); marks take half of their average share of the window (l4s_alpha)",
)
.needing(Need::EcnCounts);

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    if params.get(&PROFILE) == Profile::Johansson {
        params.refuse(&MAX_RATE, "left out with profile=johansson, which has no such limit")?;
        params.refuse(&L4S, "left out with profile=johansson, whose L4S mode is not followed")?;
    }
    if params.get(&L4S) {
        params.refuse(&ECN, "left out beside l4s, which sends ECT(1)")?;
    }
    Ok(Built::new(Scream::new(setup, params)))
}

/// MIN_REF_WND, in bytes.
const MIN_WINDOW: f64 = 3000.0;
/// BETA_LOSS and BETA_ECN.
const LEFT_BY_LOSS: f64 = 0.7;
const LEFT_BY_MARK: f64 = 0.8;
/// QDELAY_AVG_G.
const DELAY_WEIGHT: f64 = 0.25;
/// MUL_INCREASE_FACTOR.
const MULTIPLICATIVE: f64 = 0.02;
/// In the older text, a new inflection point is at least this after the one before.
const INFLECTIONS_APART: Span = Span::from_millis(250);
/// PACKET_PACING_HEADROOM and RATE_PACE_MIN, in bytes per second.
const PACING_GAIN: f64 = 1.5;
const MIN_PACE: f64 = 50_000.0 / 8.0;
/// Part of the encoder's largest rate from which on pacing gets faster, up to this many times.
const RELAXED_FROM: f64 = 0.8;
const MOST_RELAXED: f64 = 4.0;

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
    profile: Profile,
    /// ref_wnd, in bytes.
    window: f64,
    /// ref_wnd_i: the window when it was congested.
    inflection: f64,
    inflected: Option<Time>,
    /// The window has grown since the inflection point was set.
    grew: bool,
    prior: Prior,
    /// When congestion was detected, and when it was answered.
    congested: Option<Time>,
    reacted: Option<Time>,
    /// Losses or marks that wait for their answer.
    waiting: Option<Congestion>,
    target: f64,
    base: Base,
    /// qdelay_avg in seconds, and when it was updated.
    mean_delay: f64,
    averaged: Time,
    flight: Flight,
    l4s: Option<L4s>,
    srtt: Span,
    /// Bytes per second of the encoder (target_bitrate), and the most that it may produce.
    media: f64,
    most_media: Option<f64>,
    mss: f64,
    /// A full packet, headers included.
    packet: Bytes,
    ecn: Ecn,
}

impl Scream {
    fn new(setup: &Setup, params: &Params) -> Scream {
        let l4s = params.get(&L4S);
        Scream {
            profile: params.get(&PROFILE),
            window: MIN_WINDOW,
            inflection: 1.0,
            inflected: None,
            grew: true,
            prior: Prior::default(),
            congested: None,
            reacted: None,
            waiting: None,
            target: params.get(&TARGET).as_secs_f64(),
            base: Base::new(),
            mean_delay: 0.0,
            averaged: Time::ZERO,
            flight: Flight::default(),
            l4s: l4s.then(L4s::default),
            srtt: Span::ZERO,
            media: 0.0,
            most_media: params.get(&MAX_RATE).map(|mbps| mbps * 1e6 / 8.0),
            mss: setup.mss.get() as f64,
            packet: setup.mss + setup.headers,
            ecn: if l4s { Ecn::Ect1 } else { codepoint(params) },
        }
    }

    /// The mean follows a falling delay at once.
    fn average(&mut self, now: Time, delay: f64) {
        if now.since(self.averaged) >= self.profile.averages_apart(self.srtt) {
            let weight = if delay < self.mean_delay { 1.0 } else { DELAY_WEIGHT };
            self.mean_delay += weight * (delay - self.mean_delay);
            self.averaged = now;
        }
    }

    /// The part by which the mean delay is beyond half of the target, of that half.
    fn over(&self) -> f64 {
        (self.mean_delay - self.target / 2.0) / (self.target / 2.0)
    }

    fn is_apart(&self, now: Time, last: Option<Time>) -> bool {
        last.is_none_or(|last| now.since(last) >= VIRTUAL_RTT.min(self.srtt))
    }

    /// True if marks were counted that L4S answers.
    fn is_marked(&self, feedback: &Feedback<'_>) -> bool {
        self.l4s.is_some() && feedback.ecn.ce > 0
    }

    fn react(&mut self, feedback: &Feedback<'_>, delay: f64) {
        match self.profile {
            Profile::Draft => self.react_draft(feedback),
            Profile::Johansson => self.react_johansson(feedback, delay),
        }
    }

    /// Losses or marks are answered, or else the mean delay, at most once per round trip or 25 ms.
    fn react_draft(&mut self, feedback: &Feedback<'_>) {
        let now = feedback.now;
        let marked = self.is_marked(feedback);
        let heard = match feedback.congestion {
            Some(Congestion::Mark) if self.l4s.is_some() => None,
            heard => heard,
        };
        let heard = heard.or(marked.then_some(Congestion::Mark));
        if heard.is_some() {
            self.congested = Some(now);
            self.prior.reduce(self.window);
            // A loss is answered before a mark.
            if self.waiting != Some(Congestion::Loss) {
                self.waiting = heard;
            }
        }
        if !self.is_apart(now, self.reacted) {
            return;
        }
        let waiting = self.waiting.take();
        let srtt = self.srtt.as_secs_f64();
        let left = match (waiting, &self.l4s) {
            (Some(Congestion::Loss), _) => LEFT_BY_LOSS,
            (Some(Congestion::Mark), None) => LEFT_BY_MARK,
            (Some(Congestion::Mark), Some(l4s)) => 1.0 - l4s.backoff(srtt),
            (None, _) if self.over() > 0.0 => 1.0 - self.profile.delay_backoff(self.over(), srtt),
            (None, _) => return,
        };
        if self.grew {
            (self.inflection, self.grew) = (self.window, false);
        }
        self.window = (self.window * left).max(MIN_WINDOW);
        (self.congested, self.reacted) = (Some(now), Some(now));
    }

    /// Reduces the window if something says so.
    fn react_johansson(&mut self, feedback: &Feedback<'_>, delay: f64) {
        let now = feedback.now;
        let delayed = self.is_apart(now, self.congested) && delay > self.target / 2.0;
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
            let srtt = self.srtt.as_secs_f64();
            self.window *= 1.0 - self.profile.delay_backoff(self.over(), srtt);
        }
        self.window = self.window.max(MIN_WINDOW);
        self.congested = Some(now);
    }

    /// Grows the window by what `acked` bytes allow, unless the encoder can produce no more.
    fn grow(&mut self, now: Time, acked: f64) {
        if self.most_media.is_some_and(|most| self.media >= most) {
            return;
        }
        let growing = Growing {
            segments: self.window / self.mss,
            distance: (self.window - self.inflection) / self.inflection,
            srtt: self.srtt.as_secs_f64(),
            calm_for: self.congested.map(|last| now.since(last).as_secs_f64()),
        };
        let growth = self.profile.growth(&growing, MULTIPLICATIVE);
        let grown = self.window + acked * self.mss / self.window * growth;
        let flight = self.flight.most.max(self.flight.before);
        if grown <= self.mss + flight * self.profile.head_room() {
            self.grew |= grown > self.window;
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
        let part = self.profile.media_part(self.window / self.mss, flight, self.mss);
        let media = part * self.window / rtt;
        self.media = self.most_media.map_or(media, |most| media.min(most));
    }

    /// How much faster pacing is near the encoder's largest rate ("Packet pacing").
    fn relaxed(&self) -> f64 {
        let near = self.most_media.map_or(0.0, |most| self.media / most);
        let rest = 1.0 - ((near - RELAXED_FROM) / (1.0 - RELAXED_FROM)).clamp(0.0, 1.0);
        1.0 / rest.max(1.0 / MOST_RELAXED)
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
        if let Some(l4s) = &mut self.l4s {
            l4s.count(feedback.now, feedback.ecn, feedback.srtt);
        }
        if let Some(rtt) = feedback.rtt {
            self.base.sample(feedback.now, rtt);
            let delay = rtt.saturating_sub(self.base.get().unwrap_or(rtt)).as_secs_f64();
            self.average(feedback.now, delay);
            self.react(feedback, delay);
        } else if feedback.congestion.is_some() || self.is_marked(feedback) {
            self.react(feedback, 0.0);
        }
        let bytes: Bytes = feedback.acked.iter().fold(Bytes::ZERO, |sum, acked| sum + acked.bytes);
        let lost: Bytes = feedback.lost.iter().fold(Bytes::ZERO, |sum, lost| sum + lost.bytes);
        let marked = match &self.l4s {
            Some(_) => f64::from(feedback.ecn.ce) * self.mss,
            None => 0.0,
        };
        if self.l4s.is_some() || feedback.congestion != Some(Congestion::Mark) {
            self.grow(feedback.now, ((bytes + lost).get() as f64 - marked).max(0.0));
        }
        self.set_media(flight);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.prior.collapse(timeout, self.window);
        self.waiting = None;
        self.window = MIN_WINDOW;
        (self.congested, self.reacted) = (Some(timeout.now), Some(timeout.now));
        self.set_media(0.0);
    }

    fn on_undo(&mut self, _now: Time) {
        self.waiting = self.waiting.filter(|waiting| *waiting == Congestion::Mark);
        self.window = self.prior.restore(self.window);
    }

    fn decision(&self) -> Decision {
        let pace = Rate::from_bytes_per_sec(
            PACING_GAIN * self.relaxed() * self.media.max(MIN_PACE) * self.packet.get() as f64
                / self.mss,
        );
        Decision {
            window: Segments::new((self.profile.overhead() * self.window / self.mss).max(1.0)),
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
        visit("inflection", self.inflection / self.mss);
        visit("l4s_alpha", self.l4s.map_or(f64::NAN, |l4s| l4s.alpha()));
        visit("base_rtt_s", self.base.get().map_or(f64::NAN, Span::as_secs_f64));
    }
}
