//! Single equations at points worked by hand.

use super::{
    ALLEGRO_CONSTANTS, FIXED, Interval, MOVING, VIVACE_CONSTANTS, complete, core, interval,
};
use narrows_cores::equations::{allegro_utility, exp, vivace_utility};

/// 100 Mbit/s.
const RATE: u64 = 12_500_000;

fn utility(interval: &Interval) -> i64 {
    vivace_utility(&VIVACE_CONSTANTS, interval, false, 1448)
}

#[test]
fn the_utility_of_vivace_is_the_rate_less_its_penalties() {
    assert_eq!(utility(&interval(RATE, 0, 0)), 12_500_000);
    // 11 * 50 thousandths: 55 % of the rate is taken.
    assert_eq!(utility(&interval(RATE, 50, 0)), 5_625_000);
    // 990 µs more in 30 ms: 33 thousandths, 29.7 times the rate.
    assert_eq!(utility(&interval(RATE, 0, 990)), -358_750_000);
    // Without weights nothing is taken, and 1/11 of loss takes all.
    assert_eq!(utility(&interval(RATE, 91, 0)), 12_500_000 - 12_512_500);
    assert_eq!(
        utility(&Interval { delivered: 0, ..interval(RATE, 900, 0) }),
        0,
        "nothing was delivered"
    );
}

#[test]
fn small_changes_of_the_round_trip_are_noise() {
    // 29 thousandths and 30.
    assert_eq!(utility(&interval(RATE, 0, 899)), 12_500_000);
    assert_eq!(utility(&interval(RATE, 0, 900)), 12_500_000 - 337_500_000);
    // 100 packets in 30 ms are 4,826,666 B/s; two packets of 1448 B take 600 µs at that rate.
    let slow = |risen| Interval {
        delivered: 100,
        send_start: 0,
        send_end: 1_000,
        ..interval(1_000, 0, risen)
    };
    assert_eq!(utility(&slow(599)), 1_000);
    assert_eq!(utility(&slow(600)), 1_000 - 540_000);
}

#[test]
fn a_falling_round_trip_is_rewarded_but_not_in_the_start() {
    let falling = Interval { rtt_start: 31_000, rtt_end: 30_000, ..interval(RATE, 0, 0) };
    assert_eq!(utility(&falling), 12_500_000 + 371_250_000);
    let start = |interval: &Interval| vivace_utility(&VIVACE_CONSTANTS, interval, true, 1448);
    assert_eq!(start(&falling), 12_500_000);
    assert_eq!(start(&interval(RATE, 0, 990)), -358_750_000);
    assert_eq!(start(&interval(RATE, 99, 0)), 12_500_000, "below 10 % loss counts as none");
    assert_eq!(start(&interval(RATE, 100, 0)), 12_500_000 - 13_750_000);
}

/// A move from `last` = (rate, utility) to an interval without loss at `rate`: the change of the
/// rate.
fn moved(rate: i64, last: (i64, i64)) -> i64 {
    let mut core = core(VIVACE_CONSTANTS);
    complete(
        &mut core,
        MOVING,
        (rate, last.0),
        &[Interval { utility: last.1, ..interval(rate as u64, 0, 0) }],
    );
    core.state.rate - rate
}

#[test]
fn a_slope_of_one_moves_by_25_kilobytes_per_second_times_the_amplifier() {
    // From 1,900,000 to 2,000,000 B/s the utility rose as much: 10^6 * 25 / 1000. The direction is
    // that of before, so that the amplifier becomes 3.
    assert_eq!(moved(2_000_000, (1_900_000, 1_900_000)), 75_000);
    // A reversal: the rate rose and the utility fell by as much. The amplifier is 2.
    assert_eq!(moved(2_000_000, (1_900_000, 2_100_000)), -50_000);
}

#[test]
fn steps_are_bounded_by_a_tenth_at_first_and_widen() {
    let mut core = core(FIXED);
    let mut rate = 1_000_000;
    let mut last = (900_000, -1_000_000_000);
    for percent in [10, 17, 24] {
        complete(
            &mut core,
            MOVING,
            (rate, last.0),
            &[Interval { utility: last.1, ..interval(rate as u64, 0, 0) }],
        );
        assert_eq!(core.state.rate, rate + rate * percent / 100);
        last = (rate, -1_000_000_000);
        rate = core.state.rate;
    }
    assert_eq!(core.state.change_bound, 310);
    // One that stays within the bound resets it.
    complete(
        &mut core,
        MOVING,
        (rate, last.0),
        &[Interval { utility: rate + 1, ..interval(rate as u64, 0, 0) }],
    );
    assert_eq!(core.state.change_bound, 100);
}

#[test]
fn steps_are_at_least_a_little_more_than_what_gives_a_gradient() {
    // Rates 1.9 % apart: no gradient. 2.2 % of the rate upward, whatever became of the utility.
    assert_eq!(moved(1_000_000, (981_000, 5_000_000)), 22_000);
    assert_eq!(moved(1_000_000, (1_019_000, 5_000_000)), 22_000);
    // 2 % apart: a gradient. It is small, upward and downward.
    assert_eq!(moved(1_000_000, (980_000, 999_990)), 22_000);
    assert_eq!(moved(1_000_000, (980_000, 1_000_010)), -22_000);
}

#[test]
fn reversals_fill_the_swing_buffer_which_delays_amplification() {
    let mut core = core(FIXED);
    let mut step = |last: i64, utility: i64| {
        complete(
            &mut core,
            MOVING,
            (1_000_000, last),
            &[Interval { utility, ..interval(1_000_000, 0, 0) }],
        );
        (core.state.amplifier, core.state.swing_buffer)
    };
    let up = 900_000;
    let down = 1_100_000;
    assert_eq!(step(up, 900_000), (3, 0));
    assert_eq!(step(up, 900_000), (4, 0));
    assert_eq!(step(down, 900_000), (5, 0), "the rate fell and the utility rose: on");
    assert_eq!(step(down, 1_100_000), (2, 1), "reversed");
    assert_eq!(step(up, 1_100_000), (2, 2));
    assert_eq!(step(down, 1_100_000), (2, 2));
    assert_eq!(step(up, 900_000), (2, 1));
    assert_eq!(step(up, 900_000), (2, 0));
    assert_eq!(step(up, 900_000), (3, 0));
}

#[test]
fn the_floor_is_two_packets_per_round_trip() {
    let mut core = core(VIVACE_CONSTANTS);
    complete(
        &mut core,
        MOVING,
        (50_000, 60_000),
        &[Interval { utility: 1_000_000, ..interval(50_000, 0, 0) }],
    );
    // 2 * 1448 B in 30 ms.
    assert_eq!(core.state.rate, 96_533);
    assert_eq!(core.output.pacing_rate, 96_533);
}

#[test]
fn the_exponential_is_a_taylor_series_in_thousandths() {
    assert_eq!((exp(-5_000), exp(5_000), exp(0)), (6, 148_400, 1_000));
    assert_eq!((exp(1_000), exp(-1_000)), (2_716, 368));
    // Close to the true one up to where the sigmoid is cut off.
    for x in -5_000..10_000 {
        let series = exp(x) as f64;
        let real = 1000.0 * libm::exp(x as f64 / 1000.0);
        assert!((series - real).abs() <= 12.0 + 0.002 * real, "e^{x}: {series}, not {real}");
    }
}

#[test]
fn the_utility_of_allegro_falls_off_a_cliff_at_five_percent() {
    let utility = |lost| allegro_utility(&ALLEGRO_CONSTANTS, &interval(RATE, lost, 0));
    // 12.5e9 / 1006.
    assert_eq!(utility(0), 12_425_447);
    // e^0 is exact: half of the rate, less 5 % of it, less 5 % of the rate.
    assert_eq!(utility(50), 5_937_500 - 625_000);
    // 15 %: the sigmoid is cut off.
    assert_eq!(utility(150), -1_875_000);
    let nothing = Interval { lost: 0, delivered: 0, ..interval(RATE, 0, 0) };
    assert_eq!(allegro_utility(&ALLEGRO_CONSTANTS, &nothing), i64::MIN);
}
