//! The meaning of paths' rates and the round trip for a consumer's timers.

use crate::consumer::counters::ByClass;
use crate::pacer::gap_at;
use crate::packet::Class;
use narrows_transport::RttEstimator;
use narrows_units::{Rate, Span};

/// The times between Interests, from the rates at which Data is requested and its size. They are
/// computed when these change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaps {
    rates: ByClass<Rate>,
    data_size: f64,
    gaps: ByClass<Span>,
}

/// The longest time between primary Interests, so that a rate of zero is not final.
const LONGEST_GAP: Span = Span::from_secs(60);

impl Gaps {
    /// While no path is known.
    pub(super) fn new(data_size: f64) -> Gaps {
        let gaps = ByClass { primary: LONGEST_GAP, secondary: Span::MAX };
        Gaps { rates: ByClass::default(), data_size, gaps }
    }

    /// The rates of both classes now, and the size of Data in octets.
    pub(super) fn update(&mut self, rates: ByClass<Rate>, data_size: f64) {
        if (self.rates, self.data_size) != (rates, data_size) {
            let primary = gap_at(rates.primary, data_size).min(LONGEST_GAP);
            *self = Gaps {
                rates,
                data_size,
                gaps: ByClass { primary, secondary: gap_at(rates.secondary, data_size) },
            };
        }
    }

    /// The time between Interests of `class`.
    pub(super) fn of(&self, class: Class) -> Span {
        *self.gaps.of(class)
    }
}

/// Spans that depend on the round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// The smoothed round trip; zero before the first sample.
    pub(super) srtt: Span,
    /// The retransmission timeout.
    pub(super) timeout: Span,
    /// A path is removed after this time without Data.
    pub(super) path: Span,
    /// The time from the first Data to the first secondary Interest; `None` while unknown, and of a
    /// consumer that sends none.
    pub(super) secondary: Option<Span>,
}

/// A path is removed after this many round trips without Data, and not before this time; the paper
/// gives none.
const PATH_TIMEOUT: (u64, Span) = (8, Span::from_secs(1));

impl Waits {
    /// Those at this round trip. Secondary Interests begin after `hold` of it.
    pub(super) fn new(rtt: &RttEstimator, hold: Option<f64>) -> Waits {
        let srtt = rtt.srtt();
        Waits {
            srtt,
            timeout: rtt.timeout(),
            path: (srtt * PATH_TIMEOUT.0).max(PATH_TIMEOUT.1),
            secondary: hold
                .filter(|_| !srtt.is_zero())
                .map(|hold| Span::from_secs_f64(hold * srtt.as_secs_f64())),
        }
    }
}
