//! Damaged and random packets: nothing panics, and decoded packets can be encoded.

use crate::captured::*;
use narrows_ndn::lp::{Header, LpPacket, Reassembler, overwrite};
use narrows_ndn::management::*;
use narrows_ndn::signature::SignatureInfo;
use narrows_ndn::*;
use narrows_units::Time;
use proptest::prelude::*;

const ALL: [&str; 23] = [
    CREATE,
    CREATED,
    CREATED_CONTENT,
    ROUTE,
    ROUTED,
    PYTHON_REGISTER,
    PYTHON_REGISTERED,
    PYTHON_COMMAND,
    NDNTS_REGISTER,
    STRATEGY,
    STRATEGY_SET,
    QUERY,
    QUERIED,
    NO_FACE,
    GENERAL_STATUS,
    RIB,
    FIB,
    STRATEGIES,
    CS_INFO,
    EVENT_NAME,
    EVENT,
    CHANNELS,
    METADATA,
];

/// Compares the entries of a dataset with the entries decoded after encoding them again.
macro_rules! same_entries {
    ($entry:ident, $octets:expr) => {
        let all: Vec<$entry> = entries($octets).flatten().collect();
        let mut again = Vec::new();
        all.iter().for_each(|entry| entry.write(&mut again));
        assert_eq!(entries(&again).collect::<Result<Vec<$entry>, _>>(), Ok(all));
    };
}

/// Decodes octets in every possible way.
fn read(octets: &[u8]) {
    let _ = tlv::frame_length(octets, tlv::MAX_PACKET);
    if let Ok(packet) = LpPacket::decode(octets) {
        let mut again = Vec::new();
        packet.header.write_packet(packet.fragment, &mut again);
        match LpPacket::decode(&again) {
            Ok(reread) => {
                assert_eq!((reread.header, reread.fragment), (packet.header, packet.fragment))
            }
            // A Fragment without fields is written bare, so it must be an Interest or a Data.
            Err(_) => {
                assert_eq!((packet.header, packet.fragment), (Header::default(), Some(&again[..])))
            }
        }
        let _ = Reassembler::new().take(Time::ZERO, &packet, &mut Vec::new());
        let _ = overwrite(&mut again, number::mircc::PRIMARY_RATE, u64::MAX);
        network(packet.fragment.unwrap_or_default());
    }
    network(octets);
    let _ = ControlParameters::decode(octets);
    if let Ok(answer) = ControlResponse::decode(octets) {
        let mut again = Vec::new();
        answer.write(&mut again);
        let parameters = Some(answer.parameters.unwrap_or_default());
        assert_eq!(ControlResponse::decode(&again), Ok(ControlResponse { parameters, ..answer }));
    }
    let _ = FaceQueryFilter::decode(octets);
    let _ = FaceEvent::decode(octets);
    let _ = GeneralStatus::decode(octets);
    same_entries!(FaceStatus, octets);
    same_entries!(RibEntry, octets);
    same_entries!(FibEntry, octets);
    same_entries!(StrategyChoice, octets);
    same_entries!(ChannelStatus, octets);
    same_entries!(CsInfo, octets);
}

/// Decodes an Interest or a Data.
fn network(octets: &[u8]) {
    if let Ok(interest) = Interest::decode(octets) {
        let _ = (
            interest.check_parameters(),
            interest.signature(),
            interest.lifetime(),
            CommandForm::of(&interest),
        );
        if let Some(name) = ManagementName::parse(&interest.name) {
            let _ = name.parameters();
        }
        if let Some(hint) = interest.forwarding_hint {
            assert!(hint.iter().count() > 0);
        }
        let mut wire = octets.to_vec();
        let limit = interest.hop_limit.map(|limit| (limit.value, limit.lower(&mut wire)));
        let lowered =
            Interest::decode(&wire).expect("the same Interest").hop_limit.map(|limit| limit.value);
        assert_eq!(lowered, limit.map(|(before, lower)| lower.unwrap_or(before)));
        let mut again = Vec::new();
        interest.write_with_nonce(0x0102_0304, &mut again);
        let reread = Interest::decode(&again).expect("an Interest");
        assert_eq!(
            (reread.nonce, reread.name, reread.digested()),
            (Some(0x0102_0304), interest.name, interest.digested())
        );
        names(&interest.name);
    }
    if let Ok(data) = Data::decode(octets) {
        let _ = (
            data.check_digest(),
            data.implicit_digest(),
            data.signature().map(|info: SignatureInfo| info.validity),
        );
        let _ = Certificate::new(data);
        names(&data.name);
    }
}

fn names(name: &NameRef) {
    assert_eq!(name.to_string().parse::<Name>().expect("a name").as_ref(), *name);
    assert_eq!(name.prefixes().count(), name.len() + 1);
    assert_eq!(name.components().count(), name.len());
    for prefix in name.prefixes() {
        assert_eq!(name.prefix(prefix.components).value().len(), prefix.end);
    }
}

#[test]
fn every_truncation_of_a_captured_packet_is_read() {
    for digits in ALL {
        let wire = octets(digits);
        read(&wire);
        for length in 0..wire.len() {
            read(&wire[..length]);
            assert!(LpPacket::decode(&wire[..length]).is_err());
        }
    }
}

#[test]
fn elements_in_elements_are_not_followed_without_end() {
    let mut nested = Vec::new();
    for _ in 0..2000 {
        let inner = std::mem::take(&mut nested);
        tlv::put_element(&mut nested, 7, &inner);
    }
    read(&nested);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn damaged_packets_are_read(which in 0..ALL.len(), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut wire = octets(ALL[which]);
        for (at, octet) in damage {
            let at = at.index(wire.len());
            wire[at] = octet;
        }
        read(&wire);
    }

    #[test]
    fn any_octets_are_read(wire in prop::collection::vec(any::<u8>(), 0..60)) {
        read(&wire);
    }
}
