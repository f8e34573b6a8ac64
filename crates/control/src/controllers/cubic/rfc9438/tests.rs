use super::*;
use crate::CaState;
use crate::Choice;
use crate::testing::{acked, acked_one, at, near, send, setup};

fn cubic(options: &str, window: f64) -> Rfc9438 {
    let text = format!("cubic?profile=rfc9438&hystart=false{options}");
    Rfc9438::new(&setup(window), &text.parse::<Choice>().unwrap().params()).unwrap()
}

fn lose(cubic: &mut Rfc9438, now: Time, why: Congestion) {
    cubic.on_feedback(&Feedback {
        congestion: Some(why),
        ca_state: CaState::Recovery,
        ..Feedback::at(now)
    });
}

/// One segment is acknowledged; the smoothed round trip is 100 ms.
fn ack(cubic: &mut Rfc9438, now: Time) {
    cubic.on_feedback(&Feedback {
        acked: &acked(0..1),
        srtt: Span::from_millis(100),
        ..Feedback::at(now)
    });
}

/// Shows RFC 9438 section 4.6: "The parameter beta_cubic SHOULD be set to 0.7"
///
/// Shows RFC 9438 section 5.1: "C SHOULD be set to 0.4"
#[test]
fn k_of_100_and_70_is_4_217_seconds() {
    let mut cubic = cubic("", 100.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    assert_eq!(
        (cubic.window.cwnd, cubic.window.threshold, cubic.state.w_max),
        (70.0, 70.0, Some(100.0))
    );
    ack(&mut cubic, at(1_100));
    // ∛75
    near(cubic.state.epoch.unwrap().k, 4.217_163_327);
    near(cubic.state.epoch.unwrap().w_cubic(0.0), 70.0);
    near(cubic.state.epoch.unwrap().w_cubic(4.217_163_327 + 1.0), 100.4);
}

/// Shows RFC 9438 section 4.4: "In this region, cwnd MUST be incremented by (target - cwnd)/cwnd"
///
/// Shows RFC 9438 section 4.6: "the sender MUST reduce cwnd and ssthresh immediately upon entering
/// loss recovery"
#[test]
fn one_sawtooth_step_by_step() {
    let mut cubic = cubic("", 100.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    ack(&mut cubic, at(1_100));
    // At t = 0 the curve is at 70 and W_est at 70 + α/70, α = 0.9/1.7: the Reno-friendly region.
    near(cubic.window.cwnd, 70.0 + 0.529_411_764_7 / 70.0);
    // At t = 1 s the curve is at 100 - 0.4 · 3.217163³ = 86.6806, ahead of W_est; the target 0.4 ·
    // (1.1 - K)³ + 100 = 87.8846 is below 105.
    let before = cubic.window.cwnd;
    ack(&mut cubic, at(2_100));
    let target = 100.0 - 0.4 * (3.117_163_327f64 * 3.117_163_327 * 3.117_163_327);
    near(target, 87.884_574_7);
    near(cubic.window.cwnd, before + (target - before) / before);
}

/// Shows RFC 9438 section 4.7: ""Fast Convergence" mechanism SHOULD be implemented"
#[test]
fn fast_convergence_uses_the_window_before_the_cut() {
    for (options, w_max) in [("", 59.5), ("&fast_convergence=false", 70.0)] {
        let mut cubic = cubic(options, 100.0);
        lose(&mut cubic, at(1_000), Congestion::Loss);
        lose(&mut cubic, at(2_000), Congestion::Loss);
        assert_eq!(cubic.state.w_max, Some(w_max));
        near(cubic.window.cwnd, 49.0);
    }
}

/// Shows RFC 9438 section 4.3: "cwnd SHOULD be set to W_est at each reception of a new ACK"
#[test]
fn targets_are_between_the_window_and_half_more() {
    let mut cubic = cubic("&friendliness=false", 100.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    ack(&mut cubic, at(1_100));
    cubic.window.cwnd = 110.0;
    ack(&mut cubic, at(1_200));
    assert_eq!(cubic.window.cwnd, 110.0, "the curve at 74 does not lower it");
    (cubic.window.cwnd, cubic.window.threshold) = (10.0, 5.0);
    ack(&mut cubic, at(1_300));
    assert_eq!(cubic.window.cwnd, 10.5, "half the window per window");
}

/// Shows RFC 9438 section 4.3: "the sender SHOULD set alpha_cubic to 1"
#[test]
fn reno_grows_by_one_once_at_the_window_before_the_reduction() {
    let mut cubic = cubic("", 100.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    ack(&mut cubic, at(1_000));
    let w_est = |cubic: &Rfc9438| cubic.state.epoch.unwrap().w_est;
    cubic.state.epoch.as_mut().unwrap().w_est = 99.999;
    let before = w_est(&cubic);
    let window = cubic.window.cwnd;
    ack(&mut cubic, at(1_000));
    near(w_est(&cubic), before + 0.529_411_764_7 / window);
    let before = w_est(&cubic);
    let window = cubic.window.cwnd;
    assert!(before >= 100.0);
    ack(&mut cubic, at(1_000));
    near(w_est(&cubic), before + 1.0 / window);
}

/// Shows RFC 9438 section 4.6: "MUST continue to reduce cwnd in response to congestion events due
/// to ECN-Echo ACKs until it reaches a value of 1 MSS"
#[test]
fn marks_may_leave_one_segment_and_losses_two() {
    let left = |why| {
        let mut cubic = cubic("&ecn", 1.2);
        lose(&mut cubic, at(1_000), why);
        (cubic.window.cwnd, cubic.window.threshold)
    };
    assert_eq!(left(Congestion::Mark), (1.0, 2.0));
    assert_eq!(left(Congestion::Loss), (2.0, 2.0));
}

/// Shows RFC 9438 section 4.8: "W_est SHOULD be set to the congestion window size at the beginning
/// of the current congestion avoidance stage"
#[test]
fn after_a_timeout_the_curve_begins_flat_where_slow_start_ends() {
    let mut cubic = cubic("", 100.0);
    cubic.on_timeout(&Timeout::new(at(1_000), 100, 100, false));
    assert_eq!((cubic.window.cwnd, cubic.window.threshold), (1.0, 70.0));
    cubic.on_timeout(&Timeout::new(at(2_000), 1, 1, true));
    assert_eq!((cubic.window.cwnd, cubic.window.threshold), (1.0, 70.0));
    cubic.on_feedback(&Feedback {
        acked: &acked(0..69),
        ca_state: CaState::Loss,
        ..Feedback::at(at(3_000))
    });
    assert_eq!(cubic.window.cwnd, 70.0);
    ack(&mut cubic, at(3_100));
    let epoch = cubic.state.epoch.unwrap();
    assert_eq!((epoch.k, epoch.w_max, cubic.state.cwnd_prior), (0.0, 70.0, 100.0));
}

/// Shows RFC 9438 section 4.2: "The elapsed time t in Equation 1 MUST NOT include periods during
/// which cwnd has not been updated due to application-limited behavior"
///
/// Shows RFC 9438 section 4.6: "MUST use other measures to prevent cwnd from growing when the
/// volume of bytes in flight is smaller than cwnd"
#[test]
fn time_that_the_application_limited_is_not_on_the_curve() {
    let mut cubic = cubic("", 100.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    ack(&mut cubic, at(1_000));
    ack(&mut cubic, at(1_500));
    cubic.on_feedback(&Feedback { acked: &[acked_one(0, false)], ..Feedback::at(at(3_500)) });
    ack(&mut cubic, at(3_600));
    assert_eq!(cubic.state.epoch.unwrap().t, Span::from_millis(600));
    // Nothing in flight for ten seconds.
    cubic.on_sent(&Sent::new(at(13_600), 1, Bytes::new(1448), 0));
    ack(&mut cubic, at(13_700));
    assert_eq!(cubic.state.epoch.unwrap().t, Span::from_millis(700));
}

#[test]
fn an_idle_flow_restarts_from_its_initial_window() {
    let mut cubic = cubic("", 10.0);
    cubic.window.cwnd = 80.0;
    let sent = |ms, in_flight| Sent {
        rto: Span::from_millis(200),
        ..Sent::new(at(ms), ms, Bytes::new(1448), in_flight)
    };
    cubic.on_sent(&sent(1_000, 3));
    cubic.on_sent(&sent(1_200, 0));
    assert_eq!(cubic.window.cwnd, 80.0);
    cubic.on_sent(&sent(1_401, 0));
    assert_eq!(cubic.window.cwnd, 10.0);
}

#[test]
fn undo_restores_the_curve() {
    let mut cubic = cubic("", 100.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    ack(&mut cubic, at(1_100));
    ack(&mut cubic, at(2_100));
    let before = cubic.window.cwnd;
    cubic.on_feedback(&Feedback {
        acked: &acked(0..1),
        congestion: Some(Congestion::Loss),
        ca_state: CaState::Recovery,
        ..Feedback::at(at(2_200))
    });
    assert!(cubic.window.cwnd < before);
    cubic.on_undo(at(2_300));
    assert_eq!(cubic.window.cwnd, before);
    assert_eq!(
        (cubic.window.threshold, cubic.state.w_max, cubic.state.cwnd_prior),
        (70.0, Some(100.0), 100.0)
    );
    assert_eq!(
        cubic.state.epoch.unwrap().t,
        Span::from_millis(1_200),
        "1 s to the last acknowledgement, 0.1 s to the loss, 0.1 s to the undo"
    );
}

/// Shows RFC 9438 section 4.9.2: "CUBIC SHOULD continue to use the current and the most recent
/// values of these variables"
#[test]
fn undo_leaves_a_window_that_has_grown_beyond() {
    let mut cubic = cubic("", 10.0);
    lose(&mut cubic, at(1_000), Congestion::Loss);
    cubic.window.cwnd = 50.0;
    cubic.on_undo(at(2_000));
    assert_eq!(cubic.window.cwnd, 50.0);
}

/// Shows RFC 9438 section 4.10: "CUBIC SHOULD use the HyStart++ slow start algorithm"
#[test]
fn hystart_hands_over_to_a_flat_curve() {
    let text = "cubic?profile=rfc9438";
    let mut cubic = Rfc9438::new(&setup(10.0), &text.parse::<Choice>().unwrap().params()).unwrap();
    let mut now = 0;
    for round in 0..7u64 {
        let numbers = round * 10..round * 10 + 10;
        send(&mut cubic, at(now), numbers.clone());
        now += 60;
        for number in numbers {
            let rtt = Some(Span::from_millis(if round == 0 { 40 } else { 60 }));
            cubic.on_feedback(&Feedback {
                acked: &acked(number..number + 1),
                rtt,
                srtt: Span::from_millis(60),
                ..Feedback::at(at(now))
            });
        }
    }
    // The first acknowledgement of the seventh round ends slow start: 10 + 10 in the first round, 7
    // of full growth and 3 quarters in the second, and 10 quarters in each of four.
    let threshold = 20.0 + 7.0 + 0.75 + 4.0 * 2.5;
    assert_eq!(cubic.window.threshold, threshold);
    assert_eq!(cubic.state.w_max, Some(threshold));
    assert_eq!(cubic.state.cwnd_prior, threshold);
    assert_eq!(cubic.state.epoch.unwrap().k, 0.0);
}
