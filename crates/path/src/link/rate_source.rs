//! How fast a link sends.

use crate::Trace;
use crate::work::{whole_bytes, work};
use narrows_units::{Bytes, Rate, Time};
use std::sync::Arc;

/// The rate of a transmitter.
#[derive(Clone, Debug, PartialEq)]
pub enum RateSource {
    /// At once: a link that only delays.
    Unlimited,
    /// At one rate; at zero it sends nothing.
    Constant(Rate),
    /// As recorded.
    Trace(Arc<Trace>),
}

impl RateSource {
    /// What could be sent from the start up to and including `until`; `None` if unlimited.
    pub fn capacity(&self, until: Time) -> Option<Bytes> {
        self.work(until).map(whole_bytes)
    }

    /// The same as work of the transmitter.
    pub(crate) fn work(&self, until: Time) -> Option<u128> {
        match self {
            RateSource::Unlimited => None,
            RateSource::Constant(rate) => Some(work(*rate, until.since(Time::ZERO))),
            RateSource::Trace(trace) => Some(trace.work(until)),
        }
    }

    /// The rate; on a trace its mean, over one period of delivery opportunities or up to the last step. `None` if unlimited.
    pub fn mean(&self) -> Option<Rate> {
        match self {
            RateSource::Unlimited => None,
            RateSource::Constant(rate) => Some(*rate),
            RateSource::Trace(trace) => Some(match &**trace {
                Trace::Opportunities { period, .. } => trace.long_run_rate(*period),
                Trace::Steps(steps) => match steps.as_slice() {
                    [(_, rate)] => *rate,
                    [.., (last, _)] => trace.mean_rate(*last),
                    [] => Rate::ZERO,
                },
            }),
        }
    }
}
