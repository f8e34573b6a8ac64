//! picoquic's rules where they are not the draft's: growth of the rate is measured from a reset on,
//! and successes of probes in a row lead to larger ones, and then to Initial.

use super::cascade::{Growth, LEVEL, MOST_LEVEL};
use super::connection::C4;
use super::profile::{self, CRUISING_ERAS};
use super::rate::delivered;
use super::signals::{LossRate, Signal};
use super::state::C4State;
use crate::Feedback;
use narrows_units::Span;

/// Initial begins again for jitter only at a longest round trip above this and a rate below this,
/// in bytes per second.
const JITTER_FROM: Span = Span::from_millis(50);
const JITTER_BELOW: f64 = 1_000_000.0;

impl C4 {
    fn growth(&self) -> Growth {
        self.cascade.growth(self.rate.get(), self.congested)
    }

    /// `c4_growth_reset`.
    fn reset_growth(&mut self) {
        self.congested = false;
        self.cascade.unlimited = false;
        self.cascade.rate = self.rate.get();
        self.cascade.alpha = self.alpha;
    }

    /// A rate was measured, which was the nominal one before it, and raised that or not
    /// (`c4_handle_ack`).
    pub(super) fn note_use(&mut self, feedback: &Feedback<'_>, before: f64, rose: bool) {
        let Some(sample) = &feedback.rate else { return };
        let min = self.rtts.min().unwrap_or_default();
        self.cascade.unlimited |= rose || delivered(sample, self.mss) > before * min.as_secs_f64();
    }

    /// The rate is growing fast while Pushing: another era begins.
    pub(super) fn watch_push(&mut self) {
        if self.state == C4State::Pushing && self.growth() == Growth::Fast {
            self.reset_growth();
            self.begin_era();
        }
    }

    /// The era ends with an acknowledgement, of a packet sent while the application was the
    /// `limited`ing factor.
    pub(super) fn end_era_picoquic(&mut self, limited: bool) {
        if self.state == C4State::Initial {
            let grew = self.growth() != Growth::None;
            let idle = !self.cascade.unlimited || self.rate.get() <= 0.0;
            let over = self.initial.end_era(grew, idle);
            if !(over && self.leave_initial_picoquic()) {
                self.begin_era();
                self.reset_growth();
            }
            return;
        }
        self.learn();
        if !self.cascade.after_jitter && self.restarts_for_jitter() {
            self.cascade.after_jitter = true;
            self.restart();
            return;
        }
        match self.state {
            C4State::Recovery => self.end_recovery_picoquic(),
            C4State::Cruising => {
                self.cascade.cruising = self.cascade.cruising.saturating_sub(1);
                self.begin_era();
                if self.cascade.cruising == 0 && !limited {
                    self.enter(C4State::Probing);
                    self.cascade.alpha = self.alpha;
                }
            }
            C4State::Probing => self.recover(false),
            C4State::Pushing if self.growth() == Growth::Fast => {
                self.reset_growth();
                self.begin_era();
            }
            C4State::Pushing => self.recover(false),
            C4State::Resuming => {
                self.cascade.resumed += 1;
                if self.cascade.resumed >= profile::RESUMING_ERAS {
                    self.recover(false);
                } else {
                    self.begin_era();
                }
            }
            C4State::Initial => {}
        }
    }

    fn restarts_for_jitter(&self) -> bool {
        self.jitters()
            && self.rtts.max().is_some_and(|max| max > JITTER_FROM)
            && self.rate.get() < JITTER_BELOW
    }

    /// `c4_enter_initial`.
    fn restart(&mut self) {
        self.enter_initial();
        self.era.alpha_before = self.alpha;
        self.cascade.level = LEVEL;
        self.marks.reset();
        self.reset_growth();
    }

    /// `c4_exit_initial`: its congestion is forgotten.
    fn leave_initial_picoquic(&mut self) -> bool {
        if self.rate.get() <= 0.0 {
            return false;
        }
        self.reset_growth();
        self.cascade.level = LEVEL;
        self.cascade.marked = false;
        self.leave_initial(false)
    }

    /// `c4_enter_recovery`.
    fn recover(&mut self, marked: bool) {
        self.cascade.marked = marked;
        let congested = self.congested;
        self.enter_recovery(congested);
    }

    /// `c4_exit_recovery`.
    fn end_recovery_picoquic(&mut self) {
        let recent = self.rate.recent();
        if self.growth() != Growth::None {
            if !self.cascade.marked && self.cascade.resumed == 0 {
                self.cascade.level += 1;
            }
            self.successive = 0;
        } else {
            if self.cascade.unlimited {
                self.cascade.level = if self.cascade.marked { 0 } else { LEVEL };
            }
            self.successive = if self.congested { self.successive + 1 } else { 0 };
            if self.successive >= 2 && recent > 0.0 && self.rate.get() > recent {
                self.rate.set(recent);
            }
        }
        self.cascade.resumed = 0;
        self.rate.forget_recent();
        self.reset_growth();
        self.losses = LossRate::default();
        self.marks.reset();
        if self.cascade.level > MOST_LEVEL {
            self.restart();
        } else if self.cascade.level > LEVEL {
            self.enter(C4State::Pushing);
            self.reset_growth();
            // The era counts as one of Pushing from its beginning.
            self.era.alpha_before = self.alpha;
        } else {
            self.enter(C4State::Cruising);
            if self.cascade.cruising == 0 {
                self.cascade.cruising = if self.cascade.level < LEVEL { 1 } else { CRUISING_ERAS };
            }
        }
    }

    /// `c4_notify_congestion`, and `c4_notify` of Initial.
    pub(super) fn take_signal_picoquic(&mut self, signal: Signal) {
        let marked = matches!(signal, Signal::Marks(_));
        if self.state == C4State::Initial {
            let flat = self.cascade.rate >= self.rate.get();
            if self.initial.ends_with(signal) && (flat || signal == Signal::Losses) {
                self.leave_initial_picoquic();
            }
            return;
        }
        self.congested = true;
        match self.state {
            C4State::Recovery => {
                self.drain();
                self.cascade.marked |= marked;
            }
            C4State::Probing | C4State::Pushing => self.recover(marked),
            C4State::Cruising | C4State::Resuming | C4State::Initial => {
                let part = self.cut(signal);
                if signal == Signal::Losses
                    && let Some(max) = self.rtts.max()
                {
                    self.rtts.set_max(Span::from_secs_f64((1.0 - part) * max.as_secs_f64()));
                }
                self.recover(marked);
            }
        }
    }
}
