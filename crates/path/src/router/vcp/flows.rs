//! What each flow offers in a period: how much of the link is the steered flows' part, and who keeps sending more than a fair share.
//!
//! All of it is ours. The authors' talk names "TCP-friendliness" and "incentive" as future work (slide 23). Flows are counted
//! exactly; a router at high speed would count them in a bitmap (Estan, Varghese and Fisk 2003). Dropping what exceeds a fair share is
//! approximate fair dropping (Pan, Breslau, Prabhakar and Shenker 2003).

use crate::queue::classes::Class;
use std::collections::BTreeMap;

/// A flow with less than this part of an equal share does not count as one that shares: acknowledgements, a trickle.
const TRICKLE: f64 = 0.125;
/// Gain of the share of the link per period.
const SHARE_GAIN: f64 = 0.125;
/// Overloads through which a flow may keep more than its fair share. A flow that obeys leaves 0.875 each time: 12 % after 16.
const PATIENCE: u32 = 16;
/// Most overloads that are remembered of a flow.
const MOST_STRIKES: u32 = 2 * PATIENCE;

/// The flows of a link.
#[derive(Clone, Debug)]
pub(super) struct Flows {
    flows: BTreeMap<u64, Flow>,
    /// The part of the link that steered flows should have, from 0 to 1.
    share: f64,
    /// Fair shares that a steered flow may exceed for `PATIENCE` overloads; `None` if nobody is policed.
    police: Option<f64>,
    /// Bytes of a fair share in the latest overloaded period.
    fair: f64,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    steered: bool,
    /// Bytes offered in this period.
    offered: u64,
    /// Overloads in which it offered too much, less periods in which it did not.
    strikes: u32,
    /// The part of its packets that passes, and what of it has not yet passed.
    passes: f64,
    credit: f64,
}

impl Flows {
    pub(super) fn new(police: Option<f64>) -> Flows {
        Flows { flows: BTreeMap::new(), share: 0.5, police, fair: f64::INFINITY }
    }

    /// The part of the link that steered flows should have, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// A packet of `flow` arrives. True if it may join the queue.
    pub(super) fn admits(&mut self, flow: u64, class: Class, bytes: u64) -> bool {
        let steered = class == Class::Member;
        let flow = self.flows.entry(flow).or_insert(Flow { steered, offered: 0, strikes: 0, passes: 1.0, credit: 0.0 });
        flow.steered |= steered;
        flow.offered += bytes;
        if flow.passes >= 1.0 {
            return true;
        }
        flow.credit += flow.passes;
        let passes = flow.credit >= 1.0;
        flow.credit -= f64::from(passes);
        passes
    }

    /// A period ends in which the link could carry `capacity` bytes, `steered` of them of steered flows.
    pub(super) fn end(&mut self, capacity: f64, steered: f64) {
        self.divide(capacity);
        if let Some(most) = self.police {
            self.judge(steered, most);
        }
        self.flows.retain(|_, flow| flow.offered > 0 || flow.strikes > 0);
        for flow in self.flows.values_mut() {
            flow.offered = 0;
        }
    }

    /// Moves the steered flows' part towards their number among all.
    fn divide(&mut self, capacity: f64) {
        let least = TRICKLE * capacity / self.flows.len().max(1) as f64;
        let count = |steered| self.flows.values().filter(|flow| flow.steered == steered && flow.offered as f64 >= least).count().max(1) as f64;
        let (steered, others) = (count(true), count(false));
        self.share += SHARE_GAIN * (steered / (steered + others) - self.share);
    }

    /// Who has offered more than `most` fair shares of `capacity` through many overloads passes with one.
    fn judge(&mut self, capacity: f64, most: f64) {
        let offered = || self.flows.values().filter(|flow| flow.steered).map(|flow| flow.offered as f64);
        let overloaded = offered().sum::<f64>() > capacity;
        if overloaded {
            self.fair = fair_share(offered().collect(), capacity);
        }
        for flow in self.flows.values_mut().filter(|flow| flow.steered) {
            let greedy = flow.offered as f64 > most * self.fair;
            flow.strikes = match greedy {
                true => (flow.strikes + u32::from(overloaded)).min(MOST_STRIKES),
                false => flow.strikes.saturating_sub(1),
            };
            flow.passes = if flow.strikes >= PATIENCE && greedy { self.fair / flow.offered as f64 } else { 1.0 };
        }
    }
}

/// The most that each may have so that all together have `capacity`, which is less than they want: max-min fairness.
fn fair_share(mut wanted: Vec<f64>, capacity: f64) -> f64 {
    wanted.sort_by(f64::total_cmp);
    let (mut left, mut count) = (capacity, wanted.len());
    for want in wanted {
        if want * count as f64 >= left {
            break;
        }
        left -= want;
        count -= 1;
    }
    left / count.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fair_share_leaves_small_flows_what_they_want() {
        assert_eq!(fair_share(vec![30.0, 10.0, 90.0], 70.0), 30.0);
        assert_eq!(fair_share(vec![50.0, 10.0, 90.0], 70.0), 30.0);
        assert_eq!(fair_share(vec![50.0, 50.0], 70.0), 35.0);
        assert_eq!(fair_share(vec![90.0], 70.0), 70.0);
    }

    /// Three steered flows beside one other: three quarters of the link. A trickle of acknowledgements does not count.
    #[test]
    fn a_class_has_the_part_of_its_flows() {
        let mut flows = Flows::new(None);
        for _ in 0..100 {
            for flow in 0..3 {
                assert!(flows.admits(flow, Class::Member, 200));
            }
            flows.admits(3, Class::Other, 400);
            flows.admits(4, Class::Other, 10);
            flows.end(1000.0, 1000.0);
        }
        assert!((flows.share() - 0.75).abs() < 1e-6, "{}", flows.share());
    }

    /// Who offers 900 of 1000 bytes where two others want 200 each: a fair share is 600 at first. After the patience a part passes, and
    /// all passes again once it offers no more than its share for as long.
    #[test]
    fn who_stays_above_its_share_through_overloads_is_cut_to_it() {
        let mut flows = Flows::new(Some(1.25));
        let mut period = |greedy: u64| {
            let passed = (0..greedy).filter(|_| flows.admits(0, Class::Member, 1)).count();
            for flow in 1..3 {
                assert!(flows.admits(flow, Class::Member, 200), "an honest flow is never dropped");
            }
            flows.end(1000.0, 1000.0);
            passed
        };
        let passed: Vec<usize> = (0..20).map(|_| period(900)).collect();
        assert!(passed[..16].iter().all(|passed| *passed == 900), "{passed:?}");
        assert!(passed[16..].iter().all(|passed| (598..=601).contains(passed)), "{passed:?}");
        assert_eq!((0..20).map(|_| period(500)).min(), Some(333), "the first period still passes by the old measure");
        assert_eq!(period(900), 900, "forgiven");
    }
}
