//! MIRCC with one class, equations (2) to (5).

use super::class::Class;
use super::link::{ALPHA, BETA, COUNT, ETA, ETA_CAPS, FLOOR, KT, LONGEST, Link, SHORTEST, WITHIN};
use crate::{LawEntry, LawSetup, Observed, RateLaw};
use narrows_params::Params;
use narrows_units::{Rate, Span};
use narrows_wire::Rates;

/// The registry line.
pub(crate) static ENTRY: LawEntry = LawEntry {
    name: "mircc-single",
    summary: "MIRCC with one class: splits the target capacity, and fills the part left by flows limited elsewhere",
    source: "Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, section 3.1",
    classes: 1,
    data_queue: false,
    params: &[
        ETA.spec,
        ALPHA.spec,
        BETA.spec,
        ETA_CAPS.spec,
        COUNT.spec,
        KT.spec,
        SHORTEST.spec,
        WITHIN.spec,
        LONGEST.spec,
        FLOOR.spec,
    ],
};

/// MIRCC's rate of one class, in which all Interests count, equations (2) to (5).
#[derive(Clone, Debug)]
pub struct MirccSingle {
    link: Link,
    class: Class,
}

impl MirccSingle {
    /// Of a link on which nothing has happened.
    pub fn new(setup: &LawSetup, params: &Params) -> MirccSingle {
        let link = Link::new(setup, params);
        let class = Class::new(link.whole().cap);
        MirccSingle { link, class }
    }
}

impl RateLaw for MirccSingle {
    fn tick(&mut self, observed: &Observed) -> Rates {
        if let Some(interval) = self.link.interval_of(observed) {
            let [primary, secondary] = interval.arrivals;
            if interval.is_late {
                self.class.forget_growth(primary + secondary);
            }
            self.class.tick(&self.link, &self.link.whole(), primary + secondary, interval.drain);
        }
        self.rates()
    }

    fn rates(&self) -> Rates {
        Rates { primary: self.link.stamp(self.class.rate), secondary: Rate::ZERO }
    }

    fn interval(&self) -> Span {
        self.link.tick_interval()
    }

    fn set_capacity(&mut self, capacity: Rate) {
        self.link.set_capacity(capacity);
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.class.inspect(["rate_mbps", "base_mbps", "excess_mbps", "flows"], visit);
        self.link.inspect(visit);
    }

    fn discarded(&self) -> u64 {
        self.link.discarded()
    }
}
