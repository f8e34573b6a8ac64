//! How the congestion window falls to its new value during a reduction.

use crate::RecoveryAlgorithm;

/// How a reduction takes effect while losses are repaired, with its state.
#[derive(Clone, Copy, Debug)]
pub(super) enum CwndReduction {
    Prr(Prr),
    RateHalving(RateHalving),
    Pipe,
}

impl CwndReduction {
    pub(super) fn new(algorithm: RecoveryAlgorithm) -> CwndReduction {
        match algorithm {
            RecoveryAlgorithm::Prr => CwndReduction::Prr(Prr::default()),
            RecoveryAlgorithm::Rfc9937 => {
                CwndReduction::Prr(Prr { of_flight: true, ..Prr::default() })
            }
            RecoveryAlgorithm::RateHalving => CwndReduction::RateHalving(RateHalving::default()),
            RecoveryAlgorithm::Pipe | RecoveryAlgorithm::Reno => CwndReduction::Pipe,
        }
    }

    /// A reduction from this window begins, while `flight` segments were neither acknowledged nor
    /// SACKed before the acknowledgement that made it begin (RFC 9937 section 6: RecoverFS).
    /// Without SACK, if not `selective`, none is SACKed.
    pub(super) fn begin(&mut self, prior_window: u32, flight: u32, selective: bool) {
        match self {
            CwndReduction::Prr(prr) => prr.begin(prior_window, flight, selective),
            CwndReduction::RateHalving(halving) => halving.begin(prior_window),
            CwndReduction::Pipe => {}
        }
    }

    /// The reduction is over, or holds at once: a timeout or an undo.
    pub(super) fn end(&mut self) {
        if let CwndReduction::RateHalving(halving) = self {
            *halving = RateHalving::default();
        }
    }

    /// A segment left during the reduction.
    #[inline]
    pub(super) fn on_sent(&mut self) {
        if let CwndReduction::Prr(prr) = self {
            prr.out += 1;
        }
    }

    /// An acknowledgement during the reduction: it delivered `acked` segments. `clean`: the
    /// cumulative acknowledgement moved and nothing more was lost.
    #[inline]
    pub(super) fn on_ack(&mut self, acked: u32, in_flight: u32, target: u32, clean: bool) {
        match self {
            CwndReduction::Prr(prr) => prr.on_ack(acked, in_flight, target, clean),
            CwndReduction::RateHalving(halving) => halving.on_ack(in_flight, target),
            CwndReduction::Pipe => {}
        }
    }

    /// An acknowledgement outside of one. `just_ended`: this one ends it.
    #[inline]
    pub(super) fn on_ack_after(&mut self, in_flight: u32, target: u32, just_ended: bool) {
        if let CwndReduction::RateHalving(halving) = self {
            halving.regrow(in_flight, target, just_ended);
        }
    }

    /// The window now, where the controller wants it at `target`.
    #[inline]
    pub(super) fn window(&self, target: u32, reducing: bool) -> u32 {
        match self {
            CwndReduction::Prr(prr) if reducing => prr.window,
            CwndReduction::RateHalving(halving) if reducing => halving.window,
            CwndReduction::RateHalving(halving) => halving.window.min(target),
            _ => target,
        }
    }
}

/// Rate halving as Linux 2.4 has it (`tcp_cwnd_down`, `tcp_complete_cwr`, `tcp_moderate_cwnd`),
/// after a draft by Mathis, Semke and Mahdavi (1999).
#[derive(Clone, Copy, Debug)]
pub(super) struct RateHalving {
    /// `u32::MAX` while it bounds nothing.
    window: u32,
    /// An acknowledgement waits for the second of its pair.
    odd: bool,
}

impl Default for RateHalving {
    fn default() -> RateHalving {
        RateHalving { window: u32::MAX, odd: false }
    }
}

/// Segments that may follow at once when a recovery ends (Linux 2.4 `tcp_max_burst`).
const BURST_AFTER_RECOVERY: u32 = 3;

impl RateHalving {
    fn begin(&mut self, prior_window: u32) {
        *self = RateHalving { window: self.window.min(prior_window), odd: false };
    }

    /// An acknowledgement during the reduction. `target` is where the controller wants the window.
    fn on_ack(&mut self, in_flight: u32, target: u32) {
        if self.odd && self.window > (target / 2).max(1) {
            self.window -= 1;
        }
        self.odd = !self.odd;
        self.window = self.window.min(in_flight + 1);
    }

    /// An acknowledgement after the reduction: the window grows by one segment each time until it
    /// is where the controller wants it. `just_ended`: this one ends recovery.
    #[inline]
    fn regrow(&mut self, in_flight: u32, target: u32, just_ended: bool) {
        if just_ended {
            self.window = self.window.min(in_flight + BURST_AFTER_RECOVERY);
        } else {
            self.window = self.window.saturating_add(1);
        }
        if self.window >= target {
            self.window = u32::MAX;
        }
    }
}

/// Proportional rate reduction (RFC 6937 with the reduction bound of Linux `tcp_cwnd_reduction`, or
/// RFC 9937): the window goes from where it was to where the controller wants it in step with
/// deliveries.
///
/// RFC 9937 has Linux's bound too. It differs in what deliveries are a part of: the flight, where
/// Linux takes the window, which is larger if the application was the limit or SACKs came before.
/// And without SACK, where a duplicate acknowledgement counts as a segment, no more is delivered
/// than the flight: a receiver could make up deliveries.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prr {
    /// Deliveries are a part of the flight, not of the window.
    of_flight: bool,
    /// All that is to be delivered until the window has arrived.
    whole: u32,
    /// All that counts as delivered.
    most: u32,
    delivered: u32,
    out: u32,
    window: u32,
}

impl Prr {
    fn begin(&mut self, prior_window: u32, flight: u32, selective: bool) {
        let of_flight = self.of_flight;
        let whole = if of_flight { flight } else { prior_window };
        let most = if of_flight && !selective { flight } else { u32::MAX };
        *self = Prr { of_flight, whole, most, delivered: 0, out: 0, window: prior_window };
    }

    /// An acknowledgement delivered `acked` segments. `target` is where the window shall arrive;
    /// `advanced`: the cumulative acknowledgement moved and nothing more was lost.
    #[inline]
    fn on_ack(&mut self, acked: u32, in_flight: u32, target: u32, advanced: bool) {
        let acked = acked.min(self.most - self.delivered);
        if acked == 0 {
            return;
        }
        self.delivered += acked;
        let send = if in_flight > target {
            let share =
                (target as u64 * self.delivered as u64).div_ceil(self.whole.max(1) as u64) as u32;
            share.saturating_sub(self.out)
        } else {
            let unsent = self.delivered.saturating_sub(self.out).max(acked) + advanced as u32;
            unsent.min(target - in_flight)
        };
        // The first retransmission of a recovery always leaves.
        let send = send.max((self.out == 0) as u32);
        self.window = in_flight + send;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twenty segments out, all of the window; the third SACK of 1 to 3 shows that 0 is lost, and
    /// the window is to fall to 14. The number of segments that have left after so many deliveries,
    /// while data arrives and each segment that may leave does.
    fn left(algorithm: RecoveryAlgorithm) -> [u32; 3] {
        let mut reduction = CwndReduction::new(algorithm);
        reduction.begin(20, 18, true);
        let mut in_flight = 16;
        let mut left = 0;
        [4, 9, 17].map(|until| {
            let CwndReduction::Prr(Prr { delivered: before, .. }) = reduction else {
                unreachable!()
            };
            for delivered in before..until {
                // The segment that the trigger delivered has left the flight already, and so has
                // the lost one.
                in_flight -= u32::from(delivered > 0);
                reduction.on_ack(1, in_flight, 14, false);
                while in_flight < reduction.window(14, true) {
                    reduction.on_sent();
                    in_flight += 1;
                    left += 1;
                }
            }
            left
        })
    }

    /// Segments that may have left after so many deliveries while the flight stays above the
    /// target: the proportional part alone.
    fn in_proportion(algorithm: RecoveryAlgorithm) -> [u32; 3] {
        let mut reduction = CwndReduction::new(algorithm);
        reduction.begin(20, 18, true);
        let mut left = 0;
        [4, 9, 18].map(|until| {
            let CwndReduction::Prr(Prr { delivered: before, .. }) = reduction else {
                unreachable!()
            };
            for _ in before..until {
                reduction.on_ack(1, 15, 14, false);
                for _ in 15..reduction.window(14, true) {
                    reduction.on_sent();
                    left += 1;
                }
            }
            left
        })
    }

    /// Twenty segments in flight, the window of twenty to fall to 14, and the third SACK: RecoverFS
    /// is 20 − 3 SACKed + 1 delivered by it.
    #[test]
    fn the_proportion_of_rfc_9937_is_that_of_recover_fs() {
        // ⌈14/18 · 4⌉, ⌈14/18 · 9⌉, ⌈14/18 · 18⌉.
        assert_eq!(in_proportion(RecoveryAlgorithm::Rfc9937), [4, 7, 14]);
        // ⌈14/20 · 4⌉, ⌈14/20 · 9⌉, ⌈14/20 · 18⌉.
        assert_eq!(in_proportion(RecoveryAlgorithm::Prr), [3, 7, 13]);
    }

    /// A receiver without SACK repeats acknowledgements without end: of a flight of 18 no more than
    /// 18 are delivered, so that no more than the target has left. Linux counts all of them.
    #[test]
    fn rfc_9937_counts_no_more_deliveries_than_the_flight() {
        let left = |algorithm| {
            let mut reduction = CwndReduction::new(algorithm);
            reduction.begin(20, 18, false);
            let mut left = 0;
            for _ in 0..100 {
                reduction.on_ack(1, 15, 14, false);
                let leaving = reduction.window(14, true).saturating_sub(15);
                (0..leaving).for_each(|_| reduction.on_sent());
                left += leaving;
                // Segments that left are in flight until a repetition claims that they arrived.
                if let CwndReduction::Prr(prr) = &mut reduction {
                    prr.window = 15;
                }
            }
            left
        };
        assert_eq!((left(RecoveryAlgorithm::Rfc9937), left(RecoveryAlgorithm::Prr)), (14, 70));
    }

    #[test]
    fn rfc_9937_spreads_the_reduction_over_the_flight_and_linux_over_the_window() {
        // ⌈14/18 · 4⌉ and ⌈14/18 · 9⌉; then the flight is down to 14, and each delivery lets one
        // leave.
        assert_eq!(left(RecoveryAlgorithm::Rfc9937), [4, 7, 14]);
        // ⌈14/20 · 4⌉; after nine the flight is down to 14 already, by having sent one less.
        assert_eq!(left(RecoveryAlgorithm::Prr), [3, 6, 14]);
    }
}
