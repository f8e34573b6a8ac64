use super::*;
use crate::queue::testing::{Bench, Small, ms, us};

fn dual(text: &str) -> Bench<DualPi2<Small>> {
    Bench::new(text, DualPi2::new)
}

#[test]
fn gains_follow_from_the_longest_round_trip() {
    let queue = dual("dualpi2").queue;
    assert_eq!(queue.ticks.every(), Span::from_millis(15));
    assert!(
        (queue.settings.alpha - 0.15).abs() < 1e-12 && (queue.settings.beta - 3.0).abs() < 1e-12
    );
    assert_eq!(dual("dualpi2?rtt_max=30").queue.ticks.every(), Span::from_millis(10));
}

#[test]
fn the_base_probability_integrates_the_deviation_and_adds_the_trend() {
    let mut queue = dual("dualpi2").queue;
    queue.update_base(Span::from_millis(25));
    assert!((queue.base - (0.15 * 0.010 + 3.0 * 0.025)).abs() < 1e-12);
    queue.update_base(Span::from_millis(20));
    assert!((queue.base - (0.0765 + 0.15 * 0.005 - 3.0 * 0.005)).abs() < 1e-12);
    // Square and coupling.
    assert!((queue.classic_probability() - queue.base * queue.base).abs() < 1e-12);
    assert!((queue.coupled_probability() - 2.0 * queue.base).abs() < 1e-12);
    queue.update_base(Span::ZERO);
    queue.update_base(Span::ZERO);
    assert_eq!(queue.base, 0.0);
    queue.update_base(Span::from_secs(1));
    assert_eq!(queue.base, 1.0);
}

#[test]
fn code_points_choose_the_queue() {
    let mut bench = dual("dualpi2");
    for ecn in [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce] {
        bench.offer(ms(0), 1000, ecn);
    }
    assert_eq!((bench.queue.low.packets(), bench.queue.classic.packets()), (2, 2));
    let order: Vec<u64> =
        std::iter::from_fn(|| bench.take(us(10))).map(|queued| queued.packet.id).collect();
    assert_eq!(order[0], 2, "low latency first");
}

fn shares(base: f64, ecn: Ecn) -> (u64, usize) {
    shares_of("dualpi2", base, ecn)
}

/// Marks and drops among 10,000 packets at a probability that stays.
fn shares_of(text: &str, base: f64, ecn: Ecn) -> (u64, usize) {
    let mut bench = dual(text);
    bench.queue.base = base;
    for _ in 0..10_000 {
        bench.offer(ms(0), 1000, ecn);
    }
    for _ in 0..10_000 {
        bench.take(us(100));
    }
    (bench.verdicts.marked, bench.verdicts.dropped.len())
}

#[test]
fn classic_packets_meet_the_square_and_low_latency_ones_k_times_the_base() {
    // 1/64 and 1/4; the sum must exceed 1.
    assert_eq!(shares(0.125, Ecn::NotEct), (0, 9_999 / 64));
    assert_eq!(shares(0.125, Ecn::Ect0), (9_999 / 64, 0));
    assert_eq!(shares(0.125, Ecn::Ect1), (9_999 / 4, 0));
}

#[test]
fn overload_drops_in_both_queues_alike() {
    // From p' = 1/k on, where the classic probability is 1/k² = 25 %.
    assert_eq!(shares(0.4999, Ecn::Ect0).1, 0);
    let (marked, dropped) = shares(0.5, Ecn::Ect0);
    assert_eq!((marked, dropped), (0, 2499));
    let (marked, dropped) = shares(0.5, Ecn::Ect1);
    assert_eq!((marked, dropped), (7501, 2499));
    assert_eq!(shares(0.4999, Ecn::Ect1).1, 0);
    // A coupling below 1 never saturates the marks of low-latency packets; classic ones are all
    // dropped at 1.
    assert_eq!(shares_of("dualpi2?k=0.5", 1.0, Ecn::Ect0), (0, 9_999));
    assert_eq!(shares_of("dualpi2?k=0.5", 1.0, Ecn::Ect1), (4_999, 0));
}

#[test]
fn the_ramp_marks_by_the_packets_own_wait() {
    let mut queue = dual("dualpi2").queue;
    for id in 0..3 {
        queue.enqueue(
            ms(0),
            Small { id, size: 1000, ecn: Ecn::Ect1, flow: 0, header: None },
            &mut Verdicts::default(),
        );
    }
    let ramp = |queue: &DualPi2<Small>| {
        [800, 900, 1000, 1200, 5000].map(|us| queue.native_probability(Span::from_micros(us)))
    };
    for (value, expected) in ramp(&queue).into_iter().zip([0.0, 0.25, 0.5, 1.0, 1.0]) {
        assert!((value - expected).abs() < 1e-9, "{value}");
    }
    while queue.low.pop().is_some() {}
    assert_eq!(ramp(&queue), [0.0; 5], "nothing is left behind: the floor");
    let mut step = dual("dualpi2?ramp_start=1&ramp_width=0&ramp_floor=0").queue;
    step.base = 0.0;
    assert_eq!([1000, 1001].map(|us| step.native_probability(Span::from_micros(us))), [0.0, 1.0]);
}

#[test]
fn classic_packets_have_their_weight_under_persistent_low_latency_load() {
    let mut bench = dual("dualpi2?rtt_max=100000&target=10000");
    for _ in 0..1600 {
        bench.offer(ms(0), 1500, Ecn::Ect1);
        bench.offer(ms(0), 500, Ecn::Ect0);
    }
    let mut bytes = [0; 2];
    for _ in 0..1600 {
        let packet = bench.take(us(10)).unwrap().packet;
        bytes[usize::from(packet.ecn == Ecn::Ect0)] += packet.size;
    }
    let share = bytes[1] as f64 / (bytes[0] + bytes[1]) as f64;
    assert!((share - 0.0625).abs() < 0.001, "{share}");
}

#[test]
fn a_time_shift_lets_low_latency_packets_pass_younger_classic_ones_only() {
    let mut bench = dual("dualpi2?scheduler=ts-fifo&time_shift=30");
    bench.offer(ms(0), 1000, Ecn::Ect0);
    bench.offer(ms(30), 1000, Ecn::Ect1);
    bench.offer(ms(31), 1000, Ecn::Ect1);
    let order: Vec<u64> =
        std::iter::from_fn(|| bench.take(ms(31))).map(|queued| queued.packet.id).collect();
    assert_eq!(order, [1, 0, 2]);
}
