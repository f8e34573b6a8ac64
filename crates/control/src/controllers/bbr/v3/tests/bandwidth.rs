//! The maximum of the bandwidth.

use super::*;

#[test]
fn wrong_often_the_maximum_lasts_two_probing_cycles_however_long() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
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
            flow.end_probe();
            flow.ack(Step { round: true, ..slow });
            assert_eq!(flow.bbr.max_bandwidth.get(), expected, "{text}");
        }
    }
}

#[test]
fn a_round_limited_by_the_application_ends_no_cycle() {
    for text in PROFILES {
        let mut flow = Flow::reach(text, BbrState::Cruise);
        let bandwidth = flow.bbr.max_bandwidth.get();
        for _ in 0..5 {
            flow.end_probe();
            flow.ack(Step { sample: (500, 120_000), app_limited: true, ..ROUND });
        }
        assert_eq!(flow.bbr.max_bandwidth.get(), bandwidth);
    }
}
