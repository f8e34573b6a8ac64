//! The rate law of a face, and what it is told.

use crate::Class;
use narrows_path::{AnyRateLaw, Observed, RateLaw};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;

/// Counts what the law must know until its next tick (MIRCC, figure 1: the arrival counter before the queue and the rate calculator beside it).
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    law: AnyRateLaw,
    /// What is stamped until the next tick.
    rates: Rates,
    last: Time,
    next: Time,
    /// Bytes of Interests of each class that were offered.
    offered: [u64; 2],
    /// Round trips that Interests told, and those seen from here.
    told: Mean,
    seen: Mean,
    /// Bits per second of Data that the last interval's Interests asked for.
    arrivals: [f64; 2],
}

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

impl Gauge {
    /// `law` ticks for the first time at `next`.
    pub(crate) fn new(now: Time, law: AnyRateLaw, next: Time) -> Gauge {
        let rates = law.rates();
        Gauge { law, rates, last: now, next, offered: [0; 2], told: Mean::default(), seen: Mean::default(), arrivals: [0.0; 2] }
    }

    /// An Interest is offered to the shaper; its consumer's round trip is `srtt`, zero if unknown.
    pub(crate) fn offered(&mut self, class: Class, size: Bytes, srtt: Span) {
        self.offered[class as usize] += size.get();
        if !srtt.is_zero() {
            self.told.add(srtt);
        }
    }

    /// Data came so long after its Interest left.
    pub(crate) fn round_trip(&mut self, span: Span) {
        self.seen.add(span);
    }

    pub(crate) fn rates(&self) -> Rates {
        self.rates
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

    /// The tick of `now`. `waiting` bytes of Interests wait; a byte of Interest asks for `inflation` bytes of Data, which come in packets of `packet`. The round trip is what
    /// consumers tell, or what is seen from here if none does: too short for links near the producer.
    pub(crate) fn tick(&mut self, now: Time, waiting: Bytes, inflation: f64, packet: f64) {
        let dt = now.since(self.last);
        let bits = self.offered.map(|bytes| 8.0 * bytes as f64 * inflation);
        self.rates = self.law.tick(&Observed {
            dt,
            arrivals: bits,
            queue: waiting.bits() as f64 * inflation,
            rtt: self.told.get().or(self.seen.get()),
            packet: Bytes::new(libm::round(packet) as u64),
        });
        self.arrivals = bits.map(|bits| bits / dt.as_secs_f64().max(1e-9));
        (self.offered, self.told, self.seen) = ([0; 2], Mean::default(), Mean::default());
        self.last = now;
        self.next = now + self.law.interval();
    }
}
