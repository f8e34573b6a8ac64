//! No octets make the decoders of NDN's packets panic, and what they accept survives being written and read again.

#![no_main]

use libfuzzer_sys::fuzz_target;
use narrows_ndn::lp::{Fragmenter, Header, LpPacket, Reassembler, overwrite};
use narrows_ndn::{Certificate, Data, Interest, Name, NameRef, number};
use narrows_units::Time;

fuzz_target!(|wire: &[u8]| {
    let Ok(packet) = LpPacket::decode(wire) else { return };
    let mut again = Vec::new();
    packet.header.write_packet(packet.fragment, &mut again);
    // A Fragment alone is written bare.
    if packet.header != Header::default() {
        let reread = LpPacket::decode(&again).expect("what was written");
        assert_eq!((reread.header, reread.fragment), (packet.header, packet.fragment));
    }
    let _ = overwrite(&mut again, number::mircc::PRIMARY_RATE, 7);
    let _ = Reassembler::new().take(Time::ZERO, &packet, &mut Vec::new());
    let network = packet.fragment.unwrap_or_default();
    if let Ok(mut pieces) = Fragmenter::new(0).pieces(&packet.header, network, 200) {
        let mut out = Vec::new();
        while pieces.write_next(&mut out) {
            assert!(out.len() <= 200);
            out.clear();
        }
    }
    if let Ok(interest) = Interest::decode(network) {
        let _ = (interest.check_parameters(), interest.signature(), interest.lifetime());
        let mut with_nonce = Vec::new();
        interest.write_with_nonce(7, &mut with_nonce);
        let reread = Interest::decode(&with_nonce).expect("what was written");
        assert_eq!((reread.name, reread.nonce, reread.digested()), (interest.name, Some(7), interest.digested()));
        check_name(&interest.name);
    }
    if let Ok(data) = Data::decode(network) {
        let _ = (data.check_digest(), data.signature(), Certificate::new(data));
        check_name(&data.name);
    }
});

fn check_name(name: &NameRef) {
    assert_eq!(name.to_string().parse::<Name>().expect("a name").as_ref(), *name);
    assert_eq!(name.prefixes().count(), name.len() + 1);
}
