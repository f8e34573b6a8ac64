//! C4 (Christian's Congestion Control Code): a nominal rate, raised by measured delivery rates and
//! lowered by delay, losses and marks to which fast flows are more sensitive.
//!
//! Sources: draft-huitema-ccwg-c4-spec, the working copy after -04 of August 2026
//! (`profile=draft`); picoquic, `picoquic/c4.c` of 7 July 2026, about -04 (`profile=picoquic`).
//! Sections in quotes are the draft's, names with `c4_` picoquic's.
//!
//! Ambiguities of the draft, and the choice made here:
//! * the pseudocode lowers the nominal rate to a measurement, and the text says that measurements
//!   only raise it: the text;
//! * the formula of the window adds a time to a rate: the margin is added to the longest round
//!   trip, as in picoquic;
//! * Cruising lasts four round trips in one list and two eras in its section: two eras;
//! * Recovery sends 15/16, or 3/4 (table) or 7/8 (text) where the queue is to be drained: 7/8 from
//!   the second report of congestion on, and the era begins anew then, as in picoquic;
//! * congestion in Recovery that its own cause reports again is ignored: losses of what left before
//!   it, and delay if what is acknowledged was sent at the nominal rate or below;
//! * an increase of the rate in Initial is one by a quarter in an era, as in picoquic;
//! * the loss rate begins anew after Recovery, as in picoquic; the text says so of marks only;
//! * high jitter is judged where the longest round trip was updated: otherwise Initial and Recovery
//!   would follow each other for ever;
//! * a shorter round trip is the least one at once, as in picoquic;
//! * an era of Initial counts as limited by the application if a packet acknowledged in it was.
//!
//! Deviations:
//! * an acknowledgement after which the transport sees no valid rate sample changes no rate;
//! * rates count payload, and the decision counts headers too, at the same packets per second;
//! * a saved path is taken if its round trip fits, by the rule of RFC 9959;
//! * picoquic's blend of the initial pacing rate with the peak bandwidth that it measures within
//!   bursts is left out.

mod cascade;
mod connection;
mod cycle;
mod initial;
mod machine;
mod output;
mod picoquic;
mod profile;
mod rate;
mod rtts;
mod sensitivity;
mod signals;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use connection::C4;

use crate::parts::mutated::Mutated;
use crate::parts::start::resume::fits;
use crate::{Basis, Build, Built, Entry};
use crate::{Controller, Decision, Feedback, Open, Reduction, Saved, Sent, Tag, Timeout};
use connection::{ECN, PROFILE, SAMPLES, Seed};
use narrows_params::Need;
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;
use profile::Profile;
use rate::measured;
use sensitivity::Sensitivity;
use signals::Signal;
use state::C4State;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "c4",
    kernel: None,
    summary: "C4, for media over QUIC: paces at the highest rate measured, less at delay, losses and marks, the less the slower the flow",
    source: "draft-huitema-ccwg-c4-spec, after -04; picoquic, picoquic/c4.c",
    basis: Basis::Model,
    needs: &[Need::RateSample, Need::BroadAppLimits, Need::Pacing, Need::Tags, Need::EcnCounts],
    numbered: true,
    params: &[PROFILE.spec, SAMPLES.spec, ECN.spec],
    build: Build::Function(|setup, params| {
        Ok(Built::new(C4::mutant(setup, params, Mutated::default())))
    }),
};

impl C4 {
    fn sensitivity(&self) -> Sensitivity {
        Sensitivity::at(self.rate.get(), self.constants)
    }

    fn signal(&mut self, signal: Signal) {
        match self.profile {
            Profile::Draft => self.take_signal(signal),
            Profile::Picoquic => self.take_signal_picoquic(signal),
        }
    }

    /// "Detecting Excessive Delays", `c4_update_rtt`.
    fn take_delay(&mut self, rtt: Span) {
        let before = self.rtts.max();
        self.rtts.sample(rtt);
        let Some(max) = before else { return };
        let threshold = self.sensitivity().delay_threshold(max, self.constants);
        let faster = self.era.alpha_before > 1.0;
        let counts = match (self.profile, self.state) {
            (_, C4State::Initial) => true,
            (Profile::Draft, C4State::Recovery) | (Profile::Picoquic, _) => faster,
            (Profile::Draft, _) => true,
        };
        let over = rtt.saturating_sub(max + threshold);
        if counts && over > Span::ZERO && threshold > Span::ZERO {
            self.signal(Signal::Delay(over.as_secs_f64() / threshold.as_secs_f64()));
        }
    }

    /// "Detecting Excessive CE Marks", `picoquic_congestion_notification_ecn_ec`.
    fn take_marks(&mut self, feedback: &Feedback<'_>) {
        if self.ecn != Ecn::Ect1 {
            return;
        }
        self.marks.count(feedback.ecn);
        let marked = feedback.ecn.ce > 0;
        if self.profile == Profile::Draft || marked {
            self.marks.average(self.profile);
        }
        let threshold = self.sensitivity().mark_threshold();
        if marked && self.marks.get() > threshold {
            self.signal(Signal::Marks((self.marks.get() - threshold) / threshold));
        }
    }

    /// "Detecting Excessive Losses". Those of what left before Recovery are answered; picoquic
    /// takes them again once Recovery is over.
    fn take_losses(&mut self, feedback: &Feedback<'_>) {
        for lost in feedback.lost {
            let answers = self.profile == Profile::Draft || self.state == C4State::Recovery;
            if answers && lost.tag.0 < self.settled {
                continue;
            }
            self.losses.take(true);
            if self.losses.get() > self.sensitivity().loss_threshold() {
                self.signal(Signal::Losses);
            }
        }
    }

    /// `c4_handle_ack`.
    fn take_acks(&mut self, feedback: &Feedback<'_>) {
        let Some(newest) = feedback.acked.iter().max_by_key(|acked| acked.tag.0) else { return };
        let before = self.rate.get();
        if let Some(measured) = measured(feedback, self.mss, self.samples) {
            let may_rise = !(self.state == C4State::Recovery && self.congested);
            let rose = self.rate.take(measured, may_rise);
            if self.profile == Profile::Picoquic {
                self.note_use(feedback, before, rose);
            }
        }
        let limited = feedback.acked.iter().any(|acked| acked.app_limited);
        self.era.limited |= limited;
        self.cycle.limited |= limited;
        feedback.acked.iter().for_each(|_| self.losses.take(false));
        if self.state == C4State::Initial {
            let bytes: Bytes = feedback
                .acked
                .iter()
                .map(|acked| acked.bytes)
                .fold(Bytes::ZERO, |sum, bytes| sum + bytes);
            self.initial.on_ack(feedback.acked.len() as u64, bytes.get());
        }
        if let Some(seed) = self.seed
            && self.state == C4State::Resuming
            && f64::from(feedback.in_flight) * self.mss * 17.0 / 16.0 < seed.window
        {
            self.era.first = self.sent;
        }
        let ends = newest.tag.0 >= self.era.first;
        match self.profile {
            Profile::Draft if ends => self.end_era(newest.app_limited),
            Profile::Picoquic if ends => self.end_era_picoquic(newest.app_limited),
            Profile::Picoquic => self.watch_push(),
            Profile::Draft => {}
        }
    }

    /// The window of Initial is the largest that it had.
    fn keep_initial(&mut self) {
        if self.state == C4State::Initial {
            self.initial.window = self.window();
        }
    }
}

impl Controller for C4 {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
        let Some(saved) = self.saved.filter(|saved| fits(saved, open.rtt)) else { return };
        self.rtts.open(open.rtt);
        let window = saved.window.get() * self.mss;
        self.seed = Some(Seed { window, rate: window / open.rtt.as_secs_f64() });
        self.enter(C4State::Resuming);
    }

    fn on_sent(&mut self, _sent: &Sent) -> Tag {
        let tag = Tag(self.sent);
        self.sent = self.sent.wrapping_add(1);
        tag
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        if let Some(rtt) = feedback.rtt {
            self.take_delay(rtt);
        }
        self.take_acks(feedback);
        self.take_marks(feedback);
        self.take_losses(feedback);
        self.keep_initial();
    }

    /// "Do not react to Probe Time Out".
    fn on_timeout(&mut self, _timeout: &Timeout) {}

    /// Spurious losses lowered the nominal rate as real ones do: measurements raise it again.
    fn on_undo(&mut self, _now: Time) {}

    fn decides_in_flight(&self) -> bool {
        false
    }

    fn decision(&self) -> Decision {
        let wire = self.packet / self.mss;
        Decision {
            window: Segments::new(self.window() / self.mss),
            pacing: self.pacing().map(|rate| Rate::from_bytes_per_sec(rate * wire)),
            quantum: Bytes::new((self.quantum() * wire) as u64),
            ecn: self.ecn,
            reduction: Reduction::Immediate,
        }
    }

    fn saved(&self) -> Option<Saved> {
        let rtt = self.rtts.min()?;
        let window = self.rate.get() * rtt.as_secs_f64() / self.mss;
        (self.state != C4State::Initial && window >= 1.0).then_some(Saved {
            rtt,
            window: Segments::new(window),
            age: Span::ZERO,
        })
    }

    /// States in the order of [`C4State`].
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let seconds = |span: Option<Span>| span.map_or(f64::NAN, Span::as_secs_f64);
        visit("cwnd", self.window() / self.mss);
        visit("state", f64::from(self.state as u8));
        visit("alpha", self.alpha);
        visit("nominal_bps", self.rate.get() * 8.0);
        visit("recent_bps", self.rate.recent() * 8.0);
        visit("max_rtt_s", seconds(self.rtts.max()));
        visit("min_rtt_s", seconds(self.rtts.min()));
        visit("sensitivity", self.sensitivity().get());
        visit("loss_rate", self.losses.get());
        visit("ecn_alpha", self.marks.get());
        visit("congested", f64::from(u8::from(self.congested)));
    }
}
