//! The equations, (2) to (5): the rate of one class.

use super::link::{Link, Share};

/// A class of a link. Rates are bits of Data per second.
#[derive(Clone, Debug)]
pub(super) struct Class {
    /// R.
    pub(super) rate: f64,
    /// The average of the base rate: what the link aims at, split among its flows.
    base: f64,
    /// The average of the excess rate: what flows held elsewhere leave.
    excess: f64,
    /// N: how many flows at the full rate would fill the link.
    flows: f64,
    /// y of the last interval.
    arrivals: f64,
}

impl Class {
    /// A class with this rate to begin with.
    pub(super) fn new(rate: f64) -> Class {
        Class { rate, base: rate / 2.0, excess: rate / 2.0, flows: 1.0, arrivals: 0.0 }
    }

    /// Nothing is known of the last interval but what is of this one: so `arrivals` do not grow.
    pub(super) fn forget_growth(&mut self, arrivals: f64) {
        self.arrivals = arrivals;
    }

    /// After an interval in which `arrivals` bits per second arrived, and with a queue that a rate
    /// of `drain` would empty in a round trip.
    pub(super) fn tick(&mut self, link: &Link, share: &Share, arrivals: f64, drain: f64) {
        let last = self.rate.max(link.floor);
        // (2), (6), (12)
        self.flows = link.flows(share.capacity, arrivals, last).max(share.flows);
        // (3), (7), (13)
        let base = (share.target - self.queue_weight(link, arrivals) * drain) / self.flows;
        // (4), (9), (15)
        let excess = last - arrivals / self.flows;
        self.base += link.alpha * (base - self.base);
        self.excess += link.alpha * (excess - self.excess);
        // (5), (10), (16)
        self.hold(self.base + self.excess, share.cap.max(link.floor), link.floor);
        self.arrivals = arrivals;
    }

    /// beta(t), (8), (14): at least beta', and more while traffic grows.
    fn queue_weight(&self, link: &Link, arrivals: f64) -> f64 {
        if arrivals > 0.0 {
            link.beta.max((arrivals - self.arrivals) / arrivals)
        } else {
            link.beta
        }
    }

    /// Takes `rate` as far as bounds allow. The averages follow, or they would go on to move while
    /// the rate is held.
    fn hold(&mut self, rate: f64, highest: f64, lowest: f64) {
        self.rate = rate.min(highest).max(lowest);
        if rate > highest {
            self.base *= highest / rate;
            self.excess *= highest / rate;
        } else if rate < lowest {
            (self.base, self.excess) = (lowest / 2.0, lowest / 2.0);
        }
    }

    /// Names its state: rate, base and excess rate, flows.
    pub(super) fn inspect(
        &self,
        names: [&'static str; 4],
        visit: &mut dyn FnMut(&'static str, f64),
    ) {
        let [rate, base, excess, flows] = names;
        visit(rate, self.rate / 1e6);
        visit(base, self.base / 1e6);
        visit(excess, self.excess / 1e6);
        visit(flows, self.flows);
    }
}
