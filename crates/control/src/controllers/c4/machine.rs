//! The state machine: ends of eras, and congestion, by the draft. The rules of picoquic are in
//! `picoquic.rs`.

use super::connection::C4;
use super::cycle::Cycle;
use super::initial::{GROWTH, Initial};
use super::profile::{self, CRUISING_ERAS, PUSH_GROWTH, PUSHING_ERAS, Profile, RESUMING_ERAS};
use super::signals::{LossRate, Signal};
use super::state::{C4State, Era};
use narrows_units::Span;

impl C4 {
    /// The state machine moves, and an era begins.
    pub(super) fn enter(&mut self, state: C4State) {
        debug_assert!(state.may_follow(self.state), "from {:?} to {state:?}", self.state);
        self.state = state;
        self.cycle.eras = 0;
        self.begin_era();
        self.alpha = match state {
            C4State::Initial => profile::INITIAL,
            C4State::Resuming => profile::RESUMING,
            C4State::Recovery => profile::RECOVERY,
            C4State::Cruising if self.short_path() => profile::CRUISING + profile::SHORT_PATH,
            C4State::Cruising => profile::CRUISING,
            C4State::Probing => self.probing_alpha(),
            C4State::Pushing => self.constants.push,
        };
    }

    /// True at round trips below a millisecond, where pacing by a busy host falls behind.
    fn short_path(&self) -> bool {
        self.srtt > Span::ZERO && self.srtt < profile::LEAST_MAX_RTT
    }

    fn probing_alpha(&self) -> f64 {
        let gentle = match self.profile {
            Profile::Draft => self.marks.seen(),
            Profile::Picoquic => self.cascade.is_gentle(),
        };
        if gentle { profile::PROBING_MARKED } else { profile::PROBING }
    }

    /// An era begins with the next transmission.
    pub(super) fn begin_era(&mut self) {
        self.era = Era {
            first: self.sent,
            alpha_before: self.alpha,
            rate: self.rate.get(),
            limited: false,
        };
        self.rtts.begin_era();
        if self.profile == Profile::Picoquic {
            self.marks.average(self.profile);
        }
    }

    /// Round trips of packets sent at the nominal rate or below are measured. True if they were.
    pub(super) fn learn(&mut self) -> bool {
        let learns = self.era.alpha_before <= 1.0 && self.state != C4State::Initial;
        if learns {
            self.rtts.learn();
        }
        learns
    }

    /// The era ends with an acknowledgement, of a packet sent while the application was the
    /// `limited`ing factor.
    pub(super) fn end_era(&mut self, limited: bool) {
        let learned = self.learn();
        self.cycle.eras += 1;
        match self.state {
            C4State::Initial => self.end_initial_era(),
            C4State::Resuming if self.cycle.eras >= RESUMING_ERAS => self.enter_recovery(false),
            C4State::Recovery => self.end_recovery(learned),
            C4State::Cruising if self.cycle.eras >= CRUISING_ERAS && !limited => self.probe(),
            C4State::Probing => self.enter_recovery(false),
            C4State::Pushing => self.end_pushing_era(),
            C4State::Resuming | C4State::Cruising => self.begin_era(),
        }
    }

    fn end_initial_era(&mut self) {
        let rate = self.rate.get();
        let over = self.initial.end_era(rate >= GROWTH * self.era.rate, self.era.limited);
        if !(over && self.leave_initial(false)) {
            self.begin_era();
        }
    }

    pub(super) fn probe(&mut self) {
        self.cycle.probed = Some(self.rate.get());
        self.cycle.limited = false;
        self.enter(C4State::Probing);
    }

    /// "Pushing state": the first era shows what Recovery sent.
    fn end_pushing_era(&mut self) {
        let grew = self.rate.get() >= PUSH_GROWTH * self.era.rate;
        match self.cycle.eras {
            1 => self.begin_era(),
            _ if !grew => self.enter_recovery(false),
            eras if eras >= PUSHING_ERAS => self.enter_initial(),
            _ => self.begin_era(),
        }
    }

    /// The search begins again, from the nominal window.
    pub(super) fn enter_initial(&mut self) {
        let max = self.rtts.max().unwrap_or_default();
        self.initial = Initial::new(match self.profile {
            Profile::Draft => (self.rate.get() * max.as_secs_f64()).max(2.0 * self.mss),
            Profile::Picoquic => self.window(),
        });
        self.enter(C4State::Initial);
    }

    /// Ends Initial: the longest round trip is half of the window over the rate. False if there is
    /// no rate yet.
    pub(super) fn leave_initial(&mut self, congested: bool) -> bool {
        let rate = self.rate.get();
        if rate <= 0.0 {
            return false;
        }
        self.rtts.set_max(Span::from_secs_f64(self.initial.window / 2.0 / rate));
        self.enter_recovery(congested);
        true
    }

    /// Enters Recovery, after congestion or not.
    pub(super) fn enter_recovery(&mut self, congested: bool) {
        self.congested = congested;
        self.enter(C4State::Recovery);
        self.settled = self.era.first;
    }

    /// Recovery ends ("Reaction to persistent congestion", "Trimming an overestimated nominal
    /// rate").
    fn end_recovery(&mut self, learned: bool) {
        let Cycle { rate, probed, limited, .. } = self.cycle;
        let now = self.rate.get();
        let succeeded = !self.congested && probed.is_some_and(|probed| now > probed);
        let jitters = learned && self.jitters();
        let recent = self.rate.recent();
        self.successive = if self.congested { self.successive + 1 } else { 0 };
        if self.successive >= 2 && recent > 0.0 {
            self.rate.set(recent);
        } else if !self.congested && now <= rate && !limited && recent > 0.0 {
            self.rate.set((now + recent) / 2.0);
        }
        self.rate.forget_recent();
        self.marks.reset();
        self.losses = LossRate::default();
        self.cycle = Cycle { rate: self.rate.get(), ..Cycle::default() };
        if succeeded {
            self.enter(C4State::Pushing);
        } else if jitters {
            self.enter_initial();
        } else {
            self.enter(C4State::Cruising);
        }
    }

    /// "Restarting Initial if High Jitter".
    pub(super) fn jitters(&self) -> bool {
        let min = self.rtts.min();
        let max = self.rtts.max();
        min.zip(max).is_some_and(|(min, max)| 5 * min.as_nanos() < 2 * max.as_nanos())
    }

    /// Congestion is reported ("Applying congestion signals").
    pub(super) fn take_signal(&mut self, signal: Signal) {
        match self.state {
            C4State::Initial => {
                if self.initial.ends_with(signal) {
                    self.leave_initial(true);
                }
            }
            C4State::Recovery => self.drain(),
            C4State::Cruising => {
                self.cut(signal);
                self.enter_recovery(true);
            }
            C4State::Resuming | C4State::Probing | C4State::Pushing => self.enter_recovery(true),
        }
    }

    /// More congestion in Recovery: it sends less, and lasts an era from now on.
    pub(super) fn drain(&mut self) {
        self.congested = true;
        if self.alpha == profile::RECOVERY {
            self.alpha = profile::DRAINING;
            self.era.first = self.sent;
        }
    }

    /// A signal takes its part off the nominal rate.
    pub(super) fn cut(&mut self, signal: Signal) -> f64 {
        let part = signal.cut(self.profile, self.sensitivity().get());
        self.rate.set((1.0 - part) * self.rate.get());
        part
    }
}
