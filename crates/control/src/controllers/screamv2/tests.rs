//! Both texts, worked by hand. Tests of the older one come first.

use super::*;
use crate::testing::{acked, at, near, setup};
use crate::{Acked, Choice};

const JOHANSSON: &str = "screamv2?profile=johansson";
const DRAFT: &str = "screamv2";

/// Segments of 1000 bytes, as in the draft, and a window of `window` bytes with twice of it in
/// flight in the round trip before.
fn scream(text: &str, window: f64) -> Scream {
    let setup = Setup { mss: Bytes::new(1000), headers: Bytes::new(50), ..setup(10.0) };
    let mut scream = Scream::new(&setup, &text.parse::<Choice>().unwrap().params());
    (scream.window, scream.flight.most, scream.srtt) =
        (window, 2.0 * window, Span::from_millis(100));
    scream
}

/// `count` segments of 1000 bytes are acknowledged at `ms` with a round trip of `rtt` ms.
fn tell(scream: &mut Scream, ms: u64, count: u64, rtt: u64) -> f64 {
    let acked: Vec<Acked> = acked(0..count)
        .into_iter()
        .map(|acked| Acked { bytes: Bytes::new(1000), ..acked })
        .collect();
    scream.on_feedback(&Feedback {
        acked: &acked,
        rtt: Some(Span::from_millis(rtt)),
        srtt: Span::from_millis(100),
        ..Feedback::at(at(ms))
    });
    scream.window
}

#[test]
fn a_window_acknowledged_adds_a_segment_and_two_percent_of_the_window() {
    // 20,000 B: 1000 · (1 + 0.02 · 20).
    near(tell(&mut scream(JOHANSSON, 20_000.0), 1_000, 20, 100), 21_400.0);
    // Congested 1 s ago: a quarter of the 40 %, at a window far from the inflection point; at
    // 10 % from it 16 % of the growth; near it a tenth.
    let after = |inflection: f64| {
        let mut scream = scream(JOHANSSON, 20_000.0);
        (scream.congested, scream.inflection) = (Some(at(0)), inflection);
        tell(&mut scream, 1_000, 20, 100)
    };
    near(after(10_000.0), 20_000.0 + 1_000.0 * 1.1);
    near(after(20_000.0 / 1.1), 20_000.0 + 160.0 * (1.0 + 0.1 * 0.16));
    near(after(20_000.0), 20_000.0 + 100.0 * (1.0 + 0.1 * 0.1));
}

#[test]
fn it_grows_up_to_twice_what_was_in_flight() {
    let mut scream = scream(JOHANSSON, 20_000.0);
    scream.flight.most = 9_600.0;
    assert_eq!(tell(&mut scream, 50, 20, 100), 20_000.0);
    scream.flight.most = 10_200.0;
    near(tell(&mut scream, 60, 20, 100), 21_400.0);
}

#[test]
fn a_queue_of_half_the_target_shrinks_it_once_per_25_ms() {
    let mut scream = scream(JOHANSSON, 20_000.0);
    tell(&mut scream, 100, 0, 100);
    // The mean goes up by a quarter per round trip: 12, 21, 27.75, 32.8125 of 48 ms. The last
    // is 2.8125 of 30 ms above half of the target: half of 9.375 %.
    for (ms, mean) in [(200, 0.012), (300, 0.021), (400, 0.02775)] {
        assert_eq!(tell(&mut scream, ms, 0, 148), 20_000.0);
        near(scream.mean_delay, mean);
    }
    near(tell(&mut scream, 500, 0, 148), 20_000.0 * (1.0 - 0.046_875));
    near(tell(&mut scream, 524, 0, 148), 20_000.0 * (1.0 - 0.046_875));
    near(tell(&mut scream, 525, 0, 148), 20_000.0 * (1.0 - 0.046_875) * (1.0 - 0.046_875));
    tell(&mut scream, 700, 0, 101);
    near(scream.mean_delay, 0.001);
}

#[test]
fn losses_marks_and_timeouts() {
    let left = |congestion| {
        let mut scream = scream("screamv2?profile=johansson&ecn", 20_000.0);
        scream.on_feedback(&Feedback {
            congestion: Some(congestion),
            srtt: Span::from_millis(100),
            ..Feedback::at(at(100))
        });
        (scream.window, scream.inflection)
    };
    assert_eq!(left(Congestion::Loss), (14_000.0, 20_000.0));
    assert_eq!(left(Congestion::Mark), (16_000.0, 20_000.0));
    let mut scream = scream(JOHANSSON, 20_000.0);
    scream.on_timeout(&Timeout::new(at(900), 20, 20, false));
    assert_eq!(scream.window, 3_000.0);
    scream.on_undo(at(950));
    assert_eq!(scream.window, 20_000.0, "an early timeout is undone as any other");
}

#[test]
fn the_encoder_gets_the_window_per_round_trip_less_if_the_flight_is_full() {
    let mut scream = scream(JOHANSSON, 20_000.0);
    let mut media = |flight| {
        scream.set_media(flight);
        scream.media
    };
    // 20,000 B in 100 ms; 0.99 of the window is 1.1 of the limit; at most 1.5.
    near(media(0.9), 200_000.0);
    near(media(0.99), 200_000.0 / 1.1);
    near(media(2.0), 200_000.0 / 1.5);
    // Two segments: 1 − (0.5 − 0.1).
    scream.window = 2_000.0;
    scream.set_media(0.0);
    near(scream.media, 20_000.0 * 0.6);
    scream.window = 20_000.0;
    scream.set_media(0.0);
    let decision = scream.decision();
    assert_eq!(decision.window, Segments::new(30.0));
    assert_eq!(decision.pacing, Some(Rate::from_bytes_per_sec(1.5 * 200_000.0 * 1.05)));
    assert_eq!(scream.media_rate(), Some(Rate::from_kbps(1_600)));
}

/// The differences of -01, one by one. The window is 20,000 B and the round trip 100 ms.
mod draft {
    use super::*;
    use crate::EcnDelta;

    /// A flow that was congested at 0 s, with this inflection point.
    fn congested(inflection: f64) -> Scream {
        let mut scream = scream(DRAFT, 20_000.0);
        (scream.congested, scream.reacted) = (Some(at(0)), Some(at(0)));
        (scream.inflection, scream.grew) = (inflection, false);
        scream
    }

    fn hear(scream: &mut Scream, ms: u64, congestion: Congestion) -> f64 {
        scream.on_feedback(&Feedback {
            congestion: Some(congestion),
            srtt: scream.srtt,
            ..Feedback::at(at(ms))
        });
        scream.window
    }

    #[test]
    fn the_head_room_is_one_and_a_half() {
        let mut scream = scream(DRAFT, 20_000.0);
        // 21,400 ≤ 1000 + 1.5 · flight.
        scream.flight.most = 13_599.0;
        assert_eq!(tell(&mut scream, 50, 20, 100), 20_000.0);
        scream.flight.most = 13_601.0;
        near(tell(&mut scream, 60, 20, 100), 21_400.0);
    }

    #[test]
    fn caution_lasts_a_hundred_round_trips_since_the_latest_detection() {
        // 2.5 s of 100 · 100 ms: a quarter of the 40 %, far from the inflection point.
        near(tell(&mut congested(10_000.0), 2_500, 20, 100), 20_000.0 + 1_000.0 * 1.1);
        // At a round trip of 10 ms, 2.5 s are 100 of VIRTUAL_RTT.
        let growing = Growing { segments: 20.0, distance: 1.0, srtt: 0.01, calm_for: Some(2.5) };
        near(Profile::Draft.growth(&growing, MULTIPLICATIVE), 0.4 * 1.4);
        // A detection that waits for its answer counts.
        let mut flow = congested(10_000.0);
        flow.reacted = Some(at(2_490));
        hear(&mut flow, 2_500, Congestion::Loss);
        assert_eq!(flow.congested, Some(at(2_500)));
    }

    #[test]
    fn the_slope_is_eight_and_the_additive_part_at_least_a_quarter() {
        // At 10 % from it (0.8)² = 64 % of the growth.
        let at_ten = 640.0 * (1.0 + 0.4 * 0.25 * 0.64);
        near(tell(&mut congested(20_000.0 / 1.1), 2_500, 20, 100), 20_000.0 + at_ten);
        // At it a tenth of the multiplicative part, a quarter of the additive one.
        let at_it = 250.0 * (1.0 + 0.4 * 0.25 * 0.1);
        near(tell(&mut congested(20_000.0), 2_500, 20, 100), 20_000.0 + at_it);
    }

    #[test]
    fn short_round_trips_count_once_and_the_ratio_is_at_most_one() {
        let growth = |profile: Profile, segments, srtt| {
            profile.growth(&Growing { segments, distance: 1.0, srtt, calm_for: Some(0.0) }, 0.0)
        };
        near(growth(Profile::Johansson, 20.0, 0.005), 0.04);
        near(growth(Profile::Draft, 20.0, 0.005), 0.2);
        // A window of half a segment: a byte acknowledged adds one, not two.
        near(growth(Profile::Johansson, 0.5, 0.1) / 0.5, 2.0);
        near(growth(Profile::Draft, 0.5, 0.1) / 0.5, 1.0);
    }

    #[test]
    fn the_inflection_point_moves_only_if_the_window_has_grown() {
        let mut scream = scream(DRAFT, 20_000.0);
        near(hear(&mut scream, 1_000, Congestion::Loss), 14_000.0);
        near(hear(&mut scream, 2_000, Congestion::Loss), 9_800.0);
        assert_eq!(scream.inflection, 20_000.0);
        tell(&mut scream, 2_100, 1, 100);
        let grown = scream.window;
        hear(&mut scream, 3_000, Congestion::Loss);
        assert_eq!(scream.inflection, grown);
    }

    #[test]
    fn the_mean_delay_counts_and_takes_less_at_longer_round_trips() {
        let mut scream = scream(DRAFT, 20_000.0);
        tell(&mut scream, 100, 0, 100);
        // Averages are 25 ms apart: 12, 21, 27.75 and 32.8125 of 48 ms.
        for (ms, mean) in [(125, 0.012), (149, 0.012), (150, 0.021), (175, 0.02775)] {
            assert_eq!(tell(&mut scream, ms, 0, 148), 20_000.0);
            near(scream.mean_delay, mean);
        }
        // 2.8125 of 30 ms: half of 9.375 %, over 100/25.
        near(tell(&mut scream, 200, 0, 148), 20_000.0 * (1.0 - 0.046_875 / 4.0));
        // The latest delay does not count while the mean is below half of the target.
        let mut scream = super::scream(DRAFT, 20_000.0);
        tell(&mut scream, 100, 0, 100);
        assert_eq!(tell(&mut scream, 125, 0, 190), 20_000.0);
        near(scream.mean_delay, 0.0225);
        assert_eq!(Profile::Johansson.delay_backoff(1.0, 0.1), 0.5);
    }

    #[test]
    fn reactions_are_25_ms_apart_and_those_between_wait() {
        let mut scream = scream("screamv2?ecn", 20_000.0);
        near(hear(&mut scream, 1_000, Congestion::Mark), 16_000.0);
        near(hear(&mut scream, 1_010, Congestion::Loss), 16_000.0);
        near(hear(&mut scream, 1_020, Congestion::Mark), 16_000.0);
        scream.flight = Flight::default();
        near(tell(&mut scream, 1_025, 0, 100), 11_200.0);
        near(tell(&mut scream, 1_060, 0, 100), 11_200.0);
    }

    #[test]
    fn three_windows_may_be_in_flight_and_the_encoder_gets_five_sixths_less_headers() {
        let mut scream = scream(DRAFT, 20_000.0);
        assert_eq!(scream.decision().window, Segments::new(60.0));
        // 20,000 B in 100 ms, whatever is in flight.
        for flight in [0.0, 2.0] {
            scream.set_media(flight);
            near(scream.media, 200_000.0 * 1000.0 / 1020.0 / 1.2);
        }
        // Two segments: 1 − min(0.5 − 0.1, 0.2).
        scream.window = 2_000.0;
        scream.set_media(0.0);
        near(scream.media, 20_000.0 * 0.8 * 1000.0 / 1020.0 / 1.2);
    }

    #[test]
    fn at_the_largest_rate_the_window_stays_and_pacing_is_four_times_faster() {
        // 1.6 Mbit/s are 200,000 B/s.
        let mut scream = scream("screamv2?max_rate=1.6", 20_000.0);
        for (media, relaxed) in [(0.5, 1.0), (0.8, 1.0), (0.9, 2.0), (0.95, 4.0), (1.0, 4.0)] {
            scream.media = media * 200_000.0;
            near(scream.relaxed(), relaxed);
        }
        assert_eq!(tell(&mut scream, 50, 20, 100), 20_000.0);
        // The window gives the encoder less, so that it grows again.
        near(scream.media, 200_000.0 / 1.02 / 1.2);
        assert!(tell(&mut scream, 60, 20, 100) > 20_000.0);
        scream.window = 40_000.0;
        scream.set_media(0.0);
        assert_eq!(scream.media_rate(), Some(Rate::from_kbps(1_600)));
    }

    #[test]
    fn the_share_of_marks_rises_by_an_eighth_and_falls_by_128_at_most_each_10_ms() {
        let report = |ce, ect1| EcnDelta { ce, ect1, ..EcnDelta::default() };
        let mut l4s = L4s::default();
        let srtt = Span::from_millis(100);
        l4s.count(at(0), report(5, 5), srtt);
        near(l4s.alpha(), 1.0 / 16.0);
        l4s.count(at(9), report(10, 0), srtt);
        near(l4s.alpha(), 1.0 / 16.0);
        l4s.count(at(10), report(0, 10), srtt);
        near(l4s.alpha(), 1.0 / 16.0 + 7.0 / 16.0 / 8.0);
        let alpha = l4s.alpha();
        l4s.count(at(20), report(0, 10), srtt);
        near(l4s.alpha(), alpha * 127.0 / 128.0);
        l4s.count(at(22), report(0, 10), Span::from_millis(2));
        near(l4s.alpha(), alpha * 127.0 / 128.0 * 127.0 / 128.0);
    }

    #[test]
    fn marks_take_half_of_their_share_in_l4s_mode() {
        let mut scream = scream("screamv2?l4s", 20_000.0);
        assert_eq!(scream.decision().ecn, Ecn::Ect1);
        scream.on_feedback(&Feedback {
            ecn: EcnDelta { ce: 8, ect1: 0, ..EcnDelta::default() },
            srtt: Span::from_millis(100),
            ..Feedback::at(at(1_000))
        });
        // An eighth of all: 1/16, over 100/25.
        near(scream.window, 20_000.0 * (1.0 - 0.125 / 2.0 / 4.0));
        let refused = |text: &str| {
            text.parse::<Choice>()
                .unwrap()
                .build(&Setup::default())
                .map(drop)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refused("screamv2?l4s&ecn"),
            "screamv2: ecn=true is not allowed; it must be left out beside l4s, which sends ECT(1)"
        );
        assert!(refused("screamv2?profile=johansson&l4s").contains("L4S mode is not followed"));
        assert!(refused("screamv2?profile=johansson&max_rate=1").contains("no such limit"));
    }
}
