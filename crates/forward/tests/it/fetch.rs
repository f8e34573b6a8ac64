//! Fetches from a forwarder that chooses which Data has rates.

use super::bench::{link, name};
use narrows_forward::{Consumer, Fetched, Place};
use narrows_ndn::lp::{Header, LpPacket, Mircc};
use narrows_ndn::signature::Signer;
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use narrows_ndn::{DataDraft, Interest, MetaInfo, number};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

const SEGMENTS: u64 = 200;

/// Answers the Interests of one connection at once, until it ends. Segments for which `has_rates`
/// is true get 80 Mbit/s.
fn answer(mut stream: TcpStream, has_rates: fn(u64) -> bool) {
    let (mut inbox, mut room) = (Vec::new(), [0; 65_536]);
    while let Ok(read @ 1..) = stream.read(&mut room) {
        inbox.extend_from_slice(&room[..read]);
        while let Some(length) = frame_length(&inbox, MAX_PACKET)
            .expect("a packet")
            .filter(|length| *length <= inbox.len())
        {
            let packet: Vec<u8> = inbox.drain(..length).collect();
            let fragment =
                LpPacket::decode(&packet).expect("a packet").fragment.expect("a fragment");
            let asked = Interest::decode(fragment).expect("an Interest").name;
            let segment =
                asked.last().and_then(|last| last.nni_of(number::SEGMENT)).expect("a segment");
            let last = name("/film").segment(SEGMENTS - 1);
            let meta = MetaInfo { final_block: last.as_ref().last(), ..MetaInfo::default() };
            let mut data = Vec::new();
            DataDraft { name: asked, meta, content: Some(&[segment as u8; 1000]) }
                .write(&Signer::DIGEST, &mut data);
            let rate = has_rates(segment).then_some(80_000_000);
            let mircc = Mircc { primary_bps: rate, secondary_bps: rate, ..Mircc::default() };
            // A consumer that has the whole object closes the connection.
            let _ = stream.write_all(&link(&Header { mircc, ..Header::default() }, &data));
        }
    }
}

fn fetched(has_rates: fn(u64) -> bool) -> Fetched {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = Place::parse(&format!("tcp://{}", listener.local_addr().expect("an address")))
        .expect("a place");
    let forwarder =
        std::thread::spawn(move || answer(listener.accept().expect("a connection").0, has_rates));
    let mut consumer = Consumer::connect(&place).expect("a forwarder");
    let (mut content, mut told) = (Vec::new(), BTreeSet::new());
    let fetched = consumer
        .fetch(&name("/film/v=7"), &mut content, &mut |progress| _ = told.insert(progress.segments))
        .expect("fetched");
    drop(consumer);
    forwarder.join().expect("no panic");
    assert!(
        (0..SEGMENTS).flat_map(|segment| [segment as u8; 1000]).eq(content),
        "each segment once, in order"
    );
    assert_eq!((fetched.segments, fetched.octets), (SEGMENTS, SEGMENTS * 1000));
    assert_eq!(told.last(), Some(&SEGMENTS));
    fetched
}

#[test]
fn rates_of_any_data_are_followed() {
    // Data has rates from each link, from no link, or from links behind a content store that has
    // the first segments.
    let cases: [fn(u64) -> bool; 3] = [|_| true, |_| false, |segment| segment >= 20];
    for (case, (has_rates, expected)) in cases.into_iter().zip([true, false, true]).enumerate() {
        let fetched = fetched(has_rates);
        assert_eq!(fetched.followed_rates, expected, "case {case}: {fetched:?}");
        assert!(
            fetched.paths.iter().all(|path| expected && path.rates.primary.as_bps() == 80_000_000),
            "case {case}: {fetched:?}"
        );
    }
}
