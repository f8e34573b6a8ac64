//! Window, pacing rate and quantum.

use super::*;

#[test]
fn window_and_quantum_follow_the_rate_and_the_longest_round_trip() {
    // 1.25 MB/s, 40 ms and a margin of 10 ms.
    let cruise = Flow::reach(DRAFT, C4State::Cruising, 1.0).c4;
    near(cruise.window(), 62_500.0);
    near(cruise.quantum(), 5000.0);
    let push = Flow::reach(DRAFT, C4State::Pushing, 1.0).c4;
    near(push.window(), 78_125.0);
    near(push.quantum(), 6250.0);
    near(Flow::reach(DRAFT, C4State::Recovery, 1.0).c4.window(), 62_500.0 * 15.0 / 16.0);
    near(Flow::reach(DRAFT, C4State::Probing, 1.0).c4.window(), 62_500.0 * 17.0 / 16.0);
    // The margin is at most 15 ms, and the window at least two packets.
    let mut long = Flow::reach(DRAFT, C4State::Cruising, 1.0).c4;
    long.rtts.set_max(Span::from_millis(100));
    near(long.window(), 1_250_000.0 * 0.115);
    long.rate.set(1000.0);
    assert_eq!((long.window(), long.quantum()), (2000.0, 2000.0));
    long.rate.set(100e6);
    assert_eq!(long.quantum(), 65_536.0);
}

#[test]
fn picoquic_sends_at_least_a_packet_more_when_it_probes() {
    let mut flow = Flow::reach(PICOQUIC, C4State::Probing, 1.0);
    flow.c4.rate.set(200_000.0);
    // 1/16 of 8000 B are 500; the margin is a quarter of the round trip.
    near(flow.c4.window(), 200_000.0 * PROBING * 0.050 + 500.0);
    let mut cruise = Flow::reach(PICOQUIC, C4State::Cruising, 1.0).c4;
    cruise.rate.set(1.024e6);
    near(cruise.quantum(), 4000.0);
    near(Flow::reach(PICOQUIC, C4State::Pushing, 1.0).c4.alpha, 1256.0 / 1024.0);
}

#[test]
fn initial_is_unpaced_before_the_first_rate_and_never_slower_than_a_megabit() {
    let mut flow = Flow::new(DRAFT);
    let decision = flow.c4.decision();
    assert_eq!((decision.window.get(), decision.pacing, decision.ecn), (10.0, None, Ecn::Ect1));
    flow.send(10);
    flow.ack_of(0, Step { delivered: 1, rtt: 100, ..STEP });
    // 10 kB/s: 128 KiB/s of payload and 4 % of headers.
    assert_eq!(flow.c4.decision().pacing, Some(Rate::from_bytes_per_sec(131_072.0 * 1.04)));
    flow.ack_of(1, Step { delivered: 100, rtt: 100, ..STEP });
    assert_eq!(flow.c4.decision().pacing, Some(Rate::from_bytes_per_sec(2e6 * 1.04)));
    // Twice the rate over the first round trip.
    near(flow.c4.window(), 200_000.0);
    assert_eq!(c4("c4?ecn=off").decision().ecn, Ecn::NotEct);
}

#[test]
fn round_trips_below_a_millisecond_add_three_sixty_fourths_to_cruising() {
    let mut flow = Flow::reach(DRAFT, C4State::Recovery, 1.0);
    flow.c4.srtt = Span::from_micros(900);
    flow.c4.enter(C4State::Cruising);
    near(flow.c4.alpha, 67.0 / 64.0);
}
