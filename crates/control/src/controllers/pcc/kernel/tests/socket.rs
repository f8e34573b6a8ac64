//! The controller reads what a kernel controller is shown, and packets are accounted in the order
//! sent.

use super::*;
use crate::testing::{acked, at};
use crate::{
    CaState, Congestion, Decision, EcnDelta, Feedback, Lost, Open, RateSample, Sent, Tag, Timeout,
    Totals,
};
use crate::{Choice, Setup};
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::Signal;

/// Input that both are told alike.
fn shown(random: &mut Random, totals: &mut Totals, now: Time) -> Feedback<'static> {
    totals.sent += random.below(30);
    let flying = totals.sent - totals.delivered - totals.lost;
    let settled = random.below(flying + 1);
    let lost = if random.chance(0.1) { random.below(settled + 1) } else { 0 };
    totals.delivered += settled - lost;
    totals.lost += lost;
    let mut feedback = Feedback::at(now);
    feedback.totals = *totals;
    feedback.srtt = Span::from_micros(30_000 + random.below(3_000));
    feedback.in_flight = (flying - settled) as u32;
    feedback.ca_state = if random.chance(0.02) { CaState::Loss } else { CaState::Open };
    feedback
}

#[test]
fn nothing_but_totals_flight_round_trip_and_timeouts_is_read() {
    for text in ["pcc-vivace", "pcc-vivace?fixed", "pcc-allegro", "pcc-allegro?fixed"] {
        let choice: Choice = text.parse().unwrap();
        let run = |noise: Option<u64>| -> Vec<Decision> {
            let mut controller = choice.build(&Setup::default()).unwrap();
            let mut junk = Random::stream(noise.unwrap_or_default(), "junk");
            let mut random = Random::stream(1, "connection");
            let mut totals = Totals::default();
            let mut decisions = Vec::new();
            controller.on_open(&Open::new(at(0), Span::from_millis(30)));
            for step in 1..20_000 {
                let now = at(3 * step);
                let mut sent = Sent::new(now, step, Bytes::new(1448), 10);
                let mut acks = Vec::new();
                let mut losses = Vec::new();
                let mut feedback = shown(&mut random, &mut totals, now);
                if noise.is_some() {
                    let any = |random: &mut Random| random.below(1_000_000);
                    (sent.number, sent.in_flight, sent.bytes) =
                        (any(&mut junk), any(&mut junk) as u32, Bytes::new(any(&mut junk)));
                    (sent.retransmission, sent.app_limited, sent.rto) =
                        (true, true, Span::from_nanos(any(&mut junk)));
                    acks = acked(0..junk.below(5));
                    acks.iter_mut().for_each(|acked| {
                        (acked.tag, acked.rtt) =
                            (Tag(any(&mut junk) as u32), Span::from_nanos(any(&mut junk)))
                    });
                    losses.push(Lost {
                        number: any(&mut junk),
                        bytes: Bytes::new(1),
                        sent_at: at(junk.below(step)),
                        tag: Tag(any(&mut junk) as u32),
                    });
                    feedback.rtt = Some(Span::from_nanos(any(&mut junk)));
                    feedback.rate = Some(RateSample {
                        app_limited: junk.chance(0.5),
                        ack_delayed: junk.chance(0.5),
                        ..RateSample::over(
                            any(&mut junk) as u32,
                            Span::from_nanos(any(&mut junk)),
                            any(&mut junk),
                        )
                    });
                    feedback.in_flight_before = any(&mut junk) as u32;
                    feedback.ecn = EcnDelta {
                        ect0: any(&mut junk) as u32,
                        ect1: any(&mut junk) as u32,
                        ce: any(&mut junk) as u32,
                        echo: true,
                    };
                    feedback.signal = Some(Signal::Rate(Rate::from_bps(any(&mut junk))));
                    feedback.congestion = junk.chance(0.5).then_some(Congestion::Loss);
                    if feedback.ca_state == CaState::Open {
                        let states =
                            [CaState::Open, CaState::Disorder, CaState::Cwr, CaState::Recovery];
                        feedback.ca_state = states[junk.below(4) as usize];
                    }
                    controller.on_undo(now);
                }
                assert_eq!(controller.on_sent(&sent), Tag::default(), "packets are not marked");
                if random.chance(0.01) {
                    let (in_flight, lost) = if noise.is_some() {
                        (junk.below(99) as u32, junk.below(99) as u32)
                    } else {
                        (10, 10)
                    };
                    controller.on_timeout(&Timeout::new(now, in_flight, lost, noise.is_some()));
                }
                feedback.acked = &acks;
                feedback.lost = &losses;
                controller.on_feedback(&feedback);
                decisions.push(controller.decision());
            }
            decisions
        };
        let plain = run(None);
        assert!(
            plain.iter().zip(&plain[1..]).filter(|(one, next)| one.pacing != next.pacing).count()
                > 100,
            "{text} decides"
        );
        for seed in 0..3 {
            assert!(run(Some(seed)) == plain, "{text}");
        }
    }
}

/// Acknowledges one by one what was sent, `late` packets behind; answers (base, end, packets
/// counted) of the intervals that were completed.
fn intervals(late: u32) -> Vec<(u32, u32, u32)> {
    let mut core = core(VIVACE_CONSTANTS);
    let mut completed = Vec::new();
    for sent in 1..20_000 {
        let receiving = core.state.receiving as usize % 4;
        let before = core.state.intervals[receiving];
        let delivered = sent - late.min(sent);
        core.next(
            Event::Ack,
            &Input {
                sent,
                delivered,
                in_flight: sent - delivered,
                now: sent as u64 * 100,
                ..input()
            },
        );
        let again = core.state.intervals[receiving].base != before.base;
        if (again || core.state.receiving as usize != receiving) && before.end != 0 {
            completed.push((before.base, before.end, before.delivered + 1));
        }
    }
    completed
}

/// The shortest interval has 50 packets: the 10 at either end that may have been sent at its
/// neighbour's rate are a fifth of it, and left out.
#[test]
fn ten_packets_at_either_end_are_left_out() {
    for late in [20, 40, 300] {
        let completed = intervals(late);
        assert!(completed.len() > 20);
        for (base, end, counted) in completed {
            assert_eq!(counted, end - base - 20, "{late} behind");
            assert!(end - base >= 50.max(late), "at least 50 packets and a round trip");
        }
    }
}

#[test]
fn pacing_counts_headers_at_the_same_packets_per_second() {
    let controller = "pcc-vivace"
        .parse::<Choice>()
        .unwrap()
        .build(&Setup { seed: 3, ..Setup::default() })
        .unwrap();
    let decision = controller.decision();
    // A probe around 524,288 B/s of payload; 1500 B for each 1448 B.
    let wire = |payload: u64| Some(Rate::from_bps(payload * 1500 / 1448 * 8));
    assert!([wire(550_502), wire(498_073)].contains(&decision.pacing), "{decision:?}");
    assert_eq!(decision.window.get(), 4.0, "a round trip of 1 ms is assumed");
}
