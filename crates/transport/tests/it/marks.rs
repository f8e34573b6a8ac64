//! Classic ECN at the sender (RFC 3168).

use crate::common::{Heard, Rig, at, ranges};
use narrows_control::{CaState, Congestion, EcnDelta};
use narrows_transport::Ack;
use narrows_wire::Ecn;

fn capable(window: f64) -> Rig {
    let mut rig = Rig::new(window);
    rig.decide(|decision| decision.ecn = Ecn::Ect0);
    rig.ack(0, 0);
    rig
}

fn echo(rig: &mut Rig, ms: u64, next: u64, ce: u32) -> Heard {
    rig.deliver(at(ms), Ack { next, window: u32::MAX, ce, ece: true, ..Ack::default() }).unwrap()
}

#[test]
fn one_reduction_per_window_of_data() {
    let mut rig = capable(10.0);
    rig.numbers(0);
    assert_eq!(echo(&mut rig, 100, 1, 1).congestion, Some(Congestion::Mark));
    let answer = rig.send(at(100));
    assert!(answer[0].cwr, "the first new segment says that the window was reduced");
    assert_eq!(answer[0].number, 10);
    // The echo goes on until segment 10 has arrived; the acknowledgement of 9 is of the same window
    // still.
    let marks =
        (2..=10).filter(|next| echo(&mut rig, 100 + next, *next, 1).congestion.is_some()).count();
    assert_eq!((marks, rig.sender.ca_state()), (0, CaState::Cwr));
    rig.numbers(111);
    let heard =
        rig.deliver(at(200), Ack { next: 11, window: u32::MAX, ce: 1, ..Ack::default() }).unwrap();
    assert_eq!((heard.congestion, heard.ca_state), (None, CaState::Open));
    assert_eq!(
        echo(&mut rig, 201, 12, 2).congestion,
        Some(Congestion::Mark),
        "a new mark after that"
    );
}

#[test]
fn only_one_segment_carries_the_answer_and_retransmissions_carry_no_code_point() {
    let mut rig = capable(10.0);
    rig.numbers(0);
    echo(&mut rig, 100, 6, 1);
    let answers: Vec<bool> = rig.send(at(100)).iter().map(|data| data.cwr).collect();
    assert_eq!(answers.iter().filter(|cwr| **cwr).count(), 1);
    rig.sack(101, 6, &[(7, 10)]);
    let (data, ecn) = rig.sender.transmit(at(101)).unwrap();
    assert_eq!((data.number, data.retransmission, ecn), (6, true, Ecn::NotEct));
}

#[test]
fn the_reduction_for_a_mark_serves_losses_of_the_same_window() {
    let mut rig = capable(20.0);
    rig.numbers(0);
    echo(&mut rig, 100, 1, 1);
    rig.numbers(100);
    assert_eq!(rig.sack(102, 1, &[(2, 8)]).congestion, None);
    assert_eq!(rig.sender.ca_state(), CaState::Recovery);
    assert_eq!(rig.script.lock().unwrap().reductions(), [Congestion::Mark]);
}

#[test]
fn a_flow_that_is_not_capable_ignores_the_echo() {
    let mut rig = Rig::new(10.0);
    rig.numbers(0);
    assert_eq!(echo(&mut rig, 100, 1, 1).congestion, None);
}

#[test]
fn counts_come_as_differences_and_late_acknowledgements_take_nothing_back() {
    let mut rig = capable(10.0);
    rig.numbers(0);
    let mut deliver = |ms, next, (ect0, ect1, ce), blocks: &[(u64, u64)]| {
        rig.deliver(
            at(ms),
            Ack {
                next,
                window: u32::MAX,
                ect0,
                ect1,
                ce,
                blocks: ranges(blocks),
                ..Ack::default()
            },
        )
        .unwrap()
        .ecn
    };
    assert_eq!(deliver(100, 4, (3, 0, 1), &[]), EcnDelta { ect0: 3, ect1: 0, ce: 1, echo: false });
    assert_eq!(
        deliver(101, 4, (5, 1, 1), &[(6, 8)]),
        EcnDelta { ect0: 2, ect1: 1, ce: 0, echo: false }
    );
    assert_eq!(deliver(102, 4, (4, 1, 1), &[(6, 7)]), EcnDelta::default(), "overtaken");
    assert_eq!(deliver(103, 8, (6, 1, 2), &[]), EcnDelta { ect0: 1, ect1: 0, ce: 1, echo: false });
}
