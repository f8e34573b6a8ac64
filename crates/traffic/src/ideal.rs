//! How long a transfer would take alone.

use narrows_path::RateSource;
use narrows_scenario::{LinkId, Scenario};
use narrows_units::{Bytes, Rate, Span};

/// A route, as a transfer alone on it sees it.
#[derive(Clone, Debug)]
pub(crate) struct Ideal {
    delay: Span,
    /// The rates of the links before the slowest, of the slowest, and of those after it; links without a rate are left out.
    before: Box<[Rate]>,
    slowest: Option<Rate>,
    after: Box<[Rate]>,
    mss: Bytes,
    headers: Bytes,
}

impl Ideal {
    /// The route over `links` for segments of `mss` with `headers`. A trace counts with its mean rate.
    pub(crate) fn new(scenario: &Scenario, links: &[LinkId], mss: Bytes, headers: Bytes) -> Ideal {
        let config = |id: &LinkId| &scenario.links[id.0].config;
        let rate = |id| match &config(id).rate {
            RateSource::Unlimited => None,
            RateSource::Constant(rate) => Some(*rate),
            RateSource::Trace(trace) => Some(trace.long_run_rate(scenario.duration)),
        };
        let rates: Vec<Rate> = links.iter().filter_map(rate).filter(|rate| !rate.is_zero()).collect();
        let place = rates.iter().enumerate().min_by_key(|(_, rate)| **rate).map_or(0, |(place, _)| place);
        Ideal {
            delay: links.iter().fold(Span::ZERO, |sum, id| sum + config(id).delay),
            before: rates[..place].into(),
            slowest: rates.get(place).copied(),
            after: rates.get(place + 1..).unwrap_or_default().into(),
            mss,
            headers,
        }
    }

    /// The least time in which `size` bytes of payload, all ready at once, can cross: they follow each other without a gap at the slowest link, which the first
    /// packet reaches over the links before it, and from which the last goes on over the links after it.
    pub(crate) fn time(&self, size: Bytes) -> Span {
        let segments = size.get().div_ceil(self.mss.get()).max(1);
        let first = size.min(self.mss) + self.headers;
        let last = Bytes::new(size.get() - (segments - 1) * self.mss.get()) + self.headers;
        let all = size + Bytes::new(segments * self.headers.get());
        let over = |rates: &[Rate], bytes: Bytes| rates.iter().fold(Span::ZERO, |sum, rate| sum + rate.time_for(bytes));
        self.delay + over(&self.before, first) + self.at_slowest(all) + over(&self.after, last)
    }

    /// How long `bytes` occupy the slowest link.
    pub(crate) fn at_slowest(&self, bytes: Bytes) -> Span {
        self.slowest.map_or(Span::ZERO, |rate| rate.time_for(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_alone_by_hand() {
        let text = "duration = \"1 s\"\n\
                    [[link]]\nname = \"in\"\nbetween = [\"a\", \"b\"]\nrate = \"80 Mbit/s\"\ndelay = \"2 ms\"\n\
                    [[link]]\nname = \"slow\"\nbetween = [\"b\", \"c\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
                    [[link]]\nname = \"free\"\nbetween = [\"c\", \"d\"]\ndelay = \"1 ms\"\n\
                    [[link]]\nname = \"out\"\nbetween = [\"d\", \"e\"]\nrate = \"16 Mbit/s\"\ndelay = \"3 ms\"\n\
                    [[flow]]\nfrom = \"a\"\nto = \"e\"\ncontroller = \"newreno\"\n";
        let scenario = narrows_scenario::parse(text, "test.toml", &|path| panic!("no trace is read from {path:?}")).unwrap();
        let ideal = Ideal::new(&scenario, &scenario.flows[0].route, Bytes::new(948), Bytes::new(52));
        // Propagation 16 ms. Three segments of 1000, 1000 and 152 bytes: the first takes 0.1 ms into the bottleneck, all of them 2.152 ms there, the last
        // 0.076 ms behind it.
        assert_eq!(ideal.time(Bytes::new(1996)), Span::from_micros(16_000 + 100 + 2_152 + 76));
        // One segment of 52 + 48 bytes: 10, 100 and 50 us.
        assert_eq!(ideal.time(Bytes::new(48)), Span::from_micros(16_000 + 10 + 100 + 50));
    }
}
