//! The longest round trip without a queue, and the least one, as far as they are known.

use super::profile::{LEAST_MAX_RTT, MOST_JITTER};
use narrows_units::Span;

/// Round trips of the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rtts {
    max: Option<Span>,
    min: Option<Span>,
    /// Least and longest of the era in progress.
    era: Option<(Span, Span)>,
}

impl Rtts {
    /// The longest without a queue (`nominal_max_rtt`), at least a millisecond.
    pub fn max(&self) -> Option<Span> {
        self.max
    }

    /// The least, which follows slowly when the path gets longer (`running_min_rtt`).
    pub fn min(&self) -> Option<Span> {
        self.min
    }

    /// A round trip was measured. The first one is the longest; a shorter one is the least at once.
    pub fn sample(&mut self, rtt: Span) {
        self.min = Some(self.min.map_or(rtt, |min| min.min(rtt)));
        self.max.get_or_insert(rtt.max(LEAST_MAX_RTT));
        let (least, longest) = self.era.unwrap_or((rtt, rtt));
        self.era = Some((least.min(rtt), longest.max(rtt)));
    }

    /// The handshake tells a round trip before any sample.
    pub fn open(&mut self, rtt: Span) {
        self.min = Some(rtt);
        self.max = Some(rtt.max(LEAST_MAX_RTT));
    }

    /// Sets the longest round trip.
    pub fn set_max(&mut self, max: Span) {
        self.max = Some(max.max(LEAST_MAX_RTT));
    }

    /// An era begins.
    pub fn begin_era(&mut self) {
        self.era = None;
    }

    /// The era ends, and its round trips are those of packets sent at the nominal rate or below
    /// ("Nominal max RTT", `c4_update_min_max_rtt`).
    pub fn learn(&mut self) {
        let Some((least, longest)) = self.era else { return };
        let min = match self.min {
            Some(min) if min <= least => eighth(min, least),
            _ => least,
        };
        self.min = Some(min);
        let longest = longest.min(min + MOST_JITTER);
        let max = match self.max {
            Some(max) if max >= longest => eighth(max, longest),
            _ => longest,
        };
        self.set_max(max);
    }
}

/// An average that moves by an eighth.
fn eighth(average: Span, sample: Span) -> Span {
    Span::from_nanos((7 * average.as_nanos() + sample.as_nanos()) / 8)
}
