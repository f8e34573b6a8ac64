//! Values that routers write: from data to its acknowledgement, and from there to the controller.

use crate::common::{Rig, at};
use narrows_transport::{Ack, Data, Receiver, Transport};
use narrows_units::{Bytes, Rate};
use narrows_wire::{Ecn, Signal};

#[test]
fn an_acknowledgement_carries_the_sum_of_changes_and_carries_it_once() {
    let mut receiver = Receiver::new(&Transport {
        quick_acks: 0,
        receive_autotuning: false,
        ..Transport::default()
    });
    let mut arrive = |number, signal| {
        let data = Data {
            number,
            bytes: Bytes::new(1448),
            stamp: at(0),
            packet: 0,
            acked: 0,
            retransmission: false,
            cwr: false,
        };
        receiver.on_data(at(10), &data, Ecn::NotEct, signal)
    };
    assert_eq!(arrive(0, Some(Signal::Delta(300.0))), None);
    assert_eq!(arrive(1, Some(Signal::Delta(-100.0))).unwrap().signal, Some(Signal::Delta(200.0)));
    assert_eq!(arrive(2, None), None);
    assert_eq!(arrive(3, None).unwrap().signal, None);
}

#[test]
fn the_controller_hears_the_signal_of_the_acknowledgement_at_hand() {
    let mut rig = Rig::new(4.0);
    rig.numbers(0);
    let signal = Some(Signal::Rate(Rate::from_mbps(7)));
    let ack = Ack { next: 1, window: u32::MAX, signal, ..Ack::default() };
    assert_eq!(rig.deliver(at(100), ack).unwrap().signal, signal);
    assert_eq!(rig.deliver(at(101), Ack { next: 2, signal: None, ..ack }).unwrap().signal, None);
}
