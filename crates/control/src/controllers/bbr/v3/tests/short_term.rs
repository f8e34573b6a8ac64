//! The short-term bounds, and the caps of the window.

use super::*;

#[test]
fn loss_outside_probing_keeps_beta_or_what_the_round_delivered() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        flow.ack(STEP);
        let window = flow.window();
        let beta = flow.bbr.constants.beta;
        lossy_round(&mut flow, 100);
        // Deliveries of the round before still count: it ended with the loss.
        let first = flow.bbr.short_term.flight();
        assert!(
            first >= beta.of(window) && first < window.max(1_001),
            "{text}: {first} of {window}"
        );
        flow.bbr.short_term.reset_signals();
        let bandwidth = flow.bbr.short_term.bandwidth();
        lossy_round(&mut flow, 100);
        assert_eq!(flow.bbr.short_term.flight(), beta.of(first).max(100), "{text}");
        assert_eq!(
            flow.bbr.short_term.bandwidth(),
            beta.of(bandwidth).max(bandwidth_ceil(100, 240_000))
        );
        assert_eq!(flow.bbr.bandwidth(), flow.bbr.short_term.bandwidth());
        assert_eq!(flow.window(), flow.bbr.short_term.flight().min(flow.window()));
    }
}

#[test]
fn loss_while_probing_sets_no_short_term_bound() {
    for text in PROFILES {
        for (state, bounded) in [
            (BbrState::Startup, false),
            (BbrState::Refill, false),
            (BbrState::Up, false),
            (BbrState::Down, true),
            (BbrState::Cruise, true),
        ] {
            let mut flow = Flow::reach(text, state);
            flow.ack(Step { lost: 1, ca_state: CaState::Recovery, ..STEP });
            assert!(flow.bbr.short_term.loss_in_round());
            flow.ack(Step { ca_state: CaState::Recovery, lost_since: 1, ..ROUND });
            assert!(!flow.bbr.short_term.loss_in_round(), "the round is over");
            assert_eq!(flow.bbr.short_term.flight() != UNBOUNDED, bounded, "{text} {state:?}");
        }
    }
}

#[test]
fn one_round_with_many_losses_cuts_once() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        flow.bbr.short_term.bound_flight(300);
        flow.bbr.short_term.reset_signals();
        let step = Step { sample: (50, 240_000), ca_state: CaState::Recovery, ..STEP };
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
        for (state, cap) in [
            (BbrState::Down, 300),
            (BbrState::Cruise, headroom),
            (BbrState::Refill, 300),
            (BbrState::Up, 300),
        ] {
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
