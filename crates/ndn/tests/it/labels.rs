//! Path labels, bit by bit.

use crate::captured::octets;
use narrows_ndn::lp::{Header, LabelFlags, LpPacket, Mircc, PathLabel};

fn written(label: PathLabel) -> Vec<u8> {
    let header = Header {
        mircc: Mircc { path_label: Some(label), ..Mircc::default() },
        ..Header::default()
    };
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
        assert!(label.labels.push(number));
        assert_eq!(written(label), octets(wire));
        let read = LpPacket::decode(&octets(wire)).expect("a packet").header.mircc.path_label;
        assert_eq!(read, Some(label));
    }
    assert_eq!(
        [0, 1, 2, 3].map(|slot| label.labels.slot(slot)),
        [Some(0xABC), Some(0x123), Some(0xFFF), None]
    );
    assert_eq!([label.labels.pop(), label.labels.pop()], [Some(0xFFF), Some(0x123)]);
    assert_eq!(written(label), octets("640efd03980a0b01010f01010d02abc0"));
    assert_eq!([label.labels.pop(), label.labels.pop()], [Some(0xABC), None]);
    assert_eq!(label, PathLabel::new(LabelFlags::Fallback));
}

#[test]
fn as_many_hops_as_fit_are_written_and_read() {
    let mut label = PathLabel::new(LabelFlags::Discovery);
    for hop in 1..=42 {
        assert!(label.labels.push(hop * 97));
    }
    let wire = written(label);
    let mut read =
        LpPacket::decode(&wire).expect("a packet").header.mircc.path_label.expect("a label").labels;
    for hop in (1..=42).rev() {
        assert_eq!(read.pop(), Some(hop * 97));
    }
    assert_eq!(read.pop(), None);
}

#[test]
fn hops_of_a_discovery_are_counted_without_labels() {
    let read = |wire: &str| {
        LpPacket::decode(&octets(wire)).expect("a packet").header.mircc.path_label.expect("a label")
    };
    // Hops beyond the bitmap have no labels, and labels after the last hop are not read.
    let none = read("640cfd0398080b01010f01020d00");
    assert_eq!((none.labels.hops(), none.labels.top()), (2, None));
    assert_eq!(read("640afd0398060b01010f0102"), none);
    let more = read("640ffd03980b0b01010f01010d03abc123");
    assert_eq!(written(more), octets("640efd03980a0b01010f01010d02abc0"));
}

#[test]
fn a_bitmap_of_more_than_64_octets_is_refused() {
    for (length, fits) in [(64, true), (65, false)] {
        let label =
            [&octets("0b01010f01010d")[..], &[length], &vec![0x11; usize::from(length)]].concat();
        let wire = [
            &octets("64")[..],
            &[label.len() as u8 + 4],
            &octets("fd0398"),
            &[label.len() as u8],
            &label,
        ]
        .concat();
        assert_eq!(LpPacket::decode(&wire).is_ok(), fits, "{length}");
    }
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
