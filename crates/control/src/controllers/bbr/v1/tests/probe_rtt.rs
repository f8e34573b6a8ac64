//! PROBE_RTT, and flows that are idle.

use super::*;

#[test]
fn probe_rtt_empties_the_pipe_for_200_ms_and_a_round() {
    let mut flow = Flow::probing("bbr", 256);
    let later = Step { rtt_ms: 41, ..ROUND };
    flow.ack(Step { rtt_ms: 39, ..STEP });
    let stamp = flow.now;
    while flow.now + 40_000 <= stamp + 10_000_000 {
        flow.ack(later);
        assert_eq!(flow.bbr.mode, Mode::ProbeBw);
    }
    let before = flow.window();
    flow.ack(Step { after: stamp + 10_000_001 - flow.now, ..later });
    assert_eq!((flow.bbr.mode, flow.window()), (Mode::ProbeRtt, 4));
    assert_eq!(flow.bbr.min_rtt.get(), Some(41_000), "the old minimum has expired");
    assert_eq!((flow.bbr.pacing_gain, flow.bbr.window_gain), (256, 256));
    // Packets sent now measure only the small window.
    let slow = Step { sample: (4, 40_000), flight: 4, acked: 4, ..later };
    flow.ack(Step { after: 1_000, flight: 5, ..slow });
    flow.ack(Step { after: 1_000, round: false, ..slow });
    let emptied = flow.now;
    flow.ack(Step { after: 200_000, round: false, ..slow });
    flow.ack(Step { after: 1, round: false, ..slow });
    assert_eq!(flow.bbr.mode, Mode::ProbeRtt, "the time is over, the round is not");
    for _ in 0..20 {
        assert_eq!((flow.bbr.mode, flow.window()), (Mode::ProbeRtt, 4));
        flow.ack(Step { after: 0, round: true, ..slow });
        if flow.bbr.mode != Mode::ProbeRtt {
            break;
        }
    }
    assert_eq!(flow.now, emptied + 200_001);
    assert_eq!(flow.bbr.mode, Mode::ProbeBw);
    assert!(
        flow.window() >= before.min(flow.bbr.quantized(683)) && flow.window() > 600,
        "{} of {before}",
        flow.window()
    );
    assert_eq!(flow.bbr.bandwidth(), 139_810);
}

#[test]
fn a_round_trip_as_short_as_the_least_renews_it_only_in_the_older_era() {
    for (era, renews) in [("bbr", false), ("bbr?era=linux-4.15", true)] {
        let mut flow = Flow::probing(era, 256);
        flow.ack(Step { after: 9_000_000, ..ROUND });
        flow.ack(Step { after: 2_000_000, rtt_ms: 41, ..ROUND });
        assert_eq!(flow.bbr.mode == Mode::ProbeBw, renews, "{era}");
    }
}

#[test]
fn probe_rtt_waits_for_the_time_too() {
    let mut flow = Flow::probing("bbr", 256);
    flow.ack(Step { after: 10_000_001, rtt_ms: 41, ..ROUND });
    assert_eq!(flow.bbr.mode, Mode::ProbeRtt);
    let slow = Step { flight: 4, acked: 4, rtt_ms: 41, ..ROUND };
    for _ in 0..6 {
        flow.ack(slow);
        assert_eq!(flow.bbr.mode, Mode::ProbeRtt);
    }
    flow.ack(Step { after: 1, ..slow });
    assert_eq!(flow.bbr.mode, Mode::ProbeBw);
}

#[test]
fn an_idle_flow_does_not_probe_the_round_trip() {
    let mut flow = Flow::probing("bbr", 320);
    flow.now += 20_000_000;
    flow.send(true);
    assert_eq!(
        flow.bbr.decision().pacing,
        Some(Rate::from_bps(98_999_904)),
        "restarts at the bandwidth, not above"
    );
    flow.ack(Step { rtt_ms: 45, ..ROUND });
    assert_eq!(flow.bbr.mode, Mode::ProbeBw);
    assert_eq!(flow.bbr.min_rtt.get(), Some(45_000));
}

#[test]
fn probe_rtt_may_end_while_idle() {
    let mut flow = Flow::probing("bbr", 256);
    flow.ack(Step { after: 10_000_001, flight: 0, rtt_ms: 41, ..ROUND });
    assert_eq!(flow.bbr.mode, Mode::ProbeRtt);
    flow.now += 200_001;
    flow.send(true);
    assert_eq!(flow.bbr.mode, Mode::ProbeBw);
    assert!(flow.window() > 600);
}
