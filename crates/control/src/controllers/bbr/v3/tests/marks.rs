//! ECN, and what is visible from outside.

use super::*;

#[test]
fn marks_cut_the_flight_by_a_third_of_their_share() {
    for (text, answered) in [("bbr3?profile=linux&ecn", true), ("bbr3?profile=linux", false)] {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        let short = Step {
            rtt_us: 4_000,
            before: 20,
            flight: 20,
            sent_flight: 20,
            after: 4_000,
            ca_state: CaState::Cwr,
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
    let mut flow = Flow::bounded("bbr3?profile=linux&ecn", BbrState::Cruise, 300);
    let short =
        Step { rtt_us: 4_000, before: 80, flight: 80, sent_flight: 80, after: 4_000, ..ROUND };
    flow.ack(Step { ca_state: CaState::Cwr, ..short });
    flow.ack(Step { ca_state: CaState::Cwr, marked: 5, ..short });
    assert_eq!(flow.bbr.state, BbrState::Cruise, "while it answers the mark");
    flow.ack(Step { after: 100, round: false, ..short });
    assert_eq!(flow.bbr.state, BbrState::Refill);
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
        let mut flow = Flow::reach(text, BbrState::Down);
        let mut phases = vec![flow.bbr.pacing_gain()];
        for _ in 0..600 {
            let flight = if flow.bbr.state == BbrState::ProbeRtt { 100 } else { 330 };
            flow.ack(Step { before: flight, flight, sent_flight: flight, ..ROUND });
            let gain = flow.bbr.pacing_gain();
            if flow.bbr.state.is_probe_bw() && phases.last() != Some(&gain) {
                phases.push(gain);
            }
        }
        let Constants { down_pacing, unit, up_pacing, .. } = *flow.bbr.constants;
        assert!(
            phases.chunks(3).all(|cycle| [down_pacing, unit, up_pacing].starts_with(cycle)),
            "{text}: {phases:?}"
        );
        assert!(phases.len() > 6, "{phases:?}");
    }
}

#[test]
fn state_is_visible() {
    let flow = Flow::bounded(PROFILES[0], BbrState::Up, 300);
    assert_eq!(inspect(&flow.bbr, "inflight_longterm"), 300.0);
    assert_eq!(inspect(&flow.bbr, "pacing_gain"), 1.25);
    assert!(inspect(&flow.bbr, "inflight_shortterm").is_nan());
}
