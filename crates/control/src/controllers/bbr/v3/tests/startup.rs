//! Startup and Drain.

use super::*;

#[test]
fn startup_ends_after_three_rounds_without_growth() {
    for (text, gain) in PROFILES.into_iter().zip([50, 88]) {
        let mut flow = Flow::new(text);
        for _ in 0..3 {
            flow.ack(ROUND);
            flow.ack(STEP);
            assert_eq!(flow.bbr.state, BbrState::Startup);
        }
        flow.ack(ROUND);
        assert_eq!((flow.bbr.state, flow.bbr.pacing_gain()), (BbrState::Drain, gain));
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
        assert_eq!(flow.bbr.state, BbrState::Startup);
    }
}

#[test]
fn startup_ends_by_loss_in_six_places_above_two_percent_in_a_round_of_recovery() {
    for text in PROFILES {
        for (count, flight, ends) in [(6, 290, true), (5, 200, false), (6, 310, false)] {
            let flow = lossy_startup(text, count, flight);
            assert_eq!(flow.bbr.state == BbrState::Drain, ends, "{text}: {count} of {flight}");
            if ends {
                // 700 packets in 120 ms and 40 ms are 234; 700 were delivered in the last round.
                assert_eq!(flow.bbr.long_term.get(), 700);
            }
        }
    }
}

/// Section 5.3.1.3, for connections that detect one loss per round trip: any loss in recovery. The
/// kernel asks for as many as ever.
#[test]
fn without_selective_acknowledgements_one_loss_in_recovery_ends_startup_in_the_draft() {
    for (text, after) in PROFILES.into_iter().zip([BbrState::Drain, BbrState::Startup]) {
        let mut flow = Flow::new(text);
        let mut open = Open::new(flow.time(), Span::from_millis(40));
        open.selective = false;
        flow.bbr.on_open(&open);
        flow.ack(Step { sample: (500, 120_000), ..ROUND });
        let repairing = Step { ca_state: CaState::Recovery, sample: (700, 120_000), ..STEP };
        flow.ack(Step { lost: 1, congestion: Some(Congestion::Loss), ..repairing });
        flow.ack(Step { round: true, lost_since: 1, ..repairing });
        assert_eq!(flow.bbr.state, after, "{text}");
    }
}

/// `max(BBR.bdp, BBR.inflight_latest)` in the draft; in the kernel at least three bursts.
#[test]
fn losses_that_end_startup_leave_the_product_or_the_rounds_delivery() {
    for text in PROFILES {
        let mut flow = lossy_startup(text, 0, 290);
        let bandwidth = bandwidth_ceil(2, 40_000);
        flow.bbr.max_bandwidth = MaxBandwidth::default();
        flow.bbr.max_bandwidth.update(bandwidth, false);
        flow.bbr.short_term.reset_signals();
        flow.bbr.leave_startup_too_high();
        // Two packets per round trip, of a bandwidth that is rounded up.
        let expected = if text.ends_with("draft") { 3 } else { 3 * flow.bbr.pacing.burst() };
        assert!(3 * flow.bbr.pacing.burst() > 3);
        assert_eq!(flow.bbr.long_term.get(), expected, "{text}");
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
    flow.ack(Step { round: true, lost_since: 0, ca_state: CaState::Recovery, ..STEP });
    assert_eq!(flow.bbr.state, BbrState::Startup);
}

#[test]
fn drain_ends_with_the_flight() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Drain);
        flow.ack(Step { flight: 335, ..STEP });
        assert_eq!(flow.bbr.state, BbrState::Drain);
        flow.ack(Step { flight: 334, ..STEP });
        assert!(flow.bbr.state.is_probe_bw(), "{text}");
    }
}

#[test]
fn drain_ends_after_three_rounds_in_the_draft_only() {
    for (text, after) in PROFILES.into_iter().zip([BbrState::Down, BbrState::Drain]) {
        let mut flow = Flow::reach(text, BbrState::Drain);
        for _ in 0..3 {
            flow.ack(Step { flight: 1_000, ..ROUND });
            assert_eq!(flow.bbr.state, BbrState::Drain);
        }
        flow.ack(Step { flight: 1_000, ..ROUND });
        assert_eq!(flow.bbr.state, after, "{text}");
    }
}
