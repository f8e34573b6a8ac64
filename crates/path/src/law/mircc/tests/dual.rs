//! Two classes: (6) to (16).

use super::*;
use proptest::prelude::*;

/// The secondary rate, as the law has it.
fn secondary(law: &AnyRateLaw) -> f64 {
    state(law, "secondary_rate_mbps")
}

/// Shows MIRCC slide 14: "Primary pool continues to be sized to link capacity: C"
#[test]
fn an_idle_link_offers_all_of_it_to_both() {
    assert_eq!(mbps(made("mircc").rates()), [10.0, 9.5]);
    assert_eq!(mbps(made("mircc?pool=literal").rates()), [10.0, 10.0]);
    assert_eq!(mbps(made("mircc?cap=eta").rates()), [9.5, 9.5]);
    assert_eq!(mbps(made("mircc?pool=literal&cap=eta").rates()), [9.5, 9.5]);
}

#[test]
fn the_primary_class_counts_its_own_arrivals_and_all_that_waits() {
    let mut one = made("mircc-single");
    let mut dual = made("mircc");
    for (arrivals, drain) in [(20.0, 1.0), (3.0, 4.0), (8.0, 0.0)] {
        one.tick(&seen([arrivals, 0.0], drain));
        dual.tick(&seen([arrivals, 7.0], drain));
        assert_eq!(state(&one, "rate_mbps"), state(&dual, "rate_mbps"));
    }
}

/// This interval's primary traffic of 6 leaves a pool of 9.5 - 6 = 3.5. beta_s = 1, N_s =
/// max(max(3.5, 2)/9.5, 1) = 1, base = 3.5 - 1 · 1 = 2.5, excess = 9.5 - 2 = 7.5: 0.5 (9.5 + 10) =
/// 9.75, held at 3.5. Then beta_s = (4 - 2)/4 = 0.5, N_s = 4/3.5, base = (3.5 - 0.5 · 1)/N_s =
/// 2.625, excess = 0: 0.5 (3.5 + 2.625).
///
/// Shows MIRCC slide 14: "Secondary pool sized to unused primary bandwidth: C - primary_traffic(t)"
#[test]
fn the_secondary_class_by_hand() {
    let mut law = made("mircc");
    law.tick(&seen([6.0, 2.0], 1.0));
    near(secondary(&law), 3.5);
    law.tick(&seen([6.0, 4.0], 1.0));
    near(secondary(&law), 3.0625);
    near(state(&law, "secondary_flows"), 4.0 / 3.5);
}

/// As printed: C_s = 10 - 6 = 4, base = 0.95 · 4 - 1 · 1 = 2.8, excess = 10 - 2: 0.5 (10 + 10.8) =
/// 10.4, held at 4. Then N_s = 4/4, base = 3.8 - 0.5 · 1 = 3.3, excess 0.
#[test]
fn the_secondary_class_as_printed() {
    let mut law = made("mircc?pool=literal");
    law.tick(&seen([6.0, 2.0], 1.0));
    near(secondary(&law), 4.0);
    law.tick(&seen([6.0, 4.0], 1.0));
    near(secondary(&law), 0.5 * (4.0 + 3.3));
    let mut law = made("mircc?pool=literal&cap=eta");
    law.tick(&seen([6.0, 2.0], 1.0));
    near(secondary(&law), 3.8);
}

/// From the floor it rises again: N_s = pool/R, excess = R, base = R, as printed 0.95 R; half of
/// each comes at once.
#[test]
fn without_a_pool_the_secondary_rate_is_the_floor_at_once() {
    for (text, primary, growth) in
        [("mircc", 9.5, 1.5), ("mircc", 30.0, 1.5), ("mircc?pool=literal", 10.0, 1.475)]
    {
        let mut law = made(text);
        law.tick(&seen([primary, 0.0], 0.0));
        near(secondary(&law), FLOOR);
        assert_eq!(law.rates().secondary, Rate::ZERO, "which Data carries as none");
        law.tick(&seen([8.5, 0.0], 0.0));
        near(secondary(&law), growth * FLOOR);
        assert!((law.rates().secondary.as_mbps() / (growth * FLOOR) - 1.0).abs() < 1e-3);
    }
}

/// Flows follow both rates a tick later; the second number of `primary` limits what the primary
/// ones can ask for. Returns primary and secondary traffic when it has settled, and the secondary
/// rate.
fn settled(text: &str, primary: (f64, f64), flows: f64) -> [f64; 3] {
    let mut law = made(text);
    let mut told = [0.0; 2];
    let mut queue = 0.0;
    let (primary_flows, most) = primary;
    let mut arrivals = [0.0; 2];
    for _ in 0..2000 {
        arrivals = [f64::min(primary_flows * told[0], most), flows * told[1]];
        told = [state(&law, "rate_mbps"), secondary(&law)];
        queue = f64::max(0.0, queue + arrivals[0] + arrivals[1] - 10.0);
        law.tick(&seen(arrivals, queue));
    }
    [arrivals[0], arrivals[1], secondary(&law)]
}

#[test]
fn together_both_classes_fill_eta_c() {
    for (most, flows) in [(6.0, 1.0), (6.0, 4.0), (2.0, 3.0), (0.0, 2.0)] {
        let [primary, secondary, rate] = settled("mircc", (1.0, most), flows);
        near(primary, most);
        assert!((primary + secondary - 9.5).abs() < 1e-3, "{most}, {flows}: {secondary}");
        assert!((rate * flows - secondary).abs() < 1e-3);
    }
}

/// 0.95 (10 - 6) = 3.8 beside 6; and beside primary flows that fill 9.5 another 0.95 · 0.5 = 0.475:
/// 99.75 % of C.
#[test]
fn as_printed_they_fill_more() {
    let [primary, secondary, _] = settled("mircc?pool=literal", (1.0, 6.0), 2.0);
    assert!(
        (primary - 6.0).abs() < 1e-9 && (secondary - 3.8).abs() < 1e-3,
        "{primary} + {secondary}"
    );
    let [primary, secondary, _] = settled("mircc?pool=literal", (4.0, f64::INFINITY), 1.0);
    assert!((primary + secondary - 9.975).abs() < 1e-3, "{primary} + {secondary}");
}

#[test]
fn secondary_flows_give_way_to_elastic_primary_ones() {
    let [primary, secondary, rate] = settled("mircc", (4.0, f64::INFINITY), 1.0);
    assert!((primary - 9.5).abs() < 0.02 && secondary < 0.02, "{primary} + {secondary}");
    assert!(rate < 3.0 * FLOOR, "{rate}");
}

proptest! {
    /// The secondary rate is always at least the floor and otherwise within the part that the
    /// primary traffic of this interval leaves.
    #[test]
    fn the_secondary_rate_is_within_its_pool(
        literal in any::<bool>(), intervals in prop::collection::vec((0.0..15.0, 0.0..15.0, 0.0..10.0), 1..30),
    ) {
        let mut law = made(if literal { "mircc?pool=literal" } else { "mircc" });
        for (primary, other, drain) in intervals {
            law.tick(&seen([primary, other], drain));
            let pool = f64::max(FLOOR, if literal { 10.0 } else { 9.5 } - primary);
            prop_assert!(secondary(&law) <= pool + 1e-9 && secondary(&law) >= FLOOR - 1e-12, "{} of {pool}", secondary(&law));
        }
    }
}
