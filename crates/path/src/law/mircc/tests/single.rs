//! One class: what follows from (2) to (5).

use super::*;
use proptest::prelude::*;

#[test]
fn overload_cuts_the_rate_in_proportion() {
    let mut law = made("mircc-single");
    // N = 20/10 = 2, beta = (20 - 0)/20 = 1, base = (9.5 - 1 · 1)/2 = 4.25, excess = 10 - 20/2 = 0;
    // half of each: 5 + 2.125.
    near(tick(&mut law, 20.0, 1.0), 7.125);
    near(state(&law, "flows"), 2.0);
    // N = 20/7.125, beta = 0.1, base = (9.5 - 0.1) · 7.125/20 = 3.34875.
    near(tick(&mut law, 20.0, 1.0), 0.5 * (7.125 + 3.34875));
    near(state(&law, "flows"), 20.0 / 7.125);
}

/// Without averages, to see base and excess as they are.
#[test]
fn the_queue_weighs_as_much_as_traffic_grows() {
    let mut law = made("mircc-single?alpha=1");
    // N = 5, base = 9.5/5.
    near(tick(&mut law, 50.0, 0.0), 1.9);
    // Traffic falls: beta = 0.1. N = 10/1.9, base = (9.5 - 0.1 · 5)/N = 1.71, excess = 1.9 - 4/N =
    // 1.14.
    near(tick(&mut law, 4.0, 5.0), 2.85);
    // It doubles: beta = (8 - 4)/8. N = 10/2.85, base = (9.5 - 0.5 · 5)/N = 1.995, excess = 2.85 -
    // 8/N = 0.57.
    near(tick(&mut law, 8.0, 5.0), 2.565);
    near(state(&law, "base_mbps"), 1.995);
    near(state(&law, "excess_mbps"), 0.57);
}

#[test]
fn both_classes_of_interests_count_and_only_the_primary_rate_is_given() {
    let mut one = made("mircc-single");
    let mut other = made("mircc-single");
    let rates = one.tick(&seen([12.0, 8.0], 1.0));
    assert_eq!(rates, other.tick(&seen([20.0, 0.0], 1.0)));
    assert_eq!(mbps(rates), [7.125, 0.0]);
}

proptest! {
    /// Both averages have the same weight, so their sum is an average of the sum: R = (1 - alpha)
    /// R0 + alpha (base + excess), which bounds then hold.
    #[test]
    fn the_rate_is_one_average(
        alpha in 0.01f64..1.0, eta in 0.1f64..1.0, intervals in prop::collection::vec((0.0f64..30.0, 0.0f64..20.0), 1..30),
    ) {
        let mut law = made(&format!("mircc-single?alpha={alpha}&eta={eta}"));
        let (mut rate, mut before): (f64, f64) = (10.0, 0.0);
        for (arrivals, drain) in intervals {
            let n = f64::max(10.0, arrivals) / rate;
            let beta = f64::max(0.1, (arrivals - before) / arrivals);
            let base = (10.0 * eta - beta * drain) / n;
            let excess = rate - arrivals / n;
            rate = ((1.0 - alpha) * rate + alpha * (base + excess)).clamp(FLOOR, 10.0);
            before = arrivals;
            let measured = tick(&mut law, arrivals, drain);
            prop_assert!((measured / rate - 1.0).abs() < 1e-9, "{measured} not {rate}");
        }
    }

    /// As long as the link is not overloaded and nothing waits, base + excess = R0 (1 + eta - y/C),
    /// and N = C/R0 whoever sends.
    #[test]
    fn below_capacity_the_rate_changes_by_what_is_missing(overload in 1.0f64..20.0, eta in 0.1f64..1.0, load in 0.0f64..1.0) {
        let mut law = made(&format!("mircc-single?eta={eta}"));
        let before = tick(&mut law, overload * 10.0, 0.0);
        let after = tick(&mut law, load * 10.0, 0.0);
        let expected = (before * (0.5 + 0.5 * (1.0 + eta - load))).min(10.0);
        prop_assert!((after / expected - 1.0).abs() < 1e-9, "{after} not {expected}");
        prop_assert!((state(&law, "flows") * before / 10.0 - 1.0).abs() < 1e-9);
    }

    /// So the rate stays where traffic fills eta C, whatever it is.
    #[test]
    fn the_fixed_point_is_eta_c(overload in 1.0f64..20.0, eta in 0.1f64..1.0) {
        let mut law = made(&format!("mircc-single?eta={eta}"));
        let before = tick(&mut law, overload * 10.0, 0.0);
        let after = tick(&mut law, eta * 10.0, 0.0);
        prop_assert!((after / before - 1.0).abs() < 1e-12);
    }

    /// Above capacity nothing is in excess: base = R0 (eta C - beta q/d)/y, without averages.
    #[test]
    fn above_capacity_the_cut_is_direct(arrivals in 10.0..100.0, drain in 0.0..9.0) {
        let mut law = made("mircc-single?alpha=1");
        let before = tick(&mut law, arrivals, 0.0);
        let after = tick(&mut law, arrivals, drain);
        let expected = before * (9.5 - 0.1 * drain) / arrivals;
        prop_assert!((after / expected - 1.0).abs() < 1e-9, "{after} not {expected}");
        prop_assert!(state(&law, "excess_mbps").abs() < 1e-12);
    }
}

/// C/R takes no notice of arrivals: base does not fall with them, and excess turns negative.
#[test]
fn flows_counted_by_capacity_alone() {
    let mut law = made("mircc-single?alpha=1&count=capacity");
    // N = 10/10, beta = 1, base = 9.5, excess = 10 - 12/1.
    near(tick(&mut law, 12.0, 0.0), 7.5);
    near(state(&law, "flows"), 1.0);
    // N = 10/7.5.
    near(tick(&mut law, 9.0, 0.0), 0.75 * 9.5 + 7.5 - 0.75 * 9.0);
}
