//! How fast a link sends.

use crate::Trace;
use crate::work::{whole_bytes, work};
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::Arc;

/// The rate of a transmitter.
#[derive(Clone, Debug, PartialEq)]
pub enum RateSource {
    /// At once: a link that only delays.
    Unlimited,
    /// At one rate; at zero it sends nothing.
    Constant(Rate),
    /// As recorded.
    Trace {
        /// The recording.
        trace: Arc<Trace>,
        /// Its mean over the run, which whoever needs a single rate takes.
        mean: Rate,
    },
}

impl RateSource {
    /// As recorded, in a run of this length.
    pub fn trace(trace: Arc<Trace>, run: Span) -> RateSource {
        RateSource::Trace { mean: trace.long_run_rate(run), trace }
    }

    /// The amount that could be sent from the start up to and including `until`; `None` if
    /// unlimited.
    pub fn capacity(&self, until: Time) -> Option<Bytes> {
        self.work(until).map(whole_bytes)
    }

    /// The capacity as work of the transmitter.
    pub(crate) fn work(&self, until: Time) -> Option<u128> {
        match self {
            RateSource::Unlimited => None,
            RateSource::Constant(rate) => Some(work(*rate, until.since(Time::ZERO))),
            RateSource::Trace { trace, .. } => Some(trace.work(until)),
        }
    }

    /// The rate; on a trace its mean over the run. `None` if unlimited.
    pub fn mean(&self) -> Option<Rate> {
        match self {
            RateSource::Unlimited => None,
            RateSource::Constant(rate) | RateSource::Trace { mean: rate, .. } => Some(*rate),
        }
    }
}
