//! Choice between the rates that arrive in Data and a window.

use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;

/// How long rates are followed after the latest Data that had rates. Our choice.
const REMEMBERED: Span = Span::from_secs(2);
/// A rate below one Data packet in this time is raised to it. With a lower rate, an Interest would
/// expire before its turn, and a single Data with a rate of 0, by mistake or malice, would stop
/// everything. Our choice.
const SLOWEST: Span = Span::from_secs(1);

/// Decides after each Data packet whether rates are followed.
///
/// Data has rates if a link on its path computes them. Data from the content store of the local
/// forwarder has crossed no link: it does not show that links compute no rates, and it sets no rate
/// of its own.
#[derive(Debug, Default)]
pub(super) struct RateFollowing {
    /// The latest rates and their arrival time.
    latest: Option<(Time, Rates)>,
}

impl RateFollowing {
    /// Takes the rates of a Data packet of `size`. Data without rates gets the latest primary rate
    /// while rates are followed.
    pub(super) fn hear(&mut self, now: Time, size: Bytes, rates: &mut Rates) {
        if *rates != Rates::UNLIMITED {
            rates.primary = rates.primary.max(Rate::of(size, SLOWEST));
            self.latest = Some((now, *rates));
            return;
        }
        self.latest = self.latest.filter(|(at, _)| now.since(*at) <= REMEMBERED);
        if let Some((_, latest)) = self.latest {
            *rates = Rates { primary: latest.primary, secondary: Rate::ZERO };
        }
    }

    /// True if the consumer is to follow rates.
    pub(super) fn follows_rates(&self) -> bool {
        self.latest.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Rates = Rates::UNLIMITED;

    fn both(mbps: u64) -> Rates {
        Rates { primary: Rate::from_mbps(mbps), secondary: Rate::from_mbps(mbps) }
    }

    #[test]
    fn rates_are_followed_from_the_first_data_that_has_some_until_none_has_for_two_seconds() {
        let mut guide = RateFollowing::default();
        let mut hear = |ms: u64, mut rates: Rates| {
            guide.hear(Time::ZERO + Span::from_millis(ms), Bytes::new(1000), &mut rates);
            (guide.follows_rates(), rates)
        };
        assert_eq!(hear(0, NONE), (false, NONE));
        assert_eq!(hear(10_000, both(5)), (true, both(5)));
        let stored = |mbps: u64| Rates { primary: Rate::from_mbps(mbps), secondary: Rate::ZERO };
        assert_eq!(hear(11_000, NONE), (true, stored(5)));
        assert_eq!(hear(12_000, both(7)), (true, both(7)));
        assert_eq!(hear(14_000, NONE), (true, stored(7)));
        assert_eq!(hear(14_001, NONE), (false, NONE));
        assert_eq!(hear(14_002, both(3)), (true, both(3)));
        // The lowest rate is one Data packet of 1000 octets in a second.
        for rate in [Rate::ZERO, Rate::from_bps(1)] {
            let slow = Rates { primary: rate, secondary: rate };
            assert_eq!(
                hear(14_003, slow),
                (true, Rates { primary: Rate::from_bps(8000), secondary: rate })
            );
        }
    }
}
