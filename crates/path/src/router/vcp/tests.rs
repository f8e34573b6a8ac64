//! Loads by hand, on a link of 10 Mbit/s: 250 000 B in 200 ms.

use super::*;
use crate::queue::testing::{Bench, Small};
use crate::{DropReason, Limit};
use narrows_units::{Bytes, Random};

const CAPACITY: f64 = 250_000.0;

fn vcp(text: &str) -> Bench<Vcp<Small>> {
    Bench::new(text, Vcp::new)
}

/// When its first period begins.
fn begin(bench: &Bench<Vcp<Small>>) -> Time {
    bench.queue.periods.next()
}

fn ms(n: u64) -> Span {
    Span::from_millis(n)
}

/// `bytes` arrive from `from` on, evenly over 190 ms, and leave at once.
fn carry(bench: &mut Bench<Vcp<Small>>, from: Time, bytes: f64) {
    const PACKETS: u64 = 250;
    let (size, rest) = (bytes as u64 / PACKETS, bytes as u64 % PACKETS);
    for packet in 0..PACKETS {
        let now = from + ms(190) * packet / PACKETS;
        bench.offer(now, size + if packet == 0 { rest } else { 0 }, Ecn::NotEct);
        assert!(bench.take(now).is_some());
    }
}

/// What a packet that carries `ecn` carries when it has passed at `now`.
fn passes(bench: &mut Bench<Vcp<Small>>, now: Time, ecn: Ecn) -> Ecn {
    bench.offer(now, 0, ecn);
    bench.take(now).expect("a packet").packet.ecn
}

/// The code after a first period in which `bytes` arrived.
fn code_after(text: &str, bytes: f64) -> Ecn {
    let mut bench = vcp(text);
    let begin = begin(&bench);
    carry(&mut bench, begin, bytes);
    passes(&mut bench, begin + ms(200), Ecn::Ect1)
}

#[test]
fn codes_change_at_80_and_100_percent_of_the_target() {
    for (percent, code) in [(0.0, 0b01), (79.9, 0b01), (80.1, 0b10), (99.9, 0b10), (100.1, 0b11), (250.0, 0b11)] {
        assert_eq!(code_after("vcp", percent / 100.0 * 0.98 * CAPACITY) as u8, code, "{percent} %");
        assert_eq!(code_after("vcp?gamma=0.5", percent / 100.0 * 0.5 * CAPACITY) as u8, code, "{percent} %");
    }
}

/// Whole percents and one more: 79 and 99 % are the effective thresholds. The target begins at 0.95.
#[test]
fn in_the_modules_dialect_codes_change_one_percent_earlier() {
    for (percent, code) in [(78.9, 0b01), (79.1, 0b10), (79.9, 0b10), (98.9, 0b10), (99.1, 0b11)] {
        assert_eq!(code_after("vcp?dialect=ns2", percent / 100.0 * 0.95 * CAPACITY) as u8, code, "{percent} %");
    }
}

#[test]
fn the_code_of_a_period_holds_for_the_next_one_and_before_the_first_load_is_low() {
    let mut bench = vcp("vcp");
    let begin = begin(&bench);
    assert!(begin < Time::ZERO + ms(200), "the first period begins within its length");
    let mut codes = vec![passes(&mut bench, Time::ZERO, Ecn::Ect1) as u8];
    carry(&mut bench, begin, 0.9 * CAPACITY);
    codes.push(passes(&mut bench, begin + ms(199), Ecn::Ect1) as u8);
    carry(&mut bench, begin + ms(200), 1.5 * CAPACITY);
    codes.push(passes(&mut bench, begin + ms(399), Ecn::Ect1) as u8);
    codes.push(passes(&mut bench, begin + ms(400), Ecn::Ect1) as u8);
    codes.push(passes(&mut bench, begin + ms(600), Ecn::Ect1) as u8);
    assert_eq!(codes, [0b01, 0b01, 0b10, 0b11, 0b01]);
}

#[test]
fn the_most_loaded_hop_wins_and_packets_without_a_code_are_left_alone() {
    for (load, results) in [(0.5, [0b00, 0b01, 0b10, 0b11]), (0.9, [0b00, 0b10, 0b10, 0b11]), (1.5, [0b00, 0b11, 0b11, 0b11])] {
        let mut bench = vcp("vcp");
        let begin = begin(&bench);
        carry(&mut bench, begin, load * CAPACITY);
        let carried = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce].map(|ecn| passes(&mut bench, begin + ms(210), ecn) as u8);
        assert_eq!(carried, results, "load {load}");
        assert_eq!(bench.verdicts.marked, if load > 1.0 { 2 } else { 0 });
    }
    // With the other code points ECT(0) is low and ECT(1) high.
    let mut bench = vcp("vcp?codes=accecn");
    let begin = begin(&bench);
    carry(&mut bench, begin, 0.9 * CAPACITY);
    let carried = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce].map(|ecn| passes(&mut bench, begin + ms(210), ecn) as u8);
    assert_eq!(carried, [0b00, 0b01, 0b01, 0b11]);
}

#[test]
fn what_is_dropped_counts_as_what_arrived() {
    let mut bench = vcp("vcp");
    let begin = begin(&bench);
    bench.queue.set_limit(Limit::Packets(1));
    let fates: Vec<Fate> = (0..250).map(|_| bench.offer(begin, 1000, Ecn::Ect1)).collect();
    assert_eq!(fates.iter().filter(|fate| **fate == Fate::Queued).count(), 1);
    assert_eq!(passes_head(&mut bench, begin + ms(200)), Ecn::Ce);
}

/// What the head of the queue carries as it leaves.
fn passes_head(bench: &mut Bench<Vcp<Small>>, now: Time) -> Ecn {
    bench.take(now).expect("a packet").packet.ecn
}

/// A queue of 40 000 B all the time: after one period a quarter of it persists, after two 7/16.
#[test]
fn half_of_the_persistent_queue_counts() {
    let load = |text: &str, periods: u64| {
        let mut bench = vcp(text);
        let begin = begin(&bench);
        for _ in 0..40 {
            bench.offer(Time::ZERO, 1000, Ecn::Ect1);
        }
        for period in 0..periods {
            bench.offer(begin + ms(200 * period), 0, Ecn::Ect1);
        }
        passes_head(&mut bench, begin + ms(200 * periods));
        bench.queue.meter.load().hundredths
    };
    let hundredths = |bytes: f64| libm::round(100.0 * bytes / (0.98 * CAPACITY)) as u8;
    assert_eq!(load("vcp?kappa_q=10", 1), hundredths(10.0 * 10_000.0));
    assert_eq!(load("vcp?kappa_q=10", 2), hundredths(10.0 * 17_500.0));
    // The slip: a sixteenth of the period's mean, whatever was before.
    let slipped = |bytes: f64| (100.0 * bytes / (0.95 * CAPACITY)) as u8 + 1;
    assert_eq!(load("vcp?dialect=ns2&kappa_q=10", 1), slipped(10.0 * 2_500.0));
    assert_eq!(load("vcp?dialect=ns2&kappa_q=10", 2), slipped(10.0 * 2_500.0));
    assert_eq!(load("vcp", 1), hundredths(0.5 * 10_000.0));
}

/// Half of the period at 10 Mbit/s and half at 20 can carry 375 000 B.
#[test]
fn a_change_of_rate_counts_from_when_it_happens() {
    let mut bench = vcp("vcp");
    let begin = begin(&bench);
    bench.queue.set_rate(begin + ms(100), Some(Rate::from_mbps(20)));
    bench.offer(begin + ms(150), (0.98 * 375_000.0 * 0.81) as u64, Ecn::NotEct);
    bench.take(begin + ms(150));
    passes(&mut bench, begin + ms(200), Ecn::Ect1);
    assert_eq!(bench.queue.meter.load().hundredths, 81);
    // Nothing can be sent: overloaded, whatever arrives.
    let mut stopped = vcp("vcp");
    stopped.queue.set_rate(Time::ZERO, Some(Rate::ZERO));
    assert_eq!(passes(&mut stopped, begin + ms(200), Ecn::Ect1), Ecn::Ce);
    stopped.queue.set_rate(begin + ms(200), None);
    assert_eq!(passes(&mut stopped, begin + ms(400), Ecn::Ect1), Ecn::Ect1, "unlimited");
}

#[test]
fn routers_do_not_measure_in_step() {
    let phase = |name| {
        let setup = DisciplineSetup { limit: Limit::None, rate: None, delay: Span::ZERO, random: Random::stream(1, name) };
        let choice: crate::DisciplineChoice = "vcp".parse().unwrap();
        Vcp::<Small>::new(&setup, &choice.params()).periods.next()
    };
    assert_ne!(phase("link a queue"), phase("link b queue"));
    assert_eq!(phase("link a queue"), phase("link a queue"));
}

#[test]
fn acknowledgements_leave_first_in_the_modules_dialect() {
    for (text, first) in [("vcp", 0), ("vcp?dialect=ns2", 1), ("vcp?ack_priority=on", 1), ("vcp?dialect=ns2&ack_priority=off", 0)] {
        let mut bench = vcp(text);
        bench.offer(Time::ZERO, 1000, Ecn::Ect1);
        bench.offer(Time::ZERO, 40, Ecn::NotEct);
        assert_eq!((bench.queue.backlog().bytes(), bench.queue.backlog().packets()), (Bytes::new(1040), 2));
        assert_eq!(bench.take(Time::ZERO).expect("a packet").packet.id, first, "{text}");
        // They share one limit.
        bench.queue.set_limit(Limit::Packets(1));
        assert_eq!(bench.offer(Time::ZERO, 40, Ecn::NotEct), Fate::Dropped(DropReason::Full));
    }
}

/// Ten periods below the wanted 96 % raise the target of a link of 10 Mbit/s by 0.4 points, ten above lower it.
#[test]
fn the_target_follows_the_wanted_utilisation() {
    let mut target = Target::adaptive();
    let ten = |target: &mut Target, mbps: u64, utilisation| {
        (0..10).for_each(|_| target.learn(utilisation, Some(Rate::from_mbps(mbps))));
        target.get()
    };
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}");
    close(ten(&mut target, 10, 0.959), 0.954);
    close(ten(&mut target, 10, 0.961), 0.95);
    // Classes begin at 0.66 of their rate.
    close(ten(&mut target, 66, 0.974), 0.953);
    close(ten(&mut target, 65, 0.974), 0.949);
    for _ in 0..40 {
        ten(&mut target, 5000, 0.5);
    }
    close(target.get(), 0.999);
    let mut fixed = Target::Fixed(0.98);
    close(ten(&mut fixed, 10, 0.5), 0.98);
}

/// A packet with a header of its own.
struct Told(Option<Header>);

impl Packet for Told {
    fn size(&self) -> Bytes {
        Bytes::new(1000)
    }
    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }
    fn set_ecn(&mut self, _ecn: Ecn) {}
    fn flow(&self) -> u64 {
        0
    }
    fn header(&mut self) -> Option<&mut Header> {
        self.0.as_mut()
    }
}

#[test]
fn a_header_gets_the_load_in_hundredths_if_it_is_more_than_what_it_has() {
    let setup =
        DisciplineSetup { limit: Limit::None, rate: Some(Rate::from_mbps(10)), delay: Span::ZERO, random: Random::stream(1, "queue") };
    let choice: crate::DisciplineChoice = "vcp".parse().unwrap();
    let told = |packets: u64, before: u8| {
        let mut queue: Vcp<Told> = Vcp::new(&setup, &choice.params());
        let mut verdicts = Verdicts::default();
        let begin = queue.periods.next();
        for _ in 0..packets {
            queue.enqueue(begin, Told(None), &mut verdicts);
            queue.dequeue(begin, &mut verdicts);
        }
        queue.enqueue(begin + ms(200), Told(Some(Header::Load(before))), &mut verdicts);
        queue.dequeue(begin + ms(200), &mut verdicts).expect("a packet").packet.0
    };
    // 122 of 245 packets.
    assert_eq!(told(122, 0), Some(Header::Load(50)));
    assert_eq!(told(122, 49), Some(Header::Load(50)));
    assert_eq!(told(122, 51), Some(Header::Load(51)));
    assert_eq!(told(0, 0), Some(Header::Load(0)));
    assert_eq!(told(10_000, 0), Some(Header::Load(255)));
}
