//! Path labels, bit by bit.

use crate::captured::octets;
use narrows_ndn::lp::{Header, Label, LabelFlags, LpPacket, Mircc, PathLabel};

fn written(label: PathLabel) -> Vec<u8> {
    let header = Header { mircc: Mircc { path_label: Some(label), ..Mircc::default() }, ..Header::default() };
    let mut out = Vec::new();
    header.write_packet(None, &mut out);
    out
}

#[test]
fn slots_are_12_bits_and_the_first_bit_is_the_highest() {
    let mut label = PathLabel::new(LabelFlags::Fallback);
    for (number, wire) in [
        (0xABC, "640efd03980a0b01010f01010d02abc0"),
        (0x123, "640ffd03980b0b01010f01020d03abc123"),
        (0xFFF, "6411fd03980d0b01010f01030d05abc123fff0"),
    ] {
        assert!(label.push(Label::new(number).expect("a label")));
        assert_eq!(written(label), octets(wire));
        let read = LpPacket::decode(&octets(wire)).expect("a packet").header.mircc.path_label;
        assert_eq!(read, Some(label));
    }
    assert_eq!([0, 1, 2, 3].map(|slot| label.slot(slot).map(Label::get)), [Some(0xABC), Some(0x123), Some(0xFFF), None]);
    assert_eq!([label.pop(), label.pop()].map(|top| top.map(Label::get)), [Some(0xFFF), Some(0x123)]);
    assert_eq!(written(label), octets("640efd03980a0b01010f01010d02abc0"));
    assert_eq!([label.pop().map(Label::get), label.pop().map(Label::get)], [Some(0xABC), None]);
    assert_eq!(label, PathLabel::new(LabelFlags::Fallback));
}

#[test]
fn as_many_hops_as_fit_are_written_and_read() {
    let mut label = PathLabel::new(LabelFlags::Discovery);
    for hop in 1..=42 {
        assert!(label.push(Label::new(hop * 97).expect("a label")));
    }
    let full = label;
    assert!(!label.push(Label::new(1).expect("a label")));
    assert_eq!(label, full);
    let wire = written(label);
    let mut read = LpPacket::decode(&wire).expect("a packet").header.mircc.path_label.expect("a label");
    for hop in (1..=42).rev() {
        assert_eq!(read.pop().map(Label::get), Some(hop * 97));
    }
    assert_eq!(read.pop(), None);
}

#[test]
fn hops_of_a_discovery_are_counted_without_labels() {
    let mut label = PathLabel::new(LabelFlags::Discovery);
    (0..300).for_each(|_| label.count_hop());
    assert_eq!((label.hops(), label.top()), (255, None));
    assert_eq!(label.pop(), None);
    assert_eq!(label.hops(), 254);
    // A hop without a bitmap has no label, and labels behind the last hop are not read.
    let none = LpPacket::decode(&octets("640cfd0398080b01010f01020d00")).expect("a packet").header.mircc.path_label.expect("a label");
    assert_eq!((none.hops(), none.top()), (2, None));
    let more = LpPacket::decode(&octets("640ffd03980b0b01010f01010d03abc123")).expect("a packet").header.mircc.path_label.expect("a label");
    assert_eq!(written(more), octets("640efd03980a0b01010f01010d02abc0"));
    assert_eq!(Label::new(0), None);
    assert_eq!(Label::new(4096), None);
}

#[test]
fn flags_that_exclude_each_other_are_refused() {
    for flags in ["03", "04", "ff"] {
        let wire = octets("640afd0398060b01030f0100")
            .iter()
            .enumerate()
            .map(|(at, octet)| if at == 8 { octets(flags)[0] } else { *octet })
            .collect::<Vec<_>>();
        assert_eq!(LpPacket::decode(&wire).expect_err("flags").number, 0x0B);
    }
}
