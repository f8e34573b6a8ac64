//! Cases that the document leaves open: one test for each.

use super::*;
use proptest::prelude::*;

#[test]
fn the_rate_never_falls_below_the_floor_and_rises_from_there() {
    for text in ["mircc-single", "mircc"] {
        let mut law = made(text);
        near(tick(&mut law, 100.0, 1000.0), FLOOR);
        // N = C/R, base = 0.95 R, excess = R: R grows by alpha eta.
        near(tick(&mut law, 0.0, 0.0), FLOOR * 1.475);
    }
    // Twice as high in twice the packets: 0.2 · 8 · 1500 B/100 ms.
    let mut law = made("mircc-single?floor=0.2");
    law.tick(&Observed { packet: Bytes::new(1500), ..seen([100.0, 0.0], 1000.0) });
    near(state(&law, "rate_mbps"), 0.024);
}

/// The mean round trip falls to 80 ms, so the floor rises to 0.01, which the rate of 0.008 counts
/// as: N = 10/0.01, base = 0.0095, excess = 0.01.
#[test]
fn a_rate_below_a_floor_that_rose_counts_as_the_floor() {
    let mut law = made("mircc-single");
    tick(&mut law, 100.0, 1000.0);
    law.tick(&Observed { rtt: Some(Span::from_millis(20)), ..seen([0.0; 2], 0.0) });
    near(state(&law, "rate_mbps"), 0.5 * (0.008 + 0.0195));
}

#[test]
fn a_link_that_was_down_from_the_start_begins_at_the_floor() {
    for text in ["mircc", "mircc-single"] {
        let mut law =
            AnyRateLaw::new(&text.parse().expect("a law"), &LawSetup { capacity: Rate::ZERO });
        assert_eq!(law.rates().primary.as_mbps(), FLOOR);
        law.set_capacity(Rate::from_mbps(10));
        assert_eq!(law.rates().primary.as_mbps(), FLOOR);
        near(tick(&mut law, 0.0, 0.0), FLOOR);
        near(tick(&mut law, 0.0, 0.0), FLOOR * 1.475);
    }
}

/// Nothing arrives: beta is 0.1, not (0 - y)/0.
#[test]
fn without_arrivals_the_queue_weighs_least() {
    let mut law = made("mircc-single?alpha=1");
    near(tick(&mut law, 50.0, 0.0), 1.9);
    // N = 10/1.9, base = (9.5 - 0.1 · 5)/N = 1.71, excess = 1.9.
    near(tick(&mut law, 0.0, 5.0), 3.61);
}

#[test]
fn the_mean_round_trip_begins_with_100_ms_takes_a_quarter_per_tick_and_no_less_than_a_millisecond()
{
    let mut law = made("mircc-single");
    let mut told = |rtt| {
        law.tick(&Observed { rtt, ..seen([0.0; 2], 0.0) });
        state(&law, "rtt_s")
    };
    near(told(None), 0.1);
    near(told(Some(Span::from_millis(20))), 0.08);
    near(told(None), 0.08);
    assert_eq!((0..100).map(|_| told(Some(Span::ZERO))).last(), Some(1e-3));
}

#[test]
fn before_a_packet_was_seen_one_of_1000_bytes_is_assumed() {
    near(state(&made("mircc"), "floor_mbps"), FLOOR);
    let mut law = made("mircc");
    law.tick(&Observed { packet: Bytes::ZERO, ..seen([0.0; 2], 0.0) });
    near(state(&law, "floor_mbps"), 1e-6);
}

/// beta = 1, N = 1: base = 9.5 - 12 = -2.5, excess = 10 - 5. A base of no less than 0 would give
/// 7.5.
#[test]
fn a_large_queue_takes_more_than_the_base() {
    near(tick(&mut made("mircc-single"), 5.0, 12.0), 6.25);
}

#[test]
fn no_rate_is_above_the_capacity_or_eta_of_it() {
    for (text, highest) in [
        ("mircc-single", 10.0),
        ("mircc-single?cap=eta", 9.5),
        ("mircc", 10.0),
        ("mircc?cap=eta", 9.5),
    ] {
        let mut law = made(text);
        assert_eq!(state(&law, "rate_mbps"), highest, "the rate to begin with");
        for _ in 0..5 {
            assert_eq!(tick(&mut law, 0.0, 0.0), highest);
        }
        law.set_capacity(Rate::from_mbps(2));
        near(tick(&mut law, 0.0, 0.0), highest / 5.0);
    }
}

/// A rate that is held does not go on to rise unseen: after any idle time overload cuts it as after
/// none, N = 2, base = 9.5/2.
#[test]
fn idle_time_winds_nothing_up() {
    for idle in [0, 1, 1000] {
        let mut law = made("mircc-single");
        for _ in 0..idle {
            tick(&mut law, 0.0, 0.0);
        }
        near(tick(&mut law, 20.0, 0.0), 0.5 * (10.0 + 4.75));
    }
}

#[test]
fn what_is_not_a_number_changes_nothing_and_is_counted() {
    for text in ["mircc", "mircc-single", "rcp?interval=0"] {
        let mut law = made(text);
        law.tick(&seen([12.0, 3.0], 1.0));
        let mut other = law.clone();
        let sound = Observed { rtt: Some(Span::from_millis(1)), ..seen([5.0, 1.0], 2.0) };
        let unsound = [
            Observed { arrivals: [f64::NAN, 0.0], ..sound },
            Observed { arrivals: [0.0, f64::INFINITY], ..sound },
            Observed { queue: f64::NAN, ..sound },
            Observed { dt: Span::ZERO, ..sound },
        ];
        for (count, observed) in (1..).zip(unsound) {
            assert_eq!(law.tick(&observed), other.rates());
            assert_eq!((law.discarded(), law.interval()), (count, other.interval()), "{text}");
        }
        assert_eq!(law.tick(&sound), other.tick(&sound), "{text}: it goes on from where it was");
    }
}

#[test]
fn a_link_that_is_down_tells_the_floor_and_does_not_tick() {
    for text in ["mircc", "mircc-single"] {
        let mut law = made(text);
        law.tick(&seen([12.0, 3.0], 1.0));
        let mut other = law.clone();
        law.set_capacity(Rate::ZERO);
        let down = law.rates();
        assert_eq!(mbps(down), [FLOOR, 0.0]);
        assert_eq!(law.tick(&seen([100.0, 0.0], 1000.0)), down);
        law.set_capacity(Rate::from_mbps(10));
        assert_eq!((law.rates(), law.discarded()), (other.rates(), 0));
        let next = seen([5.0, 1.0], 0.0);
        assert_eq!(law.tick(&next), other.tick(&next), "{text}");
    }
}

#[test]
fn ticks_come_each_mean_round_trip_within_bounds() {
    let interval = |text, rtt| {
        let mut law = made(text);
        for _ in 0..100 {
            law.tick(&Observed { rtt: Some(Span::from_millis(rtt)), ..seen([0.0; 2], 0.0) });
        }
        Span::from_micros((law.interval().as_nanos() + 500) / 1000)
    };
    for (text, rtt, expected) in [
        ("mircc", 40, 40),
        ("mircc-single", 40, 40),
        ("mircc?kt=0.5", 40, 20),
        ("mircc", 3, 3),
        ("mircc?kt=0.1", 40, 10),
        ("mircc?kt=0.1", 5, 5),
        ("mircc?kt=0.1&shortest=1", 40, 4),
        ("mircc?within=bounds", 3, 10),
        ("mircc-single?within=bounds&shortest=5", 3, 5),
        ("mircc?within=bounds", 40, 40),
        ("mircc", 5000, 1000),
        ("mircc?longest=60000", 5000, 5000),
    ] {
        assert_eq!(interval(text, rtt), Span::from_millis(expected), "{text}");
    }
}

/// Half the time since the last tick, the same bits: twice the rate of arrivals.
#[test]
fn the_time_that_passed_counts_and_not_the_interval_meant() {
    let mut law = made("mircc-single");
    law.tick(&Observed { dt: D / 2, ..seen([10.0, 0.0], 0.0) });
    near(state(&law, "rate_mbps"), 0.5 * (10.0 + 4.75));
}

proptest! {
    /// Both rates always lie between the floor and the capacity, a secondary one of
    /// nothing apart, and counts that are no numbers count as nothing.
    #[test]
    fn rates_are_within_bounds(
        text in prop::sample::select(vec!["mircc", "mircc?pool=literal&beta=0", "mircc-single?eta=1&alpha=1", "mircc?cap=eta&kt=0.01"]),
        intervals in prop::collection::vec((any::<u64>(), prop::array::uniform2(prop::num::f64::POSITIVE | prop::num::f64::INFINITE | prop::num::f64::QUIET_NAN | prop::num::f64::ZERO), 0.0..1e12, any::<Option<u32>>(), 0u64..20_000), 0..20),
        capacities in prop::collection::vec(1u64..1_000_000_000_000, 20),
    ) {
        let mut law = made(text);
        let mut unsound = 0;
        for ((dt, arrivals, queue, rtt, packet), capacity) in intervals.into_iter().zip(capacities) {
            let capacity = Rate::from_bps(capacity);
            law.set_capacity(capacity);
            let observed = Observed {
                dt: Span::from_nanos(dt), arrivals, queue, rtt: rtt.map(|rtt| Span::from_nanos(rtt.into())), packet: Bytes::new(packet),
            };
            let before = law.rates();
            let rates = law.tick(&observed);
            let sum = (arrivals[0] + arrivals[1]) / observed.dt.as_secs_f64();
            if !(sum.is_finite()) {
                unsound += 1;
                prop_assert_eq!(rates, before);
            } else {
                let floor = Rate::from_bps((state(&law, "floor_mbps") * 1e6 + 0.5) as u64);
                let highest = capacity.max(floor);
                let lowest = Rate::from_bps(floor.as_bps().saturating_sub(1));
                prop_assert!(rates.primary >= lowest && rates.primary <= highest, "{rates:?}");
                prop_assert!(rates.secondary.is_zero() || rates.secondary >= lowest && rates.secondary <= highest, "{rates:?}");
            }
            prop_assert_eq!(law.discarded(), unsound);
            prop_assert!(!law.interval().is_zero());
        }
    }
}

/// 15 Mbit/s after nothing, and a queue of 30 in a round trip: beta = 1 takes the rate to the
/// floor. After an interval that was too long, beta is 0.1: N = 1.5, base = (9.5 - 3)/1.5 = 4.333,
/// excess = 0.
#[test]
fn growth_over_a_late_interval_tells_nothing() {
    for (text, ms, expected) in [
        ("mircc", 400, FLOOR),
        ("mircc", 401, 5.0 + 6.5 / 3.0),
        ("mircc-single", 401, 5.0 + 6.5 / 3.0),
    ] {
        let mut law = made(text);
        let dt = Span::from_millis(ms);
        law.tick(&Observed {
            dt,
            arrivals: [15e6 * dt.as_secs_f64(), 0.0],
            ..seen([0.0; 2], 30.0)
        });
        near(state(&law, "rate_mbps"), expected);
    }
}
