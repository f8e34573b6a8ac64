//! Aggregation and the quantum.

use super::*;

#[test]
fn aggregation_is_remembered_for_a_round_in_startup_and_ten_after() {
    // 100 packets in an acknowledgement where 10 were due; later 10 with each, as due.
    for (text, kept) in PROFILES.into_iter().zip([8..=11, 5..=10]) {
        let mut flow = Flow::reach(text, BbrState::Cruise);
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

/// Section 5.4.1 restarts the time of the sampling interval only, `bbr_cwnd_event` the count of the
/// acknowledged too.
#[test]
fn after_idleness_the_draft_counts_on_from_now() {
    for (text, counted) in PROFILES.into_iter().zip([true, false]) {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        flow.ack(Step { acked: 433, ..ROUND });
        flow.now += 3_000;
        flow.send(1, true);
        let before = flow.bbr.extra_acked.clone();
        flow.ack(Step { acked: 1, after: 1_000, ..STEP });
        let again = format!("{:?}", flow.bbr.extra_acked);
        assert_eq!(again.contains("acked: 1 }"), !counted, "{text}: {before:?}, then {again}");
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
        flow.bbr.state = BbrState::Cruise;
        flow.ack(Step { rtt_us: 400, flight: 1_000, ..STEP });
        assert_eq!(flow.bbr.decision().quantum.get(), expected * 1_500, "{text}");
    }
}
