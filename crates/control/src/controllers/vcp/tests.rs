//! Steps by hand.

use super::*;
use crate::Choice;
use crate::testing::{acked, acked_one, at, near, setup};
use crate::{CaState, Congestion, EcnDelta};

fn vcp(options: &str, cwnd: f64) -> Vcp {
    Vcp::new(&setup(cwnd), &format!("vcp?{options}").parse::<Choice>().unwrap().params())
}

/// The report of one packet of each code, with the paper's code points.
fn told(code: LoadCode) -> EcnDelta {
    match code {
        LoadCode::Low => EcnDelta { ect1: 1, ..EcnDelta::default() },
        LoadCode::High => EcnDelta { ect0: 1, ..EcnDelta::default() },
        LoadCode::Overload => EcnDelta { ce: 1, echo: true, ..EcnDelta::default() },
    }
}

/// `count` segments are acknowledged at `ms` with `code`, after round trips of 80 ms. Returns by
/// how much the window changes.
fn ack(vcp: &mut Vcp, ms: u64, code: LoadCode, count: u64) -> f64 {
    let before = vcp.cwnd;
    vcp.on_feedback(&Feedback {
        acked: &acked(0..count),
        ecn: told(code),
        srtt: Span::from_millis(80),
        ..Feedback::at(at(ms))
    });
    vcp.cwnd - before
}

/// 1.0625^0.4 - 1 and (80/200)² for a round trip of 80 ms.
const XI_S: f64 = 0.024_546_7;
const ALPHA_S: f64 = 0.16;

#[test]
fn a_window_acknowledged_at_low_load_grows_by_the_scaled_factor() {
    let mut flow = vcp("", 100.0);
    assert!((ack(&mut flow, 100, LoadCode::Low, 100) / 100.0 - XI_S).abs() < 1e-6);
    // One acknowledgement for eight segments counts as eight.
    let mut flow = vcp("", 100.0);
    assert!((ack(&mut flow, 100, LoadCode::Low, 8) / 8.0 - XI_S).abs() < 1e-6);
}

#[test]
fn a_segment_at_high_load_adds_its_part_of_a_fixed_step() {
    let mut flow = vcp("", 50.0);
    near(ack(&mut flow, 100, LoadCode::High, 10), 10.0 * ALPHA_S / 50.0);
    let mut flow = vcp("dialect=ns2", 50.0);
    near(ack(&mut flow, 100, LoadCode::High, 10), 10.0 * 0.64 / 50.0);
}

#[test]
fn overload_takes_an_eighth_at_once_then_the_window_rests_and_recovers() {
    let mut flow = vcp("", 100.0);
    near(ack(&mut flow, 1000, LoadCode::Overload, 1), -12.5);
    for (ms, code) in [(1001, LoadCode::Overload), (1100, LoadCode::Low), (1199, LoadCode::High)] {
        assert_eq!(ack(&mut flow, ms, code, 1), 0.0, "resting at {ms} ms");
    }
    let additive = ALPHA_S / 87.5;
    for (ms, code) in [(1200, LoadCode::Overload), (1240, LoadCode::Low), (1279, LoadCode::High)] {
        assert!((ack(&mut flow, ms, code, 1) - additive).abs() < 1e-5, "a step at {ms} ms");
    }
    let before = flow.cwnd;
    near(ack(&mut flow, 1280, LoadCode::Overload, 1), -before / 8.0);
    let mut small = vcp("", 1.1);
    ack(&mut small, 1000, LoadCode::Overload, 1);
    assert_eq!(small.cwnd, 1.0);
}

#[test]
fn in_the_modules_dialect_only_overload_rests() {
    let mut flow = vcp("dialect=ns2", 100.0);
    near(ack(&mut flow, 1000, LoadCode::Overload, 1), -12.5);
    assert_eq!(ack(&mut flow, 1100, LoadCode::Overload, 1), 0.0);
    assert!((ack(&mut flow, 1110, LoadCode::Low, 1) - XI_S).abs() < 1e-6);
    assert!(
        (ack(&mut flow, 1210, LoadCode::Overload, 1) - 0.64 / 87.5).abs() < 1e-4,
        "a step while it recovers"
    );
    assert!((ack(&mut flow, 1220, LoadCode::Low, 1) - XI_S).abs() < 1e-6);
    let before = flow.cwnd;
    near(ack(&mut flow, 1281, LoadCode::Overload, 1), -before / 8.0);
}

/// To the transport the highest code is a mark that the receiver echoes: it enters CWR, and that
/// means nothing here.
#[test]
fn the_transports_answer_to_marks_changes_nothing() {
    let mut flow = vcp("", 100.0);
    let cwr = |ecn, congestion| Feedback {
        acked: &[],
        ecn,
        congestion,
        ca_state: CaState::Cwr,
        srtt: Span::from_millis(80),
        ..Feedback::at(at(1000))
    };
    let segments = acked(0..4);
    flow.on_feedback(&Feedback {
        acked: &segments,
        ..cwr(told(LoadCode::High), Some(Congestion::Mark))
    });
    assert!((flow.cwnd - 100.0 - 4.0 * ALPHA_S / 100.0).abs() < 1e-6);
    flow.on_feedback(&Feedback { acked: &segments, ..cwr(told(LoadCode::Low), None) });
    assert!((flow.cwnd - 100.0064 - 4.0 * XI_S).abs() < 1e-5);
    assert_eq!(flow.decision().reduction, Reduction::Immediate);
}

#[test]
fn duplicates_do_nothing_and_what_reports_no_packet_repeats_the_last_code() {
    let mut flow = vcp("", 100.0);
    let srtt = Span::from_millis(80);
    flow.on_feedback(&Feedback { ecn: told(LoadCode::Overload), srtt, ..Feedback::at(at(100)) });
    assert_eq!(flow.cwnd, 100.0);
    flow.on_feedback(&Feedback { acked: &acked(0..1), srtt, ..Feedback::at(at(110)) });
    assert_eq!(flow.cwnd, 87.5);
}

#[test]
fn losses_halve_once_and_a_timeout_leaves_one_segment() {
    let mut flow = vcp("", 100.0);
    let srtt = Span::from_millis(80);
    let lost = Feedback {
        congestion: Some(Congestion::Loss),
        ca_state: CaState::Recovery,
        srtt,
        ..Feedback::at(at(100))
    };
    flow.on_feedback(&lost);
    assert_eq!((flow.cwnd, flow.rest), (50.0, Rest::None));
    let segments = acked(0..9);
    flow.on_feedback(&Feedback {
        acked: &segments,
        ecn: told(LoadCode::Overload),
        congestion: None,
        ..lost
    });
    assert_eq!(flow.cwnd, 50.0, "nothing but repair");
    flow.on_undo(at(120));
    assert_eq!(flow.cwnd, 100.0);
    flow.on_timeout(&Timeout::new(at(900), 20, 20, false));
    assert_eq!(flow.cwnd, 1.0);
    flow.on_feedback(&Feedback {
        acked: &segments,
        ecn: told(LoadCode::Low),
        ca_state: CaState::Loss,
        srtt,
        ..Feedback::at(at(990))
    });
    assert!((flow.cwnd - 1.0 - 9.0 * XI_S).abs() < 1e-5);
}

#[test]
fn what_the_application_limits_does_not_grow_and_still_gives_way() {
    let mut flow = vcp("", 100.0);
    let idle = [acked_one(0, false)];
    let srtt = Span::from_millis(80);
    for (code, left) in
        [(LoadCode::Low, 100.0), (LoadCode::High, 100.0), (LoadCode::Overload, 87.5)]
    {
        flow.on_feedback(&Feedback {
            acked: &idle,
            ecn: told(code),
            srtt,
            ..Feedback::at(at(100))
        });
        assert_eq!(flow.cwnd, left);
    }
}

#[test]
fn after_idleness_the_last_code_is_stale_and_after_a_timeout_of_it_the_window_too() {
    let sent = |ms, in_flight| Sent {
        rto: Span::from_millis(500),
        ..Sent::new(at(ms), ms, Bytes::new(1448), in_flight)
    };
    let mut flow = vcp("", 10.0);
    flow.cwnd = 100.0;
    flow.on_sent(&sent(1000, 29));
    ack(&mut flow, 1080, LoadCode::High, 1);
    flow.on_sent(&sent(1190, 0));
    assert_eq!(flow.code, Some(LoadCode::High));
    flow.on_sent(&sent(1400, 0));
    assert_eq!(flow.code, None);
    flow.last_sent = Some(LastSent { at: at(2000), flight: 30 });
    flow.on_sent(&sent(2501, 0));
    assert_eq!(flow.cwnd, 30.0);
    flow.last_sent = Some(LastSent { at: at(3000), flight: 2 });
    flow.on_sent(&sent(3501, 0));
    assert_eq!(flow.cwnd, 10.0);
}

#[test]
fn with_eight_bits_the_window_follows_the_load_itself() {
    let load = |flow: &mut Vcp, load| {
        let before = flow.cwnd;
        let signal = Some(Signal::Load(load));
        let ecn = told(LoadCode::Overload);
        flow.on_feedback(&Feedback {
            acked: &acked(0..1),
            ecn,
            signal,
            srtt: Span::from_millis(200),
            ..Feedback::at(at(100))
        });
        flow.cwnd - before
    };
    let mut flow = vcp("bits=8", 100.0);
    assert_eq!(flow.header(), Some(Header::Load(0)));
    near(load(&mut flow, 100), 0.01);
    flow.cwnd = 100.0;
    near(load(&mut flow, 40), 0.0725);
    flow.cwnd = 100.0;
    near(load(&mut flow, 125), -0.04);
    assert_eq!(vcp("", 1.0).header(), None);
}

#[test]
fn packets_leave_at_one_window_per_round_trip_or_as_in_the_module() {
    let pace = |options: &str, cwnd: f64, rtt_ms| {
        let mut flow = vcp(options, cwnd);
        flow.srtt = Span::from_millis(rtt_ms);
        let decision = flow.decision();
        (decision.window.get(), decision.pacing)
    };
    // 10.5 packets of 1500 B in 100 ms.
    assert_eq!(pace("", 10.5, 100), (11.0, Some(Rate::from_kbps(1260))));
    assert_eq!(pace("pacing=false", 10.5, 100), (10.5, None));
    assert_eq!(pace("", 10.5, 0), (10.5, None), "no round trip is known");
    // 1.8 s over 16 are more than 100 ms: a packet of 12 kbit each 112.5 ms. Over 32 they are less,
    // as are 80 ms over 2.
    assert_eq!(pace("dialect=ns2", 10.5, 1800), (10.5, Some(Rate::from_bps(106_667))));
    assert_eq!(pace("dialect=ns2", 17.0, 1800).1, None);
    assert_eq!(pace("dialect=ns2", 2.0, 80).1, None);
    assert_eq!(pace("dialect=ns2", 1.0, 1800).1, None);
    assert_eq!(vcp("", 1.0).decision().ecn as u8, 0b01);
    assert_eq!(vcp("codes=accecn", 1.0).decision().ecn as u8, 0b10);
}

#[test]
fn steps_scale_with_the_least_round_trip_if_so_wanted() {
    let segments = acked(0..1);
    let step = |options: &str| {
        let mut flow = vcp(options, 100.0);
        for (ms, rtt) in [(100, 80), (400, 300)] {
            let before = flow.cwnd;
            let rtt = Span::from_millis(rtt);
            flow.on_feedback(&Feedback {
                acked: &segments,
                ecn: told(LoadCode::High),
                rtt: Some(rtt),
                srtt: rtt,
                ..Feedback::at(at(ms))
            });
            if ms == 400 {
                return (flow.cwnd - before) * before;
            }
        }
        unreachable!()
    };
    assert!((step("") - 2.25).abs() < 1e-6, "(300/200)²");
    assert!((step("scale=minimum") - ALPHA_S).abs() < 1e-6);
}

/// One segment is lost of those acknowledged at `ms` with `code`.
fn lose(vcp: &mut Vcp, ms: u64, code: LoadCode) {
    let congestion = Congestion::Loss;
    vcp.on_feedback(&Feedback {
        congestion: Some(congestion),
        ca_state: CaState::Recovery,
        ecn: told(code),
        ..Feedback::at(at(ms))
    });
}

/// A loss at low load: the bottleneck tells nothing, so the window grows by one segment a round
/// trip until a higher load is told.
#[test]
fn with_a_fallback_a_loss_at_low_load_makes_it_grow_as_newreno() {
    for (options, low) in [("fallback=reno", 1.0 / 50.0), ("", XI_S)] {
        let mut flow = vcp(options, 100.0);
        lose(&mut flow, 100, LoadCode::Low);
        near(flow.cwnd, 50.0);
        assert!((ack(&mut flow, 200, LoadCode::Low, 1) - low).abs() < 1e-6, "{options}");
        ack(&mut flow, 300, LoadCode::High, 1);
        assert!(
            (ack(&mut flow, 400, LoadCode::Low, 1) - XI_S).abs() < 1e-6,
            "a load was told: {options}"
        );
    }
    let mut flow = vcp("fallback=reno", 100.0);
    ack(&mut flow, 50, LoadCode::High, 1);
    lose(&mut flow, 100, LoadCode::High);
    assert!(
        (ack(&mut flow, 200, LoadCode::Low, 1) - XI_S).abs() < 1e-6,
        "this bottleneck tells its load"
    );
}
