//! For any bytes, nothing panics, and packets that are not split stay unchanged.

use super::*;
use narrows_path::Packet;
use narrows_wire::Ecn;

fn any_virtio() -> impl Strategy<Value = VirtioHeader> {
    let gso = prop::sample::select(vec![0u8, 1, 3, 4, 5, 0x81, 0x11, 0x84, 0x14, 0x85, 0x21, 7]);
    (0u8..4, gso, any::<[u16; 4]>(), any::<bool>()).prop_map(|(flags, gso, words, small)| {
        let mut bytes = [0; 10];
        (bytes[0], bytes[1]) = (flags, gso);
        let header = VirtioHeader::from_bytes(&bytes);
        let [hdr_len, gso_size, csum_start, csum_offset] =
            if small { words.map(|word| word % 64) } else { words };
        VirtioHeader { hdr_len, gso_size, csum_start, csum_offset, ..header }
    })
}

/// Calls all functions of a frame and its packets.
fn exercise(virtio: VirtioHeader, ip: &[u8]) {
    let mut pool = Pool::new();
    let frame = frame(&mut pool, virtio, ip);
    assert_eq!(frame.ip(), ip);
    let ends = frame.endpoints();
    let packets: Vec<WirePacket> = frame.packets(1).collect();
    assert_eq!(packets.is_empty(), ip.is_empty());
    let mut payload = Vec::new();
    let mut write = Write::new();
    for packet in &packets {
        assert_eq!(packet.endpoints(), ends);
        if let Some(tcp) = packet.tcp() {
            assert!(tcp.payload < ip.len());
            let (stamps, blocks, options) =
                (tcp.timestamps(), tcp.sack_blocks().count(), tcp.options().count());
            assert!(usize::from(stamps.is_some()) + blocks.div_ceil(4) <= options && options <= 40);
        }
        let mut marked = packet.clone();
        marked.set_ecn(Ecn::Ce);
        let (plain, changed) = (wire(packet), wire(&marked));
        assert_eq!(
            (packet.size().get(), marked.size().get()),
            (plain.len() as u64, changed.len() as u64)
        );
        payload.extend_from_slice(packet.payload());
        if let Err(packet) = write.push(packet.clone()) {
            write.clear();
            write.push(packet).unwrap();
        }
        let (_, bytes) = written(&write);
        assert!(bytes.len() <= 65_575 && bytes.len() >= plain.len());
    }
    assert_eq!(payload, ip[ip.len() - payload.len()..], "the end of the frame, cut into pieces");
    if let [packet] = &packets[..] {
        assert_eq!(
            (packet.head().virtio(), [packet.head().ip(), packet.payload()].concat()),
            (virtio, ip.to_vec())
        );
    }
}

proptest! {
    #[test]
    fn any_bytes_pass(virtio in any_virtio(), ip in prop::collection::vec(any::<u8>(), 0..200)) {
        exercise(virtio, &ip);
    }

    #[test]
    fn any_bytes_that_look_like_ip_pass(virtio in any_virtio(), v6 in any::<bool>(), mut ip in prop::collection::vec(any::<u8>(), 40..300)) {
        let length = ip.len() as u16;
        if v6 {
            (ip[0], ip[6]) = (0x60, [6, 17, 0, 44, 60][usize::from(ip[6]) % 5]);
            ip[4..6].copy_from_slice(&(length - 40).to_be_bytes());
        } else {
            (ip[0], ip[9]) = (0x40 | ip[0] & 15, [6, 17][usize::from(ip[9]) % 2]);
            ip[2..4].copy_from_slice(&length.to_be_bytes());
            ip[6..8].fill(0);
        }
        exercise(virtio, &ip);
    }

    #[test]
    fn packets_with_bytes_changed_pass(
        sample in any_sample(),
        changes in prop::collection::vec((0usize..120, any::<u8>()), 1..4),
        cut in prop::option::of(0usize..200),
        virtio in prop::option::of(any_virtio()),
    ) {
        let sample = Sample { payload: sample.payload % 5000, ..sample };
        let (own, mut ip) = sample.bytes();
        for (at, byte) in changes {
            let at = at % ip.len();
            ip[at] = byte;
        }
        ip.truncate(cut.unwrap_or(usize::MAX));
        exercise(virtio.unwrap_or(own), &ip);
    }

    #[test]
    fn a_read_of_any_length_passes(length in 0usize..70_000) {
        let filled = Pool::new().fill(|buffer| Ok::<_, Infallible>(length.min(buffer.len())));
        let frame = filled.unwrap_or_else(|never| match never {});
        prop_assert_eq!(frame.packets(0).len(), usize::from(length > 10));
    }
}
