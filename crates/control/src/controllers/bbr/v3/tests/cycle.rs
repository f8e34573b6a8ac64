//! The probing cycle.

use super::*;

#[test]
fn down_ends_when_the_flight_leaves_headroom_and_no_queue() {
    for text in PROFILES {
        for (bound, flight, over) in [
            (UNBOUNDED, 334, true),
            (UNBOUNDED, 335, false),
            (1_000, 334, true),
            (300, 255, true),
            (300, 257, false),
        ] {
            let mut flow = Flow::reach(text, BbrState::Down);
            flow.bbr.long_term.set(bound);
            flow.ack(Step { before: flight, flight, sent_flight: 200, ..STEP });
            assert_eq!(flow.bbr.state == BbrState::Cruise, over, "{text}: {flight} of {bound}");
        }
    }
}

#[test]
fn the_wait_between_probes_is_two_to_three_seconds_and_random() {
    for text in PROFILES {
        let waits: Vec<u64> = (0..50)
            .map(|seed| {
                let mut flow = Flow::seeded(text, seed);
                flow.end_probe();
                let began = flow.now;
                flow.bbr.max_bandwidth.update(139_811, false);
                flow.bbr.full_pipe.set_reached(true);
                flow.bbr.window = Cwnd::new(1_000);
                while flow.bbr.state != BbrState::Refill {
                    flow.ack(Step { after: 1_000, before: 1_000, flight: 1_000, ..STEP });
                }
                flow.now - began
            })
            .collect();
        assert!(waits.iter().all(|wait| (2_000_000..=3_002_000).contains(wait)), "{waits:?}");
        assert!(
            waits.iter().min().unwrap() < &2_200_000 && waits.iter().max().unwrap() > &2_800_000,
            "{waits:?}"
        );
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
                flow.end_probe();
                flow.bbr.short_term.lower_flight(bound);
                flow.bbr.window = Cwnd::new(bound);
                let mut rounds = 0;
                while flow.bbr.state != BbrState::Refill {
                    flow.ack(Step {
                        after: 1_000,
                        before: 1_000,
                        flight: 1_000,
                        acked: 100,
                        sent_flight: 1,
                        ..ROUND
                    });
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
        let mut flow = Flow::reach(text, BbrState::Refill);
        flow.ack(STEP);
        assert_eq!(flow.bbr.state, BbrState::Refill);
        flow.ack(ROUND);
        assert_eq!((flow.bbr.state, flow.bbr.cycle.probe_sample), (BbrState::Up, true));
    }
}

#[test]
fn wrong_often_refill_forgets_the_short_term_bounds() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        flow.bbr.short_term.cut(Fraction(7, 10), 1_000, 100);
        flow.ack(Step { after: 3_000_001, ..STEP });
        assert_eq!(flow.bbr.state, BbrState::Refill);
        assert_eq!(
            (flow.bbr.short_term.bandwidth(), flow.bbr.short_term.flight()),
            (UNBOUNDED, UNBOUNDED)
        );
    }
}

#[test]
fn up_ends_after_three_rounds_without_growth() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Up);
        for _ in 0..2 {
            flow.ack(Step { sent_flight: 400, ..ROUND });
            assert_eq!(flow.bbr.state, BbrState::Up);
        }
        flow.ack(Step { sent_flight: 400, ..ROUND });
        assert_eq!((flow.bbr.state, flow.bbr.cycle.too_high), (BbrState::Down, false), "{text}");
    }
}

/// As long as it does not rise with each acknowledgement: one that raises it finds the window below
/// it.
#[test]
fn up_lasts_while_the_long_term_bound_is_the_limit() {
    for text in PROFILES {
        let mut flow = Flow::bounded(text, BbrState::Refill, 400);
        flow.ack(Step { before: 300, flight: 300, ..ROUND });
        for ack in 1..=7 * 200 {
            let window = flow.window();
            flow.send(window, false);
            flow.ack(Step {
                acked: 2,
                after: 200,
                before: 300,
                flight: 300,
                round: ack % 200 == 0,
                ..STEP
            });
            assert_eq!(flow.bbr.state, BbrState::Up, "{text}, acknowledgement {ack}");
        }
        assert!(flow.bbr.long_term.get() > 500, "{text}: raised to {}", flow.bbr.long_term.get());
    }
}
