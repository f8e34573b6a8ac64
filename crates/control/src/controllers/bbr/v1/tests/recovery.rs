//! Losses, timeouts and policers.

use super::*;

#[test]
fn recovery_conserves_packets_for_a_round_then_grows_and_at_its_end_restores() {
    let mut flow = Flow::probing("bbr", 256);
    for _ in 0..50 {
        flow.ack(Step { acked: 20, before: 0, ..STEP });
    }
    let good = flow.window();
    let repairing = Step { ca_state: CaState::Recovery, acked: 2, ..STEP };
    flow.ack(Step { congestion: Some(Congestion::Loss), lost: 30, flight: 370, ..repairing });
    assert_eq!(flow.window(), 372, "flight and acknowledged");
    flow.ack(Step { flight: 368, ..repairing });
    assert_eq!(flow.window(), 372);
    flow.ack(Step { lost: 10, flight: 365, ..repairing });
    assert_eq!(flow.window(), 367);
    flow.ack(Step { round: true, flight: 363, ..repairing });
    assert_eq!(flow.window(), 369, "grows by what is acknowledged");
    flow.ack(Step { flight: 363, lost: 5, ..repairing });
    assert_eq!(flow.window(), 366);
    flow.ack(STEP);
    assert_eq!(flow.window(), good);
}

#[test]
fn a_timeout_keeps_the_bandwidth_and_restores_the_window_after_repair() {
    let mut flow = Flow::probing("bbr", 256);
    for _ in 0..50 {
        flow.ack(Step { acked: 20, before: 0, ..STEP });
    }
    let good = flow.window();
    flow.bbr.on_timeout(&Timeout::new(flow.time(), 400, 400, false));
    assert_eq!((flow.window(), flow.bbr.bandwidth()), (1, 139_810));
    flow.bbr.on_timeout(&Timeout::new(flow.time(), 1, 1, true));
    flow.ack(Step { ca_state: CaState::Loss, acked: 1, ..STEP });
    assert_eq!(flow.window(), 4);
    flow.ack(Step { ca_state: CaState::Loss, acked: 3, ..STEP });
    assert_eq!(flow.window(), 7);
    flow.ack(STEP);
    assert_eq!(flow.window(), good);
}

#[test]
fn a_policed_flow_uses_the_policers_rate() {
    let mut flow = Flow::probing("bbr", 256);
    // 100 packets in each 40 ms, of which samples say more: the bucket's bursts.
    let policed = Step { acked: 100, lost: 30, ..ROUND };
    for _ in 0..7 {
        flow.ack(policed);
        assert_eq!(flow.bbr.bandwidth(), 139_810);
    }
    flow.ack(policed);
    assert_eq!(flow.bbr.bandwidth(), crate::controllers::bbr::common::bandwidth(400, 160_000));
    assert_eq!(flow.bbr.pacing_gain, 256);
    for _ in 0..47 {
        flow.ack(policed);
        assert_eq!(flow.bbr.pacing_gain, 256);
    }
    assert!(flow.bbr.policer.bandwidth().is_some());
    flow.ack(policed);
    assert!(flow.bbr.policer.bandwidth().is_none());
    assert_eq!(flow.bbr.bandwidth(), 139_810);
}

#[test]
fn undo_forgets_the_policer() {
    let mut flow = Flow::probing("bbr", 256);
    for _ in 0..8 {
        flow.ack(Step { acked: 100, lost: 30, ..ROUND });
    }
    assert!(flow.bbr.policer.bandwidth().is_some());
    flow.bbr.on_undo(flow.time());
    assert!(flow.bbr.policer.bandwidth().is_none());
}
