//! States and transitions.

use super::*;
use C4State::{Cruising, Probing, Pushing, Recovery, Resuming};

/// Delivers at a rate that is not above the nominal one.
const STILL: Step = Step { delivered: 49, ..STEP };
/// 60 packets in 40 ms: 1.5 MB/s.
const FASTER: Step = Step { delivered: 60, ..STEP };

#[test]
fn measurements_only_raise_the_rate_and_not_in_congested_recovery() {
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    flow.ack(STILL);
    assert_eq!(flow.rate(), 1.25);
    flow.ack(FASTER);
    assert_eq!(flow.rate(), 1.5);
    // The send duration is longer than the time since the newest packet left.
    let mut sample = RateSample::over(100, Span::from_millis(40), 0);
    sample.send_interval = Span::from_millis(50);
    let acked = [Acked { rtt: Span::from_millis(40), ..crate::testing::acked_one(0, true) }];
    let feedback = Feedback { acked: &acked, rate: Some(sample), ..Feedback::at(at(1)) };
    assert_eq!(measured(&feedback, 1000.0, Samples::Departure), Some(2e6));
    // The delivery before the packet left was 10 ms earlier.
    sample.interval = Some(Span::from_millis(50));
    sample.send_interval = Span::from_millis(20);
    let feedback = Feedback { rate: Some(sample), ..feedback };
    assert_eq!(measured(&feedback, 1000.0, Samples::Delivery), Some(2e6));
    assert_eq!(measured(&feedback, 1000.0, Samples::Departure), Some(2.5e6));
    let mut flow = Flow::reach(DRAFT, Recovery, 1.0);
    flow.c4.congested = true;
    flow.ack(FASTER);
    assert_eq!(flow.rate(), 1.25);
}

#[test]
fn initial_ends_after_three_eras_without_growth_with_half_of_its_window() {
    for text in [DRAFT, PICOQUIC] {
        let mut flow = Flow::new(text);
        flow.send(10);
        flow.end_era(Step { delivered: 40, ..STEP });
        assert_eq!(flow.rate(), 1.0, "{text}");
        // Growth by less than a quarter does not count.
        for flat in 1..=2 {
            flow.end_era(Step { delivered: 40 + flat, ..STEP });
            assert_eq!((flow.c4.state, flow.c4.initial.flat_eras), (C4State::Initial, flat));
        }
        flow.end_era(Step { delivered: 51, ..STEP });
        assert_eq!((flow.c4.state, flow.c4.alpha), (Recovery, 15.0 / 16.0), "{text}");
    }
    // 200 kB at 1 MB/s: half of 200 ms.
    let mut flow = Flow::new(DRAFT);
    flow.c4.rate.set(1e6);
    flow.c4.initial.window = 200_000.0;
    assert!(flow.c4.leave_initial(false));
    assert_eq!(flow.c4.rtts.max(), Some(Span::from_millis(100)));
    assert!(!Flow::new(DRAFT).c4.leave_initial(false), "not without a rate");
}

#[test]
fn eras_that_the_application_limits_do_not_end_initial() {
    let mut flow = Flow::new(DRAFT);
    flow.send(10);
    for _ in 0..20 {
        flow.end_era(Step { app_limited: true, ..STEP });
    }
    assert_eq!((flow.c4.state, flow.c4.initial.flat_eras), (C4State::Initial, 0));
}

#[test]
fn delay_ends_initial_after_two_eras_without_growth_and_loss_after_twenty_packets() {
    for (flat_eras, state) in [(1, C4State::Initial), (2, Recovery)] {
        let mut flow = Flow::reach(DRAFT, C4State::Initial, 2.0);
        flow.c4.initial.flat_eras = flat_eras;
        flow.send(10);
        flow.ack(Step { rtt: 80, ..STILL });
        assert_eq!(flow.c4.state, state);
        assert_eq!((flow.rate(), flow.c4.congested), (1.25, state == Recovery));
    }
    for (packets, state) in [(20, C4State::Initial), (21, Recovery)] {
        let mut flow = Flow::reach(DRAFT, C4State::Initial, 2.0);
        (0..packets).for_each(|_| flow.ack(STILL));
        flow.lose(50);
        assert_eq!(flow.c4.state, state, "{packets}");
    }
}

#[test]
fn cruising_lasts_two_eras_and_probes_unless_limited() {
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    flow.end_era(STILL);
    assert_eq!(flow.c4.state, Cruising);
    flow.end_era(Step { app_limited: true, ..STILL });
    flow.end_era(Step { app_limited: true, ..STILL });
    assert_eq!(flow.c4.state, Cruising);
    flow.end_era(STILL);
    assert_eq!((flow.c4.state, flow.c4.alpha), (Probing, 17.0 / 16.0));
    flow.end_era(STILL);
    assert_eq!(flow.c4.state, Recovery);
}

#[test]
fn a_probe_after_a_mark_is_half_as_large() {
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    flow.c4.marks.count(EcnDelta { ce: 1, ect1: 99, ..EcnDelta::default() });
    flow.end_era(STILL);
    flow.end_era(STILL);
    assert_eq!((flow.c4.state, flow.c4.alpha), (Probing, 33.0 / 32.0));
}

#[test]
fn a_probe_succeeds_if_the_rate_rose_without_congestion() {
    for (step, congested, next) in
        [(FASTER, false, Pushing), (STILL, false, Cruising), (FASTER, true, Cruising)]
    {
        let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
        flow.c4.probe();
        flow.end_era(STILL);
        flow.c4.congested = congested;
        flow.ack(step);
        flow.end_era(STILL);
        assert_eq!(flow.c4.state, next);
    }
}

#[test]
fn pushing_goes_on_at_nineteen_sixteenths_and_leads_to_initial_after_three_eras() {
    // In packets per 160 ms: 160 are 1 MB/s.
    let push = |second, third| {
        let mut flow = Flow::reach(DRAFT, Pushing, 15.0 / 16.0);
        flow.c4.rtts.set_max(Span::from_millis(200));
        flow.c4.rate.set(1e6);
        flow.c4.begin_era();
        flow.end_era(Step { rtt: 160, delivered: 160, ..STEP });
        assert_eq!((flow.c4.state, flow.c4.alpha), (Pushing, 1.25), "the first era counts nothing");
        flow.end_era(Step { rtt: 160, delivered: second, ..STEP });
        let state = flow.c4.state;
        flow.end_era(Step { rtt: 160, delivered: third, ..STEP });
        (state, flow.c4.state)
    };
    // 1.1875 MB/s are 190, and 226 are 19/16 of that.
    assert_eq!(push(189, 0).0, Recovery);
    assert_eq!(push(190, 225), (Pushing, Recovery));
    assert_eq!(push(190, 226), (Pushing, C4State::Initial));
}

#[test]
fn signals_cut_the_rate_from_cruising_only() {
    // The threshold at 1.25 MB/s and 40 ms is (1/16 + 0.0778 · 3/16) · 40 = 3.0833 ms.
    for (state, rate) in [(Cruising, 1.25 * 0.75), (Probing, 1.25), (Pushing, 1.25)] {
        let mut flow = Flow::reach(DRAFT, state, 1.0);
        flow.ack(Step { rtt: 43, ..STILL });
        assert_eq!(flow.c4.state, state, "43 ms are within the threshold");
        flow.ack(Step { rtt: 60, ..STILL });
        assert_eq!((flow.c4.state, flow.c4.congested), (Recovery, true));
        near(flow.rate(), rate);
    }
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    flow.lose(0);
    // One loss in a row is 0.0625, and the threshold 0.02 + 0.5 · 0.0778 = 0.0589.
    near(flow.rate(), 1.25 * 0.75);
}

#[test]
fn recovery_drains_at_the_second_report_and_lasts_an_era_more() {
    let mut flow = Flow::reach(DRAFT, Probing, 1.0);
    flow.send(5);
    flow.ack(Step { rtt: 60, ..STILL });
    assert_eq!((flow.c4.state, flow.c4.alpha), (Recovery, 15.0 / 16.0));
    flow.send(2);
    flow.ack(Step { rtt: 60, ..STILL });
    assert_eq!((flow.c4.alpha, flow.c4.era.first), (7.0 / 8.0, 107));
    flow.send(1);
    flow.ack_of(106, STILL);
    assert_eq!(flow.c4.state, Recovery);
    flow.ack_of(107, STILL);
    assert_eq!(flow.c4.state, Cruising);
    // After a cut of Cruising the same delay is the same congestion, and losses of before are, too.
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    flow.send(5);
    flow.ack(Step { rtt: 60, ..STILL });
    flow.ack(Step { rtt: 60, ..STILL });
    flow.lose(104);
    assert_eq!((flow.c4.state, flow.c4.alpha), (Recovery, 15.0 / 16.0));
    // At 0.94 MB/s it takes two losses in a row.
    flow.lose(105);
    assert_eq!(flow.c4.alpha, 15.0 / 16.0);
    flow.lose(106);
    assert_eq!(flow.c4.alpha, 7.0 / 8.0);
}

#[test]
fn two_congested_recoveries_in_a_row_take_the_recent_rate() {
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    for (rate, recent) in [(1.25, 0.8), (0.7, 0.7)] {
        flow.c4.state = Cruising;
        flow.c4.enter_recovery(true);
        flow.c4.rate.take(recent * 1e6, false);
        flow.end_era(Step { delivered: 1, ..STEP });
        near(flow.rate(), if rate == 1.25 { 1.25 } else { 0.7 });
    }
    flow.c4.state = Cruising;
    flow.c4.enter_recovery(false);
    flow.end_era(Step { delivered: 1, app_limited: true, ..STEP });
    assert_eq!(flow.c4.successive, 0);
}

#[test]
fn a_rate_that_did_not_grow_is_trimmed_to_the_mean_with_the_recent_one() {
    // 1.0 and 0.9: 0.95.
    let trim = |limited, congested| {
        let mut flow = Flow::reach(DRAFT, Probing, 1.0);
        flow.c4.rate.set(1e6);
        flow.c4.cycle.rate = 1e6;
        flow.c4.rate.take(0.9e6, true);
        flow.c4.enter_recovery(congested);
        flow.end_era(Step { delivered: 36, app_limited: limited, ..STEP });
        flow.rate()
    };
    near(trim(false, false), 0.95);
    near(trim(true, false), 1.0);
    near(trim(false, true), 1.0);
}

#[test]
fn high_jitter_begins_initial_again_from_the_nominal_window() {
    let mut flow = Flow::reach(DRAFT, Recovery, 1.0);
    flow.ack(Step { rtt: 99, ..STILL });
    flow.end_era(Step { delivered: 48, ..STEP });
    // 2/5 of 99 ms are 39.6: not above the 40 ms that are the least.
    assert_eq!(flow.c4.state, Cruising);
    let mut flow = Flow::reach(DRAFT, Recovery, 1.0);
    flow.ack(Step { rtt: 101, ..STILL });
    flow.end_era(Step { delivered: 48, ..STEP });
    assert_eq!(flow.c4.state, C4State::Initial);
    // The rate was trimmed to the mean of 1.25 and 1.2 MB/s.
    near(flow.c4.window(), 2.0 * 1.225e6 * 0.101);
    // Packets sent faster than the nominal rate say nothing of jitter.
    let mut flow = Flow::reach(DRAFT, Recovery, 17.0 / 16.0);
    flow.c4.rtts.set_max(Span::from_millis(101));
    flow.end_era(Step { delivered: 48, ..STEP });
    assert_eq!(flow.c4.state, Cruising);
    // picoquic: in every state, at rates below 1 MB/s, once.
    let mut flow = Flow::reach(PICOQUIC, Cruising, 1.0);
    flow.ack(Step { rtt: 101, ..STILL });
    flow.end_era(STILL);
    assert_ne!(flow.c4.state, C4State::Initial);
    flow.c4.rate.set(0.9e6);
    flow.ack(Step { delivered: 36, rtt: 101, ..STEP });
    flow.end_era(Step { delivered: 36, ..STEP });
    assert_eq!(flow.c4.state, C4State::Initial);
}

#[test]
fn resuming_sends_what_was_saved_for_two_eras() {
    let open = |rtt: u64, saved: u64| {
        let mut c4 = c4(DRAFT);
        c4.saved = Some(Saved {
            rtt: Span::from_millis(saved),
            window: Segments::new(300.0),
            age: Span::from_secs(60),
        });
        c4.on_open(&Open::new(at(1000), Span::from_millis(rtt)));
        Flow { c4, ms: 1000 }
    };
    let mut flow = open(600, 600);
    assert_eq!((flow.c4.state, flow.c4.window()), (Resuming, 300_000.0));
    near(flow.c4.pacing().unwrap(), 500_000.0);
    flow.send(300);
    // 17/16 of 282 packets are less than the window: the era begins again.
    flow.ack_of(0, Step { rtt: 600, in_flight: 282, ..STEP });
    assert_eq!(flow.c4.era.first, 300);
    for _ in 0..2 {
        assert_eq!(flow.c4.state, Resuming);
        flow.end_era(Step { rtt: 600, in_flight: 283, ..STEP });
    }
    assert_eq!(flow.c4.state, Recovery);
    assert_eq!(open(299, 600).c4.state, C4State::Initial, "another path");
    let mut flow = open(600, 600);
    flow.send(300);
    flow.ack_of(0, Step { rtt: 700, delivered: 300, ..STEP });
    assert_eq!((flow.c4.state, flow.c4.congested), (Recovery, true));
    assert_eq!(inspect(&flow.c4, "state"), 2.0);
}

#[test]
fn a_saved_path_is_the_nominal_rate_over_the_least_round_trip() {
    let flow = Flow::reach(DRAFT, Cruising, 1.0);
    let saved = flow.c4.saved().unwrap();
    assert_eq!((saved.rtt, saved.window.get()), (Span::from_millis(40), 50.0));
    assert!(Flow::new(DRAFT).c4.saved().is_none());
}

#[test]
fn picoquic_pushes_after_a_success_and_begins_again_after_three() {
    let mut flow = Flow::reach(PICOQUIC, Cruising, 1.0);
    flow.end_era(STILL);
    assert_eq!(flow.c4.state, Probing);
    flow.end_era(STILL);
    flow.ack(FASTER);
    flow.end_era(STILL);
    assert_eq!((flow.c4.state, flow.rate()), (Pushing, 1.5));
    // Not fast in the first era: Recovery, and another push since the rate grew by 6 %.
    flow.c4.rtts.set_max(Span::from_millis(100));
    flow.end_era(Step { delivered: 64, ..STEP });
    assert_eq!(flow.c4.state, Recovery);
    flow.end_era(STILL);
    assert_eq!(flow.c4.state, Pushing);
    flow.end_era(Step { delivered: 70, ..STEP });
    flow.end_era(STILL);
    assert_eq!(flow.c4.state, C4State::Initial);
}

#[test]
fn picoquic_answers_delay_only_of_packets_sent_faster_than_the_nominal_rate() {
    let mut flow = Flow::reach(PICOQUIC, Cruising, 1.0);
    flow.ack(Step { rtt: 80, ..STILL });
    assert_eq!(flow.c4.state, Cruising);
    flow.c4.era.alpha_before = PROBING;
    flow.ack(Step { rtt: 80, ..STILL });
    assert_eq!(flow.c4.state, Recovery);
    // A loss takes the same part off the longest round trip.
    let mut flow = Flow::reach(PICOQUIC, Cruising, 1.0);
    flow.lose(0);
    assert_eq!(flow.c4.state, Recovery);
    let part = 1.0 - flow.rate() / 1.25;
    near(part, (1.0 + Sensitivity::at(1.25e6, flow.c4.constants).get()) / 8.0);
    // Spans are whole nanoseconds.
    let longest = flow.c4.rtts.max().unwrap().as_millis_f64();
    assert!((longest - 40.0 * (1.0 - part)).abs() < 1e-6, "{longest}");
}

#[test]
fn timeouts_change_nothing() {
    let mut flow = Flow::reach(DRAFT, Cruising, 1.0);
    let before = flow.c4.decision();
    flow.c4.on_timeout(&Timeout::new(at(5000), 50, 50, false));
    flow.c4.on_undo(at(5000));
    assert_eq!(flow.c4.decision(), before);
}

/// The published fault: measurements lower the rate, as the draft's pseudocode says.
#[test]
fn with_the_inequality_reversed_no_rate_is_ever_known() {
    let setup = Setup { mss: Bytes::new(1000), headers: Bytes::new(40), ..setup(10.0) };
    #[cfg(feature = "mutants")]
    {
        use crate::parts::mutated::Mutation;
        let params = DRAFT.parse::<Choice>().unwrap().params();
        let c4 = C4::mutant(&setup, &params, Mutated(Some(Mutation::LowerRate)));
        let mut flow = Flow { c4, ms: 1000 };
        flow.send(10);
        for _ in 0..10 {
            flow.end_era(FASTER);
        }
        assert_eq!((flow.c4.state, flow.rate()), (C4State::Initial, 0.0));
        assert_eq!(flow.c4.decision().pacing, None);
    }
    let mut flow = Flow { c4: c4(DRAFT), ms: 1000 };
    flow.c4.mss = setup.mss.get() as f64;
    flow.send(10);
    flow.end_era(FASTER);
    assert_eq!(flow.rate(), 1.5);
}
