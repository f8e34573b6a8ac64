//! Offered load of each flow in a period: the steered flows' part of the link, and the flows that
//! do not obey the codes.
//!
//! All of it is ours; the authors' talk names "TCP-friendliness" and "incentive" as future work
//! (slide 23). Flows are counted exactly. A router at high speed would count them in a bitmap
//! (Estan, Varghese and Fisk 2003).
//!
//! A flow that obeys leaves 0.875 of its window at an overload. One that has offered more than its
//! part through many overloads, and never a tenth less than before, obeys nobody: its sender
//! ignores codes, or its receiver hides them. A flow that falls as it should and climbs too fast is
//! not found.

use crate::queue::classes::Class;
use std::collections::BTreeMap;

/// A flow with less than this part of an equal share does not count as one that shares:
/// acknowledgements, a trickle.
const TRICKLE: f64 = 0.125;
/// Gain of the share of the link per period.
const SHARE_GAIN: f64 = 0.125;
/// Overloads that a flow may ignore before it is cut.
const PATIENCE: u32 = 16;
/// Most overloads that are held against a flow.
const MOST_STRIKES: u32 = 2 * PATIENCE;
/// Overloads that a fall makes good. Two often come before a sender's fall is seen.
const FALL_FORGIVES: u32 = 4;
/// The part left of the most that a flow has offered when it counts as having fallen; the law
/// leaves 0.875.
const FALLEN: f64 = 0.9;

/// The flows of a link.
#[derive(Clone, Debug)]
pub(super) struct Flows {
    flows: BTreeMap<u64, Flow>,
    /// The part of the link that steered flows should have, from 0 to 1.
    share: f64,
    /// A steered flow that offers more than so many equal shares must obey; `None` if nobody is
    /// policed.
    police: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    steered: bool,
    /// Bytes offered in this period.
    offered: u64,
    /// The most that it offered since it fell.
    peak: f64,
    /// Overloads that it ignored, less what was forgiven.
    strikes: u32,
    /// The part of its packets that passes, and what of it has not yet passed.
    passes: f64,
    credit: f64,
}

impl Flows {
    pub(super) fn new(police: Option<f64>) -> Flows {
        Flows { flows: BTreeMap::new(), share: 0.5, police }
    }

    /// The part of the link that steered flows should have, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// A packet of `flow` arrives. True if it may join the queue.
    pub(super) fn admits(&mut self, flow: u64, class: Class, bytes: u64) -> bool {
        let steered = class == Class::Member;
        let flow = self.flows.entry(flow).or_insert(Flow {
            steered,
            offered: 0,
            peak: 0.0,
            strikes: 0,
            passes: 1.0,
            credit: 0.0,
        });
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

    /// A period ends in which the link could carry `capacity` bytes, `steered` of them of steered
    /// flows, whose load was an overload or not.
    pub(super) fn end(&mut self, capacity: f64, steered: f64, overload: bool) {
        let numbers = self.numbers(capacity);
        self.share += SHARE_GAIN * (numbers.0 / (numbers.0 + numbers.1) - self.share);
        if let Some(most) = self.police {
            // A greedy flow leaves others hardly anything: whoever sends at all counts.
            let count = self.flows.values().filter(|flow| flow.steered && flow.offered > 0).count();
            self.judge(steered / count.max(1) as f64, most, overload);
        }
        self.flows.retain(|_, flow| flow.offered > 0 || flow.strikes > 0);
        for flow in self.flows.values_mut() {
            flow.offered = 0;
        }
    }

    /// How many steered flows and how many others share `capacity` bytes, at least one of each.
    fn numbers(&self, capacity: f64) -> (f64, f64) {
        let least = TRICKLE * capacity / self.flows.len().max(1) as f64;
        let count = |steered| {
            let sharing = |flow: &&Flow| flow.steered == steered && flow.offered as f64 >= least;
            self.flows.values().filter(sharing).count().max(1) as f64
        };
        (count(true), count(false))
    }

    /// Of a steered flow that has ignored many overloads an `equal` share passes.
    fn judge(&mut self, equal: f64, most: f64, overload: bool) {
        for flow in self.flows.values_mut().filter(|flow| flow.steered) {
            let offered = flow.offered as f64;
            let fallen = offered < FALLEN * flow.peak;
            flow.peak = if fallen { offered } else { offered.max(flow.peak) };
            let above = offered > most * equal;
            flow.strikes = match (fallen, above) {
                // Losses made it fall.
                (true, true) if flow.passes < 1.0 => flow.strikes,
                (true, _) => flow.strikes.saturating_sub(FALL_FORGIVES),
                (false, true) => (flow.strikes + u32::from(overload)).min(MOST_STRIKES),
                (false, false) => flow.strikes.saturating_sub(1),
            };
            flow.passes = if flow.strikes >= PATIENCE && above { equal / offered } else { 1.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three steered flows beside one other: three quarters of the link. A trickle of
    /// acknowledgements does not count.
    #[test]
    fn a_class_has_the_part_of_its_flows() {
        let mut flows = Flows::new(None);
        for _ in 0..100 {
            for flow in 0..3 {
                assert!(flows.admits(flow, Class::Member, 200));
            }
            flows.admits(3, Class::Other, 400);
            flows.admits(4, Class::Other, 10);
            flows.end(1000.0, 1000.0, false);
        }
        assert!((flows.share() - 0.75).abs() < 1e-6, "{}", flows.share());
    }

    /// Periods of a link of 900 bytes: what passed of a flow that offers so much, beside two of
    /// 150.
    fn passed(
        flows: &mut Flows,
        overload: bool,
        offers: impl IntoIterator<Item = u64>,
    ) -> Vec<usize> {
        let mut period = |offered: u64| {
            let passed = (0..offered).filter(|_| flows.admits(0, Class::Member, 1)).count();
            for flow in 1..3 {
                assert!(
                    flows.admits(flow, Class::Member, 150),
                    "who has no more than a share is never cut"
                );
            }
            flows.end(900.0, 900.0, overload);
            passed
        };
        offers.into_iter().map(&mut period).collect()
    }

    /// An equal share is 300.
    #[test]
    fn who_ignores_sixteen_overloads_is_cut_to_an_equal_share() {
        let mut flows = Flows::new(Some(1.5));
        let cut = passed(&mut flows, true, [900; 40]);
        assert!(cut[..16].iter().all(|passed| *passed == 900), "{cut:?}");
        assert!(cut[16..].iter().all(|passed| (299..=301).contains(passed)), "{cut:?}");
        assert_eq!(
            passed(&mut flows, false, [900]),
            [300],
            "an end of the overload forgives nothing"
        );
        let low = passed(&mut flows, false, [300; 10]);
        assert!(low[1..].iter().all(|passed| *passed == 300), "nothing is cut of a share: {low:?}");
    }

    /// Two overloads, a fall by an eighth, a slow climb: a window under VCP, far above its equal
    /// share.
    #[test]
    fn who_falls_at_overloads_is_never_cut() {
        let mut flows = Flows::new(Some(1.5));
        for _ in 0..50 {
            assert_eq!(passed(&mut flows, true, [800, 800]), [800, 800]);
            assert_eq!(passed(&mut flows, false, [700, 750]), [700, 750]);
        }
    }

    #[test]
    fn nobody_is_cut_without_overload_or_without_police() {
        assert_eq!(passed(&mut Flows::new(Some(1.5)), false, [900; 40]), [900; 40]);
        assert_eq!(passed(&mut Flows::new(None), true, [900; 40]), [900; 40]);
    }
}
