use super::*;
use crate::registry::Choice;
use crate::testing::inspect;
use crate::{Acked, Congestion, EcnDelta, Lost, RateSample, Recovery, Totals};
use narrows_units::{Bytes, Rate, Span};
use profile::Fraction;

const PROFILES: [&str; 2] = ["bbr3?profile=draft", "bbr3?profile=linux"];

/// A connection over a path of 1000 packets per 120 ms (100 Mbit/s) and 40 ms: a product of 333.3 packets.
struct Flow {
    bbr: Bbr3,
    /// In µs.
    now: u64,
    delivered: u64,
    lost: u64,
}

/// One acknowledgement.
#[derive(Clone, Copy)]
struct Step {
    /// µs since the last.
    after: u64,
    acked: u64,
    /// Packets lost, of those that left with `sent_flight` in flight, and when nothing after `sent_lost` was lost.
    lost: u64,
    /// The flight, itself included, when the acknowledged or lost packets left.
    sent_flight: u32,
    /// How many had been lost by then, before now.
    lost_since: u64,
    /// The rate sample, packets and µs.
    sample: (u32, u64),
    /// True if the sampled packet was sent after the last acknowledgement.
    round: bool,
    app_limited: bool,
    before: u32,
    flight: u32,
    rtt_us: u64,
    recovery: Recovery,
    congestion: Option<Congestion>,
    marked: u32,
}

const STEP: Step = Step {
    after: 1_000,
    acked: 10,
    lost: 0,
    sent_flight: 300,
    lost_since: 0,
    sample: (1_000, 120_000),
    round: false,
    app_limited: false,
    before: 400,
    flight: 400,
    rtt_us: 40_000,
    recovery: Recovery::Open,
    congestion: None,
    marked: 0,
};
const ROUND: Step = Step { round: true, after: 40_000, ..STEP };

impl Flow {
    fn new(text: &str) -> Flow {
        Flow::seeded(text, 1)
    }

    fn seeded(text: &str, seed: u64) -> Flow {
        let setup = Setup { seed, ..Setup::default() };
        let bbr = Bbr3::new(&setup, &text.parse::<Choice>().unwrap().params());
        let mut flow = Flow { bbr, now: 1_000_000, delivered: 0, lost: 0 };
        flow.send(1, false);
        flow
    }

    fn time(&self) -> Time {
        Time::from_nanos(self.now * 1_000)
    }

    /// A packet leaves that makes the flight `flight`.
    fn send(&mut self, flight: u32, app_limited: bool) -> Tag {
        self.bbr.on_sent(&Sent { app_limited, ..Sent::new(self.time(), 0, Bytes::new(1448), flight - 1) })
    }

    fn departed(&mut self, step: Step) -> Tag {
        let lost = self.lost - step.lost_since;
        self.bbr.flights.depart(Departure { flight: step.sent_flight, lost: lost as u32, marked: 0, app_limited: step.app_limited })
    }

    fn ack(&mut self, step: Step) {
        let tag = self.departed(step);
        self.now += step.after;
        let prior_delivered = if step.round { self.delivered } else { 0 };
        self.delivered += step.acked;
        // Every other segment: as many ranges as losses.
        let lost: Vec<Lost> =
            (0..step.lost).map(|lost| Lost { number: 2 * (self.lost + lost), bytes: Bytes::new(1448), sent_at: Time::ZERO, tag }).collect();
        self.lost += step.lost;
        let one = |number| Acked {
            number,
            bytes: Bytes::new(1448),
            sent_at: Time::ZERO,
            rtt: Span::ZERO,
            tag,
            app_limited: step.app_limited,
            window_limited: true,
        };
        self.bbr.on_feedback(&Feedback {
            acked: &(0..step.acked).map(one).collect::<Vec<Acked>>(),
            lost: &lost,
            rtt: Some(Span::from_micros(step.rtt_us)),
            rate: Some(RateSample {
                delivered: step.sample.0,
                interval: Span::from_micros(step.sample.1),
                prior_delivered,
                prior_in_flight: step.before,
                losses: step.lost as u32,
                acked: step.acked as u32,
                app_limited: step.app_limited,
                ack_delayed: false,
            }),
            in_flight_before: step.before,
            in_flight: step.flight,
            totals: Totals { sent: 0, delivered: self.delivered, lost: self.lost },
            ecn: EcnDelta { ce: step.marked, ..EcnDelta::default() },
            srtt: Span::from_micros(step.rtt_us),
            recovery: step.recovery,
            congestion: step.congestion,
            ..Feedback::at(self.time())
        });
    }

    fn window(&self) -> u32 {
        self.bbr.window.get()
    }

    fn gains(&self) -> (u32, u32) {
        (self.bbr.pacing_gain(), self.bbr.window_gain())
    }

    fn bounds(&self) -> (u32, u32) {
        (self.bbr.long_term.get(), self.bbr.short_term.flight())
    }

    /// Through Startup and Drain into `state`, with no bounds.
    fn reach(text: &str, state: State) -> Flow {
        let mut flow = Flow::new(text);
        if state == State::Startup {
            return flow;
        }
        for _ in 0..4 {
            flow.ack(Step { acked: 200, flight: 1_000, ..ROUND });
        }
        assert_eq!(flow.bbr.state, State::Drain);
        if state == State::Drain {
            return flow;
        }
        flow.bbr.start_down();
        flow.ack(STEP);
        assert_eq!(flow.bbr.state, State::Down);
        if state == State::Down {
            return flow;
        }
        // The round after Drain ends the cycle of the maximum filter; this keeps a sample in either.
        flow.ack(Step { before: 300, flight: 300, ..ROUND });
        assert_eq!(flow.bbr.state, State::Cruise);
        if state == State::Cruise {
            return flow;
        }
        flow.ack(Step { after: 3_000_001, ..STEP });
        assert_eq!(flow.bbr.state, State::Refill);
        if state == State::Refill {
            return flow;
        }
        flow.ack(Step { sent_flight: 400, ..ROUND });
        assert_eq!(flow.bbr.state, State::Up);
        flow
    }

    /// In `state`, with a long-term bound.
    fn bounded(text: &str, state: State, bound: u32) -> Flow {
        let mut flow = Flow::reach(text, state);
        flow.bbr.long_term.set(bound);
        flow.ack(Step { after: 0, before: 0, flight: 500, ..STEP });
        flow
    }
}

/// A constant of 1/256 is this number.
fn near(gain: u32, number: f64) {
    assert!((gain as f64 / 256.0 - number).abs() <= 1.0 / 256.0, "{gain}/256 is not {number}");
}

#[test]
fn gains_are_those_of_the_table() {
    let rows = [
        (State::Startup, [2.77, 2.77], [2.0, 2.0]),
        (State::Drain, [0.5, 1.0 / 2.885], [2.0, 2.0]),
        (State::Down, [0.90, 0.91], [2.0, 2.0]),
        (State::Cruise, [1.0, 1.0], [2.0, 2.0]),
        (State::Refill, [1.0, 1.0], [2.0, 2.0]),
        (State::Up, [1.25, 1.25], [2.25, 2.25]),
    ];
    for (state, pacing, window) in rows {
        for (index, text) in PROFILES.iter().enumerate() {
            let (paced, bounded) = Flow::reach(text, state).gains();
            near(paced, pacing[index]);
            near(bounded, window[index]);
        }
    }
    assert_eq!((Flow::new(PROFILES[0]).gains().0, Flow::new(PROFILES[1]).gains().0), (709, 710));
}

#[test]
fn loss_threshold_beta_and_headroom_are_those_of_the_table() {
    let [draft, linux] = [Profile::Draft, Profile::Linux].map(Profile::constants);
    assert_eq!((draft.loss_threshold, linux.loss_threshold), (Fraction(2, 100), Fraction(5, 256)));
    assert_eq!((draft.beta.of(1_000), linux.beta.of(1_000)), (700, 703), "180/256");
    assert_eq!((draft.headroom.of(1_000), linux.headroom.of(1_000)), (150, 148), "38/256");
}

#[test]
fn pacing_is_one_percent_below_the_bandwidth() {
    for text in PROFILES {
        let flow = Flow::reach(text, State::Cruise);
        // 139,811/2^24 packets/µs of 1500 B, 99 %.
        assert_eq!(flow.bbr.decision().pacing, Some(Rate::from_bps(99_000_608)), "{text}");
    }
}

#[test]
fn pacing_only_rises_before_the_pipe_was_full() {
    for text in PROFILES {
        let mut flow = Flow::new(text);
        flow.ack(ROUND);
        let before = flow.bbr.decision().pacing.unwrap();
        flow.bbr.max_bandwidth = MaxBandwidth::default();
        flow.ack(Step { sample: (100, 120_000), ..STEP });
        assert_eq!(flow.bbr.decision().pacing, Some(before));
    }
}

#[test]
fn startup_ends_after_three_rounds_without_growth() {
    for (text, gain) in PROFILES.into_iter().zip([128, 88]) {
        let mut flow = Flow::new(text);
        for _ in 0..3 {
            flow.ack(ROUND);
            flow.ack(STEP);
            assert_eq!(flow.bbr.state, State::Startup);
        }
        flow.ack(ROUND);
        assert_eq!((flow.bbr.state, flow.bbr.pacing_gain()), (State::Drain, gain));
        assert_eq!(flow.bbr.long_term.get(), UNBOUNDED, "no loss, no bound");
    }
}

#[test]
fn rounds_limited_by_the_application_do_not_end_startup() {
    for text in PROFILES {
        let mut flow = Flow::new(text);
        for _ in 0..20 {
            flow.ack(Step { app_limited: true, ..ROUND });
        }
        assert_eq!(flow.bbr.state, State::Startup);
    }
}

/// A round of recovery in which `count` acknowledgements bring a loss each, of `flight` packets in flight.
fn lossy_startup(text: &str, count: u64, flight: u32) -> Flow {
    let mut flow = Flow::new(text);
    flow.ack(Step { sample: (500, 120_000), ..ROUND });
    let repairing = Step { recovery: Recovery::Recovery, sample: (700, 120_000), ..STEP };
    for loss in 0..count {
        flow.ack(Step { lost: 1, congestion: (loss == 0).then_some(Congestion::Loss), ..repairing });
        assert_eq!(flow.bbr.state, State::Startup, "not within the round");
    }
    flow.ack(Step { round: true, sent_flight: flight, lost_since: count, ..repairing });
    flow
}

#[test]
fn startup_ends_by_loss_in_six_places_above_two_percent_in_a_round_of_recovery() {
    for text in PROFILES {
        for (count, flight, ends) in [(6, 290, true), (5, 200, false), (6, 310, false)] {
            let flow = lossy_startup(text, count, flight);
            assert_eq!(flow.bbr.state == State::Drain, ends, "{text}: {count} of {flight}");
            if ends {
                // 700 packets in 120 ms and 40 ms are 234; 700 were delivered in the last round.
                assert_eq!(flow.bbr.long_term.get(), 700);
            }
        }
    }
}

#[test]
fn a_burst_of_losses_in_a_row_does_not_end_startup_in_the_draft() {
    let mut flow = Flow::new(PROFILES[0]);
    flow.ack(ROUND);
    for number in 0..20 {
        flow.bbr.lost_ranges.add(number);
    }
    flow.bbr.note_loss();
    flow.ack(Step { round: true, lost_since: 0, recovery: Recovery::Recovery, ..STEP });
    assert_eq!(flow.bbr.state, State::Startup);
}

#[test]
fn drain_ends_with_the_flight() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Drain);
        flow.ack(Step { flight: 335, ..STEP });
        assert_eq!(flow.bbr.state, State::Drain);
        flow.ack(Step { flight: 334, ..STEP });
        assert!(flow.bbr.state.is_probe_bw(), "{text}");
    }
}

#[test]
fn drain_ends_after_three_rounds_in_the_draft_only() {
    for (text, after) in PROFILES.into_iter().zip([State::Down, State::Drain]) {
        let mut flow = Flow::reach(text, State::Drain);
        for _ in 0..3 {
            flow.ack(Step { flight: 1_000, ..ROUND });
            assert_eq!(flow.bbr.state, State::Drain);
        }
        flow.ack(Step { flight: 1_000, ..ROUND });
        assert_eq!(flow.bbr.state, after, "{text}");
    }
}

#[test]
fn down_ends_when_the_flight_leaves_headroom_and_no_queue() {
    for text in PROFILES {
        for (bound, flight, over) in
            [(UNBOUNDED, 334, true), (UNBOUNDED, 335, false), (1_000, 334, true), (300, 255, true), (300, 257, false)]
        {
            let mut flow = Flow::reach(text, State::Down);
            flow.bbr.long_term.set(bound);
            flow.ack(Step { before: flight, flight, sent_flight: 200, ..STEP });
            assert_eq!(flow.bbr.state == State::Cruise, over, "{text}: {flight} of {bound}");
        }
    }
}

#[test]
fn the_wait_between_probes_is_two_to_three_seconds_and_random() {
    for text in PROFILES {
        let waits: Vec<u64> = (0..50)
            .map(|seed| {
                let mut flow = Flow::seeded(text, seed);
                flow.bbr.start_down();
                let began = flow.now;
                flow.bbr.max_bandwidth.update(139_811, false);
                flow.bbr.full_pipe.set_reached(true);
                flow.bbr.window = Window::new(1_000);
                while flow.bbr.state != State::Refill {
                    flow.ack(Step { after: 1_000, before: 1_000, flight: 1_000, ..STEP });
                }
                flow.now - began
            })
            .collect();
        assert!(waits.iter().all(|wait| (2_000_000..=3_002_000).contains(wait)), "{waits:?}");
        assert!(waits.iter().min().unwrap() < &2_200_000 && waits.iter().max().unwrap() > &2_800_000, "{waits:?}");
    }
}

#[test]
fn a_small_flow_probes_as_often_as_reno_and_none_waits_more_than_63_rounds() {
    for text in PROFILES {
        // A product of 333 packets, cut to 62 to 63; one of 20 by the window.
        for (bound, expected) in [(1_000, 62..=63), (20, 19..=20)] {
            let rounds = (0..20).map(|seed| {
                let mut flow = Flow::seeded(text, seed);
                flow.bbr.max_bandwidth.update(139_811, false);
                flow.bbr.full_pipe.set_reached(true);
                flow.bbr.start_down();
                flow.bbr.short_term.lower_flight(bound);
                flow.bbr.window = Window::new(bound);
                let mut rounds = 0;
                while flow.bbr.state != State::Refill {
                    flow.ack(Step { after: 1_000, before: 1_000, flight: 1_000, acked: 100, sent_flight: 1, ..ROUND });
                    rounds += 1;
                }
                rounds
            });
            let rounds: Vec<u32> = rounds.collect();
            assert!(rounds.iter().all(|rounds| expected.contains(rounds)), "{text}: {rounds:?}");
            assert!(rounds.iter().any(|count| *count != rounds[0]), "random");
        }
    }
}

#[test]
fn refill_lasts_a_round_and_up_follows() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Refill);
        flow.ack(STEP);
        assert_eq!(flow.bbr.state, State::Refill);
        flow.ack(ROUND);
        assert_eq!((flow.bbr.state, flow.bbr.cycle.probe_sample), (State::Up, true));
    }
}

#[test]
fn wrong_often_refill_forgets_the_short_term_bounds() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.bbr.short_term.cut(Fraction(7, 10), 1_000, 100);
        flow.ack(Step { after: 3_000_001, ..STEP });
        assert_eq!(flow.bbr.state, State::Refill);
        assert_eq!((flow.bbr.short_term.bandwidth(), flow.bbr.short_term.flight()), (UNBOUNDED, UNBOUNDED));
    }
}

#[test]
fn up_ends_after_three_rounds_without_growth() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Up);
        for _ in 0..2 {
            flow.ack(Step { sent_flight: 400, ..ROUND });
            assert_eq!(flow.bbr.state, State::Up);
        }
        flow.ack(Step { sent_flight: 400, ..ROUND });
        assert_eq!((flow.bbr.state, flow.bbr.cycle.too_high), (State::Down, false), "{text}");
    }
}

/// As long as it does not rise with each acknowledgement: one that raises it finds the window below it.
#[test]
fn up_lasts_while_the_long_term_bound_is_the_limit() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Refill, 400);
        flow.ack(Step { before: 300, flight: 300, ..ROUND });
        for ack in 1..=7 * 200 {
            let window = flow.window();
            flow.send(window, false);
            flow.ack(Step { acked: 2, after: 200, before: 300, flight: 300, round: ack % 200 == 0, ..STEP });
            assert_eq!(flow.bbr.state, State::Up, "{text}, acknowledgement {ack}");
        }
        assert!(flow.bbr.long_term.get() > 500, "{text}: raised to {}", flow.bbr.long_term.get());
    }
}

#[test]
fn the_long_term_bound_rises_by_1_2_4_packets_a_round() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Refill, 400);
        flow.ack(Step { before: 300, flight: 300, ..ROUND });
        assert_eq!(flow.bbr.state, State::Up);
        let mut bounds = vec![flow.bbr.long_term.get()];
        for _ in 0..5 {
            for part in 0..10 {
                let window = flow.window();
                flow.send(window, false);
                flow.ack(Step { acked: 40, before: 300, flight: 300, round: part == 9, ..STEP });
            }
            bounds.push(flow.bbr.long_term.get());
        }
        let rises: Vec<u32> = bounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for (rise, expected) in rises.iter().zip([1, 2, 4, 8, 16]) {
            assert!(rise.abs_diff(expected) <= 1, "{text}: {rises:?}");
        }
    }
}

#[test]
fn wrong_often_the_long_term_bound_does_not_rise_when_the_window_is_not_the_limit() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Up, 400);
        for _ in 0..2 {
            flow.send(100, false);
            flow.ack(Step { acked: 400, before: 100, flight: 100, ..ROUND });
        }
        assert_eq!(flow.bbr.long_term.get(), 400, "{text}");
    }
}

#[test]
fn a_safe_flight_above_the_bound_raises_it_in_any_state() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Cruise, 400);
        flow.ack(Step { sent_flight: 450, ..STEP });
        assert_eq!(flow.bbr.long_term.get(), 450);
    }
}

#[test]
fn wrong_often_loss_is_judged_by_the_flight_at_send_not_by_the_flight_now() {
    for text in PROFILES {
        // 8 of 400 are 2 %; of the 40 now in flight they would be 20 %.
        let mut flow = Flow::bounded(text, State::Up, 500);
        let limit = if text.ends_with("draft") { 8 } else { 7 };
        flow.ack(Step { lost: limit, sent_flight: 400, before: 48, flight: 40, recovery: Recovery::Recovery, ..STEP });
        assert_eq!((flow.bbr.state, flow.bbr.long_term.get()), (State::Up, 500), "{text}");
        flow.ack(Step { lost: 1, lost_since: limit, sent_flight: 400, before: 40, flight: 40, recovery: Recovery::Recovery, ..STEP });
        assert_ne!(flow.bbr.state, State::Up, "{text}");
    }
}

#[test]
fn the_bound_after_loss_is_the_flight_at_which_it_crossed_the_threshold_within_the_batch() {
    for (text, expected) in PROFILES.into_iter().zip([399, 400]) {
        // Of a batch of 30 losses out of 400 the ninth (the eighth in the kernel: 5/256) crosses; of the 399 packets before it 2 % may be lost, which 8 (7) have been.
        let mut flow = Flow::bounded(text, State::Up, 500);
        flow.ack(Step { lost: 30, sent_flight: 400, before: 430, recovery: Recovery::Recovery, ..STEP });
        assert_eq!((flow.bbr.state, flow.bbr.long_term.get(), flow.bbr.cycle.too_high), (State::Down, expected, true), "{text}");
    }
}

#[test]
fn the_bound_after_loss_is_at_least_beta_of_the_target() {
    for (text, beta) in PROFILES.into_iter().zip([233, 234]) {
        let mut flow = Flow::bounded(text, State::Up, 500);
        flow.ack(Step { lost: 20, sent_flight: 100, before: 430, recovery: Recovery::Recovery, ..STEP });
        // 0.7 of 334, and in the kernel 180/256 of 336.
        let expected = if text.ends_with("draft") { beta } else { 336 * 180 / 256 };
        assert_eq!(flow.bbr.long_term.get(), expected, "{text}");
    }
}

#[test]
fn wrong_often_one_probe_is_answered_once() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Up, 500);
        let lossy = Step { lost: 30, sent_flight: 400, before: 430, recovery: Recovery::Recovery, ..STEP };
        flow.ack(lossy);
        let bound = flow.bbr.long_term.get();
        flow.ack(Step { sent_flight: 300, ..lossy });
        flow.ack(Step { sent_flight: 250, ..lossy });
        assert_eq!(flow.bbr.long_term.get(), bound, "{text}");
    }
}

#[test]
fn a_probe_limited_by_the_application_sets_no_bound() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Up, 500);
        flow.ack(Step { lost: 30, app_limited: true, sent_flight: 400, before: 430, recovery: Recovery::Recovery, ..STEP });
        assert_eq!((flow.bbr.state, flow.bbr.long_term.get()), (State::Down, 500), "{text}");
    }
}

#[test]
fn after_a_probe_that_went_too_high_the_next_stops_at_the_bound_and_if_all_is_well_another_follows_at_once() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Refill, 400);
        flow.bbr.cycle.too_high = true;
        flow.ack(Step { before: 350, ..ROUND });
        assert_eq!(flow.bbr.state, State::Up);
        flow.ack(Step { before: 380, ..STEP });
        assert_eq!(flow.bbr.state, State::Up);
        flow.ack(Step { before: 400, ..STEP });
        assert_eq!((flow.bbr.state, flow.bbr.cycle.too_high), (State::Down, false));
        flow.ack(Step { before: 400, flight: 400, ..ROUND });
        assert_eq!(flow.bbr.state, State::Refill, "{text}");
    }
}

#[test]
fn a_precautionary_probe_that_loses_too_much_is_not_repeated() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, State::Refill, 400);
        flow.bbr.cycle.too_high = true;
        flow.ack(ROUND);
        flow.ack(Step { before: 400, ..STEP });
        assert_eq!(flow.bbr.state, State::Down);
        flow.ack(Step { lost: 30, sent_flight: 400, recovery: Recovery::Recovery, ..STEP });
        assert!(flow.bbr.cycle.too_high);
        flow.ack(Step { recovery: Recovery::Recovery, ..ROUND });
        assert_eq!(flow.bbr.state, State::Down, "{text}");
    }
}

#[test]
fn wrong_often_the_maximum_lasts_two_probing_cycles_however_long() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.ack(STEP);
        let bandwidth = flow.bbr.max_bandwidth.get();
        let slow = Step { sample: (500, 120_000), ..STEP };
        // 60 rounds without a probe: nothing is forgotten.
        for _ in 0..60 {
            flow.ack(Step { sample: (500, 120_000), after: 1_000, ..ROUND });
            assert_eq!(flow.bbr.max_bandwidth.get(), bandwidth);
        }
        // The round after a probe ends the cycle.
        for expected in [bandwidth, bandwidth_ceil(500, 120_000)] {
            flow.bbr.start_down();
            flow.ack(Step { round: true, ..slow });
            assert_eq!(flow.bbr.max_bandwidth.get(), expected, "{text}");
        }
    }
}

#[test]
fn a_round_limited_by_the_application_ends_no_cycle() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        let bandwidth = flow.bbr.max_bandwidth.get();
        for _ in 0..5 {
            flow.bbr.start_down();
            flow.ack(Step { sample: (500, 120_000), app_limited: true, ..ROUND });
        }
        assert_eq!(flow.bbr.max_bandwidth.get(), bandwidth);
    }
}

/// A round with loss that delivers `delivered` packets, at half the bandwidth.
fn lossy_round(flow: &mut Flow, delivered: u32) {
    let step = Step { sample: (delivered, 240_000), recovery: Recovery::Recovery, ..STEP };
    flow.ack(Step { lost: 1, sent_flight: 300, ..step });
    flow.ack(Step { round: true, after: 100, ..step });
}

#[test]
fn loss_outside_probing_keeps_beta_or_what_the_round_delivered() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.ack(STEP);
        let (window, beta) = (flow.window(), flow.bbr.constants.beta);
        lossy_round(&mut flow, 100);
        // What the round before delivered still counts: it ended with the loss.
        let first = flow.bbr.short_term.flight();
        assert!(first >= beta.of(window) && first < window.max(1_001), "{text}: {first} of {window}");
        flow.bbr.short_term.reset_signals();
        let bandwidth = flow.bbr.short_term.bandwidth();
        lossy_round(&mut flow, 100);
        assert_eq!(flow.bbr.short_term.flight(), beta.of(first).max(100), "{text}");
        assert_eq!(flow.bbr.short_term.bandwidth(), beta.of(bandwidth).max(bandwidth_ceil(100, 240_000)));
        assert_eq!(flow.bbr.bandwidth(), flow.bbr.short_term.bandwidth());
        assert_eq!(flow.window(), flow.bbr.short_term.flight().min(flow.window()));
    }
}

#[test]
fn loss_while_probing_sets_no_short_term_bound() {
    for text in PROFILES {
        for (state, bounded) in
            [(State::Startup, false), (State::Refill, false), (State::Up, false), (State::Down, true), (State::Cruise, true)]
        {
            let mut flow = Flow::reach(text, state);
            flow.ack(Step { lost: 1, recovery: Recovery::Recovery, ..STEP });
            assert!(flow.bbr.short_term.loss_in_round());
            flow.ack(Step { recovery: Recovery::Recovery, lost_since: 1, ..ROUND });
            assert!(!flow.bbr.short_term.loss_in_round(), "the round is over");
            assert_eq!(flow.bbr.short_term.flight() != UNBOUNDED, bounded, "{text} {state:?}");
        }
    }
}

#[test]
fn one_round_with_many_losses_cuts_once() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.bbr.short_term.bound_flight(300);
        flow.bbr.short_term.reset_signals();
        let step = Step { sample: (50, 240_000), recovery: Recovery::Recovery, ..STEP };
        for _ in 0..10 {
            flow.ack(Step { lost: 1, sent_flight: 300, after: 100, ..step });
        }
        flow.ack(Step { round: true, after: 100, ..step });
        assert_eq!(flow.bbr.short_term.flight(), flow.bbr.constants.beta.of(300), "{text}");
    }
}

#[test]
fn the_window_is_capped_by_the_bounds_of_its_state() {
    for text in PROFILES {
        let headroom = if text.ends_with("draft") { 255 } else { 300 - 300 * 38 / 256 };
        for (state, cap) in [(State::Down, 300), (State::Cruise, headroom), (State::Refill, 300), (State::Up, 300)] {
            let mut flow = Flow::reach(text, state);
            flow.bbr.long_term.set(300);
            flow.ack(Step { acked: 1, ..STEP });
            assert_eq!((flow.bbr.state, flow.window()), (state, cap), "{text}");
            flow.bbr.short_term.lower_flight(200);
            flow.ack(Step { acked: 1, ..STEP });
            assert_eq!(flow.window(), 200);
            flow.bbr.short_term.lower_flight(2);
            flow.ack(Step { acked: 1, ..STEP });
            assert_eq!(flow.window(), 4, "the floor");
        }
    }
}

#[test]
fn probe_rtt_comes_five_seconds_after_the_least_round_trip_with_half_a_product_for_200_ms_and_a_round() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.bbr.window = Window::new(600);
        flow.ack(Step { rtt_us: 39_000, ..STEP });
        let (stamp, later) = (flow.now, Step { rtt_us: 41_000, after: 40_000, before: 320, flight: 320, ..STEP });
        while flow.now + 40_000 <= stamp + 5_000_000 {
            flow.ack(later);
            assert_ne!(flow.bbr.state, State::ProbeRtt);
        }
        flow.ack(Step { after: stamp + 5_000_001 - flow.now, ..later });
        // Half of 325 packets: the product by the least round trip of ten seconds.
        assert_eq!((flow.bbr.state, flow.window(), flow.bbr.pacing_gain()), (State::ProbeRtt, 163, 256), "{text}");
        let slow = Step { sample: (10, 40_000), after: 1_000, ..later };
        flow.ack(Step { flight: 164, ..slow });
        flow.ack(Step { flight: 163, ..slow });
        let emptied = flow.now;
        flow.ack(Step { after: 200_001, flight: 163, ..slow });
        assert_eq!(flow.bbr.state, State::ProbeRtt, "the time is over, the round is not");
        flow.ack(Step { after: 0, round: true, flight: 163, ..slow });
        assert_eq!((flow.now, flow.bbr.state), (emptied + 200_001, State::Cruise));
        assert!(flow.window() >= 600, "restored: {}", flow.window());
        assert_eq!(flow.bbr.max_bandwidth.get(), 139_811, "what was sent meanwhile says nothing of the bandwidth");
    }
}

#[test]
fn wrong_often_probe_rtt_is_not_left_without_a_whole_round() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.ack(Step { after: 5_000_001, rtt_us: 41_000, ..STEP });
        assert_eq!(flow.bbr.state, State::ProbeRtt);
        // The round of a packet sent before the flight was small does not count.
        flow.ack(Step { flight: 100, ..ROUND });
        for _ in 0..10 {
            flow.ack(Step { after: 100_000, flight: 100, ..STEP });
            assert_eq!(flow.bbr.state, State::ProbeRtt, "{text}");
        }
        flow.ack(Step { after: 0, flight: 100, ..ROUND });
        assert_eq!(flow.bbr.state, State::Cruise);
    }
}

#[test]
fn probe_rtt_ends_with_cleared_short_term_bounds_and_before_the_pipe_was_full_in_startup() {
    for text in PROFILES {
        for (state, after) in [(State::Cruise, State::Cruise), (State::Startup, State::Startup)] {
            let mut flow = Flow::reach(text, state);
            flow.ack(STEP);
            flow.ack(Step { after: 5_000_001, rtt_us: 41_000, ..STEP });
            assert_eq!(flow.bbr.state, State::ProbeRtt);
            flow.bbr.short_term.cut(Fraction(1, 2), 100_000, 100);
            flow.ack(Step { flight: 4, ..STEP });
            flow.ack(Step { after: 200_001, flight: 4, ..ROUND });
            assert_eq!((flow.bbr.state, flow.bbr.short_term.flight()), (after, UNBOUNDED), "{text}");
        }
    }
}

#[test]
fn an_idle_flow_restarts_at_the_bandwidth_and_does_not_probe_the_round_trip() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Up);
        let paced = |flow: &Flow| flow.bbr.decision().pacing.unwrap().as_bps() as f64 / 99e6;
        assert!((paced(&flow) - 1.25).abs() < 0.001);
        flow.now += 20_000_000;
        flow.send(1, true);
        assert!((paced(&flow) - 1.0).abs() < 0.001, "{text}: {}", paced(&flow));
        flow.ack(Step { rtt_us: 45_000, ..ROUND });
        assert_ne!(flow.bbr.state, State::ProbeRtt);
        assert_eq!(flow.bbr.min_rtt.get(), Some(45_000));
    }
}

#[test]
fn probe_rtt_may_end_while_idle() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.ack(Step { after: 5_000_001, flight: 0, rtt_us: 41_000, ..STEP });
        assert_eq!(flow.bbr.state, State::ProbeRtt);
        flow.now += 200_001;
        flow.send(1, true);
        assert_eq!(flow.bbr.state, State::Cruise);
    }
}

#[test]
fn a_timeout_keeps_the_bandwidth_and_restores_the_window_after_repair() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        for _ in 0..50 {
            flow.ack(Step { acked: 20, before: 0, ..STEP });
        }
        let (good, bandwidth) = (flow.window(), flow.bbr.bandwidth());
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 400, 400, false));
        flow.lost += 400;
        assert_eq!((flow.window(), flow.bbr.bandwidth()), (1, bandwidth));
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 1, 1, true));
        flow.lost += 1;
        flow.ack(Step { recovery: Recovery::Loss, acked: 1, ..STEP });
        assert_eq!(flow.window(), 4);
        flow.ack(Step { recovery: Recovery::Loss, acked: 3, ..STEP });
        assert_eq!(flow.window(), 7);
        flow.ack(STEP);
        assert!(flow.window() >= good, "{text}: {} of {good}", flow.window());
    }
}

#[test]
fn a_timeout_of_a_probe_sets_the_bound() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Up);
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 420, 420, false));
        assert_eq!((flow.bbr.state, flow.bbr.long_term.get()), (State::Down, 420), "{text}");
    }
}

#[test]
fn undo_restores_bounds_and_in_the_draft_the_state() {
    for (text, after) in PROFILES.into_iter().zip([State::Refill, State::Down]) {
        let mut flow = Flow::bounded(text, State::Up, 500);
        let window = flow.window();
        let spurious = Step { congestion: Some(Congestion::Loss), recovery: Recovery::Recovery, ..STEP };
        flow.ack(Step { lost: 30, sent_flight: 300, before: 430, ..spurious });
        assert_eq!(flow.bbr.state, State::Down);
        assert!(flow.bbr.long_term.get() < 500);
        flow.bbr.on_undo(flow.time());
        assert_eq!((flow.bbr.state, flow.bounds()), (after, (500, UNBOUNDED)), "{text}");
        assert!(flow.window() >= window);
    }
}

#[test]
fn undo_of_the_loss_that_ended_startup_returns_to_it_in_the_draft() {
    for (text, after) in PROFILES.into_iter().zip([State::Startup, State::Drain]) {
        let mut flow = lossy_startup(text, 6, 290);
        assert_eq!(flow.bbr.state, State::Drain);
        flow.bbr.on_undo(flow.time());
        assert_eq!((flow.bbr.state, flow.bbr.full_pipe.reached()), (after, after == State::Drain), "{text}");
        assert_eq!(flow.bbr.long_term.get(), UNBOUNDED);
    }
}

#[test]
fn a_repaired_tail_probe_is_a_loss_of_one_packet() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Cruise);
        flow.ack(Step { congestion: Some(Congestion::Loss), ..STEP });
        assert!(flow.bbr.short_term.loss_in_round(), "{text}");
    }
}

#[test]
fn aggregation_is_remembered_for_a_round_in_startup_and_ten_after() {
    // 100 packets in an acknowledgement where 10 were due; later 10 with each, as due.
    for (text, kept) in PROFILES.into_iter().zip([8..=11, 5..=10]) {
        let mut flow = Flow::reach(text, State::Cruise);
        let even = Step { acked: 333, before: 320, flight: 320, after: 40_000, ..ROUND };
        for _ in 0..20 {
            flow.ack(even);
        }
        flow.ack(Step { acked: 433, ..even });
        let large = flow.bbr.aggregated(139_811);
        let mut rounds = 0;
        while flow.bbr.aggregated(139_811) >= large {
            flow.ack(Step { acked: 1, ..even });
            rounds += 1;
        }
        assert!(kept.contains(&rounds), "{text}: {rounds}");
        let mut flow = Flow::new(text);
        let starting = Step { app_limited: true, ..ROUND };
        flow.ack(starting);
        flow.ack(Step { acked: 433, ..starting });
        let large = flow.bbr.aggregated(139_811);
        for _ in 0..3 {
            flow.ack(Step { acked: 1, ..starting });
        }
        assert!(!flow.bbr.full_pipe.reached());
        assert!(flow.bbr.aggregated(139_811) < large, "{text}");
    }
}

#[test]
fn the_quantum_is_a_millisecond_and_in_the_kernel_more_at_short_round_trips() {
    for (text, expected) in PROFILES.into_iter().zip([8, 45]) {
        let mut flow = Flow::new(text);
        flow.ack(Step { rtt_us: 400, ..ROUND });
        for _ in 0..4 {
            flow.ack(Step { rtt_us: 400, flight: 1_000, ..ROUND });
        }
        flow.bbr.state = State::Cruise;
        flow.ack(Step { rtt_us: 400, flight: 1_000, ..STEP });
        assert_eq!(flow.bbr.decision().quantum.get(), expected * 1_500, "{text}");
    }
}

#[test]
fn marks_cut_the_flight_by_a_third_of_their_share() {
    for (text, answered) in [("bbr3?profile=linux&ecn", true), ("bbr3?profile=linux", false)] {
        let mut flow = Flow::reach(text, State::Cruise);
        let short = Step {
            rtt_us: 4_000,
            before: 20,
            flight: 20,
            sent_flight: 20,
            after: 4_000,
            recovery: Recovery::Cwr,
            sample: (1, 120_000),
            ..ROUND
        };
        for _ in 0..3 {
            flow.ack(short);
        }
        flow.bbr.short_term.bound_flight(200);
        flow.ack(Step { round: false, marked: 5, after: 100, ..short });
        flow.ack(short);
        let alpha = flow.bbr.marks.as_ref().map_or(0, Marks::alpha);
        let expected = 200 * (256 - ((alpha * 85) >> 8)) / 256;
        assert_eq!(expected < 200, answered);
        let flight = flow.bbr.short_term.flight();
        assert_eq!(flight, expected, "{text}");
        assert_eq!(flow.bbr.decision().ecn, if answered { Ecn::Ect0 } else { Ecn::NotEct });
    }
}

#[test]
fn when_marks_cease_without_loss_the_next_probe_comes_at_once_and_steeply() {
    let mut flow = Flow::bounded("bbr3?profile=linux&ecn", State::Cruise, 300);
    let short = Step { rtt_us: 4_000, before: 80, flight: 80, sent_flight: 80, after: 4_000, ..ROUND };
    flow.ack(Step { recovery: Recovery::Cwr, ..short });
    flow.ack(Step { recovery: Recovery::Cwr, marked: 5, ..short });
    assert_eq!(flow.bbr.state, State::Cruise, "while it answers the mark");
    flow.ack(Step { after: 100, round: false, ..short });
    assert_eq!(flow.bbr.state, State::Refill);
    // Half of 300 packets: 2^7 in the first round.
    flow.bbr.long_term.steepen(1_024);
    flow.bbr.long_term.grow(1_024);
    assert_eq!(flow.bbr.long_term.get(), 300 + 128);
}

#[test]
fn wrong_often_profiles_are_named_and_the_draft_is_the_default() {
    assert_eq!(Flow::new("bbr3").bbr.profile, Profile::Draft);
    assert_eq!(Flow::new("bbr3?profile=linux").bbr.profile, Profile::Linux);
    assert!(Flow::new("bbr3").bbr.marks.is_none());
}

#[test]
fn wrong_often_the_cycle_has_four_phases_and_probes_once() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, State::Down);
        let mut phases = vec![flow.bbr.pacing_gain()];
        for _ in 0..600 {
            let flight = if flow.bbr.state == State::ProbeRtt { 100 } else { 330 };
            flow.ack(Step { before: flight, flight, sent_flight: flight, ..ROUND });
            let gain = flow.bbr.pacing_gain();
            if flow.bbr.state.is_probe_bw() && phases.last() != Some(&gain) {
                phases.push(gain);
            }
        }
        let down = flow.bbr.constants.down_pacing;
        assert!(phases.chunks(3).all(|cycle| [down, 256, 320].starts_with(cycle)), "{text}: {phases:?}");
        assert!(phases.len() > 6, "{phases:?}");
    }
}

#[test]
fn state_is_visible() {
    let flow = Flow::bounded(PROFILES[0], State::Up, 300);
    assert_eq!(inspect(&flow.bbr, "inflight_longterm"), 300.0);
    assert_eq!(inspect(&flow.bbr, "pacing_gain"), 1.25);
    assert!(inspect(&flow.bbr, "inflight_shortterm").is_nan());
}
