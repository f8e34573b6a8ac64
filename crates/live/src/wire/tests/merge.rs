use super::*;
use narrows_path::Packet;
use narrows_wire::Ecn;

/// Returns the number of packets in each write.
fn writes(packets: impl IntoIterator<Item = WirePacket>) -> Vec<usize> {
    let (mut write, mut counts) = (Write::new(), Vec::new());
    for packet in packets {
        if let Err(packet) = write.push(packet) {
            counts.push(write.packets().len());
            write.clear();
            write.push(packet).expect("an empty write takes everything");
        }
    }
    counts.push(write.packets().len());
    counts
}

fn three() -> Sample {
    Sample { payload: 3000, ..Sample::default() }
}

fn packets(sample: Sample) -> Vec<WirePacket> {
    sample.frame(&mut Pool::new()).packets(0).collect()
}

#[test]
fn a_write_has_the_headers_and_the_payload_in_two_pieces() {
    let mut write = Write::new();
    assert_eq!(write.pieces(|_| ()), None);
    packets(three()).into_iter().for_each(|packet| write.push(packet).unwrap());
    assert_eq!(
        write.pieces(|pieces| pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>()),
        Some(vec![62, 3000])
    );
    write.clear();
    assert!(write.is_empty());
}

#[test]
fn the_next_super_segment_of_a_connection_joins() {
    let (one, two) = (
        three(),
        Sample { sequence: 4000, identification: 103, flags: 0x18, payload: 2001, ..three() },
    );
    let mut write = Write::new();
    packets(one).into_iter().chain(packets(two)).for_each(|packet| write.push(packet).unwrap());
    assert_eq!(
        write.pieces(|pieces| pieces.iter().map(|piece| piece.len()).collect::<Vec<_>>()),
        Some(vec![62, 3000, 2001])
    );
    let (virtio, ip) = written(&write);
    let whole = Sample { payload: 5001, flags: 0x18, ..three() }.bytes();
    assert_eq!((virtio, &ip[..52]), (whole.0, &whole.1[..52]));
}

#[test]
fn what_does_not_continue_a_connection_does_not_join() {
    let next = Sample { sequence: 4000, identification: 103, payload: 1000, ..three() };
    let with = |change: fn(&mut Sample)| {
        let mut other = next.clone();
        change(&mut other);
        writes(packets(three()).into_iter().chain(packets(other)))
    };
    assert_eq!(with(|_| ()), [4]);
    assert_eq!(with(|sample| sample.sequence += 1), [3, 1]);
    assert_eq!(with(|sample| sample.identification += 1), [3, 1]);
    assert_eq!(with(|sample| sample.traffic_class = 3), [3, 1]);
    assert_eq!(with(|sample| sample.traffic_class = 0x12), [3, 1]);
    assert_eq!(with(|sample| sample.flags |= 0x40), [3, 1]);
    assert_eq!(with(|sample| sample.tcp_options = 8), [3, 1]);
    assert_eq!(with(|sample| sample.v6 = true), [3, 1]);
    assert_eq!(with(|sample| (sample.payload, sample.gso_size) = (1001, 2000)), [3, 1]);
    assert_eq!(with(|sample| sample.payload = 0), [3, 1]);
    let short = Sample { payload: 2500, ..three() };
    let after = Sample { sequence: 3500, ..next.clone() };
    assert_eq!(
        writes(packets(short).into_iter().chain(packets(after))),
        [3, 1],
        "after a short packet"
    );
    for (at, what) in [
        (12, "source"),
        (19, "destination"),
        (8, "time to live"),
        (21, "source port"),
        (31, "acknowledgement"),
        (35, "window"),
        (45, "option"),
    ] {
        let (virtio, mut ip) = next.bytes();
        ip[at] ^= 2;
        let other = frame(&mut Pool::new(), virtio, &ip);
        assert_eq!(writes(packets(three()).into_iter().chain(other.packets(0))), [3, 1], "{what}");
    }
}

#[test]
fn a_packet_whose_checksum_nobody_vouches_for_stays_alone() {
    let next = Sample { sequence: 4000, identification: 103, payload: 1000, ..three() };
    let (virtio, mut ip) = next.bytes();
    complete(&mut ip, virtio.csum_start, virtio.csum_offset);
    let complete = frame(&mut Pool::new(), VirtioHeader::default(), &ip);
    assert_eq!(writes(packets(three()).into_iter().chain(complete.packets(0))), [3, 1]);
}

#[test]
fn a_lost_a_marked_and_a_reordered_packet_end_a_super_segment() {
    let five = || packets(Sample { payload: 5000, ..Sample::default() });
    let mut lost = five();
    lost.remove(2);
    assert_eq!(writes(lost), [2, 2]);
    let mut marked = five();
    marked[1].set_ecn(Ecn::Ce);
    assert_eq!(writes(marked), [1, 1, 3]);
    let mut reordered = five();
    reordered.swap(2, 3);
    assert_eq!(writes(reordered), [2, 1, 1, 1]);
}

#[test]
fn flags_end_a_super_segment_or_stand_alone() {
    let two = |flags| {
        [
            packets(Sample { flags, ..three() }),
            packets(Sample { sequence: 4000, identification: 103, ..three() }),
        ]
        .concat()
    };
    assert_eq!(writes(two(0x10)), [6]);
    assert_eq!(writes(two(0x18)), [3, 3], "PSH");
    assert_eq!(writes(two(0x11)), [3, 3], "FIN");
    assert_eq!(writes(two(0x90)), [1, 5], "CWR");
    assert_eq!(writes(two(0x30)), [1, 1, 1, 3], "URG");
}

#[test]
fn a_write_ends_at_64_kib_and_at_as_many_pieces_as_it_has_room_for() {
    let big = |sequence, identification| {
        packets(Sample { payload: 40_000, sequence, identification, ..Sample::default() })
    };
    assert_eq!(writes([big(1000, 100), big(41_000, 140)].concat()), [65, 15]);
    let small = |index: u16| {
        packets(Sample {
            payload: 10,
            gso_size: 10,
            sequence: u32::from(index) * 10,
            identification: index,
            ..Sample::default()
        })
    };
    assert_eq!(writes((0..100).flat_map(small)), [63, 37]);
}

proptest! {
    #[test]
    fn what_was_split_is_put_back_together(sample in any_sample()) {
        let sample = Sample { ip_options: 0, flags: sample.flags & 0x59, virtio: VirtioHeader::default(), ..sample };
        let mut write = Write::new();
        let mut pool = Pool::new();
        for packet in sample.frame(&mut pool).packets(0) {
            prop_assert!(write.push(packet).is_ok());
        }
        prop_assert!(written(&write) == sample.bytes());
        write.clear();
        prop_assert_eq!(pool.waiting(), 1);
    }
}
