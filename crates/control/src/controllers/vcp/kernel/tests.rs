//! Vectors computed by hand, and the same events to the controller in floating point.

use super::*;
use crate::Choice;
use crate::testing::{acked, at, setup};
use crate::{Timeout, Totals};
use narrows_units::Random;
use std::ops::Range;

/// One segment in the core's fixed-point numbers, which have 32 bits after the point.
const ONE: f64 = 4_294_967_296.0;

fn kernel(options: &str, cwnd: f64) -> VcpKernel {
    VcpKernel::new(
        &setup(cwnd),
        &format!("vcp-kernel?{options}").parse::<Choice>().unwrap().params(),
    )
}

fn window(controller: &VcpKernel) -> f64 {
    controller.core.state.window as f64 / ONE
}

/// The ECN counts of one packet with this code.
fn told(code: LoadCode) -> EcnDelta {
    match code {
        LoadCode::Low => EcnDelta { ect0: 1, ..EcnDelta::default() },
        LoadCode::High => EcnDelta { ect1: 1, ..EcnDelta::default() },
        LoadCode::Overload => EcnDelta { ce: 1, echo: true, ..EcnDelta::default() },
    }
}

/// Segments `numbers` are acknowledged at `ms` with `code`, after round trips of `rtt` ms. Returns
/// by how much the window changes.
fn ack(flow: &mut VcpKernel, ms: u64, rtt: u64, code: LoadCode, numbers: Range<u64>) -> f64 {
    let before = window(flow);
    let totals = Totals { delivered: numbers.end, ..Totals::default() };
    let feedback = Feedback {
        acked: &acked(numbers),
        ecn: told(code),
        srtt: Span::from_millis(rtt),
        totals,
        ..Feedback::at(at(ms))
    };
    flow.on_feedback(&feedback);
    window(flow) - before
}

#[test]
fn increases_follow_the_round_trip() {
    // 1.0625^(rtt/200) - 1 and (rtt/200)^2.
    let vectors = [
        (10, 0.003_035_83, 0.0025),
        (20, 0.006_080_88, 0.01),
        (40, 0.012_198_73, 0.04),
        (80, 0.024_546_27, 0.16),
        (100, 0.030_776_41, 0.25),
        (200, 0.062_500_00, 1.0),
        (400, 0.128_906_25, 4.0),
        (500, 0.163_649_93, 6.25),
        (1000, 0.354_081_15, 25.0),
    ];
    for (rtt, xi, alpha) in vectors {
        let mut flow = kernel("", 100.0);
        let low = ack(&mut flow, 1000, rtt, LoadCode::Low, 0..1);
        assert!((low / xi - 1.0).abs() < 3e-6, "{rtt} ms: {low}, expected {xi}");
        let mut flow = kernel("", 100.0);
        let high = ack(&mut flow, 1000, rtt, LoadCode::High, 0..1) * 100.0;
        assert!((high / alpha - 1.0).abs() < 2e-5, "{rtt} ms: {high}, expected {alpha}");
    }
    // No window more than doubles in a round trip: 1.0625^12 = 2.07.
    assert!((ack(&mut kernel("", 100.0), 1000, 2400, LoadCode::Low, 0..1) - 1.0).abs() < 3e-6);
    let weighted = ack(&mut kernel("weight=2.5", 100.0), 1000, 80, LoadCode::High, 0..10);
    assert!((weighted - 10.0 * 2.5 * 0.16 / 100.0).abs() < 1e-6, "{weighted}");
}

#[test]
fn overload_takes_an_eighth_at_once_then_the_window_rests_and_recovers() {
    let mut flow = kernel("", 100.0);
    assert_eq!(ack(&mut flow, 1000, 80, LoadCode::Overload, 0..1), -12.5);
    for (next, (ms, code)) in
        [(1001, LoadCode::Overload), (1100, LoadCode::Low), (1199, LoadCode::High)]
            .into_iter()
            .enumerate()
    {
        let next = next as u64;
        assert_eq!(ack(&mut flow, ms, 80, code, 1 + next..2 + next), 0.0, "resting at {ms} ms");
    }
    for (next, (ms, code)) in
        [(1200, LoadCode::Overload), (1240, LoadCode::Low), (1279, LoadCode::High)]
            .into_iter()
            .enumerate()
    {
        let next = next as u64;
        let step = ack(&mut flow, ms, 80, code, 4 + next..5 + next);
        assert!((step - 0.16 / 87.5).abs() < 1e-5, "a step at {ms} ms: {step}");
    }
    let before = window(&flow);
    // The part of the window below 2^-24 goes.
    assert!((ack(&mut flow, 1280, 80, LoadCode::Overload, 7..8) + before / 8.0).abs() < 1e-7);
    let mut small = kernel("", 1.0);
    ack(&mut small, 1000, 80, LoadCode::Overload, 0..1);
    assert_eq!(window(&small), 1.0);
}

/// Bytes with a code point are counted modulo 2^32. The count begins 700 below the wrap, and a
/// packet adds 1448.
#[test]
fn counts_of_bytes_wrap() {
    let mut flow = kernel("", 100.0);
    flow.input.ect0_bytes = u32::MAX - 700;
    flow.core.state.ect0_bytes = u32::MAX - 700;
    assert!(ack(&mut flow, 1000, 80, LoadCode::Low, 0..1) > 0.02);
    assert_eq!((flow.input.ect0_bytes, flow.core.state.code), (747, 1));
}

#[test]
fn an_acknowledgement_that_counts_nothing_repeats_the_last_code_until_it_is_stale() {
    let mut flow = kernel("", 100.0);
    flow.on_open(&Open::new(at(900), Span::from_millis(80)));
    ack(&mut flow, 1000, 80, LoadCode::Low, 0..1);
    let before = window(&flow);
    let quiet = |flow: &mut VcpKernel, ms, delivered| {
        let totals = Totals { delivered, ..Totals::default() };
        flow.on_feedback(&Feedback {
            acked: &acked(1..2),
            srtt: Span::from_millis(80),
            totals,
            ..Feedback::at(at(ms))
        });
    };
    quiet(&mut flow, 1010, 2);
    assert!((window(&flow) - before - 0.024_546_27).abs() < 1e-6);
    let before = window(&flow);
    flow.on_sent(&Sent::new(at(1211), 3, Bytes::new(1448), 0));
    quiet(&mut flow, 1291, 3);
    assert_eq!((window(&flow), flow.core.state.code), (before, 0));
}

#[test]
fn losses_halve_once_marks_change_nothing_and_a_timeout_leaves_one_segment() {
    let mut flow = kernel("", 100.0);
    let srtt = Span::from_millis(80);
    let cwr = Feedback {
        congestion: Some(Congestion::Mark),
        ca_state: CaState::Cwr,
        srtt,
        ..Feedback::at(at(90))
    };
    flow.on_feedback(&cwr);
    assert_eq!(window(&flow), 100.0);
    let lost = Feedback {
        congestion: Some(Congestion::Loss),
        ca_state: CaState::Recovery,
        srtt,
        ..Feedback::at(at(100))
    };
    flow.on_feedback(&lost);
    flow.on_feedback(&Feedback { congestion: None, ..lost });
    assert_eq!(window(&flow), 50.0);
    flow.on_feedback(&lost);
    assert_eq!(window(&flow), 25.0, "a repair that follows another");
    flow.on_undo(at(120));
    assert_eq!(window(&flow), 50.0);
    flow.on_timeout(&Timeout::new(at(900), 20, 20, false));
    assert_eq!(window(&flow), 1.0);
}

/// A million segments of random codes, losses and timeouts: the windows differ by less than three
/// parts in a million, which is what truncation adds up to, and the paces by that and two bytes per
/// second.
#[test]
fn it_keeps_step_with_floating_point() {
    for seed in 0..20 {
        let mut random = Random::stream(seed, "lockstep");
        let mut real = "vcp?codes=accecn".parse::<Choice>().unwrap().build(&setup(10.0)).unwrap();
        let mut fixed = kernel("", 10.0);
        let mut us = 1_000_000;
        let mut delivered = 0;
        let mut rtt = 80_000;
        let mut repairing = 0;
        let mut code = LoadCode::Low;
        for round in 0..20_000 {
            us += 1 + random.bits() % 20_000;
            rtt = (rtt * 7 + 1_000 + random.bits() % 300_000) / 8;
            if random.bits().is_multiple_of(16) {
                code = [LoadCode::Low, LoadCode::High, LoadCode::Overload]
                    [(random.bits() % 3) as usize];
            }
            let numbers = delivered..delivered + random.bits() % 6;
            delivered = numbers.end;
            let lost = random.bits().is_multiple_of(500);
            repairing = if lost { 8 } else { u64::saturating_sub(repairing, 1) };
            let segments = acked(numbers);
            let feedback = Feedback {
                acked: &segments,
                ecn: if random.bits().is_multiple_of(4) { EcnDelta::default() } else { told(code) },
                srtt: Span::from_micros(rtt),
                totals: Totals { delivered, ..Totals::default() },
                congestion: lost.then_some(Congestion::Loss),
                ca_state: if repairing > 0 { CaState::Recovery } else { CaState::Open },
                ..Feedback::at(Time::ZERO + Span::from_micros(us))
            };
            for controller in [&mut *real, &mut fixed] {
                controller.on_feedback(&feedback);
            }
            let wanted = crate::testing::inspect(&*real, "cwnd");
            let found = window(&fixed);
            assert!(
                (found / wanted - 1.0).abs() < 3e-6,
                "seed {seed}, round {round}: {found}, expected {wanted}"
            );
            let pace =
                |controller: &dyn Controller| controller.decision().pacing.unwrap().as_bps() as f64;
            let wanted = pace(&*real);
            let found = pace(&fixed);
            assert!(
                (found - wanted).abs() < 3e-6 * wanted + 20.0,
                "seed {seed}, round {round}: {found} bit/s, expected {wanted}"
            );
        }
    }
}
