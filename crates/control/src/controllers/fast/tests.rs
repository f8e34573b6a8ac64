use super::periodic::target;
use crate::Choice;
use crate::testing::{acked, acked_one, acknowledge, acknowledging, at, inspect, setup};
use crate::{
    Acked, CaState, Congestion, Controller, Feedback, Outstanding, Sent, Tag, Timeout, Totals,
};
use narrows_units::{Bytes, Span, Time};
use proptest::prelude::*;

/// A link of so many packets per second, alone with one flow, and the round trip without a queue.
const CAPACITY: f64 = 10_000.0;
const BASE: f64 = 0.1;

/// A flow that always fills its window, round trip by round trip.
struct Ideal {
    controller: Box<dyn Controller>,
    now: Time,
    next: u64,
}

impl Ideal {
    fn new(text: &str, window: f64) -> Ideal {
        let controller = text.parse::<Choice>().unwrap().build(&setup(window)).unwrap();
        let mut ideal = Ideal { controller, now: at(1_000), next: 0 };
        // One packet that the window did not limit shows the base.
        ideal.acknowledge(1, BASE, false);
        ideal
    }

    fn window(&self) -> f64 {
        inspect(&*self.controller, "cwnd")
    }

    /// A window of packets leaves, and each is acknowledged by itself after the round trip that
    /// this window makes.
    fn round(&mut self) -> f64 {
        let window = self.controller.decision().window.whole();
        self.acknowledge(window, (window as f64 / CAPACITY).max(BASE), true);
        self.window()
    }

    fn rounds(&mut self, count: u32) {
        for _ in 0..count {
            self.round();
        }
    }

    fn acknowledge(&mut self, packets: u32, rtt: f64, limited: bool) {
        let in_flight = self.controller.decision().window.whole() - 1;
        let numbers: Vec<u64> = (self.next..).take(packets as usize).collect();
        self.next += packets as u64;
        let tags: Vec<Tag> = numbers
            .iter()
            .map(|number| {
                self.controller.on_sent(&Sent::new(self.now, *number, Bytes::new(1448), in_flight))
            })
            .collect();
        self.now += Span::from_secs_f64(rtt);
        for (number, tag) in numbers.into_iter().zip(tags) {
            while let Some(due) = self.controller.next_timer().filter(|due| *due <= self.now) {
                self.controller.on_timer(due);
            }
            let acked = [Acked { tag, ..acked_one(number, limited) }];
            let rtt = Some(Span::from_secs_f64(rtt));
            let totals = Totals { sent: self.next, delivered: number + 1, lost: 0 };
            let in_flight = (self.next - number - 1) as u32;
            let outstanding = Outstanding { packets: in_flight, ..Outstanding::default() };
            let una = number + 1;
            let next = self.next;
            let cwnd_limited = limited;
            let feedback = Feedback {
                acked: &acked,
                rtt,
                totals,
                in_flight,
                una,
                next,
                outstanding,
                cwnd_limited,
                ..Feedback::at(self.now)
            };
            self.controller.on_feedback(&feedback);
        }
    }
}

/// The fixed point is the bandwidth-delay product, 1000 packets, and alpha. Round trips are
/// smoothed: 3/w per packet leaves a twentieth of the round before.
#[test]
fn the_error_halves_at_every_update_and_ends_within_a_packet() {
    let starts = [(1_500.0, 100.0), (1_900.0, 20.0), (1_080.0, 200.0)];
    for (name, (window, alpha)) in
        ["fast", "fast-kernel"].into_iter().flat_map(|name| starts.map(|start| (name, start)))
    {
        let mut ideal = Ideal::new(&format!("{name}?alpha={alpha}&window_pacing=none"), window);
        let goal = CAPACITY * BASE + alpha;
        // The first update comes before the mean has seen the queue.
        let mut error = [ideal.round(), ideal.round()][1] - goal;
        for _ in 0..5 {
            ideal.round();
            let now = ideal.round() - goal;
            assert!(
                (now / error - 0.5).abs() < 0.06 || (now - error / 2.0).abs() < 3.0,
                "from {error} to {now}"
            );
            error = now;
        }
        ideal.rounds(20);
        assert!((ideal.window() - goal).abs() <= 1.5, "{} instead of {goal}", ideal.window());
        let queued = ideal.controller.decision().window.whole() as f64 - CAPACITY * BASE;
        assert!((queued - alpha).abs() <= 1.0, "{queued} packets are queued");
    }
}

#[test]
fn the_law_by_hand() {
    // 100 packets, half of whose round trip is queue: 50 + 10 belong on the way.
    assert_eq!(target(0.5, 100.0, 100.0, 0.1, 0.2, 10.0), 80.0);
    assert_eq!(target(1.0, 100.0, 100.0, 0.1, 0.2, 10.0), 60.0);
    // The window that made the round trip counts in the bracket, the present one outside.
    assert_eq!(target(0.5, 100.0, 60.0, 0.1, 0.2, 10.0), 70.0);
    assert_eq!(target(0.5, 10.0, 10.0, 0.1, 0.1, 1_000.0), 20.0, "no faster than slow start");
    assert_eq!(target(1.0, 3.0, 3.0, 0.1, 10.0, 1.0), 2.0, "two packets at least");
}

#[test]
fn an_update_is_made_every_other_round_trip_and_at_most_doubles() {
    for name in ["fast", "fast-kernel"] {
        let mut ideal =
            Ideal::new(&format!("{name}?alpha=1000&mi_threshold=0&window_pacing=none"), 10.0);
        let windows: Vec<f64> = (0..6).map(|_| ideal.round()).collect();
        assert_eq!(windows, [10.0, 20.0, 20.0, 40.0, 40.0, 80.0], "{name}");
    }
}

/// Without a queue the window doubles in every round trip; from 640 packets on 1280 that are more
/// than the path holds, and the next round shows it.
#[test]
fn the_window_doubles_until_a_round_trip_shows_a_queue() {
    for text in ["fast?alpha=50", "fast-kernel?alpha=50"] {
        let mut ideal = Ideal::new(text, 10.0);
        let windows: Vec<f64> = (0..7).map(|_| ideal.round()).collect();
        assert_eq!(windows, [20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1_280.0], "{text}");
        let after: Vec<f64> = (0..60).map(|_| ideal.round()).collect();
        assert!(
            after.iter().all(|w| *w <= 1_280.0 * 1.125) && (after[59] - 1_050.0).abs() <= 3.0,
            "{text}: {after:?}"
        );
    }
}

/// The start is over, then half of the window is lost, and the mean forgets the queue within a
/// round.
#[test]
fn on_a_path_that_is_free_again_the_window_doubles_as_published_or_takes_an_eighth() {
    for (mi, least, most) in [("published", 1.99, 2.0), ("start", 1.12, 1.125)] {
        let mut ideal = Ideal::new(&format!("fast?alpha=50&window_pacing=none&mi={mi}"), 10.0);
        ideal.rounds(80);
        let recovering = Feedback { ca_state: CaState::Recovery, ..Feedback::at(ideal.now) };
        ideal.controller.on_feedback(&Feedback {
            congestion: Some(Congestion::Loss),
            acked: &acked(1..2),
            ..recovering
        });
        assert!((ideal.window() - 525.0).abs() < 1.0, "{mi}: half of 1050, not {}", ideal.window());
        let windows = [ideal.round(), ideal.round(), ideal.round()];
        let steps = windows.windows(2).map(|pair| pair[1] / pair[0]);
        let grown = steps.fold(1.0, f64::max);
        assert!((least..=most).contains(&grown), "{mi}: {windows:?}");
    }
}

#[test]
fn parts_of_our_rule_are_refused_with_the_published_one() {
    for (name, part) in [
        ("fast", "free_queue"),
        ("fast", "free_share"),
        ("fast-kernel", "free_queue"),
        ("fast-kernel", "free_share"),
    ] {
        let built = |mi| {
            format!("{name}?mi={mi}&{part}=0.5")
                .parse::<Choice>()
                .unwrap()
                .build(&setup(10.0))
                .map(drop)
        };
        assert_eq!(built("start"), Ok(()));
        let refused = built("published").unwrap_err().to_string();
        assert!(refused.contains(part) && refused.contains("mi=published"), "{refused}");
    }
}

/// Four packets are a queue of 0.4 ms, less than the threshold, but more than half of alpha.
#[test]
fn a_path_on_which_alpha_is_a_short_queue_comes_to_rest() {
    for text in ["fast?alpha=4", "fast-kernel?alpha=4"] {
        let mut ideal = Ideal::new(text, 900.0);
        ideal.rounds(60);
        assert!((ideal.window() - 1_004.0).abs() <= 1.5, "{text}: {}", ideal.window());
    }
}

/// Half of the round trip is queue, so that 20 packets make a queue of ten.
#[test]
fn the_version_of_2002_moves_a_packet_at_a_time_in_every_other_round_trip() {
    let mut ideal = Ideal::new("fast-sc2002?alpha=10", 100.0);
    let mut windows = vec![100.0];
    for _ in 0..40 {
        let window = ideal.controller.decision().window.whole();
        ideal.acknowledge(window, 2.0 * BASE, true);
        windows.push(ideal.window());
    }
    let moves: Vec<bool> = windows.windows(2).map(|pair| pair[0] != pair[1]).collect();
    assert!(moves[2..10].chunks(2).all(|pair| pair[0] != pair[1]), "{windows:?}");
    assert!(
        windows[2..].windows(2).all(|pair| pair[1] >= pair[0] / 2.0 && pair[1] <= pair[0]),
        "{windows:?}"
    );
    assert!((ideal.window() - 20.0).abs() < 1.0, "{windows:?}");
}

/// Up to twice the window, then half of alpha at a time.
#[test]
fn the_version_of_2002_rises_no_faster_than_slow_start_and_by_half_of_alpha() {
    let mut ideal = Ideal::new("fast-sc2002?alpha=50", 10.0);
    let windows: Vec<f64> = (0..9).map(|_| ideal.round()).collect();
    let distinct: Vec<f64> = windows
        .iter()
        .enumerate()
        .filter(|(i, w)| *i == 0 || windows[i - 1] != **w)
        .map(|(_, w)| *w)
        .collect();
    assert!(
        windows.windows(3).all(|three| three[0] == three[1] || three[1] == three[2]),
        "{windows:?}"
    );
    assert_eq!(distinct, [10.0, 20.0, 40.0, 65.0, 90.0]);
}

/// An increase of the law of 2002 is whole after its round trip, and begins in every other one.
#[test]
fn the_version_of_2002_has_the_same_increases_however_they_are_paced() {
    for options in [
        "window_pacing=none",
        "window_pacing=time",
        "window_pacing=event",
        "window_pacing=both",
        "profile=linux",
    ] {
        let mut ideal = Ideal::new(&format!("fast-sc2002?alpha=100&{options}"), 500.0);
        let windows: Vec<f64> = (0..6).map(|_| ideal.round().round()).collect();
        assert_eq!([windows[2], windows[4]], [550.0, 600.0], "{options}: {windows:?}");
    }
}

#[test]
fn forms_of_window_pacing_that_need_a_timer_are_refused_for_the_kernel() {
    for pacing in ["event", "both"] {
        let choice: Choice =
            format!("fast-sc2002?profile=linux&window_pacing={pacing}").parse().unwrap();
        let refused = choice.build(&setup(10.0)).map(drop).unwrap_err().to_string();
        assert!(refused.contains("window_pacing") && refused.contains("no timer"), "{refused}");
    }
}

#[test]
fn increases_are_whole_after_their_round_trip_however_they_are_spread() {
    for (name, pacing) in [
        ("fast", "none"),
        ("fast", "time"),
        ("fast", "event"),
        ("fast", "both"),
        ("fast", "acks"),
        ("fast-kernel", "none"),
        ("fast-kernel", "acks"),
    ] {
        let mut ideal =
            Ideal::new(&format!("{name}?alpha=100&mi_threshold=0&window_pacing={pacing}"), 500.0);
        let windows: Vec<f64> = (0..5).map(|_| ideal.round().round()).collect();
        // Half of alpha at each update, all of it there when the next is made. Without a threshold
        // the path never counts as free.
        assert_eq!([windows[0], windows[2], windows[4]], [500.0, 550.0, 600.0], "{name} {pacing}");
    }
}

#[test]
fn a_loss_halves_the_window_once_and_suspends_updates() {
    let mut ideal = Ideal::new("fast?alpha=100", 1_500.0);
    let recovering = Feedback { ca_state: CaState::Recovery, ..Feedback::at(at(2_000)) };
    ideal.controller.on_feedback(&Feedback {
        congestion: Some(Congestion::Loss),
        acked: &acked(1..2),
        ..recovering
    });
    assert_eq!(ideal.window(), 750.0);
    ideal.controller.on_feedback(&Feedback {
        acked: &acked(2..700),
        rtt: Some(Span::from_millis(150)),
        ..recovering
    });
    assert_eq!(ideal.window(), 750.0);
    // No doubling beyond the threshold that the loss left: without a queue an eighth of the window
    // per update.
    let grown = ideal.round();
    assert!(grown > 750.0 && grown <= 750.0 * 1.125, "{grown}");
    ideal.controller.on_undo(at(3_000));
    assert_eq!(ideal.window(), 1_500.0);
    let kept = Ideal::new("fast?alpha=100&loss_beta=0.875", 1_600.0);
    let mut controller = kept.controller;
    controller.on_feedback(&Feedback { congestion: Some(Congestion::Loss), ..recovering });
    assert_eq!(inspect(&*controller, "cwnd"), 1_400.0);
}

#[test]
fn a_timeout_leaves_two_packets_that_grow_by_slow_start_and_then_double_again() {
    for name in ["fast", "fast-kernel"] {
        let mut ideal = Ideal::new(&format!("{name}?alpha=100"), 600.0);
        ideal.controller.on_timeout(&Timeout::new(at(2_000), 600, 600, false));
        assert_eq!((ideal.window(), inspect(&*ideal.controller, "ssthresh")), (2.0, 300.0));
        let acked = acked(ideal.next..ideal.next + 2);
        ideal.next += 2;
        ideal
            .controller
            .on_feedback(&Feedback { ca_state: CaState::Loss, ..acknowledging(at(2_200), &acked) });
        assert_eq!(ideal.window(), 4.0);
        assert_eq!([ideal.round(), ideal.round()], [8.0, 16.0]);
        ideal.rounds(5);
        assert!(
            (300.0..400.0).contains(&ideal.window()),
            "{name}: doubling ends at the threshold: {}",
            ideal.window()
        );
    }
}

#[test]
fn retransmissions_give_no_round_trip() {
    let mut ideal = Ideal::new("fast?alpha=100", 100.0);
    let mut sent = Sent::new(at(2_000), 0, Bytes::new(1448), 99);
    sent.retransmission = true;
    let tag = ideal.controller.on_sent(&sent);
    let acked = [Acked { tag, ..acked_one(0, true) }];
    ideal.controller.on_feedback(&Feedback {
        acked: &acked,
        rtt: Some(Span::from_millis(1)),
        ..Feedback::at(at(2_001))
    });
    assert_eq!(inspect(&*ideal.controller, "base_rtt_s"), BASE);
}

#[test]
fn a_flow_that_its_window_does_not_limit_does_not_raise_it() {
    let mut ideal = Ideal::new("fast?alpha=100&window_pacing=none", 100.0);
    for number in 1..2_000 {
        let tag =
            ideal.controller.on_sent(&Sent::new(at(2_000 + number), number, Bytes::new(1448), 10));
        let acked = [Acked { tag, ..acked_one(number, false) }];
        let rtt = Some(Span::from_millis(102));
        ideal.controller.on_feedback(&Feedback {
            acked: &acked,
            rtt,
            ..Feedback::at(at(2_100 + number))
        });
        assert!(ideal.window() <= 100.0, "{}", ideal.window());
    }
}

#[test]
fn a_mark_is_a_loss_to_those_who_ask_for_marks() {
    let mut ideal = Ideal::new("fast?alpha=100&ecn", 100.0);
    assert_eq!(ideal.controller.decision().ecn, narrows_wire::Ecn::Ect0);
    ideal.controller.on_feedback(&Feedback {
        congestion: Some(Congestion::Mark),
        ca_state: CaState::Cwr,
        ..Feedback::at(at(2_000))
    });
    assert_eq!(ideal.window(), 50.0);
    acknowledge(&mut *ideal.controller, at(2_100), &[]);
    assert_eq!(ideal.window(), 50.0);
}

/// Flows of one link: alpha, base round trip in seconds, and where their windows begin.
type Flow = (f64, f64, (f64, f64));

/// The queueing delay that windows make on a link of `capacity` packets per second: the rates
/// w/(base + q) fill it.
fn queueing(capacity: f64, flows: &[Flow], windows: &[f64]) -> f64 {
    let rate =
        |q: f64| flows.iter().zip(windows).map(|((_, base, _), w)| w / (base + q)).sum::<f64>();
    let mut low = 0.0;
    let mut high = windows.iter().sum::<f64>() / capacity;
    if rate(0.0) <= capacity {
        return 0.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if rate(middle) > capacity { low = middle } else { high = middle }
    }
    high
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Without delay of the feedback the law contracts: from any two starts windows come to the
    /// same point, rates in proportion to alpha.
    #[test]
    fn windows_come_to_the_same_point_from_any_start(
        flows in prop::collection::vec((10.0..100.0f64, 0.1..0.3f64, (2.0..2_000.0f64, 2.0..2_000.0f64)), 1..8),
        gamma in 0.1..=1.0f64,
        capacity in 200.0..2_000.0f64,
    ) {
        let end = |start: fn(&(f64, f64)) -> f64| {
            let mut windows: Vec<f64> = flows.iter().map(|(_, _, starts)| start(starts)).collect();
            for _ in 0..3_000 {
                let q = queueing(capacity, &flows, &windows);
                for (w, (alpha, base, _)) in windows.iter_mut().zip(&flows) {
                    *w = target(gamma, *w, *w, *base, base + q, *alpha);
                }
            }
            windows
        };
        let first = end(|starts| starts.0);
        let second = end(|starts| starts.1);
        let alphas: f64 = flows.iter().map(|(alpha, ..)| alpha).sum();
        for ((one, other), (alpha, base, _)) in first.iter().zip(&second).zip(&flows) {
            let expected = alpha / alphas * capacity * (base + alphas / capacity);
            prop_assert!((one / expected - 1.0).abs() < 1e-3 && (other / expected - 1.0).abs() < 1e-3, "{one} and {other}, not {expected}");
        }
    }
}
