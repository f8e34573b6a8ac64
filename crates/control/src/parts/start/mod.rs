//! How a connection starts: how its first slow start grows, and when it ends without a loss.
//!
//! It has two hooks: the window in fractions ([`Window`](crate::parts::window::Window)) and the
//! window of the kernel ([`Socket`](crate::parts::linux::Socket)) ask a [`Starter`].

pub mod cut;
pub mod hystart;
pub mod hystartpp;
pub mod params;
pub mod rapid;
pub mod resume;
pub mod search;
mod starter;
#[cfg(test)]
mod tests;

pub use starter::{Choices, Starter, Step, View};

use crate::Feedback;
use hystart::{HyStart, MeasuringHyStart, Sample};
use hystartpp::HyStartPlusPlus;
use rapid::Rapid;
use search::{Search, SearchAck};

/// A start.
#[derive(Clone, Debug, Default)]
pub enum Start {
    /// Slow start up to the threshold (RFC 5681).
    #[default]
    Classic,
    /// HyStart, as CUBIC of Linux drives it.
    HyStart(HyStart),
    /// HyStart of a controller that measures no round trips for it.
    HyStartMeasuring(Box<MeasuringHyStart>),
    /// HyStart++ (RFC 9406).
    HyStartPlusPlus(HyStartPlusPlus),
    /// SEARCH (draft-chung-ccwg-search).
    Search(Box<Search>),
    /// Rapid Start (draft-kazuho-ccwg-rapid-start).
    Rapid(Box<Rapid>),
}

impl Start {
    /// A segment leaves.
    #[inline]
    pub fn on_sent(&mut self, number: u64) {
        match self {
            Start::HyStartPlusPlus(start) => start.on_sent(number),
            Start::HyStartMeasuring(start) => start.on_sent(number),
            Start::Classic | Start::HyStart(_) | Start::Search(_) | Start::Rapid(_) => {}
        }
    }

    /// The segments by which a window grows for `acked` segments acknowledged at once; `None` if by
    /// as many.
    #[inline]
    pub fn growth(&self, acked: f64) -> Option<f64> {
        match self {
            Start::HyStartPlusPlus(start) => Some(start.growth(acked)),
            Start::Rapid(start) => Some(acked * f64::from(start.factor())),
            Start::Classic | Start::HyStart(_) | Start::HyStartMeasuring(_) | Start::Search(_) => {
                None
            }
        }
    }

    /// The factor by which a window grows per round trip.
    pub fn per_round(&self) -> f64 {
        1.0 + self.growth(1.0).unwrap_or(1.0)
    }

    /// An acknowledgement in slow start. [`Step::Exit`] with the path's capacity if slow start ends
    /// now.
    #[inline]
    pub fn observe(&mut self, feedback: &Feedback<'_>, view: View) -> Step {
        let ends = |ends: bool| if ends { Step::Exit(view.cwnd) } else { Step::Grow };
        match self {
            Start::Classic | Start::HyStart(_) => Step::Grow,
            Start::HyStartPlusPlus(start) => {
                let highest = feedback.acked.iter().map(|acked| acked.number).max();
                ends(highest.is_some_and(|highest| start.on_ack(highest, feedback.rtt)))
            }
            Start::HyStartMeasuring(start) => ends(start.on_feedback(feedback, view.cwnd)),
            Start::Search(start) => start
                .on_ack(&SearchAck {
                    now: feedback.now,
                    rtt: feedback.rtt,
                    delivered: feedback.totals.delivered,
                    sent: feedback.totals.sent,
                    unlimited: feedback.acked.iter().any(|acked| !acked.app_limited),
                })
                .map_or(Step::Grow, Step::Exit),
            Start::Rapid(start) => {
                if let Some(rtt) = feedback.rtt {
                    start.on_rtt(feedback.now, rtt);
                }
                Step::Grow
            }
        }
    }

    /// A round trip of the kernel's connection. True if slow start ends now. `longest` is as
    /// [`HyStart::ends`] has it.
    #[inline]
    pub fn ends_at(&mut self, sample: Sample, longest: impl FnOnce() -> u32) -> bool {
        match self {
            Start::HyStart(start) => start.ends(sample, longest),
            _ => false,
        }
    }

    /// Slow start begins again at `now` (µs) with segment `next`, after a timeout.
    pub fn begin_again(&mut self, now: u64, next: u64) {
        if let Start::HyStart(start) = self {
            start.begin(now, next);
        }
    }

    /// The window restarts after idleness.
    pub fn on_idle(&mut self) {
        match self {
            Start::Search(search) => search.reset(),
            Start::Rapid(_) => *self = Start::Classic,
            Start::Classic
            | Start::HyStart(_)
            | Start::HyStartMeasuring(_)
            | Start::HyStartPlusPlus(_) => {}
        }
    }

    /// The number of the start for traces: 0 classic, 1 HyStart, 2 HyStart++, 3 SEARCH, 4 Rapid
    /// Start.
    pub fn code(&self) -> f64 {
        match self {
            Start::Classic => 0.0,
            Start::HyStart(_) | Start::HyStartMeasuring(_) => 1.0,
            Start::HyStartPlusPlus(_) => 2.0,
            Start::Search(_) => 3.0,
            Start::Rapid(_) => 4.0,
        }
    }
}
