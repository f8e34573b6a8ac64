//! `bbr3` with a fault: a controller that hands it something false, or takes something from it.

use narrows_control::{
    Basis, Build, Built, Choice, Controller, Decision, Entry, Feedback, Open, Sent, Session, Setup,
    Tag, Timeout,
};
use narrows_params::{Need, Param, ParamError, Params};
use narrows_units::{Rate, Span, Time};

/// Fault of the mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// The controller is told of no loss.
    Lossless,
    /// No sample, and no departure, is limited by the application.
    NeverLimited,
    /// Every sample is limited by the application.
    AlwaysLimited,
    /// It hears of no undo.
    NoUndo,
    /// It paces a tenth slower than it says.
    Slow,
    /// Each round trip is shorter than the one before.
    ShorterAndShorter,
    /// Samples deliver a tenth too much.
    FastSamples,
    /// Twenty packets more are in flight than are.
    LargeFlight,
    /// No round ever begins.
    NoRounds,
    /// Time passes half as fast.
    HalfTime,
    /// It hears of half of the acknowledged.
    HalfAcknowledged,
    /// Half of the flight is there when a packet leaves.
    SmallFlight,
}

const FAULTS: &[(&str, Fault); 13] = &[
    ("none", Fault::None),
    ("lossless", Fault::Lossless),
    ("never-limited", Fault::NeverLimited),
    ("always-limited", Fault::AlwaysLimited),
    ("no-undo", Fault::NoUndo),
    ("slow", Fault::Slow),
    ("shorter-and-shorter", Fault::ShorterAndShorter),
    ("fast-samples", Fault::FastSamples),
    ("large-flight", Fault::LargeFlight),
    ("no-rounds", Fault::NoRounds),
    ("half-time", Fault::HalfTime),
    ("half-acknowledged", Fault::HalfAcknowledged),
    ("small-flight", Fault::SmallFlight),
];

const FAULT: Param<Fault> = Param::choice("fault", "none", FAULTS, "what is wrong");

static ENTRY: Entry = Entry {
    name: "mutant",
    kernel: None,
    summary: "BBR version 3 with a fault",
    source: "this file",
    basis: Basis::Model,
    needs: &[Need::RateSample, Need::BroadAppLimits, Need::Pacing, Need::Tags],
    numbered: false,
    params: &[FAULT.spec],
    build: Build::Function(build),
};

/// The session in which mutants can be chosen.
pub fn session() -> Session {
    let session = Session::default();
    session.register(&ENTRY).expect("a new name");
    session
}

/// The text that chooses the mutant.
pub fn mutant(fault: Fault) -> String {
    let name = FAULTS.iter().find(|(_, known)| *known == fault).expect("a name").0;
    format!("mutant?fault={name}")
}

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    let inner = "bbr3?profile=draft".parse::<Choice>().expect("a controller").build(setup)?;
    Ok(Built::new(Mutant { inner, fault: params.get(&FAULT), acknowledgements: 0 }))
}

struct Mutant {
    inner: Box<dyn Controller>,
    fault: Fault,
    acknowledgements: u64,
}

impl Mutant {
    fn time(&self, now: Time) -> Time {
        if self.fault == Fault::HalfTime { Time::from_nanos(now.as_nanos() / 2) } else { now }
    }
}

impl Controller for Mutant {
    fn on_open(&mut self, open: &Open) {
        let mut open = *open;
        open.now = self.time(open.now);
        self.inner.on_open(&open);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        let mut sent = *sent;
        sent.now = self.time(sent.now);
        sent.app_limited &= self.fault != Fault::NeverLimited;
        if self.fault == Fault::SmallFlight {
            sent.in_flight /= 2;
        }
        self.inner.on_sent(&sent)
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        let mut seen = *feedback;
        seen.now = self.time(seen.now);
        self.acknowledgements += 1;
        match self.fault {
            Fault::Lossless => (seen.lost, seen.congestion, seen.totals.lost) = (&[], None, 0),
            Fault::ShorterAndShorter => {
                seen.rtt = Some(Span::from_nanos(
                    30_000_000 - (10 * self.acknowledgements).min(29_000_000),
                ));
            }
            Fault::LargeFlight => seen.in_flight += 20,
            Fault::HalfAcknowledged => {
                seen.acked = &feedback.acked[..feedback.acked.len().div_ceil(2)]
            }
            _ => {}
        }
        if let Some(rate) = &mut seen.rate {
            match self.fault {
                Fault::NeverLimited => rate.app_limited = false,
                Fault::AlwaysLimited => rate.app_limited = true,
                Fault::FastSamples => rate.delivered += rate.delivered.div_ceil(10),
                Fault::NoRounds => rate.prior_delivered = 0,
                _ => {}
            }
        }
        self.inner.on_feedback(&seen);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        let mut timeout = *timeout;
        timeout.now = self.time(timeout.now);
        self.inner.on_timeout(&timeout);
    }

    fn on_undo(&mut self, now: Time) {
        if self.fault != Fault::NoUndo {
            self.inner.on_undo(self.time(now));
        }
    }

    fn decision(&self) -> Decision {
        let mut decision = self.inner.decision();
        if self.fault == Fault::Slow {
            decision.pacing = decision.pacing.map(|rate| Rate::from_bps(rate.as_bps() / 10 * 9));
        }
        decision
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.inner.inspect(visit);
    }
}
