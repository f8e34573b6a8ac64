use super::*;
use crate::Limit;
use crate::queue::testing::{Bench, Small, close, ms, us};

fn pie(text: &str) -> Bench<Pie<Small>> {
    Bench::new(text, Pie::new)
}

/// A queue with a delay history, without packets.
fn at(probability: f64, old_ms: u64) -> Pie<Small> {
    Pie { probability, old_delay: Span::from_millis(old_ms), ..pie("pie").queue }
}

#[test]
fn each_row_of_the_tuning_table_divides_the_step() {
    // 35 ms after 25 ms: 0.125 · 0.020 + 1.25 · 0.010 = 0.015.
    let rows = [
        (5e-7, 2048.0),
        (5e-6, 512.0),
        (5e-5, 128.0),
        (5e-4, 32.0),
        (5e-3, 8.0),
        (5e-2, 2.0),
        (0.5, 1.0),
    ];
    for (probability, divisor) in rows {
        let mut queue = at(probability, 25);
        queue.update_probability(Span::from_millis(35));
        assert!(
            close(queue.probability, probability + 0.015 / divisor),
            "{probability}: {}",
            queue.probability
        );
    }
    // The bounds belong to the row above.
    for (row, (bound, _)) in TUNING.iter().enumerate() {
        let divisor = TUNING.get(row + 1).map_or(1.0, |(_, divisor)| *divisor);
        let mut queue = at(*bound, 25);
        queue.update_probability(Span::from_millis(35));
        assert!(
            close(queue.probability, bound + 0.015 / divisor),
            "{bound}: {}",
            queue.probability
        );
    }
}

#[test]
fn a_high_probability_rises_by_two_points_at_once_at_most() {
    let mut queue = at(0.3, 15);
    queue.update_probability(Span::from_millis(115));
    assert!(close(queue.probability, 0.32));
    queue.settings.cap = false;
    queue.update_probability(Span::from_millis(215));
    assert!(close(queue.probability, 0.32 + 0.125 * 0.2 + 1.25 * 0.1));
}

#[test]
fn the_probability_decays_without_delay_and_stays_within_its_bounds() {
    let mut queue = at(0.5, 0);
    queue.update_probability(Span::ZERO);
    assert!(close(queue.probability, (0.5 - 0.125 * 0.015) * 0.98));
    let mut queue = at(0.0, 40);
    queue.update_probability(Span::ZERO);
    assert_eq!(queue.probability, 0.0);
    let mut queue = at(0.999, 0);
    queue.settings.cap = false;
    queue.update_probability(Span::from_secs(2));
    assert_eq!(queue.probability, 1.0);
}

#[test]
fn a_burst_is_let_through_after_a_quiet_time() {
    let mut queue = pie("pie").queue;
    assert_eq!(queue.burst_left, Span::from_millis(150));
    for _ in 0..10 {
        assert!(!queue.burst_left.is_zero());
        queue.update_probability(Span::from_millis(100));
    }
    assert!(queue.burst_left.is_zero());
    // Quiet: two delays below half of the target and no probability left.
    queue.probability = 0.0;
    queue.update_probability(Span::from_millis(5));
    assert!(queue.burst_left.is_zero());
    queue.probability = 0.0;
    queue.update_probability(Span::from_millis(5));
    assert_eq!(queue.burst_left, Span::from_millis(150));
}

/// A standing queue of `packets`, with this probability and no burst left.
fn standing(text: &str, probability: f64) -> Bench<Pie<Small>> {
    let mut bench = pie(text);
    for _ in 0..10 {
        bench.offer(ms(0), 1000, Ecn::NotEct);
    }
    bench.queue.burst_left = Span::ZERO;
    bench.queue.probability = probability;
    bench.queue.old_delay = Span::from_millis(20);
    bench
}

#[test]
fn drops_keep_their_distance() {
    let mut bench = standing("pie", 0.1);
    let drops: Vec<usize> =
        (0..4000).filter(|_| bench.offer(ms(1), 1000, Ecn::NotEct) != Fate::Queued).collect();
    let gaps: Vec<usize> = drops.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Never below 8.5 packets, never above 85.
    assert!(gaps.iter().all(|gap| (9..=85).contains(gap)), "{gaps:?}");
    // Eight let through, then a geometric wait of ten on average.
    let mean = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
    assert!((16.0..20.0).contains(&mean), "{mean}");
    let mut bench = standing("pie?derandomize=false", 0.1);
    let drops: Vec<usize> =
        (0..4000).filter(|_| bench.offer(ms(1), 1000, Ecn::NotEct) != Fate::Queued).collect();
    assert!(
        (340..460).contains(&drops.len()) && drops.windows(2).any(|pair| pair[1] - pair[0] == 1),
        "{}",
        drops.len()
    );
}

#[test]
fn marks_below_the_limit_and_drops_above() {
    let fates = |text, probability, ecn| {
        let mut bench = standing(text, probability);
        let mut fates: Vec<Fate> = (0..200)
            .map(|_| bench.offer(ms(1), 1000, ecn))
            .filter(|fate| *fate != Fate::Queued)
            .collect();
        fates.dedup();
        fates
    };
    assert_eq!(fates("pie", 0.099, Ecn::Ect0), [Fate::Marked]);
    assert_eq!(fates("pie", 0.1, Ecn::Ect0), [Fate::Dropped(DropReason::Early)]);
    assert_eq!(fates("pie", 0.05, Ecn::NotEct), [Fate::Dropped(DropReason::Early)]);
    assert_eq!(fates("pie?ecn=false", 0.05, Ecn::Ect0), [Fate::Dropped(DropReason::Early)]);
    assert_eq!(fates("pie?mark_limit=1", 0.5, Ecn::Ect1), [Fate::Marked]);
}

#[test]
fn a_small_queue_or_a_small_delay_is_left_alone() {
    let mut bench = standing("pie", 1.0);
    bench.queue.queue = Buffer::new(Limit::None);
    // The fourth arrival finds more than two packets.
    let fates = [0; 4].map(|_| bench.offer(ms(1), 1000, Ecn::NotEct));
    assert_eq!(fates, [Fate::Queued, Fate::Queued, Fate::Queued, Fate::Dropped(DropReason::Early)]);
    let mut bench = standing("pie", 0.19);
    bench.queue.old_delay = Span::from_millis(7);
    assert!((0..500).all(|_| bench.offer(ms(1), 1000, Ecn::NotEct) == Fate::Queued));
}

#[test]
fn updates_come_at_their_times_however_late_it_is_looked_at() {
    let mut late = pie("pie");
    late.offer(ms(0), 1000, Ecn::NotEct);
    let mut often = late.clone();
    for now in 1..=100 {
        often.queue.update(ms(now));
    }
    late.queue.update(ms(100));
    // Head of the queue at 15, 30 ... 90 ms; the first step is divided by 2048.
    assert_eq!(
        (late.queue.probability, late.queue.old_delay),
        (often.queue.probability, Span::from_millis(90))
    );
    assert!(late.queue.probability > 0.0);
}

#[test]
fn the_departure_rate_is_measured_over_a_long_queue() {
    let mut bench = pie("pie?delay=departure-rate");
    for _ in 0..60 {
        bench.offer(ms(0), 1000, Ecn::NotEct);
    }
    // A packet of 1000 B each 0.8 ms: 10 Mbit/s.
    for packet in 0..40 {
        bench.take(us(800 * packet));
    }
    assert_eq!(bench.queue.queue.bytes(), Bytes::new(20_000));
    let delay = bench.queue.delay(ms(32)).as_secs_f64();
    assert!((delay - 0.016).abs() < 1e-9, "{delay}");
}
