//! Links that change and links that spread their deliveries, worked by hand.

use narrows_path::{
    Delivery, DropReason, Fate, Jitter, JitterDist, Limit, Link, LinkChange, LinkConfig, Packet,
    RateSource, Reorder,
};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header};

#[derive(Clone, Copy, Debug)]
struct Full(u64);

impl Packet for Full {
    fn size(&self) -> Bytes {
        Bytes::new(1500)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _: Ecn) {}
    fn header(&mut self) -> Option<&mut Header> {
        None
    }
    fn flow(&self) -> u64 {
        0
    }
}

/// A packet takes a millisecond.
fn config() -> LinkConfig {
    LinkConfig { rate: RateSource::Constant(Rate::from_mbps(12)), ..LinkConfig::default() }
}

fn us(micros: u64) -> Time {
    Time::ZERO + Span::from_micros(micros)
}

/// A link to which `count` packets came at once.
fn loaded(config: &LinkConfig, count: u64) -> Link<Full> {
    let mut link = Link::new(config, 1, "link");
    for number in 0..count {
        assert_eq!(link.offer(Time::ZERO, Full(number)), Fate::Queued);
    }
    link
}

fn arrivals(link: &mut Link<Full>, until: Time) -> Vec<Time> {
    std::iter::from_fn(|| link.pop(until)).map(|(at, _)| at).collect()
}

#[test]
fn half_a_packet_goes_on_at_the_new_rate() {
    let mut link = loaded(&config(), 3);
    link.change(us(500), LinkChange::Rate(Rate::from_mbps(6)));
    assert_eq!(link.transmitted(us(500)), Bytes::new(750));
    // 6000 bits are left of the first, 12,000 of each other; they waited 0, 1.5 and 3.5 ms.
    assert_eq!(arrivals(&mut link, us(10_000)), [us(1_500), us(3_500), us(5_500)]);
    assert_eq!(link.capacity(us(10_000)), Some(Bytes::new(750 + 7_125)));
    link.settle(us(10_000));
    let waits = link.queueing();
    assert_eq!((waits.count(), waits.max()), (3, Some(Span::from_micros(3_500))));
}

#[test]
fn not_a_bit_is_gained_or_lost_by_changing_the_rate() {
    // At 7 and 11 Mbit/s a packet takes no whole number of nanoseconds. Ten seconds, half of them
    // at either rate, carry exactly 7500 packets.
    let mut link =
        loaded(&LinkConfig { rate: RateSource::Constant(Rate::from_mbps(7)), ..config() }, 7_600);
    for change in 1..10_000u64 {
        let rate = if change % 2 == 1 { 11 } else { 7 };
        link.change(us(1_000 * change), LinkChange::Rate(Rate::from_mbps(rate)));
    }
    let arrivals = arrivals(&mut link, us(10_100_000));
    assert_eq!(arrivals[7_499], us(10_000_000));
    assert_eq!(link.capacity(us(10_000_000)), Some(Bytes::new(11_250_000)));
}

#[test]
fn an_outage_stops_the_packet_in_transmission_and_nothing_that_has_left() {
    let mut link = loaded(&LinkConfig { delay: Span::from_millis(10), ..config() }, 3);
    link.change(us(1_250), LinkChange::Down);
    assert_eq!(arrivals(&mut link, us(20_000)), [us(11_000)]);
    assert_eq!(link.due(), None);
    assert_eq!((link.not_departed(), link.transmitted(us(20_000))), (2, Bytes::new(1_500 + 375)));
    // A change of the rate during the outage holds after it: 9000 bits are left of the second
    // packet.
    link.change(us(1_000_000), LinkChange::Rate(Rate::from_mbps(6)));
    assert_eq!(link.due(), None);
    link.change(us(3_001_250), LinkChange::Up);
    assert_eq!(arrivals(&mut link, us(4_000_000)), [us(3_012_750), us(3_014_750)]);
    assert_eq!(link.capacity(us(3_001_250)), Some(Bytes::new(1_875)));
}

#[test]
fn a_packet_that_comes_during_an_outage_goes_when_it_is_over() {
    let mut link: Link<Full> = Link::new(&config(), 1, "link");
    link.change(us(1_000), LinkChange::Rate(Rate::ZERO));
    link.offer(us(2_000), Full(0));
    link.offer(us(3_000), Full(1));
    link.settle(us(3_000));
    assert_eq!((link.due(), link.waiting()), (None, (Bytes::new(1_500), 1)));
    link.change(us(5_000), LinkChange::Rate(Rate::from_mbps(12)));
    assert_eq!(arrivals(&mut link, us(9_000)), [us(6_000), us(7_000)]);
}

#[test]
fn a_shorter_delay_overtakes_nobody() {
    let mut link = loaded(&LinkConfig { delay: Span::from_millis(10), ..config() }, 3);
    link.change(us(1_500), LinkChange::Delay(Span::from_millis(1)));
    // The first is on its way for 10 ms; the second would come at 3 ms and the third at 4 ms.
    assert_eq!(arrivals(&mut link, us(20_000)), [us(11_000), us(11_000), us(11_000)]);
    link.offer(us(20_000), Full(3));
    assert_eq!(arrivals(&mut link, us(30_000)), [us(22_000)]);
}

#[test]
fn a_smaller_buffer_keeps_what_it_holds_and_admits_no_more() {
    let mut link = loaded(&LinkConfig { limit: Limit::Packets(4), ..config() }, 5);
    link.change(us(500), LinkChange::Limit(Limit::Packets(2)));
    assert_eq!(link.waiting().1, 4);
    assert_eq!(link.offer(us(2_500), Full(5)), Fate::Dropped(DropReason::Full));
    // After three departures one waits.
    assert_eq!(link.offer(us(3_500), Full(6)), Fate::Queued);
    assert_eq!(arrivals(&mut link, us(20_000)).len(), 6);
}

#[test]
fn late_packets_are_a_share_and_are_overtaken() {
    let reorder = Reorder { share: 0.1, delay: Span::from_micros(2_500) };
    let config = LinkConfig { delivery: Delivery { reorder, ..Delivery::default() }, ..config() };
    let mut link = loaded(&config, 100_000);
    let order: Vec<(Time, u64)> = std::iter::from_fn(|| link.pop(us(200_000_000)))
        .map(|(at, packet)| (at, packet.0))
        .collect();
    assert!(order.is_sorted_by_key(|(at, _)| *at));
    let late = order.iter().filter(|(at, number)| *at != us(1_000 * (number + 1))).count();
    assert!(order.iter().all(|(at, number)| {
        [0, 2_500].contains(&(at.since(us(1_000 * (number + 1))).as_micros()))
    }));
    // The standard deviation of the share is 0.095 %.
    assert!((late as f64 / 100_000.0 - 0.1).abs() < 0.004, "{late}");
    // Two and a half milliseconds are two packets: the two that follow come first, unless they are
    // late themselves.
    let place = |number: u64| order.iter().position(|(_, other)| *other == number).unwrap();
    let (_, first) = order.iter().find(|(at, number)| *at != us(1_000 * (number + 1))).unwrap();
    assert_eq!(order[place(*first) - 1].1, first + 2);
}

#[test]
fn normal_jitter_is_truncated_and_reorders_only_if_asked() {
    let ms = |n| Span::from_millis(n);
    for reorders in [false, true] {
        let jitter = Jitter { spread: JitterDist::Normal(ms(5)), reorders };
        let config = LinkConfig {
            delivery: Delivery { jitter, ..Delivery::default() },
            ..LinkConfig::default()
        };
        let mut link: Link<Full> = Link::new(&config, 1, "link");
        // So far apart that none could overtake another, then all at once.
        let mut sum = 0.0;
        let mut squares = 0.0;
        for number in 0..20_000u64 {
            let at = us(40_000 * number);
            link.offer(at, Full(number));
            let (arrival, _) = link.pop(at + ms(30)).expect("no more than six standard deviations");
            let extra = arrival.since(at).as_millis_f64();
            sum += extra;
            squares += extra * extra;
        }
        let mean = sum / 20_000.0;
        assert!((mean - 15.0).abs() < 0.15, "{mean}");
        // Truncated at three standard deviations the normal distribution's is 0.9866 of itself.
        let deviation = (squares / 20_000.0 - mean * mean).sqrt();
        assert!((deviation - 5.0 * 0.9866).abs() < 0.1, "{deviation}");
        let end = us(40_000 * 20_000);
        for number in 0..1_000 {
            link.offer(end, Full(number));
        }
        let numbers: Vec<u64> =
            std::iter::from_fn(|| link.pop(end + ms(30))).map(|(_, packet)| packet.0).collect();
        assert_eq!((numbers.len(), numbers.is_sorted()), (1_000, !reorders));
    }
}

/// Extra delays of packets so far apart that none waits for another, in milliseconds.
fn extras(jitter: Jitter, packets: u64) -> Vec<f64> {
    let config = LinkConfig {
        delivery: Delivery { jitter, ..Delivery::default() },
        ..LinkConfig::default()
    };
    let mut link: Link<Full> = Link::new(&config, 1, "link");
    let extra = |number: u64| {
        let at = us(1_000_000 * number);
        link.offer(at, Full(number));
        let (arrival, _) = link.pop(at + Span::from_millis(999)).expect("within a second");
        arrival.since(at).as_millis_f64()
    };
    (0..packets).map(extra).collect()
}

/// N1 · 1 ms − U(0, 1 ms) if N1 ≥ 1, N1 Poisson with mean 1; plus N2 · 7.5 ms, N2 Poisson with
/// mean 12, with probability (7 − 1)/90 = 1/15.
#[test]
fn wifi_defers_each_packet_and_retransmits_some() {
    let share = |extras: &[f64], is: &dyn Fn(f64) -> bool| {
        extras.iter().filter(|extra| is(**extra)).count() as f64 / extras.len() as f64
    };
    let extras_of = |ms| extras(Jitter::wifi(Span::from_millis(ms)), 60_000);
    let bad = extras_of(7);
    // 1 − (1 − 1/e)/2 + 90/15 = 6.684 ms.
    let mean = bad.iter().sum::<f64>() / bad.len() as f64;
    assert!((mean - 6.684).abs() < 0.25, "{mean}");
    // No delay: N1 = 0 and no retransmission, 14/15 of 1/e.
    let none = share(&bad, &|extra| extra == 0.0);
    assert!((none - 0.3434).abs() < 0.008, "{none}");
    // At most 1 ms: N1 is 0 or 1, 14/15 of 2/e.
    let short = share(&bad, &|extra| extra <= 1.0);
    assert!((short - 0.6867).abs() < 0.008, "{short}");
    // More than 30 ms: N2 ≥ 5, or N2 = 4 and N1 ≥ 1: 0.99576/15.
    let long = share(&bad, &|extra| extra > 30.0);
    assert!((long - 0.0664).abs() < 0.004, "{long}");
    // More than 102.5 ms: N2 ≥ 14, of which P = 0.3185, or 13 beside a rare N1.
    let longest = share(&bad, &|extra| extra > 102.5);
    assert!((longest - 0.3185 / 15.0).abs() < 0.003, "{longest}");
    // Up to 1 ms there is no retransmission, and at 91 ms each packet has some.
    assert!(extras_of(1).iter().all(|extra| *extra < 15.0));
    let worst = extras(Jitter::wifi(Span::from_millis(91)), 20_000);
    let mean = worst.iter().sum::<f64>() / worst.len() as f64;
    assert!((mean - 90.684).abs() < 0.8, "{mean}");
}

#[test]
fn deliveries_come_in_bursts() {
    let aggregate = Span::from_millis(4);
    let config = LinkConfig { delivery: Delivery { aggregate, ..Delivery::default() }, ..config() };
    let mut link = loaded(&config, 1_000);
    let arrivals = arrivals(&mut link, us(2_000_000));
    let phase = arrivals[0].as_nanos() % 4_000_000;
    for (number, at) in arrivals.iter().enumerate() {
        assert_eq!(at.as_nanos() % 4_000_000, phase);
        let crossed = us(1_000 * (number as u64 + 1));
        assert!(
            *at >= crossed && at.since(crossed) < aggregate,
            "packet {number} crossed at {crossed} and came at {at}"
        );
    }
    assert!(
        arrivals[10..900].chunk_by(|a, b| a == b).skip(1).take(200).all(|burst| burst.len() == 4)
    );
}

/// Packets of 1500 B cross each millisecond and come four at a time, 24 us apart at 500 Mbit/s.
#[test]
fn packets_of_a_burst_follow_each_other_at_its_rate() {
    let delivery = |burst_rate| Delivery {
        aggregate: Span::from_millis(4),
        burst_rate,
        ..Delivery::default()
    };
    let of = |burst_rate| {
        arrivals(
            &mut loaded(&LinkConfig { delivery: delivery(burst_rate), ..config() }, 400),
            us(390_000),
        )
    };
    let at_once = of(None);
    let spaced = of(Some(Rate::from_mbps(500)));
    for (burst, packets) in at_once
        .chunk_by(|a, b| a == b)
        .zip(spaced.chunk_by(|a, b| b.since(*a) < Span::from_millis(1)))
        .skip(1)
        .take(90)
    {
        assert_eq!(burst.len(), packets.len());
        let expected: Vec<Time> = (1..=burst.len() as u64)
            .map(|number| burst[0] + Span::from_micros(24 * number))
            .collect();
        assert_eq!(packets, expected);
    }
    // The rest of a burst that is not carried before the next one begins comes in front of that.
    let slow = of(Some(Rate::from_mbps(12)));
    assert!(
        slow.windows(2).skip(8).all(|pair| pair[1].since(pair[0]) == Span::from_millis(1)),
        "{slow:?}"
    );
}

#[test]
fn bursts_begin_change_and_end_and_nobody_overtakes() {
    // Where a burst comes in its interval is drawn once: shares of it are the same whatever the
    // interval.
    let shared = |aggregate: u64| -> u64 {
        let delivery = Delivery { aggregate: Span::from_millis(aggregate), ..Delivery::default() };
        let first =
            arrivals(&mut loaded(&LinkConfig { delivery, ..config() }, 100), us(90_000))[10];
        first.as_nanos() % (aggregate * 1_000_000)
    };
    let of_eight = shared(8);
    let of_two = shared(2);
    assert!(of_eight.abs_diff(4 * of_two) < 8, "{of_eight} {of_two}");
    let next = |after: Time, aggregate: u64, phase: u64| -> Time {
        let interval = aggregate * 1_000_000;
        Time::from_nanos(
            after.as_nanos() + (interval + phase - after.as_nanos() % interval) % interval,
        )
    };

    let mut link = loaded(&config(), 100);
    link.change(us(20_500), LinkChange::Aggregate(Span::from_millis(8)));
    link.change(us(40_500), LinkChange::Aggregate(Span::from_millis(2)));
    link.change(us(60_500), LinkChange::Aggregate(Span::ZERO));
    let order: Vec<(Time, u64)> =
        std::iter::from_fn(|| link.pop(us(200_000))).map(|(at, packet)| (at, packet.0)).collect();
    assert!(order.is_sorted(), "{order:?}");
    // The packet with this number crosses at the end of the millisecond of that number.
    let expected = |number: u64| -> Time {
        let crossed = us(1_000 * (number + 1));
        // The latest of before that has not come yet: the 40th waits for its burst of eight, the
        // 60th for its burst of two.
        match number {
            0..20 => crossed,
            20..40 => next(crossed, 8, of_eight),
            40..60 => next(crossed.max(next(us(40_000), 8, of_eight)), 2, of_two),
            _ => crossed.max(next(us(60_000), 2, of_two)),
        }
    };
    assert_eq!(order, (0..100).map(|number| (expected(number), number)).collect::<Vec<_>>());
}

#[test]
fn other_losses_go_on_with_the_same_draws() {
    use narrows_path::LossModel::{Independent, None};
    let fates = |change: bool| -> Vec<Fate> {
        let mut link: Link<Full> =
            Link::new(&LinkConfig { loss: Independent(0.3), ..LinkConfig::default() }, 5, "link");
        let one = |number: u64| {
            if change && number == 100 {
                // Without losses nothing is drawn.
                link.change(us(number), LinkChange::Loss(None));
                assert_eq!(link.offer(us(number), Full(number)), Fate::Queued);
                link.change(us(number), LinkChange::Loss(Independent(0.3)));
            }
            link.offer(us(number), Full(number))
        };
        (0..300).map(one).collect()
    };
    assert_eq!(fates(false), fates(true));
}
