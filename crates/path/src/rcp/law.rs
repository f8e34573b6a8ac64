//! The law itself: one rate for all flows, from what arrives, what waits and how long round trips are.

use narrows_units::{Rate, Span};

/// What the law is made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RcpSettings {
    /// Weight of the spare capacity.
    pub a: f64,
    /// Weight of the queue.
    pub b: f64,
    /// Part of the capacity aimed at.
    pub eta: f64,
    /// The longest time between two ticks; zero for a mean round trip.
    pub interval: Span,
    /// How the mean round trip follows what packets say.
    pub filter: RttFilter,
    /// The rate to begin with, as a part of the capacity.
    pub initial: f64,
    /// The lowest rate, in bits per mean round trip.
    pub floor: f64,
}

/// How the mean round trip d follows the mean m of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RttFilter {
    /// A quarter of the difference per tick.
    Shared,
    /// T/d of the difference if m is longer, R/C m/d of that if it is shorter: a few short flows do not pull it down (ns-2 `rcp.cc`).
    Ns2,
}

/// The mean round trip before any packet has told one, and the shortest it can be.
const FIRST_RTT: f64 = 0.1;
const MIN_RTT: f64 = 1e-3;
const SHARED_GAIN: f64 = 0.25;

/// RCP's law for one queue. It knows nothing of packets: whoever owns the queue counts, and calls [`tick`](RcpLaw::tick) when [`interval`](RcpLaw::interval) has passed.
#[derive(Clone, Debug)]
pub struct RcpLaw {
    settings: RcpSettings,
    /// Bits per second.
    capacity: f64,
    rate: f64,
    /// Mean round trip in seconds.
    rtt: f64,
}

impl RcpLaw {
    /// For a queue that is served at `capacity`.
    pub fn new(settings: RcpSettings, capacity: Rate) -> RcpLaw {
        let capacity = capacity.as_bps() as f64;
        RcpLaw { settings, capacity, rate: settings.initial * capacity, rtt: FIRST_RTT }
    }

    /// From now on the queue is served at this rate. What flows are told follows at the next tick.
    pub fn set_capacity(&mut self, capacity: Rate) {
        self.capacity = capacity.as_bps() as f64;
    }

    /// What each flow may send.
    pub fn rate(&self) -> Rate {
        Rate::from_bps(self.rate as u64).max(Rate::from_bps(1))
    }

    /// Time to the next tick.
    pub fn interval(&self) -> Span {
        let rtt = Span::from_secs_f64(self.rtt);
        if self.settings.interval.is_zero() { rtt } else { rtt.min(self.settings.interval) }
    }

    /// `dt` after the last tick: so many bits have arrived since, so many wait, and packets told `rtt` on average, weighted by their sizes. Returns the new rate, by
    /// equation (1) of the RCP literature:
    ///
    /// R(t) = R(t - T) (1 + (T/d) (a (eta C - y) - b q/d) / C)
    ///
    /// What is not a number leaves everything as it was.
    pub fn tick(&mut self, dt: Span, arrivals: f64, queue: f64, rtt: Option<Span>) -> Rate {
        let RcpSettings { a, b, eta, floor, .. } = self.settings;
        let dt = dt.as_secs_f64();
        let d = rtt.map_or(self.rtt, |mean| self.follow(mean.as_secs_f64(), dt)).max(MIN_RTT);
        let change = dt / d * (a * (eta * self.capacity - arrivals / dt) - b * queue / d) / self.capacity;
        let rate = self.rate * (1.0 + change);
        if rate.is_finite() {
            self.rtt = d;
            self.rate = rate.min(eta * self.capacity).max(floor / d);
        }
        self.rate()
    }

    /// The mean round trip after an interval of `dt` in which it was `m`.
    fn follow(&self, m: f64, dt: f64) -> f64 {
        let d = self.rtt;
        let gain = match self.settings.filter {
            RttFilter::Shared => SHARED_GAIN,
            RttFilter::Ns2 if m >= d => dt / d,
            RttFilter::Ns2 => self.rate / self.capacity * (m / d) * (dt / d),
        };
        d + gain.clamp(0.0, 1.0) * (m - d)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: RcpSettings =
        RcpSettings { a: 0.4, b: 0.4, eta: 0.95, interval: Span::ZERO, filter: RttFilter::Shared, initial: 0.05, floor: 1200.0 };
    const D: Span = Span::from_millis(100);

    fn close(value: f64, expected: f64) -> bool {
        (value - expected).abs() <= 1e-9 * expected.abs()
    }

    /// At 10 Mbit/s, with a mean round trip of 100 ms.
    fn law() -> RcpLaw {
        RcpLaw::new(SETTINGS, Rate::from_mbps(10))
    }

    #[test]
    fn an_idle_link_grows_by_a_eta_t_over_d_per_tick_up_to_eta_c() {
        let mut law = law();
        assert_eq!((law.rate, law.interval()), (0.5e6, D));
        law.tick(D, 0.0, 0.0, None);
        assert!(close(law.rate, 0.5e6 * 1.38));
        // ln 19 / ln 1.38 = 9.1: the tenth tick reaches the ceiling.
        let ticks = 1 + (0..20).take_while(|_| law.tick(D, 0.0, 0.0, None) < Rate::from_bps(9_500_000)).count() + 1;
        assert_eq!((ticks, law.rate), (10, 9.5e6));
        let mut fine = self::law();
        fine.tick(D / 10, 0.0, 0.0, None);
        assert!(close(fine.rate, 0.5e6 * 1.038), "a tenth of the growth in a tenth of the time");
    }

    #[test]
    fn the_full_link_without_a_queue_is_where_it_stays() {
        let mut law = RcpLaw { rate: 1e6, ..law() };
        law.tick(D, 0.95e6, 0.0, Some(D));
        assert_eq!(law.rate, 1e6);
    }

    /// Elastic flows: what they send follows the rate, and what the link does not carry waits.
    #[test]
    fn n_flows_settle_at_eta_c_over_n_without_a_queue() {
        for (n, initial) in [(1.0, 0.05), (4.0, 0.95), (50.0, 0.3)] {
            let mut law = RcpLaw::new(RcpSettings { initial, ..SETTINGS }, Rate::from_mbps(10));
            let (mut queue, mut sent) = (0.0, [law.rate; 10]);
            // Ten ticks in a round trip, after which flows follow.
            for step in 0..3000 {
                let arrivals = n * std::mem::replace(&mut sent[step % 10], law.rate) * 0.01;
                queue = f64::max(0.0, queue + arrivals - 10e6 * 0.01);
                law.tick(D / 10, arrivals, queue, Some(D));
            }
            assert!((law.rate * n / 9.5e6 - 1.0).abs() < 1e-3, "{n} flows: {}", law.rate);
            assert_eq!(queue, 0.0);
        }
    }

    #[test]
    fn a_large_queue_takes_the_rate_to_the_floor_at_once() {
        // 40 packets of 1 kB at 1 Mbit/s: -0.4 (320 kbit / 90 ms) / 1 Mbit/s = -1.42.
        let d = Span::from_millis(90);
        let mut law = RcpLaw { rtt: 0.09, ..RcpLaw::new(SETTINGS, Rate::from_mbps(1)) };
        law.tick(d, 0.95e6 * 0.09, 320e3, Some(d));
        assert!(close(law.rate, 1200.0 / 0.09), "{}", law.rate);
        assert!(!law.rate().is_zero());
        law.tick(d, 0.0, 0.0, Some(d));
        assert!(close(law.rate, 1200.0 / 0.09 * 1.38), "it grows again from there");
    }

    #[test]
    fn nonsense_changes_nothing() {
        let mut law = law();
        for (dt, arrivals, queue) in [(D, f64::NAN, 0.0), (D, 0.0, f64::NAN), (Span::ZERO, 0.0, 0.0)] {
            law.tick(dt, arrivals, queue, Some(Span::from_millis(1)));
            assert_eq!((law.rate, law.rtt), (0.5e6, 0.1));
        }
        law.set_capacity(Rate::ZERO);
        law.tick(D, 0.0, 0.0, None);
        assert_eq!(law.rate, 0.5e6);
    }

    #[test]
    fn the_shared_filter_takes_a_quarter_per_tick_and_no_less_than_a_millisecond() {
        let mut law = law();
        law.tick(D, 0.0, 0.0, Some(Span::from_millis(20)));
        assert!(close(law.rtt, 0.08), "{}", law.rtt);
        assert_eq!(law.interval(), Span::from_millis(80));
        law.tick(D, 0.0, 0.0, None);
        assert!(close(law.rtt, 0.08), "nobody told");
        for _ in 0..100 {
            law.tick(D, 0.0, 0.0, Some(Span::from_nanos(1)));
        }
        assert_eq!(law.rtt, 1e-3);
    }

    #[test]
    fn the_filter_of_ns2_follows_longer_round_trips_faster_than_shorter_ones() {
        let filtered = |told, dt| {
            let mut law = RcpLaw { rate: 5e6, ..RcpLaw::new(RcpSettings { filter: RttFilter::Ns2, ..SETTINGS }, Rate::from_mbps(10)) };
            law.tick(Span::from_millis(dt), 0.0, 0.0, Some(Span::from_millis(told)));
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
        assert_eq!(law.tick(D / 100, 0.0, 0.0, None), Rate::from_bps(950_000));
    }

    #[test]
    fn ticks_come_at_most_an_interval_apart() {
        let law = RcpLaw::new(RcpSettings { interval: Span::from_millis(10), ..SETTINGS }, Rate::from_mbps(10));
        assert_eq!(law.interval(), Span::from_millis(10));
        assert_eq!(RcpLaw { rtt: 0.004, ..law }.interval(), Span::from_millis(4));
    }
}
