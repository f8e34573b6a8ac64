//! The rate law of a face, and the measurements that it needs.

use crate::packet::Class;
use narrows_path::{AnyRateLaw, Observed, RateLaw};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;

/// Measures arrivals and round trips between two ticks of the law (MIRCC, figure 1: the arrival
/// counter before the queue, and the rate calculator).
#[derive(Clone, Debug)]
pub(crate) struct RateCalculator {
    law: Box<AnyRateLaw>,
    /// Rates to stamp until the next tick.
    rates: Rates,
    last: Time,
    next: Time,
    /// Bytes of Interests of each class offered to the shaper.
    offered: [u64; 2],
    /// Round trips reported by consumers in Interests, and those measured by this node.
    reported_rtt: Mean,
    measured_rtt: Mean,
    /// The latest mean of those measured by this node.
    local_rtt: Option<Span>,
    /// Data requested by the Interests of the last interval, in bit/s.
    arrivals: [f64; 2],
}

/// Longer round trips than 60 s, and than eight times the one measured here and one second, are
/// shortened to these: one consumer behind a bad link, or one that lies, must not slow the ticks of
/// all. Ours.
const LONGEST_REPORTED: (Span, u64, Span) = (Span::from_secs(60), 8, Span::from_secs(1));

#[derive(Clone, Copy, Debug, Default)]
struct Mean {
    nanos: u64,
    count: u64,
}

impl Mean {
    fn add(&mut self, span: Span) {
        self.nanos = self.nanos.saturating_add(span.as_nanos());
        self.count += 1;
    }

    fn get(self) -> Option<Span> {
        (self.count > 0).then(|| Span::from_nanos(self.nanos / self.count))
    }
}

impl RateCalculator {
    /// `law` ticks for the first time at `next`.
    pub(crate) fn new(now: Time, law: AnyRateLaw, next: Time) -> RateCalculator {
        let rates = law.rates();
        RateCalculator {
            law: Box::new(law),
            rates,
            last: now,
            next,
            offered: [0; 2],
            reported_rtt: Mean::default(),
            measured_rtt: Mean::default(),
            local_rtt: None,
            arrivals: [0.0; 2],
        }
    }

    /// An Interest is offered to the shaper. `srtt` is its consumer's smoothed round trip, zero if
    /// unknown.
    pub(crate) fn on_interest(&mut self, class: Class, size: Bytes, srtt: Span) {
        self.offered[class as usize] += size.get();
        if !srtt.is_zero() {
            self.reported_rtt.add(srtt.min(self.longest_rtt()));
        }
    }

    /// The longest round trip that a consumer may report.
    fn longest_rtt(&self) -> Span {
        let (longest, times, more) = LONGEST_REPORTED;
        self.local_rtt.map_or(longest, |local| longest.min(local * times + more))
    }

    /// Data arrived `span` after its Interest left.
    pub(crate) fn on_round_trip(&mut self, span: Span) {
        self.measured_rtt.add(span);
    }

    pub(crate) fn rates(&self) -> Rates {
        self.rates
    }

    pub(crate) fn local_rtt(&self) -> Option<Span> {
        self.local_rtt
    }

    pub(crate) fn arrivals(&self) -> [f64; 2] {
        self.arrivals
    }

    pub(crate) fn law(&self) -> &AnyRateLaw {
        &self.law
    }

    pub(crate) fn law_mut(&mut self) -> &mut AnyRateLaw {
        &mut self.law
    }

    pub(crate) fn due(&self) -> Time {
        self.next
    }

    /// Ticks the law. `queue` bits of Data wait, or wait to be asked for; one byte of Interest
    /// requests `inflation` bytes of Data, in packets of `packet` bytes. The round trip is the mean
    /// of those that consumers report. If none does, it is the mean measured here, which is too
    /// short for links near the producer.
    pub(crate) fn tick(&mut self, now: Time, queue: f64, inflation: f64, packet: f64) {
        let dt = now.since(self.last);
        let bits = self.offered.map(|bytes| 8.0 * bytes as f64 * inflation);
        self.rates = self.law.tick(&Observed {
            dt,
            arrivals: bits,
            queue,
            rtt: self.reported_rtt.get().or(self.measured_rtt.get()),
            packet: Bytes::new(libm::round(packet) as u64),
        });
        self.local_rtt = self.measured_rtt.get().or(self.local_rtt);
        self.arrivals = bits.map(|bits| bits / dt.as_secs_f64().max(1e-9));
        (self.offered, self.reported_rtt, self.measured_rtt) =
            ([0; 2], Mean::default(), Mean::default());
        self.last = now;
        self.next = now + self.law.interval();
    }
}
