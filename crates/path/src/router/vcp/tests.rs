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
    let size = bytes as u64 / PACKETS;
    let rest = bytes as u64 % PACKETS;
    for packet in 0..PACKETS {
        let now = from + ms(190) * packet / PACKETS;
        bench.offer(now, size + if packet == 0 { rest } else { 0 }, Ecn::NotEct);
        assert!(bench.take(now).is_some());
    }
}

/// The ECN field of a packet that carries `ecn` when it has passed at `now`.
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
    for (percent, code) in
        [(0.0, 0b01), (79.9, 0b01), (80.1, 0b10), (99.9, 0b10), (100.1, 0b11), (250.0, 0b11)]
    {
        assert_eq!(code_after("vcp", percent / 100.0 * 0.98 * CAPACITY) as u8, code, "{percent} %");
        assert_eq!(
            code_after("vcp?gamma=0.5", percent / 100.0 * 0.5 * CAPACITY) as u8,
            code,
            "{percent} %"
        );
    }
}

/// Whole percents and one more: 79 and 99 % are the effective thresholds. The target begins at
/// 0.95.
#[test]
fn in_the_modules_dialect_codes_change_one_percent_earlier() {
    for (percent, code) in [(78.9, 0b01), (79.1, 0b10), (79.9, 0b10), (98.9, 0b10), (99.1, 0b11)] {
        assert_eq!(
            code_after("vcp?dialect=ns2", percent / 100.0 * 0.95 * CAPACITY) as u8,
            code,
            "{percent} %"
        );
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
    for (load, results) in [
        (0.5, [0b00, 0b01, 0b10, 0b11]),
        (0.9, [0b00, 0b10, 0b10, 0b11]),
        (1.5, [0b00, 0b11, 0b11, 0b11]),
    ] {
        let mut bench = vcp("vcp");
        let begin = begin(&bench);
        carry(&mut bench, begin, load * CAPACITY);
        let carried = [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]
            .map(|ecn| passes(&mut bench, begin + ms(210), ecn) as u8);
        assert_eq!(carried, results, "load {load}");
        assert_eq!(bench.verdicts.marked, if load > 1.0 { 2 } else { 0 });
    }
    // With the other code points ECT(0) is low and ECT(1) high.
    let mut bench = vcp("vcp?codes=accecn");
    let begin = begin(&bench);
    carry(&mut bench, begin, 0.9 * CAPACITY);
    let carried = [Ecn::NotEct, Ecn::Ect0, Ecn::Ect1, Ecn::Ce]
        .map(|ecn| passes(&mut bench, begin + ms(210), ecn) as u8);
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

/// The ECN field of the head of the queue as it leaves.
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
        let setup = DisciplineSetup {
            limit: Limit::None,
            rate: None,
            delay: Span::ZERO,
            random: Random::stream(1, name),
        };
        let choice: crate::DisciplineChoice = "vcp".parse().unwrap();
        Vcp::<Small>::new(&setup, &choice.params()).periods.next()
    };
    assert_ne!(phase("link a queue"), phase("link b queue"));
    assert_eq!(phase("link a queue"), phase("link a queue"));
}

#[test]
fn acknowledgements_leave_first_in_the_modules_dialect() {
    for (text, first) in [
        ("vcp", 0),
        ("vcp?dialect=ns2", 1),
        ("vcp?ack_priority=on", 1),
        ("vcp?dialect=ns2&ack_priority=off", 0),
    ] {
        let mut bench = vcp(text);
        bench.offer(Time::ZERO, 1000, Ecn::Ect1);
        bench.offer(Time::ZERO, 40, Ecn::NotEct);
        assert_eq!(
            (bench.queue.backlog().bytes(), bench.queue.backlog().packets()),
            (Bytes::new(1040), 2)
        );
        assert_eq!(bench.take(Time::ZERO).expect("a packet").packet.id, first, "{text}");
        // They share one limit.
        bench.queue.set_limit(Limit::Packets(1));
        assert_eq!(bench.offer(Time::ZERO, 40, Ecn::NotEct), Fate::Dropped(DropReason::Full));
    }
}

/// Ten periods below the wanted 96 % raise the target of a link of 10 Mbit/s by 0.4 points, ten
/// above lower it.
#[test]
fn the_target_follows_the_wanted_utilisation() {
    let mut target = Target::adaptive();
    let ten = |target: &mut Target, mbps: u64, utilisation| {
        (0..10).for_each(|_| target.learn(utilisation, Some(Rate::from_mbps(mbps))));
        target.get()
    };
    let close = |value: f64, expected: f64| {
        assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}")
    };
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
    let setup = DisciplineSetup {
        limit: Limit::None,
        rate: Some(Rate::from_mbps(10)),
        delay: Span::ZERO,
        random: Random::stream(1, "queue"),
    };
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

/// The same vectors in integers, and the first bytes on either side of 80 and 100 % of 245 000.
#[test]
fn in_integers_codes_change_at_the_same_loads() {
    for (percent, code) in
        [(0.0, 0b01), (79.9, 0b01), (80.1, 0b10), (99.9, 0b10), (100.1, 0b11), (250.0, 0b11)]
    {
        assert_eq!(
            code_after("vcp?arithmetic=integer", percent / 100.0 * 0.98 * CAPACITY) as u8,
            code,
            "{percent} %"
        );
    }
    for (bytes, code) in
        [(195_999.0, 0b01), (196_000.0, 0b10), (244_999.0, 0b10), (245_000.0, 0b11)]
    {
        assert_eq!(code_after("vcp?arithmetic=integer", bytes) as u8, code, "{bytes} B");
    }
}

/// Any arrivals, queues and rates: the load differs by less than what integers round, and the code
/// only if a threshold is as near as that.
#[test]
fn integers_and_floating_point_measure_the_same() {
    let mut random = Random::stream(7, "routers");
    for (gamma, kappa_q) in [(0.98, 0.5), (0.5, 10.0), (1.0, 0.0)] {
        let rate = Rate::from_mbps(1 + random.below(1000));
        let mut exact = Meter::new(kappa_q, Target::Fixed(gamma), false, Some(rate));
        let mut integer = Meter::integer(gamma, kappa_q, Some(rate));
        let carried = rate.bytes_per_sec() * 0.2;
        let mut codes = [0; 3];
        let mut differ = 0;
        for period in 1..=2000 {
            let now = Time::ZERO + ms(200) * period;
            let arrived = random.below((1.4 * gamma * carried) as u64);
            let queue = random.below((0.1 * carried) as u64);
            for meter in [&mut exact, &mut integer] {
                meter.arrive(arrived);
                (0..20).for_each(|sample| meter.sample(queue * sample / 19));
                let capacity = meter.capacity(now);
                meter.end(capacity);
            }
            let one = exact.load();
            let two = integer.load();
            assert!(one.hundredths.abs_diff(two.hundredths) <= 1, "{one:?} {two:?}");
            codes[one.code as usize] += 1;
            differ += usize::from(one.code != two.code);
            assert!(
                one.code == two.code
                    || [80, 100].iter().any(|at| one.hundredths.abs_diff(*at) <= 1),
                "{one:?} {two:?}"
            );
        }
        assert!(codes.iter().all(|count| *count > 100), "{codes:?}");
        assert!(differ <= 2, "{differ} of 2000 codes");
    }
}

/// The kernel's router, told of arrivals alone, beside the simulated one before a queue that sends
/// at the capacity. Packets leave the simulated queue whole, so that the two differ by at most a
/// packet in each sample.
#[test]
fn the_kernels_router_keeps_the_queue_that_arrivals_make() {
    const BUFFER: u64 = 100_000;
    let choice: crate::DisciplineChoice = "vcp".parse().unwrap();
    let constants = kernel_router(&choice, Rate::from_mbps(10), Some(Bytes::new(BUFFER))).unwrap();
    let mut random = Random::stream(3, "arrivals");
    let mut kernel = narrows_cores::RouterMeter::new(constants);
    let mut meter = Meter::new(0.5, Target::Fixed(0.98), false, Some(Rate::from_mbps(10)));
    let begin = 1_000_000_000;
    // A queue as a person would compute it: bytes and nanoseconds, 800 ns a byte.
    let mut queue = 0_f64;
    let mut at = begin;
    let mut next = begin;
    let mut seen = [0; 3];
    let mut now: u64 = begin;
    for packet in 0..200_000_u64 {
        // The load changes every second.
        let gap = [900_000, 1_050_000, 1_300_000, 2_000_000][(now / 1_000_000_000 % 4) as usize];
        now += if packet == 0 { 0 } else { random.below(2 * gap) };
        while next <= now {
            queue = (queue - (next - at) as f64 / 800.0).max(0.0);
            at = next;
            if next == begin {
                meter.capacity(Time::from_nanos(next));
                meter.begin();
            } else {
                meter.sample(queue as u64);
                if (next - begin) % 200_000_000 == 0 {
                    let capacity = meter.capacity(Time::from_nanos(next));
                    meter.end(capacity);
                }
            }
            next += 10_000_000;
        }
        queue = (queue - (now - at) as f64 / 800.0).max(0.0);
        at = now;
        if queue + 1250.0 <= BUFFER as f64 {
            queue += 1250.0;
        }
        meter.arrive(1250);
        kernel.arrives(now, 1250);
        let load = meter.load();
        assert!(
            (kernel.state.queue as f64 / 8e9 - queue).abs() < 0.01,
            "{packet}: {} {queue}",
            kernel.state.queue
        );
        assert!(
            kernel.state.queue <= constants.buffer
                && kernel.state.load.abs_diff(load.hundredths.into()) <= 1,
            "{packet}"
        );
        let near = [80, 100].iter().any(|at| load.hundredths.abs_diff(*at) <= 1);
        assert!(
            kernel.state.code == load.code as u32 || near,
            "{packet}: {:?} {load:?}",
            kernel.state
        );
        seen[kernel.state.code as usize] += 1;
    }
    assert!(seen.iter().all(|count| *count > 10_000), "{seen:?}");
}

/// 300 packets of 1250 B at once on 10 Mbit/s need 300 ms. Nothing comes for a second: the queue
/// drains, the periods go on, the code is low again.
#[test]
fn the_kernels_router_goes_on_without_packets() {
    let choice: crate::DisciplineChoice = "vcp".parse().unwrap();
    let begin = 5_000_000_000_u64;
    let after = |wait_ms: u64| {
        let constants =
            kernel_router(&choice, Rate::from_mbps(10), Some(Bytes::new(1_000_000))).unwrap();
        let mut kernel = narrows_cores::RouterMeter::new(constants);
        (0..300).for_each(|_| kernel.arrives(begin, 1250));
        kernel.arrives(begin + wait_ms * 1_000_000, 0);
        (kernel.state.code, kernel.state.queue / 8_000_000_000, kernel.state.persistent >> 8)
    };
    assert_eq!(after(199), (0, 375_000 - 248_750, 0));
    // 375 000 B in the first period; samples of 362 500, 350 000 ... 125 000 B, whose mean is 243
    // 750.
    assert_eq!(after(200), (2, 125_000, 60_937));
    // The second: 112 500, 100 000 ... 0, then 0: 562 500 over 20 samples are 28 125.
    assert_eq!(after(400), (0, 0, 52_734));
    assert_eq!(after(600), (0, 0, 39_550));
    // Longer than is made up for: as in the beginning.
    assert_eq!(after(3_600_000), (0, 0, 0));
}

#[test]
fn what_the_kernels_router_does_not_take_is_refused_with_a_remedy() {
    let refused = |text: &str, rate: Rate, buffer: Option<u64>| {
        kernel_router(&text.parse().unwrap(), rate, buffer.map(Bytes::new)).expect_err(text)
    };
    let mbps = Rate::from_mbps(10);
    for (error, part) in [
        (refused("vcp", Rate::ZERO, None), "--capacity \"200 Mbit/s\""),
        (refused("vcp", Rate::from_bps(u64::MAX), None), "measures 1 to"),
        (refused("vcp?dialect=ns2", mbps, None), "no choice of \"dialect\""),
        (refused("vcp?codes=paper", mbps, None), "leave it out"),
        (refused("vcp?beside=classic", mbps, None), "no choice of \"beside\""),
        (refused("vcp?police=2", mbps, None), "no choice of \"police\""),
        (refused("vcp?t_q=7", mbps, None), "t_q=10 divides t_rho=200"),
        (refused("vcp", mbps, Some(0)), "not between 1 byte"),
        (refused("codel", mbps, None), "no router \"codel\""),
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
}
