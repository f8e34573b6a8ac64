//! The law itself: one rate for all flows, from what arrives, what waits and how long round trips
//! are.

use crate::law::rtt;
use crate::{LawEntry, LawSetup, Observed, RateLaw};
use narrows_params::{Param, Params, Spec};
use narrows_units::{Rate, Span};
use narrows_wire::Rates;

/// The registry line of the law for links of an information-centric network.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "rcp",
    summary: "RCP: one rate for all flows, from MIRCC's counts of spare capacity, queue and mean round trip",
    source: "Dukkipati 2008; Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, equation (1)",
    classes: 1,
    data_queue: true,
    params: PARAMS,
};

/// The parameters, of the law alone and of the router.
pub(crate) const PARAMS: &[Spec] =
    &[A.spec, B.spec, ETA.spec, INTERVAL.spec, FILTER.spec, INITIAL.spec, FLOOR.spec];

const A: Param<f64> = Param::number(
    "a",
    0.4,
    (0.001, 10.0),
    "",
    "weight of the spare capacity (ns-2 scripts: 0.4 or 0.1)",
);
const B: Param<f64> =
    Param::number("b", 0.4, (0.0, 10.0), "", "weight of the queue (ns-2 scripts: 0.4 or 1)");
const ETA: Param<f64> = Param::number("eta", 0.95, (0.01, 1.0), "", "target share of the capacity");
const INTERVAL: Param<Span> = Param::millis(
    "interval",
    10.0,
    (0.0, 10_000.0),
    "interval of ticks, or a mean round trip if shorter; 0: a mean round trip",
);
const FILTER: Param<RttFilter> = Param::choice(
    "filter",
    "shared",
    &[("shared", RttFilter::Shared), ("ns2", RttFilter::Ns2)],
    "filter of the mean round trip: a quarter of the difference per tick, or ns-2's, slower downwards",
);
const INITIAL: Param<f64> =
    Param::number("initial", 0.05, (0.0, 1.0), "", "initial rate, share of the capacity");
const FLOOR: Param<f64> = Param::number(
    "floor",
    0.1,
    (0.0001, 1000.0),
    "packets",
    "lowest rate, packets per mean round trip: 1500 B in a queue, mean Data size on an ICN link",
);

/// How the mean round trip d follows the mean m of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RttFilter {
    /// A quarter of the difference per tick.
    Shared,
    /// T/d of the difference if m is longer, R/C m/d of that if it is shorter: a few short flows do
    /// not pull it down (ns-2 `rcp.cc`).
    Ns2,
}

/// RCP's law for one queue, or for one link of an information-centric network: one rate for all
/// that arrives, of either class.
#[derive(Clone, Debug)]
pub struct RcpLaw {
    /// Weights of the spare capacity and of the queue.
    a: f64,
    b: f64,
    /// Part of the capacity aimed at.
    eta: f64,
    /// The longest time between two ticks; zero for a mean round trip.
    interval: Span,
    filter: RttFilter,
    /// The lowest rate, in packets per mean round trip.
    floor: f64,
    /// Bits per second.
    capacity: f64,
    rate: f64,
    /// Mean round trip in seconds.
    rtt: f64,
    discarded: u64,
}

impl RcpLaw {
    /// Of a queue or link on which nothing has happened.
    pub fn new(setup: &LawSetup, params: &Params) -> RcpLaw {
        let capacity = setup.capacity.as_bps() as f64;
        RcpLaw {
            a: params.get(&A),
            b: params.get(&B),
            eta: params.get(&ETA),
            interval: params.get(&INTERVAL),
            filter: params.get(&FILTER),
            floor: params.get(&FLOOR),
            capacity,
            rate: params.get(&INITIAL) * capacity,
            rtt: rtt::FIRST,
            discarded: 0,
        }
    }

    /// The rate that each flow may send at.
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.rate as u64).max(Rate::from_bps(1))
    }

    /// How much of the way to `m` the mean round trip goes after an interval of `dt`.
    fn gain(&self, m: f64, dt: f64) -> f64 {
        let d = self.rtt;
        match self.filter {
            RttFilter::Shared => rtt::SHARED_GAIN,
            RttFilter::Ns2 if m >= d => dt / d,
            RttFilter::Ns2 => self.rate / self.capacity * (m / d) * (dt / d),
        }
    }
}

impl RateLaw for RcpLaw {
    /// The new rate, equation (1) of Mahdian et al.:
    ///
    /// R(t) = R(t - T) (1 + (T/d) (a (eta C - y) - b q/d) / C)
    fn tick(&mut self, observed: &Observed) -> Rates {
        let RcpLaw { a, b, eta, floor, capacity, .. } = *self;
        let dt = observed.dt.as_secs_f64();
        let [primary, secondary] = observed.arrivals;
        let d = rtt::follow(self.rtt, observed.rtt, |m| self.gain(m, dt));
        let change = dt / d
            * (a * (eta * capacity - (primary + secondary) / dt) - b * observed.queue / d)
            / capacity;
        let rate = self.rate * (1.0 + change);
        if rate.is_finite() {
            self.rtt = d;
            self.rate = rate.min(eta * capacity).max(floor * observed.packet.bits() as f64 / d);
        } else if capacity > 0.0 {
            self.discarded += 1;
        }
        self.rates()
    }

    fn rates(&self) -> Rates {
        Rates { primary: self.rate(), secondary: Rate::ZERO }
    }

    fn interval(&self) -> Span {
        let rtt = Span::from_secs_f64(self.rtt);
        if self.interval.is_zero() { rtt } else { rtt.min(self.interval) }
    }

    fn set_capacity(&mut self, capacity: Rate) {
        self.capacity = capacity.as_bps() as f64;
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("rate_mbps", self.rate / 1e6);
        visit("rtt_s", self.rtt);
    }

    fn discarded(&self) -> u64 {
        self.discarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LawChoice;
    use crate::queue::testing::close;
    use narrows_units::Bytes;

    const D: Span = Span::from_millis(100);

    /// At this rate, with a mean round trip of 100 ms; a tick each mean round trip if `text` says
    /// nothing else.
    fn made(text: &str, capacity: Rate) -> RcpLaw {
        let choice: LawChoice = text.parse().expect("a law");
        RcpLaw::new(&LawSetup { capacity }, &choice.params())
    }

    fn law() -> RcpLaw {
        made("rcp?interval=0", Rate::from_mbps(10))
    }

    /// A tick of which the floor is in packets of 1500 B.
    fn tick(law: &mut RcpLaw, dt: Span, arrivals: f64, queue: f64, rtt: Option<Span>) -> Rate {
        law.tick(&Observed { dt, arrivals: [arrivals, 0.0], queue, rtt, packet: Bytes::new(1500) })
            .primary
    }

    #[test]
    fn an_idle_link_grows_by_a_eta_t_over_d_per_tick_up_to_eta_c() {
        let mut law = law();
        assert_eq!((law.rate, law.interval()), (0.5e6, D));
        tick(&mut law, D, 0.0, 0.0, None);
        assert!(close(law.rate, 0.5e6 * 1.38));
        // ln 19 / ln 1.38 = 9.1: the tenth tick reaches the ceiling.
        let ticks = 1
            + (0..20)
                .take_while(|_| tick(&mut law, D, 0.0, 0.0, None) < Rate::from_bps(9_500_000))
                .count()
            + 1;
        assert_eq!((ticks, law.rate), (10, 9.5e6));
        let mut fine = self::law();
        tick(&mut fine, D / 10, 0.0, 0.0, None);
        assert!(close(fine.rate, 0.5e6 * 1.038), "a tenth of the growth in a tenth of the time");
    }

    #[test]
    fn the_full_link_without_a_queue_is_where_it_stays() {
        let mut law = RcpLaw { rate: 1e6, ..law() };
        tick(&mut law, D, 0.95e6, 0.0, Some(D));
        assert_eq!(law.rate, 1e6);
    }

    /// Elastic flows: what they send follows the rate, and what the link does not carry waits.
    #[test]
    fn n_flows_settle_at_eta_c_over_n_without_a_queue() {
        for (n, initial) in [(1.0, 0.05), (4.0, 0.95), (50.0, 0.3)] {
            let mut law = made(&format!("rcp?interval=0&initial={initial}"), Rate::from_mbps(10));
            let mut queue = 0.0;
            let mut sent = [law.rate; 10];
            // Ten ticks in a round trip, after which flows follow.
            for step in 0..3000 {
                let arrivals = n * std::mem::replace(&mut sent[step % 10], law.rate) * 0.01;
                queue = f64::max(0.0, queue + arrivals - 10e6 * 0.01);
                tick(&mut law, D / 10, arrivals, queue, Some(D));
            }
            assert!((law.rate * n / 9.5e6 - 1.0).abs() < 1e-3, "{n} flows: {}", law.rate);
            assert_eq!(queue, 0.0);
        }
    }

    /// New flows come in at the old rate. The queue then takes the rate below their share, and it
    /// grows back from there.
    #[test]
    fn abrupt_arrivals_undershoot_and_recover() {
        let mut law = made("rcp?interval=0&initial=0.95", Rate::from_mbps(10));
        let mut queue = 0.0;
        let mut told = law.rate;
        let mut rates = Vec::new();
        for _ in 0..300 {
            let arrivals = 4.0 * std::mem::replace(&mut told, law.rate) * 0.1;
            queue = f64::max(0.0, queue + arrivals - 1e6);
            tick(&mut law, D, arrivals, queue, Some(D));
            rates.push(law.rate);
        }
        // 38 Mbit/s for an interval: 0.4 (9.5 - 38) - 0.4 · 28 = -22.6 of 10.
        assert!(close(rates[0], 1200.0 / 0.1), "{}", rates[0]);
        assert!((law.rate / 2.375e6 - 1.0).abs() < 1e-3 && queue == 0.0, "{}", law.rate);
    }

    #[test]
    fn interests_of_both_classes_count_and_the_floor_is_in_packets_of_data() {
        let mut law = law();
        let seen = Observed {
            dt: D,
            arrivals: [0.6e6, 0.3e6],
            queue: 0.0,
            rtt: Some(D),
            packet: Bytes::new(1000),
        };
        // 1 + 0.4 (9.5 - 9)/10.
        assert_eq!(
            law.tick(&seen),
            Rates { primary: Rate::from_bps(510_000), secondary: Rate::ZERO }
        );
        assert_eq!(law.tick(&Observed { queue: 1e9, ..seen }).primary, Rate::from_bps(8000));
    }

    #[test]
    fn a_large_queue_takes_the_rate_to_the_floor_at_once() {
        // 40 packets of 1 kB at 1 Mbit/s: -0.4 (320 kbit / 90 ms) / 1 Mbit/s = -1.42.
        let d = Span::from_millis(90);
        let mut law = RcpLaw { rtt: 0.09, ..made("rcp?interval=0", Rate::from_mbps(1)) };
        tick(&mut law, d, 0.95e6 * 0.09, 320e3, Some(d));
        assert!(close(law.rate, 1200.0 / 0.09), "{}", law.rate);
        assert!(!law.rate().is_zero());
        tick(&mut law, d, 0.0, 0.0, Some(d));
        assert!(close(law.rate, 1200.0 / 0.09 * 1.38), "it grows again from there");
    }

    #[test]
    fn nonsense_changes_nothing() {
        let mut law = law();
        for (dt, arrivals, queue) in
            [(D, f64::NAN, 0.0), (D, 0.0, f64::NAN), (Span::ZERO, 0.0, 0.0)]
        {
            tick(&mut law, dt, arrivals, queue, Some(Span::from_millis(1)));
            assert_eq!((law.rate, law.rtt), (0.5e6, 0.1));
        }
        law.set_capacity(Rate::ZERO);
        tick(&mut law, D, 0.0, 0.0, None);
        assert_eq!(law.rate, 0.5e6);
    }

    #[test]
    fn the_shared_filter_takes_a_quarter_per_tick_and_no_less_than_a_millisecond() {
        let mut law = law();
        tick(&mut law, D, 0.0, 0.0, Some(Span::from_millis(20)));
        assert!(close(law.rtt, 0.08), "{}", law.rtt);
        assert_eq!(law.interval(), Span::from_millis(80));
        tick(&mut law, D, 0.0, 0.0, None);
        assert!(close(law.rtt, 0.08), "nobody told");
        for _ in 0..100 {
            tick(&mut law, D, 0.0, 0.0, Some(Span::from_nanos(1)));
        }
        assert_eq!(law.rtt, 1e-3);
    }

    #[test]
    fn the_filter_of_ns2_follows_longer_round_trips_faster_than_shorter_ones() {
        let filtered = |told, dt| {
            let mut law =
                RcpLaw { rate: 5e6, ..made("rcp?interval=0&filter=ns2", Rate::from_mbps(10)) };
            tick(&mut law, Span::from_millis(dt), 0.0, 0.0, Some(Span::from_millis(told)));
            law.rtt
        };
        // T/d = 0.1; then 0.5 · 0.2 · 0.1 = 0.01; then a gain of 2, which counts as 1.
        assert!(close(filtered(200, 10), 0.1 + 0.1 * 0.1));
        assert!(close(filtered(20, 10), 0.1 - 0.01 * 0.08));
        assert!(close(filtered(300, 200), 0.3));
    }

    #[test]
    fn the_ceiling_follows_the_capacity() {
        let mut law = RcpLaw { rate: 9e6, ..law() };
        law.set_capacity(Rate::from_mbps(1));
        assert_eq!(tick(&mut law, D / 100, 0.0, 0.0, None), Rate::from_bps(950_000));
    }

    #[test]
    fn ticks_come_at_most_an_interval_apart() {
        let law = made("rcp", Rate::from_mbps(10));
        assert_eq!(law.interval(), Span::from_millis(10));
        assert_eq!(RcpLaw { rtt: 0.004, ..law }.interval(), Span::from_millis(4));
    }
}
