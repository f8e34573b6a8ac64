//! Behaviour of the module that its authors may not have meant, and of the repaired form in its
//! place.

use super::*;
use narrows_cores::Output;

const PAIR_BUG: Vivace = Vivace { pair_bug: 1, ..VIVACE_CONSTANTS };

/// Probes around 1,000,000 B/s: losses of the four intervals decide. The first pair has the higher
/// rate first, the second too unless `opposite`.
fn probed(constants: Vivace, lost: [u32; 4], opposite: bool) -> Core<Vivace> {
    let mut core = core(constants);
    let rates = if opposite {
        [1_050_000, 950_000, 950_000, 1_050_000]
    } else {
        [1_050_000, 950_000, 1_050_000, 950_000]
    };
    let intervals = [0, 1, 2, 3].map(|i| interval(rates[i], lost[i], 0));
    complete(&mut core, PROBING, (1_000_000, 900_000), &intervals);
    core
}

/// The higher rate loses much or nothing.
const UPWARD: [u32; 4] = [0, 0, 0, 0];
const DOWNWARD: [u32; 4] = [300, 0, 300, 0];

#[test]
fn the_start_grows_by_a_half_and_repaired_to_the_double() {
    let start = |constants: Vivace| {
        let mut core = core(constants);
        let first = core.output.pacing_rate;
        complete(
            &mut core,
            START,
            (524_288, 524_288),
            &[Interval { utility: i64::MIN, ..interval(524_288, 0, 0) }],
        );
        (first, core.state.rate, core.output.pacing_rate, core.state.phase)
    };
    // The first interval is a probe: the random bits of the input are 0, so that it has the higher
    // rate.
    assert_eq!(start(VIVACE_CONSTANTS), (550_502, 786_432, 786_432, START));
    assert_eq!(start(FIXED), (550_502, 1_048_576, 1_048_576, START));
}

#[test]
fn the_start_ends_with_the_first_fall_of_utility_at_the_rate_before() {
    let mut core = core(VIVACE_CONSTANTS);
    complete(
        &mut core,
        START,
        (1_500_000, 1_000_000),
        &[Interval { utility: 1_000_000, ..interval(1_500_000, 200, 0) }],
    );
    assert_eq!(
        (core.state.phase, core.state.rate, core.state.last_rate),
        (PROBING, 1_000_000, 1_500_000)
    );
    assert_eq!(
        core.state.intervals.map(|interval| interval.rate),
        [1_050_000, 950_000, 1_050_000, 950_000]
    );
    assert_eq!(core.output.pacing_rate, 1_050_000);
}

#[test]
fn a_downward_move_never_goes_on_unless_repaired() {
    let down = |constants: Vivace| {
        let mut core = core(constants);
        // The rate rose by 100,000 and the utility fell: down. Then the rate fell and the utility
        // rose: further down.
        complete(
            &mut core,
            MOVING,
            (2_000_000, 1_900_000),
            &[Interval { utility: 2_200_000, ..interval(2_000_000, 0, 0) }],
        );
        assert!(core.state.rate < 2_000_000);
        let first = (core.state.phase, core.state.last_decision);
        let rate = core.state.rate;
        complete(
            &mut core,
            MOVING,
            (rate, 2_000_000),
            &[Interval { utility: 1_000_000, ..interval(rate as u64, 0, 0) }],
        );
        assert!(core.state.rate < rate);
        (first, (core.state.phase, core.state.last_decision))
    };
    assert_eq!(down(VIVACE_CONSTANTS), ((PROBING, UP), (PROBING, UP)));
    // Repaired, only the turn ends in probing.
    let (turned, went_on) = down(FIXED);
    assert_eq!((turned.0, went_on.0), (PROBING, MOVING));
    assert!(turned.1 != UP && went_on.1 == turned.1);
}

#[test]
fn an_upward_move_goes_on() {
    for constants in [VIVACE_CONSTANTS, FIXED] {
        let mut core = core(constants);
        complete(
            &mut core,
            MOVING,
            (2_000_000, 1_900_000),
            &[Interval { utility: 1_900_000, ..interval(2_000_000, 0, 0) }],
        );
        assert_eq!((core.state.phase, core.state.waiting), (MOVING, 0));
        assert_eq!(core.output.pacing_rate, core.state.rate as u64);
    }
}

#[test]
fn the_first_interval_after_probing_runs_at_the_old_rate_and_tells_nothing() {
    let mut core = probed(VIVACE_CONSTANTS, UPWARD, false);
    assert_eq!(
        (core.state.phase, core.state.rate, core.state.last_rate),
        (MOVING, 1_050_000, 1_050_000)
    );
    assert_eq!(core.output.pacing_rate, 1_000_000);
    // A fifth is lost, and yet: 2 % of the rate, and a tenth of that more.
    let lossy = Interval { base: 1, end: 12, ..interval(1_000_000, 200, 0) };
    complete(
        &mut core,
        MOVING,
        (1_050_000, 1_050_000),
        &[Interval { utility: 1_050_000, ..lossy }],
    );
    assert_eq!((core.state.rate, core.state.phase), (1_050_000 + 23_100, MOVING));
}

#[test]
fn repaired_it_runs_at_the_rate_that_won_and_is_compared_with_the_one_that_lost() {
    let core = probed(FIXED, UPWARD, false);
    assert_eq!(
        (core.state.phase, core.state.rate, core.state.last_rate),
        (MOVING, 1_050_000, 950_000)
    );
    assert_eq!((core.output.pacing_rate, core.state.intervals[0].utility), (1_050_000, 950_000));
    assert_eq!(core.state.last_decision, UP);
    let core = probed(FIXED, DOWNWARD, false);
    assert_eq!(
        (core.state.phase, core.state.rate, core.state.last_rate),
        (MOVING, 950_000, 1_050_000)
    );
    assert!(core.state.last_decision != UP);
}

#[test]
fn pairs_agree_in_either_order() {
    let stays = |core: Core<Vivace>| (core.state.phase, core.state.rate) == (PROBING, 1_000_000);
    let goes =
        |core: Core<Vivace>, rate: i64| (core.state.phase, core.state.rate) == (MOVING, rate);
    assert!(goes(probed(VIVACE_CONSTANTS, UPWARD, true), 1_050_000));
    assert!(goes(probed(VIVACE_CONSTANTS, [300, 0, 0, 300], true), 950_000));
    assert!(stays(probed(VIVACE_CONSTANTS, [0, 0, 300, 0], false)));
    assert!(stays(probed(VIVACE_CONSTANTS, [300, 0, 0, 0], true)));
    assert!(stays(probed(VIVACE_CONSTANTS, [300, 0, 0, 0], false)));
}

#[test]
fn before_the_repair_of_november_2018_opposite_orders_chose_the_loser() {
    let rate = |constants, lost, opposite| probed(constants, lost, opposite).state.rate;
    assert_eq!(rate(PAIR_BUG, UPWARD, false), 1_050_000);
    assert_eq!(rate(PAIR_BUG, UPWARD, true), 950_000);
    assert_eq!(rate(PAIR_BUG, [300, 0, 0, 300], true), 1_050_000);
    assert_eq!(rate(VIVACE_CONSTANTS, UPWARD, true), 1_050_000);
}

#[test]
fn a_timeout_stops_intervals_but_not_the_rate() {
    let mut core = core(VIVACE_CONSTANTS);
    core.state.rate = 1_000_000;
    core.state.phase = MOVING;
    let timed_out =
        Input { sent: 1_000, delivered: 900, lost: 40, in_flight: 60, recovery: 4, ..input() };
    core.next(Event::State, &timed_out);
    assert_eq!(
        (core.state.waiting, core.output.pacing_rate, core.state.rate),
        (1, 1_000_000, 1_000_000)
    );
    assert_eq!(core.output.cwnd, 40, "two round trips of 20 packets");
    // Acknowledgements only move the bases.
    let before = core.state;
    core.next(Event::Ack, &Input { delivered: 950, lost: 100, ..timed_out });
    assert_eq!(
        (core.state.accounted, core.state.delivered_base, core.state.lost_base),
        (before.accounted, 950, 100)
    );
    // 950 + 120 + 10 met their fate or fly, 1,040 were sent: 40 were counted twice.
    let repaired = Input { sent: 1_040, delivered: 950, lost: 120, in_flight: 10, ..input() };
    core.next(Event::State, &repaired);
    assert_eq!((core.state.spare, core.state.in_loss, core.state.waiting), (40, 0, 0));
    assert_eq!(
        (core.state.intervals[0].base, core.output.pacing_rate),
        (1_040, 1_050_000),
        "planned as a probe"
    );
    assert_eq!(core.state.phase, MOVING, "though the move goes on");
    core.next(Event::Ack, &repaired);
    assert_eq!(core.state.accounted, 1_030);
}

#[test]
fn the_second_timeout_replaces_what_the_first_left_over() {
    let mut core = core(VIVACE_CONSTANTS);
    for (lost, spare) in [(140, 40), (170, 70)] {
        core.next(Event::State, &Input { recovery: 4, ..input() });
        core.next(Event::State, &Input { sent: 1_000, delivered: 900, lost, ..input() });
        assert_eq!(core.state.spare, spare);
    }
}

#[test]
fn rates_wrap_at_32_bits() {
    let mut core = core(VIVACE_CONSTANTS);
    let intervals = [0; 4].map(|_| interval(4_410_000_000, 0, 0));
    let low = Interval { rate: 3_990_000_000, ..intervals[0] };
    complete(&mut core, PROBING, (4_200_000_000, 1), &[intervals[0], low, intervals[0], low]);
    assert_eq!((core.state.rate, core.state.last_rate), (4_410_000_000 - (1 << 32), 4_410_000_000));
    // A move beyond, too: 2.2 % of 4,250,000,000 B/s.
    complete(&mut core, MOVING, (4_250_000_000, 4_250_000_000), &[interval(4_250_000_000, 0, 0)]);
    assert_eq!(core.state.rate, 4_343_500_000 - (1 << 32));
}

#[test]
fn a_verdict_to_go_down_ends_three_percent_lower_before_the_first_gradient() {
    let mut core = probed(VIVACE_CONSTANTS, DOWNWARD, false);
    assert_eq!((core.state.phase, core.state.rate), (MOVING, 950_000));
    complete(&mut core, MOVING, (950_000, 950_000), &[interval(1_000_000, 300, 0)]);
    assert_eq!((core.state.rate, core.state.phase), (950_000 + 20_900, MOVING));
}

#[test]
fn the_start_of_allegro_ends_with_its_second_interval_unless_repaired() {
    let second = |constants: Allegro| {
        let mut core = core(constants);
        let utility = |rate: i64| rate * 1000 / 1006;
        complete(
            &mut core,
            START,
            (524_288, 524_288),
            &[Interval { utility: i64::MIN, ..interval(524_288, 0, 0) }],
        );
        let first = (core.state.rate, core.state.phase);
        let rate = core.state.rate;
        let last = core.state.last_rate;
        complete(
            &mut core,
            START,
            (rate, last),
            &[Interval { utility: utility(last), ..interval(rate as u64, 0, 0) }],
        );
        (first, core.state.rate, core.state.phase)
    };
    // 1000 segments of 1448 B were delivered, which is more than the rate: it doubles at most.
    assert_eq!(second(ALLEGRO_CONSTANTS), ((1_048_576, START), 524_288, PROBING));
    let repaired = Allegro { fixed: 1, ..ALLEGRO_CONSTANTS };
    assert_eq!(second(repaired), ((1_048_576, START), 2_097_152, START));
}

#[test]
fn allegro_widens_its_probes_while_the_answer_repeats() {
    let mut core = core(ALLEGRO_CONSTANTS);
    let mut epsilons = Vec::new();
    for _ in 0..7 {
        // The first pair says up, the second down.
        let intervals = [(1_010_000, 0), (990_000, 0), (1_010_000, 500), (990_000, 0)]
            .map(|(rate, lost)| interval(rate, lost, 0));
        complete(&mut core, PROBING, (1_000_000, 1), &intervals);
        epsilons.push(core.state.epsilon);
    }
    assert_eq!(epsilons, [1, 2, 3, 4, 5, 5, 5]);
    // Both say up: one percent up from the rate that won, and another answer, so the smallest step.
    let intervals = [1_050_000, 950_000, 1_050_000, 950_000].map(|rate| interval(rate, 0, 0));
    complete(&mut core, PROBING, (1_000_000, 1), &intervals);
    assert_eq!(
        (core.state.phase, core.state.epsilon, core.state.rate, core.state.last_rate),
        (MOVING, 1, 1_060_500, 1_050_000)
    );
    // On: two percent. Then the utility falls: back to where it was best.
    complete(
        &mut core,
        MOVING,
        (1_060_500, 1_050_000),
        &[Interval { utility: 0, ..interval(1_060_500, 0, 0) }],
    );
    assert_eq!(
        (core.state.rate, core.state.last_rate, core.state.epsilon),
        (1_081_710, 1_060_500, 2)
    );
    complete(
        &mut core,
        MOVING,
        (1_081_710, 1_060_500),
        &[Interval { utility: 2_000_000, ..interval(1_081_710, 0, 0) }],
    );
    assert_eq!((core.state.phase, core.state.rate, core.state.epsilon), (PROBING, 1_060_500, 1));
}

#[test]
fn the_window_is_two_round_trips_and_at_least_four_packets() {
    let window = |srtt, cwnd_clamp| {
        let mut core = core(VIVACE_CONSTANTS);
        core.output = Output { pacing_rate: 12_500_000, ..Output::default() };
        core.next(Event::Ack, &Input { srtt, cwnd_clamp, ..input() });
        core.output.cwnd
    };
    // 375,000 B are 258.97 packets.
    assert_eq!(window(30_000, u32::MAX), 516);
    assert_eq!(window(0, u32::MAX), 16, "a millisecond while none is known");
    assert_eq!(window(100, u32::MAX), 4);
    assert_eq!(window(30_000, 100), 100);
}
