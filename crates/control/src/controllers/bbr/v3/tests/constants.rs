//! The rows of the table of constants.

use super::*;

/// Shows draft-ietf-ccwg-bbr-06 section 2.4: "the gain value that will allow the sending rate to
/// double each round (4 * ln(2) ~= 2.77)"
#[test]
fn gains_are_those_of_the_table() {
    let rows = [
        (BbrState::Startup, [2.77, 2.77], [2.0, 2.0]),
        (BbrState::Drain, [0.5, 1.0 / 2.885], [2.0, 2.0]),
        (BbrState::Down, [0.90, 0.91], [2.0, 2.0]),
        (BbrState::Cruise, [1.0, 1.0], [2.0, 2.0]),
        (BbrState::Refill, [1.0, 1.0], [2.0, 2.0]),
        (BbrState::Up, [1.25, 1.25], [2.25, 2.25]),
    ];
    for (state, pacing, window) in rows {
        for (index, text) in PROFILES.iter().enumerate() {
            let flow = Flow::reach(text, state);
            let (paced, bounded) = flow.gains();
            near(paced as f64 / flow.bbr.constants.unit as f64, pacing[index]);
            near(bounded as f64 / 256.0, window[index]);
        }
    }
    assert_eq!(
        (Flow::new(PROFILES[0]).gains().0, Flow::new(PROFILES[1]).gains().0),
        (277, 710),
        "2.77 and 710/256"
    );
    assert_eq!(Flow::reach(PROFILES[0], BbrState::Down).gains().0, 90, "exactly 0.90");
}

/// Shows draft-ietf-ccwg-bbr-06 section 2.7: "the maximum tolerated per-round-trip packet loss rate
/// when probing for bandwidth (the default is 2%)"
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
        let flow = Flow::reach(text, BbrState::Cruise);
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
