//! The choice of delta: the default, or competitive among senders that fill the buffer.

use super::delay::DelayView;
use narrows_units::{Span, Time};

/// A queue below this part of the spread of round trips is nearly empty (Copa, section 2.2).
const NEARLY_EMPTY: u64 = 10;
/// Smoothed round trips within which flows of Copa alone empty the queue (section 2.2).
const EMPTIED_WITHIN: u64 = 5;

/// 1/δ, in packets, and whether it follows losses.
#[derive(Clone, Debug)]
pub struct Mode {
    default: f64,
    inverse_delta: f64,
    switches: bool,
    emptied: Option<Time>,
    competes: bool,
    /// A reduction was due in this round.
    lost: bool,
}

impl Mode {
    /// The default mode with this δ, for ever unless it `switches`.
    pub fn new(delta: f64, switches: bool) -> Mode {
        Mode {
            default: 1.0 / delta,
            inverse_delta: 1.0 / delta,
            switches,
            emptied: None,
            competes: false,
            lost: false,
        }
    }

    /// 1/δ in packets.
    pub fn inverse_delta(&self) -> f64 {
        self.inverse_delta
    }

    /// True in the competitive mode.
    pub fn competes(&self) -> bool {
        self.competes
    }

    /// Looks at the queue.
    pub fn observe(&mut self, now: Time, seen: DelayView, srtt: Span) {
        let DelayView { queueing, spread, .. } = seen;
        let emptied = *self.emptied.get_or_insert(now);
        if queueing.is_zero() || queueing * NEARLY_EMPTY < spread {
            self.emptied = Some(now);
            self.competes = false;
        } else {
            self.competes = self.switches && now.since(emptied) > srtt * EMPTIED_WITHIN;
        }
        if !self.competes {
            self.inverse_delta = self.default;
        }
    }

    /// A round trip is over: in competition 1/δ grows by one packet if nothing was lost in it.
    pub fn end_round(&mut self) {
        if self.competes && !self.lost {
            self.inverse_delta += 1.0;
        }
        self.lost = false;
    }

    /// A reduction is due: in competition 1/δ halves, to its default at least.
    pub fn lose(&mut self) {
        self.lost = true;
        if self.competes {
            self.inverse_delta = (self.inverse_delta / 2.0).max(self.default);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;

    fn seen(queueing: u64) -> DelayView {
        let [standing, queueing, spread] = [100 + queueing, queueing, 50].map(Span::from_millis);
        DelayView { standing, queueing, spread }
    }

    #[test]
    fn it_competes_when_the_queue_was_not_nearly_empty_for_five_round_trips() {
        let mut mode = Mode::new(0.5, true);
        let srtt = Span::from_millis(100);
        let mut competes = |ms, queueing| {
            mode.observe(at(ms), seen(queueing), srtt);
            mode.competes()
        };
        assert!(![(0, 20), (500, 20)].into_iter().any(|(ms, queueing)| competes(ms, queueing)));
        assert!(competes(501, 20));
        assert!(competes(600, 5), "a tenth is not less than a tenth");
        assert!(!competes(610, 4));
        assert!(!competes(1_110, 20));
        assert!(competes(1_111, 20));
        assert!(!competes(1_200, 0));
        let mut never = Mode::new(0.5, false);
        never.observe(at(0), seen(20), srtt);
        never.observe(at(9_000), seen(20), srtt);
        assert!(!never.competes());
    }

    #[test]
    fn in_competition_the_inverse_of_delta_grows_by_one_and_halves() {
        let mut mode = Mode::new(0.5, true);
        let srtt = Span::from_millis(100);
        mode.end_round();
        mode.observe(at(0), seen(20), srtt);
        mode.observe(at(501), seen(20), srtt);
        let rounds = |mode: &mut Mode, count: u32| {
            (0..count).for_each(|_| mode.end_round());
            mode.inverse_delta()
        };
        assert_eq!(rounds(&mut mode, 7), 9.0);
        mode.lose();
        assert_eq!(
            (mode.inverse_delta(), rounds(&mut mode, 1), rounds(&mut mode, 1)),
            (4.5, 4.5, 5.5)
        );
        (0..3).for_each(|_| mode.lose());
        assert_eq!(mode.inverse_delta(), 2.0);
        assert_eq!(rounds(&mut mode, 6), 7.0);
        mode.observe(at(700), seen(0), srtt);
        assert_eq!(mode.inverse_delta(), 2.0);
    }
}
