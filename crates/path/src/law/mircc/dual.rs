//! MIRCC with two classes, equations (6) to (16).

use super::class::Class;
use super::link::{
    ALPHA, BETA, COUNT, ETA, ETA_CAPS, FLOOR, KT, LONGEST, Link, SHORTEST, Share, WITHIN,
};
use crate::{LawEntry, LawSetup, Observed, RateLaw};
use narrows_params::{Param, Params};
use narrows_units::{Rate, Span};
use narrows_wire::Rates;

/// The registry line.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "mircc",
    summary: "MIRCC with two classes: primary as with one class, secondary fills the rest",
    source: "Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, sections 3.1 and 4.2",
    classes: 2,
    data_queue: false,
    params: &[
        ETA.spec,
        ALPHA.spec,
        BETA.spec,
        POOL.spec,
        ETA_CAPS.spec,
        COUNT.spec,
        KT.spec,
        SHORTEST.spec,
        WITHIN.spec,
        LONGEST.spec,
        FLOOR.spec,
    ],
};

const POOL: Param<Pool> = Param::choice(
    "pool",
    "consistent",
    &[("consistent", Pool::Consistent), ("literal", Pool::Literal)],
    "capacity of the secondary class: eta C - y, or eta (C - y) as printed, y being primary traffic",
);

/// The capacity that the secondary class may fill.
#[derive(Clone, Copy, Debug)]
enum Pool {
    /// eta C - y_p, both as capacity and as what is aimed at: together both classes fill eta C.
    Consistent,
    /// (11) and (13) as printed: eta (C - y_p).
    Literal,
}

/// MIRCC's rates of two classes: the primary one by (6) to (10), which are (2) to (5) over primary
/// Interests and the queue of both classes; the secondary one by (11) to (16).
#[derive(Clone, Debug)]
pub struct Mircc {
    link: Link,
    pool: Pool,
    primary: Class,
    secondary: Class,
}

impl Mircc {
    /// Of a link on which nothing has happened.
    pub fn new(setup: &LawSetup, params: &Params) -> Mircc {
        let link = Link::new(setup, params);
        let pool = params.get(&POOL);
        let primary = Class::new(link.whole().cap);
        let secondary = Class::new(pool.beside(&link, 0.0).cap);
        Mircc { link, pool, primary, secondary }
    }
}

impl Pool {
    /// The rest of `link` beside `primary` bits per second. At least one flow is counted, (12).
    fn beside(self, link: &Link, primary: f64) -> Share {
        let share = match self {
            Pool::Consistent => {
                // Requirement, MIRCC slide 14: "Secondary pool sized to unused primary bandwidth: C
                // - primary_traffic(t)"
                let pool = (link.eta * link.capacity - primary).max(0.0);
                link.share(pool, pool)
            }
            Pool::Literal => {
                let capacity = (link.capacity - primary).max(0.0);
                link.share(capacity, link.eta * capacity)
            }
        };
        Share { flows: 1.0, ..share }
    }
}

impl RateLaw for Mircc {
    fn tick(&mut self, observed: &Observed) -> Rates {
        if let Some(interval) = self.link.interval_of(observed) {
            let [primary, secondary] = interval.arrivals;
            if interval.is_late {
                self.primary.forget_growth(primary);
                self.secondary.forget_growth(secondary);
            }
            // Requirement, MIRCC slide 14: "Primary pool continues to be sized to link capacity: C"
            self.primary.tick(&self.link, &self.link.whole(), primary, interval.drain);
            self.secondary.tick(
                &self.link,
                &self.pool.beside(&self.link, primary),
                secondary,
                interval.drain,
            );
        }
        self.rates()
    }

    fn rates(&self) -> Rates {
        Rates {
            primary: self.link.stamp(self.primary.rate),
            secondary: self.link.stamp_or_none(self.secondary.rate),
        }
    }

    fn interval(&self) -> Span {
        self.link.tick_interval()
    }

    fn set_capacity(&mut self, capacity: Rate) {
        self.link.set_capacity(capacity);
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.primary.inspect(["rate_mbps", "base_mbps", "excess_mbps", "flows"], visit);
        self.secondary.inspect(
            [
                "secondary_rate_mbps",
                "secondary_base_mbps",
                "secondary_excess_mbps",
                "secondary_flows",
            ],
            visit,
        );
        self.link.inspect(visit);
    }

    fn discarded(&self) -> u64 {
        self.link.discarded()
    }
}
