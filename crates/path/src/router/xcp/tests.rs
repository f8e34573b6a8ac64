use super::*;
use crate::Limit;
use crate::queue::testing::{Bench, Small, close, ms};
use narrows_wire::Ecn;

/// More than any router gives.
const WISH: f64 = 1e12;

const LONGEST: Span = Span::from_secs(1);

/// On 10 Mbit/s, 1 250 000 bytes per second.
fn bench() -> Bench<Xcp<Small>> {
    Bench::new("xcp", Xcp::new)
}

fn router() -> Router {
    bench().queue.router
}

fn header(rtt_ms: u64, throughput: f64, delta: f64) -> Header {
    Header::Delta { rtt: Span::from_millis(rtt_ms), throughput, delta }
}

fn arrive(router: &mut Router, rtt_ms: u64, throughput: f64) {
    router.interval.arrive(Bytes::new(1000), Some(&mut header(rtt_ms, throughput, WISH)), LONGEST);
}

fn departs(router: &mut Router, rtt_ms: u64, throughput: f64, wish: f64) -> f64 {
    let mut header = header(rtt_ms, throughput, wish);
    router.depart(Bytes::new(1000), Some(&mut header));
    let Header::Delta { delta, .. } = header else { unreachable!() };
    delta
}

/// An interval of 100 ms in which flow `i` of `flows` sent at its throughput, then the feedback to
/// each packet of the same flows in the next one, summed by flow.
fn interval(router: &mut Router, rtts_ms: &[u64], throughputs: &[f64]) -> Vec<f64> {
    router.interval_began = Time::ZERO;
    router.interval_ends = ms(100);
    let packets = |throughput: f64| (throughput * 0.1 / 1000.0) as usize;
    for (rtt, throughput) in rtts_ms.iter().zip(throughputs) {
        (0..packets(*throughput)).for_each(|_| arrive(router, *rtt, *throughput));
    }
    router.end_interval();
    let flows = rtts_ms.iter().zip(throughputs);
    flows
        .map(|(rtt, throughput)| {
            (0..packets(*throughput)).map(|_| departs(router, *rtt, *throughput, WISH)).sum()
        })
        .collect()
}

#[test]
fn the_constants_are_those_of_a_stable_loop() {
    let Router { alpha, beta, .. } = router();
    assert!(
        (beta - alpha * alpha * 2f64.sqrt()).abs() < 3e-4,
        "0.4² √2 = {}",
        alpha * alpha * 2f64.sqrt()
    );
    assert!(alpha < std::f64::consts::FRAC_PI_4 / 2f64.sqrt());
}

#[test]
fn spare_capacity_is_handed_out_and_a_queue_taken_back() {
    let mut router = router();
    // 250 000 of 1 250 000 bytes per second: 0.4 of the spare million, no shuffling.
    let gained: f64 = interval(&mut router, &[100, 100], &[100_000.0, 150_000.0]).iter().sum();
    assert!(close(gained, 400_000.0), "{gained}");
    // A full link and a queue of 12 500 bytes: 0.226 of 125 000 bytes per second; shuffled are 0.1
    // of the traffic less that.
    let mut router = self::router();
    router.persistent_queue = Bytes::new(12_500);
    let taken = interval(&mut router, &[100], &[1_250_000.0]);
    assert!(close(taken[0], -28_250.0), "{taken:?}");
}

#[test]
fn shuffling_gives_equal_shares_to_flows_and_takes_by_their_rates_and_sums_to_zero() {
    let mut router = router();
    let changes = interval(&mut router, &[50, 150], &[1_000_000.0, 250_000.0]);
    // A tenth of the traffic, 125 000, in equal parts, against 100 000 and 25 000.
    assert!(close(changes[0], -37_500.0) && close(changes[1], 37_500.0), "{changes:?}");
    assert_eq!((router.positive.residue.round(), router.negative.residue.round()), (0.0, 0.0));
    let mut router = self::router();
    let changes = interval(&mut router, &[20, 50, 100, 300, 900], &[250_000.0; 5]);
    assert!(
        changes.iter().all(|change| change.abs() < 1e-9),
        "equal rates, whatever the round trips: {changes:?}"
    );
}

#[test]
fn shuffling_rests_while_the_aggregate_moves_by_more() {
    let mut router = router();
    arrive(&mut router, 100, 500_000.0);
    router.end_interval();
    assert_eq!(router.negative, Share { residue: 0.0, per_unit: 0.0 });
    assert!(router.positive.residue > 0.0);
}

#[test]
fn the_mean_round_trip_weighs_packets_by_the_time_they_stand_for_and_sets_the_interval() {
    let mut router = router();
    // As many packets of either: those of the slower flow stand for four times as long.
    for _ in 0..10 {
        arrive(&mut router, 100, 400_000.0);
        arrive(&mut router, 200, 100_000.0);
    }
    let ends = router.interval_ends;
    router.end_interval();
    assert!(close(router.mean_rtt, (0.1 + 4.0 * 0.2) / 5.0), "{}", router.mean_rtt);
    assert_eq!(router.interval_ends.since(ends), Span::from_millis(180));
    // Nothing came: as in the beginning.
    router.end_interval();
    assert_eq!(
        (router.mean_rtt, router.positive, router.negative),
        (0.05, Share::default(), Share::default())
    );
    // Round trips beyond a second count as one.
    arrive(&mut router, 5_000, 400_000.0);
    router.end_interval();
    assert_eq!(router.mean_rtt, 1.0);
    let ends = router.interval_ends;
    router.interval.arrive(
        Bytes::new(1000),
        Some(&mut Header::Delta { rtt: Span::from_nanos(1), throughput: 1e6, delta: 0.0 }),
        LONGEST,
    );
    router.end_interval();
    assert_eq!(router.interval_ends.since(ends), MIN_INTERVAL);
}

#[test]
fn what_carries_no_throughput_counts_as_input_only() {
    let mut router = router();
    router.interval.arrive(Bytes::new(40), None, LONGEST);
    router.interval.arrive(Bytes::new(1500), Some(&mut header(0, 0.0, 0.0)), LONGEST);
    router.interval.arrive(Bytes::new(1500), Some(&mut header(50, 0.0, 0.0)), LONGEST);
    router.interval.arrive(Bytes::new(1500), Some(&mut Header::Load(3)), LONGEST);
    let ControlInterval { input, spacing, rtt_spacing } = router.interval;
    assert_eq!((input, spacing, rtt_spacing), (4540.0, 0.0, 0.0));
    arrive(&mut router, 100, 500_000.0);
    router.end_interval();
    let positive = router.positive;
    let negative = router.negative;
    assert!(close(negative.per_unit * 5540.0, negative.residue));
    assert_eq!(departs(&mut router, 0, 0.0, 0.0), 0.0);
    router.depart(Bytes::new(40), None);
    assert_eq!((router.positive, router.negative), (positive, negative));
}

#[test]
fn a_residue_that_is_spent_gives_no_more() {
    let mut router = router();
    router.positive = Share { residue: 1000.0, per_unit: 150_000.0 };
    // Each packet stands for 4 ms: 600, then the 400 left, then none.
    let given = [(); 3].map(|_| departs(&mut router, 100, 250_000.0, WISH));
    assert!(close(given[0], 600.0) && close(given[1], 400.0) && given[2] == 0.0, "{given:?}");
    assert_eq!(router.positive, Share::default());
}

#[test]
fn a_router_before_may_have_left_less_and_is_never_overruled() {
    let shares =
        (Share { residue: 5000.0, per_unit: 150_000.0 }, Share { residue: 3000.0, per_unit: 0.1 });
    let left = |wish| {
        let mut router = router();
        (router.positive, router.negative) = shares;
        (
            departs(&mut router, 100, 250_000.0, wish),
            router.positive.residue,
            router.negative.residue,
        )
    };
    // Here: 600 - 100.
    assert_eq!(left(WISH), (500.0, 4400.0, 2900.0));
    // 300 of it: 600 - 300.
    assert_eq!(left(300.0), (300.0, 4400.0, 2700.0));
    // It loses 4000, of which 3000 can be taken back here; the thousand beyond is there for others.
    assert_eq!(left(-4000.0), (-4000.0, 6000.0, 0.0));
}

#[test]
fn the_persistent_queue_is_the_shortest_of_an_interval() {
    let mut bench = bench();
    bench.queue.router.mean_rtt = 0.1;
    bench.queue.router.interval_ends = ms(10_000);
    bench.queue.router.queue_interval_ends = ms(100);
    for at in [90, 91, 92, 93, 94] {
        bench.offer(ms(at), 1000, Ecn::NotEct);
    }
    // At 100 ms five wait, and nothing has left before: the least was an empty queue. They would
    // take 4 ms: the interval is (100 - 4) / 2.
    bench.take(ms(101));
    assert_eq!(
        (bench.queue.router.persistent_queue, bench.queue.router.queue_interval_ends),
        (Bytes::ZERO, ms(148))
    );
    bench.take(ms(110));
    for _ in 0..4 {
        bench.offer(ms(120), 1000, Ecn::NotEct);
    }
    bench.take(ms(130));
    bench.take(ms(149));
    // Down to three after the second departure.
    assert_eq!(bench.queue.router.persistent_queue, Bytes::new(3000));
    assert_eq!(bench.queue.router.least_queue, Bytes::new(5000));
}

#[test]
fn timers_expire_at_their_times_however_late_it_is_looked_at() {
    let story = |often: bool| {
        let mut bench = bench();
        for at in 0..400 {
            if at % 3 == 0 {
                bench.offer_with(header(30, 500_000.0, WISH), ms(at), 1000);
            }
            if at % 7 == 0 || at % 5 == 0 {
                bench.take(ms(at));
            }
            if often {
                let queue = bench.queue.queue.bytes();
                bench.queue.router.update(ms(at), queue);
            }
        }
        format!("{:?}", bench.queue.router)
    };
    assert_eq!(story(true), story(false));
}

#[test]
fn routers_begin_at_different_times_and_follow_a_change_of_rate() {
    let new = |seed| {
        let setup = DisciplineSetup {
            limit: Limit::None,
            rate: Some(Rate::from_mbps(10)),
            delay: Span::ZERO,
            random: narrows_units::Random::stream(seed, "queue"),
        };
        let choice: crate::DisciplineChoice = "xcp".parse().expect("a discipline");
        Xcp::<Small>::new(&setup, &choice.params())
    };
    let one = new(1);
    let mut two = new(2);
    assert_ne!(one.router.interval_ends, two.router.interval_ends);
    assert_ne!(two.router.interval_ends, two.router.queue_interval_ends);
    two.set_rate(ms(1), Some(Rate::from_mbps(2)));
    assert_eq!(two.router.capacity, 250_000.0);
}

#[test]
fn acknowledgements_leave_before_data_if_so_wanted() {
    let order = |text| {
        let mut bench = Bench::new(text, Xcp::new);
        for size in [1000, 1001] {
            bench.offer_with(header(30, 500_000.0, WISH), ms(1), size);
        }
        bench.offer(ms(2), 40, Ecn::NotEct);
        [(); 3].map(|_| bench.take(ms(3)).expect("a packet").packet.size)
    };
    assert_eq!(order("xcp"), [1000, 1001, 40]);
    assert_eq!(order("xcp?ack_priority=on"), [40, 1000, 1001]);
}

#[test]
fn the_longest_round_trip_that_counts_is_a_parameter() {
    let mut router = Bench::new("xcp?longest=3000", Xcp::<Small>::new).queue.router;
    let longest = router.longest;
    router.interval.arrive(Bytes::new(1000), Some(&mut header(5_000, 400_000.0, WISH)), longest);
    router.end_interval();
    assert_eq!(router.mean_rtt, 3.0);
}
