use super::*;
use crate::queue::testing::{Bench, Small, ms, near, us};
use narrows_units::Bytes;

fn red(text: &str) -> Bench<Red<Small>> {
    Bench::new(text, Red::new)
}

#[test]
fn automatic_values_follow_rate_and_delay() {
    // 10 Mbit/s are 833.3 packets of 1500 B per second; a delay of 10 ms gives the least round
    // trip, 100 ms.
    let values = red("red").queue.values;
    near(values.packets_per_second, 1e7 / 12_000.0);
    near(values.min, 5.0);
    near(values.max, 15.0);
    near(values.weight, 1.0 - libm::exp(-1.0 / (10.0 * 0.1 * 1e7 / 12_000.0)));
    // At 5 Gbit/s min is half of 5 ms: 1041.7 packets; a weight of 0.002 would average over 1.2 ms
    // only.
    let fast =
        Values::new(&red("red?rtt=80").queue.settings, Some(Rate::from_mbps(5000)), Limit::None);
    near(fast.min, 5e9 / 12_000.0 * 0.005 / 2.0);
    near(fast.max, 3.0 * fast.min);
    assert!(
        (1.0 / fast.weight / (0.8 * 5e9 / 12_000.0) - 1.0).abs() < 1e-3,
        "ten round trips of 80 ms: {}",
        fast.weight
    );
    // Twice the packet, half of the packets per second, the same bytes.
    let coarse = Values::new(
        &red("red?mean_packet=3000").queue.settings,
        Some(Rate::from_mbps(5000)),
        Limit::None,
    );
    near(coarse.min * 2.0, fast.min);
    // At 10 Mbit/s a packet takes 1.2 ms: with a delay of 50 ms the round trip is 153.6 ms, 128
    // packets.
    let far = Values::new(
        &Settings { delay: 0.05, ..red("red").queue.settings },
        Some(Rate::from_mbps(10)),
        Limit::None,
    );
    near(far.weight, 1.0 - libm::exp(-1.0 / 1280.0));
    let set = red("red?min=20&max=60&weight=0.002").queue.values;
    assert_eq!((set.min, set.max, set.weight), (20.0, 60.0, 0.002));
    // A quarter and a half of 120 packets, of 300 000 B, and of whatever the buffer becomes.
    let mut parts = red("red?min=25&max=50&unit=percent").queue;
    for (limit, min) in [
        (Limit::Packets(120), 30.0),
        (Limit::Bytes(Bytes::new(300_000)), 50.0),
        (Limit::None, f64::INFINITY),
    ] {
        parts.set_limit(limit);
        assert_eq!((parts.values.min, parts.values.max >= 2.0 * min), (min, true));
    }
}

#[test]
fn the_average_follows_the_queue_by_its_weight_and_sees_what_waits_before_the_arrival() {
    let mut bench = red("red?weight=0.25&byte_mode=false");
    bench.queue.idle = None;
    let averages: Vec<f64> = (0..4)
        .map(|_| {
            bench.offer(ms(0), 100, Ecn::NotEct);
            bench.queue.average
        })
        .collect();
    for (value, expected) in averages.iter().zip([0.0, 0.25, 0.6875, 1.265625]) {
        near(*value, expected);
    }
    // In byte mode 100 B are a fifteenth of a mean packet.
    let mut bench = red("red?weight=0.25");
    for _ in 0..2 {
        bench.offer(ms(0), 100, Ecn::NotEct);
    }
    near(bench.queue.average, 0.25 / 15.0);
}

#[test]
fn the_average_decays_while_idle_as_if_packets_had_come() {
    let mut bench = red("red?weight=0.01");
    bench.queue.average = 12.0;
    bench.queue.idle = None;
    assert!(bench.take(ms(100)).is_none());
    assert!(bench.take(ms(150)).is_none(), "asked again, it is idle since 100 ms");
    bench.offer(ms(220), 1500, Ecn::NotEct);
    // 120 ms are 100 packets, and the arrival itself finds nothing.
    near(bench.queue.average, 12.0 * libm::pow(0.99, 101.0));
    // A change of rate counts each part of the idle time at its own rate.
    let mut bench = red("red?weight=0.01");
    bench.queue.average = 12.0;
    bench.queue.idle = Some(ms(100));
    bench.queue.set_rate(ms(160), Some(Rate::from_mbps(20)));
    bench.offer(ms(190), 1500, Ecn::NotEct);
    near(bench.queue.average, 12.0 * libm::pow(0.99, 101.0));
}

#[test]
fn the_probability_by_hand() {
    let at = |text: &str, average: f64| Red { average, ..red(text).queue }.base_probability();
    let text = "red?min=5&max=15&max_p=0.1";
    for (average, expected) in [
        (4.9, 0.0),
        (5.0, 0.0),
        (10.0, 0.05),
        (15.0, 0.1),
        (22.5, 0.55),
        (29.999_999_999, 1.0),
        (30.0, 1.0),
    ] {
        near(at(text, average), expected);
    }
    let abrupt = "red?min=5&max=15&max_p=0.1&gentle=false";
    for (average, expected) in [(10.0, 0.05), (14.999_999_999, 0.1), (15.0, 1.0)] {
        near(at(abrupt, average), expected);
    }
}

#[test]
fn the_spread_by_hand() {
    let at =
        |text: &str, count: f64, size: f64| Red { count, ..red(text).queue }.spread(0.05, size);
    let classic = "red?spread=classic&byte_mode=false";
    for (count, expected) in [(0.0, 0.05), (10.0, 0.1), (19.0, 1.0), (20.0, 1.0)] {
        near(at(classic, count, 1500.0), expected);
    }
    let wait = "red?byte_mode=false";
    for (count, expected) in
        [(0.0, 0.0), (19.0, 0.0), (20.0, 0.05), (30.0, 0.1), (39.0, 1.0), (40.0, 1.0)]
    {
        near(at(wait, count, 1500.0), expected);
    }
    // A small packet has less to fear, until one is due.
    for (count, expected) in [(30.0, 0.05), (40.0, 1.0)] {
        near(at("red", count, 750.0), expected);
    }
}

/// Gaps between drops at an average that stays.
fn gaps(text: &str, average: f64) -> Vec<usize> {
    let mut bench = red(text);
    bench.queue.values.weight = 0.0;
    bench.queue.idle = None;
    bench.queue.average = average;
    let drops: Vec<usize> =
        (0..60_000).filter(|_| bench.offer(ms(0), 1500, Ecn::NotEct) != Fate::Queued).collect();
    drops.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

#[test]
fn drops_are_spread_uniformly() {
    // p = 0.05: classic within 20 packets, on average 10; "wait" from 20 to 40, on average 30.
    for (text, range, mean) in
        [("red?min=5&max=15&spread=classic", 1..=20, 10.5), ("red?min=5&max=15", 20..=40, 30.0)]
    {
        let gaps = gaps(text, 10.0);
        assert!(gaps.iter().all(|gap| range.contains(gap)), "{text}: {gaps:?}");
        let measured = gaps.iter().sum::<usize>() as f64 / gaps.len() as f64;
        assert!((measured / mean - 1.0).abs() < 0.05, "{text}: {measured}");
    }
}

#[test]
fn the_first_drop_after_entering_the_band_waits_for_the_inverse_of_the_probability() {
    let mut bench = red("red?min=5&max=15");
    bench.queue.values.weight = 0.0;
    bench.queue.idle = None;
    bench.queue.average = 10.0;
    let first = (0..).find(|_| bench.offer(ms(0), 1500, Ecn::NotEct) != Fate::Queued).unwrap();
    assert!((20..=40).contains(&first), "{first}");
    // Below min the count begins anew.
    bench.queue.average = 1.0;
    bench.offer(ms(0), 1500, Ecn::NotEct);
    assert_eq!(bench.queue.count, -1.0);
}

#[test]
fn marks_up_to_the_limit_and_drops_above_all_thresholds_even_of_capable_packets() {
    let first = |text: &str, average: f64, ecn: Ecn| {
        let mut bench = red(text);
        bench.queue.values.weight = 0.0;
        bench.queue.idle = None;
        bench.queue.average = average;
        (0..1000).map(|_| bench.offer(us(0), 1500, ecn)).find(|fate| *fate != Fate::Queued)
    };
    let text = "red?min=5&max=15";
    assert_eq!(first(text, 4.0, Ecn::Ect0), None);
    assert_eq!(first(text, 12.0, Ecn::Ect0), Some(Fate::Marked));
    assert_eq!(first(text, 25.0, Ecn::Ect1), Some(Fate::Marked));
    assert_eq!(first(text, 12.0, Ecn::NotEct), Some(Fate::Dropped(DropReason::Early)));
    assert_eq!(first(text, 30.0, Ecn::Ect0), Some(Fate::Dropped(DropReason::Early)));
    assert_eq!(
        first("red?min=5&max=15&gentle=false", 15.0, Ecn::Ect0),
        Some(Fate::Dropped(DropReason::Early))
    );
    assert_eq!(
        first("red?min=5&max=15&mark_limit=0.1", 16.0, Ecn::Ect0),
        Some(Fate::Dropped(DropReason::Early))
    );
    assert_eq!(first("red?min=5&max=15&mark_limit=0.1", 14.0, Ecn::Ect0), Some(Fate::Marked));
    assert_eq!(
        first("red?min=5&max=15&ecn=false", 12.0, Ecn::Ect0),
        Some(Fate::Dropped(DropReason::Early))
    );
}

#[test]
fn the_adaptive_form_moves_max_p_each_half_second() {
    let after = |average: f64, max_p: f64, periods: u64| {
        let mut queue =
            Red { average, max_p, idle: None, ..red("red?adaptive=true&min=5&max=15").queue };
        queue.update(ms(500 * periods));
        queue.max_p
    };
    near(after(8.9, 0.1, 1), 0.09);
    near(after(8.9, 0.1, 2), 0.081);
    near(after(10.0, 0.1, 9), 0.1);
    near(after(11.1, 0.1, 1), 0.11);
    near(after(11.1, 0.02, 1), 0.025);
    near(after(11.1, 0.495, 5), 0.5);
    // A flow of 100 ms has 125 packets of 1000 B at 10 Mbit/s.
    near(after(1.0, 0.1, 100), 1.0 / 125.0);
    near(after(1.0, 0.005, 100), 0.005);
    // Idle from the start: the average is below 9 well before the first adaptation.
    let mut idle = Red { average: 14.0, ..red("red?adaptive=true&min=5&max=15&weight=0.01").queue };
    idle.update(ms(500));
    near(idle.max_p, 0.09);
    near(idle.average, 14.0 * libm::pow(0.99, 0.5 * 1e7 / 12_000.0));
    let mut fixed = Red { average: 11.1, idle: None, ..red("red?min=5&max=15").queue };
    fixed.update(ms(5000));
    near(fixed.max_p, 0.1);
}

/// At min = max = 20 packets every packet that finds a longer queue is marked without `harddrop`,
/// as in Linux, and dropped with it.
#[test]
fn above_max_capable_packets_are_marked_unless_harddrop() {
    for (more, marked) in
        [("", false), ("&harddrop=false", true), ("&harddrop=false&mark_limit=0.1", false)]
    {
        let mut bench =
            red(&format!("red?min=20&max=20&max_p=1&weight=1&byte_mode=false&gentle=false{more}"));
        let last = (0..30).map(|_| bench.offer(ms(0), 1500, Ecn::Ect0)).last();
        assert_eq!(
            last,
            Some(if marked { Fate::Marked } else { Fate::Dropped(DropReason::Early) }),
            "{more}"
        );
        assert_eq!(
            bench.offer(ms(0), 1500, Ecn::NotEct),
            Fate::Dropped(DropReason::Early),
            "{more}"
        );
    }
}
