//! Timeouts, undo and tail probes.

use super::*;

#[test]
fn a_timeout_keeps_the_bandwidth_and_restores_the_window_after_repair() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        for _ in 0..50 {
            flow.ack(Step { acked: 20, before: 0, ..STEP });
        }
        let good = flow.window();
        let bandwidth = flow.bbr.bandwidth();
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 400, 400, false));
        flow.lost += 400;
        assert_eq!((flow.window(), flow.bbr.bandwidth()), (1, bandwidth));
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 1, 1, true));
        flow.lost += 1;
        flow.ack(Step { ca_state: CaState::Loss, acked: 1, ..STEP });
        assert_eq!(flow.window(), 4);
        flow.ack(Step { ca_state: CaState::Loss, acked: 3, ..STEP });
        assert_eq!(flow.window(), 7);
        flow.ack(STEP);
        assert!(flow.window() >= good, "{text}: {} of {good}", flow.window());
    }
}

/// `InitLowerBounds` takes the window of the end of the round in the draft, the one before the
/// timeout in the kernel.
#[test]
fn a_timeout_outside_of_probes_bounds_the_flight_at_once_in_the_kernel_only() {
    for (text, bounded) in PROFILES.into_iter().zip([false, true]) {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        let before = flow.window();
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 400, 400, false));
        assert_eq!(flow.bounds().1, if bounded { before } else { UNBOUNDED }, "{text}");
    }
}

#[test]
fn a_timeout_of_a_probe_sets_the_bound() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Up);
        flow.bbr.on_timeout(&Timeout::new(flow.time(), 420, 420, false));
        assert_eq!((flow.bbr.state, flow.bbr.long_term.get()), (BbrState::Down, 420), "{text}");
    }
}

#[test]
fn undo_restores_bounds_and_in_the_draft_the_state() {
    for (text, after) in PROFILES.into_iter().zip([BbrState::Refill, BbrState::Down]) {
        let mut flow = Flow::bounded(text, BbrState::Up, 500);
        let window = flow.window();
        let spurious =
            Step { congestion: Some(Congestion::Loss), ca_state: CaState::Recovery, ..STEP };
        flow.ack(Step { lost: 30, sent_flight: 300, before: 430, ..spurious });
        assert_eq!(flow.bbr.state, BbrState::Down);
        assert!(flow.bbr.long_term.get() < 500);
        flow.bbr.on_undo(flow.time());
        assert_eq!((flow.bbr.state, flow.bounds()), (after, (500, UNBOUNDED)), "{text}");
        assert!(flow.window() >= window);
    }
}

#[test]
fn undo_of_the_loss_that_ended_startup_returns_to_it_in_the_draft() {
    for (text, after) in PROFILES.into_iter().zip([BbrState::Startup, BbrState::Drain]) {
        let mut flow = lossy_startup(text, 6, 290);
        assert_eq!(flow.bbr.state, BbrState::Drain);
        flow.bbr.on_undo(flow.time());
        assert_eq!(
            (flow.bbr.state, flow.bbr.full_pipe.reached()),
            (after, after == BbrState::Drain),
            "{text}"
        );
        assert_eq!(flow.bbr.long_term.get(), UNBOUNDED);
    }
}

#[test]
fn a_repaired_tail_probe_is_a_loss_of_one_packet() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        flow.ack(Step { congestion: Some(Congestion::Loss), ..STEP });
        assert!(flow.bbr.short_term.loss_in_round(), "{text}");
    }
}
