//! The harm of a flow by another, after Ware, Mukerjee, Seshan and Sherry, Beyond Jain's
//! Fairness Index: Setting the Bar For The Deployment of Congestion Control Algorithms, HotNets
//! 2019, section 4.
//!
//! A controller is judged by what it does to another one's flow, compared with what that flow has
//! alone on the same network: 0 is no harm, 1 is all there was to lose. A new controller is
//! acceptable if it does no more harm than those that are deployed do; the yardstick here is what
//! CUBIC does to NewReno.

use crate::metrics::Better;

/// The controllers whose harm is the yardstick: what the second does to the first.
pub const YARDSTICK: [&str; 2] = ["newreno", "cubic"];

/// The harm to a flow that has `solo` alone and `with` beside another: (solo - with) / solo where
/// more is better, (with - solo) / with where less is. An improvement is no harm: 0. `None` if
/// neither way is better, or if nothing was there to be harmed.
pub fn harm(better: Better, solo: f64, with: f64) -> Option<f64> {
    match better {
        Better::Lower if with <= solo => Some(0.0),
        _ => signed(better, solo, with).map(|harm| harm.clamp(0.0, 1.0)),
    }
}

/// The same with its sign: below zero is a gain. `None` also of a gain down to zero, where less is
/// better.
pub fn signed(better: Better, solo: f64, with: f64) -> Option<f64> {
    let (worse, whole) = match better {
        Better::Higher => (solo - with, solo),
        Better::Lower => (with - solo, with),
        Better::Neither => return None,
    };
    (whole > 0.0).then(|| worse / whole)
}

/// A flow that stays below a tenth of its fair share at least this long is starved. RFC 9743,
/// section 5.2, asks for the absence of starvation and sets no threshold. Ours: a tenth, because
/// unequal round trips and the usual unfairness of loss-based controllers stay within it, and five
/// seconds, because a flow that only recovers from timeouts backs off for less (0.2 + 0.4 + 0.8 +
/// 1.6 s).
pub const STARVED_S: f64 = 5.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harm_is_the_part_that_is_lost() {
        // 10 Mbit/s alone, 4 beside another: six tenths are gone. 20 ms alone, 80 ms beside
        // another: three quarters of the delay are the other's.
        assert_eq!(harm(Better::Higher, 10.0, 4.0), Some(0.6));
        assert_eq!(harm(Better::Lower, 20.0, 80.0), Some(0.75));
        assert_eq!(harm(Better::Lower, 0.0, 0.5), Some(1.0));
    }

    #[test]
    fn what_gets_better_is_no_harm() {
        assert_eq!(
            (
                harm(Better::Higher, 10.0, 12.0),
                harm(Better::Lower, 3.0, 0.0),
                harm(Better::Lower, 0.0, 0.0)
            ),
            (Some(0.0), Some(0.0), Some(0.0))
        );
        assert_eq!((harm(Better::Higher, 0.0, 1.0), harm(Better::Neither, 1.0, 2.0)), (None, None));
    }
}
