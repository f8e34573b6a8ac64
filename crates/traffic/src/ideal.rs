//! How long a transfer would take alone.

use narrows_path::{LinkChange, RateSource};
use narrows_scenario::{LinkId, Scenario, What};
use narrows_units::{Bytes, Rate, Span, Time};

/// The routes of one direction of a flow, as a transfer alone on them sees them: no transfer takes
/// less time, whatever else happens. A link that changes counts at the best that it is during the
/// run.
#[derive(Clone, Debug)]
pub(crate) struct Ideal {
    /// Each from its time on.
    routes: Box<[(Time, Route)]>,
}

/// Bytes that are ready at once, in segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cargo {
    pub(crate) size: Bytes,
    pub(crate) mss: Bytes,
    pub(crate) headers: Bytes,
}

impl Cargo {
    /// One packet, its headers included.
    pub(crate) fn packet(size: Bytes) -> Cargo {
        Cargo { size, mss: size, headers: Bytes::ZERO }
    }

    fn segments(&self) -> u64 {
        self.size.get().div_ceil(self.mss.get()).max(1)
    }

    /// The least that at least one of `ways` carries if all of them share it.
    fn share(self, ways: u64) -> Cargo {
        let segments = self.segments();
        Cargo { size: self.size - self.mss * (segments - segments.div_ceil(ways)), ..self }
    }

    /// On the wire: the first packet.
    fn first(&self) -> Bytes {
        self.size.min(self.mss) + self.headers
    }

    /// On the wire: the last packet, the smallest.
    fn last(&self) -> Bytes {
        self.size - self.mss * (self.segments() - 1) + self.headers
    }

    /// On the wire: all packets.
    fn all(&self) -> Bytes {
        self.size + self.headers * self.segments()
    }
}

impl Ideal {
    /// The routes that are `first` and, after each change of the routes of a flow, those that
    /// `later` finds in it.
    pub(crate) fn new<'a>(
        scenario: &'a Scenario,
        first: &'a [LinkId],
        later: impl Fn(&'a What) -> Option<&'a [LinkId]>,
    ) -> Ideal {
        let changed =
            scenario.changes.iter().filter_map(|change| Some((change.at, later(&change.what)?)));
        let mut routes: Vec<(Time, &[LinkId])> =
            std::iter::once((Time::ZERO, first)).chain(changed).collect();
        routes.dedup_by_key(|(_, links)| *links);
        Ideal {
            routes: routes
                .into_iter()
                .map(|(from, links)| (from, Route::new(scenario, links)))
                .collect(),
        }
    }

    /// When `cargo` that is ready at `start` and has arrived by `now` can have arrived at the
    /// earliest. If the route changed meanwhile, packets may have crossed several side by side, one
    /// of which carried its share of them.
    pub(crate) fn arrival(&self, start: Time, now: Time, cargo: Cargo) -> Time {
        // At the time of a change both routes are in use.
        let first = self.routes.partition_point(|(from, _)| *from < start).saturating_sub(1);
        let end = self.routes.partition_point(|(from, _)| *from <= now).max(first + 1);
        let routes = &self.routes[first..end];
        let share = cargo.share(routes.len() as u64);
        routes.iter().map(|(_, route)| route.arrival(start, share)).min().unwrap_or(start)
    }
}

#[derive(Clone, Debug)]
struct Route {
    hops: Box<[Hop]>,
    /// No later packet gets before the first one, or it makes no difference.
    in_order: bool,
}

#[derive(Clone, Debug)]
struct Hop {
    rate: RateSource,
    delay: Span,
    /// The transfer may be held up here: on the slowest link, and wherever the rate varies.
    narrow: bool,
}

impl Route {
    fn new(scenario: &Scenario, links: &[LinkId]) -> Route {
        let best = |id: &LinkId| scenario.best_of(*id);
        let mut hops: Box<[Hop]> = links
            .iter()
            .map(best)
            .map(|(rate, delay)| Hop { rate, delay, narrow: false })
            .collect();
        let slowest = hops
            .iter_mut()
            .filter_map(|hop| hop.constant().map(|rate| (rate, hop)))
            .min_by_key(|(rate, _)| *rate);
        if let Some((_, hop)) = slowest {
            hop.narrow = true;
        }
        for hop in &mut hops {
            hop.narrow |= matches!(hop.rate, RateSource::Trace { .. });
        }
        // After a loss the last packet may find an opportunity that the first one, being larger,
        // would have missed.
        let traced = hops.iter().any(|hop| matches!(hop.rate, RateSource::Trace { .. }));
        Route { hops, in_order: !traced && !links.iter().any(|link| reorders(scenario, *link)) }
    }

    /// When the last packet of `cargo`, all ready at `start`, arrives. Packets follow each other
    /// without a gap at a narrow link, which the first one reaches over the links before it, and
    /// from which the last one goes on over those after it.
    fn arrival(&self, start: Time, cargo: Cargo) -> Time {
        let early = if self.in_order { cargo.first() } else { cargo.last() };
        let late = cargo.last();
        let all = cargo.all();
        let arrivals = self.hops.iter().fold((start, start), |(first, last), hop| {
            let held_up = if hop.narrow { hop.sent(first, all) } else { first };
            (hop.sent(first, early) + hop.delay, hop.sent(last, late).max(held_up) + hop.delay)
        });
        arrivals.1
    }
}

impl Hop {
    fn constant(&self) -> Option<Rate> {
        match self.rate {
            RateSource::Constant(rate) => Some(rate),
            RateSource::Unlimited | RateSource::Trace { .. } => None,
        }
    }

    /// When the link can have sent `bytes` that are there from `from` on.
    fn sent(&self, from: Time, bytes: Bytes) -> Time {
        match &self.rate {
            RateSource::Unlimited => from,
            RateSource::Constant(rate) => from + rate.time_for(bytes),
            RateSource::Trace { trace, .. } => trace.carried_by(from, bytes),
        }
    }
}

/// True if packets overtake each other on a link at some time of the run.
fn reorders(scenario: &Scenario, link: LinkId) -> bool {
    let delivery = &scenario.links[link.0].config.delivery;
    let changed = scenario.changes.iter().any(|change| match &change.what {
        What::Link(changed, LinkChange::Jitter(jitter)) => *changed == link && jitter.reorders,
        What::Link(changed, LinkChange::Reorder(reorder)) => {
            *changed == link && reorder.share > 0.0
        }
        _ => false,
    });
    changed || delivery.jitter.reorders || delivery.reorder.share > 0.0
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
        let scenario = narrows_scenario::parse(text, "test.toml", &|path| {
            panic!("no trace is read from {path:?}")
        })
        .unwrap();
        let ideal = Ideal::new(&scenario, &scenario.flows[0].route, |_| None);
        let start = Time::ZERO + Span::from_millis(100);
        let time = |size| {
            let cargo =
                Cargo { size: Bytes::new(size), mss: Bytes::new(948), headers: Bytes::new(52) };
            ideal.arrival(start, Time::NEVER, cargo).since(start)
        };
        // Propagation 16 ms. Three segments of 1000, 1000 and 152 bytes: the first takes 0.1 ms
        // into the bottleneck, all of them 2.152 ms there, the last 0.076 ms behind it.
        assert_eq!(time(1996), Span::from_micros(16_000 + 100 + 2_152 + 76));
        // One segment of 52 + 48 bytes: 10, 100 and 50 us.
        assert_eq!(time(48), Span::from_micros(16_000 + 10 + 100 + 50));
    }

    /// When 3000 bytes of payload arrive over one or two links, as often as `starts` says, if all
    /// is over by `now`; in microseconds.
    fn arrivals(links: &str, trace: &str, starts: &[u64], now: u64) -> Vec<u64> {
        let text = format!(
            "duration = \"10 s\"\n{links}[[flow]]\nname = \"f\"\nfrom = \"a\"\nto = \"z\"\ncontroller = \"newreno\"\n"
        );
        let scenario = narrows_scenario::parse(&text, "test.toml", &|_| Ok(trace.to_owned()))
            .unwrap_or_else(|error| panic!("{}", error.short()));
        let ideal = Ideal::new(&scenario, &scenario.flows[0].route, |what| match what {
            What::Route { route, .. } => Some(route),
            What::Link(..) => None,
        });
        let cargo =
            Cargo { size: Bytes::new(3_000), mss: Bytes::new(950), headers: Bytes::new(50) };
        let at = |us: u64| Time::ZERO + Span::from_micros(us);
        starts
            .iter()
            .map(|start| ideal.arrival(at(*start), at(now), cargo).as_nanos() / 1_000)
            .collect()
    }

    #[test]
    fn a_trace_counts_from_when_the_first_packet_can_be_there() {
        // 3 * 1000 + 200 bytes take three opportunities, of which the first may come when the
        // smallest packet is there, after 0.2 ms at 1 byte per microsecond.
        let links = "[[link]]\nname = \"in\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"2 ms\"\n\
                     [[link]]\nname = \"radio\"\nbetween = [\"b\", \"z\"]\ntrace = \"t\"\ndelay = \"5 ms\"\n";
        // The last packet leaves the first link 2 ms and 3.2 ms after the start.
        assert_eq!(
            arrivals(links, "10\n20\n30\n100\n", &[0, 7_800, 7_801, 90_000], 9_000_000),
            [35_000, 35_000, 105_000, 125_000]
        );
        let steps = "0,8\n1,80\n";
        assert_eq!(arrivals(links, steps, &[0, 1_000_000], 9_000_000), [10_400, 1_010_220]);
    }

    #[test]
    fn a_link_that_changes_counts_at_its_best() {
        let links = "[[link]]\nname = \"l\"\nbetween = [\"a\", \"z\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
                     [[change]]\nat = \"1 s\"\nlink = \"l\"\nrate = \"16 Mbit/s\"\n[[change]]\nat = \"2 s\"\nlink = \"l\"\nrate = \"4 Mbit/s\"\ndelay = \"2 ms\"\n";
        assert_eq!(arrivals(links, "", &[0, 3_000_000], 9_000_000), [3_600, 3_003_600]);
    }

    #[test]
    fn packets_may_cross_two_routes_side_by_side_while_the_route_changes() {
        let link = |name: &str, ends: &str, rate: u64| {
            format!("[[link]]\nname = \"{name}\"\nbetween = [{ends}]\nrate = \"{rate} Mbit/s\"\n")
        };
        let links = link("one", "\"a\", \"z\"", 8)
            + &link("two", "\"a\", \"b\"", 4)
            + &link("three", "\"b\", \"z\"", 80)
            + "[[change]]\nat = \"1 s\"\nflow = \"f\"\nroute = [\"two\", \"three\"]\n";
        // 3200 bytes at 1 or 0.5 byte per microsecond; two of the four packets, 1000 and 200 bytes.
        assert_eq!(arrivals(&links, "", &[0], 999_999), [3_200]);
        assert_eq!(
            arrivals(&links, "", &[0, 1_000_000, 1_000_001], 9_000_000),
            [1_200, 1_001_200, 1_006_421]
        );
    }
}
