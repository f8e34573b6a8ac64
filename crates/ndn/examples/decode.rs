//! Measures the cost of decoding and encoding packets in a forwarder: `cargo run --release -p
//! narrows-ndn --example decode`.
//!
//! The packets are an Interest of a consumer with MIRCC, and the Data that answers it with 1000
//! octets of content, both in LpPackets with a PIT token.

use narrows_ndn::lp::{Header, LabelFlags, LpPacket, Mircc, PathLabel, PitToken};
use narrows_ndn::signature::Signer;
use narrows_ndn::{Data, DataDraft, Interest, InterestDraft, MetaInfo, Name};
use std::hint::black_box;
use std::time::Instant;

const RUNS: u32 = 200;
const PACKETS: u32 = 10_000;

fn main() {
    let name: Name = "/load/v=1795339814324112/seg=66051".parse().expect("a name");
    let header = Header { pit_token: PitToken::new(&[0, 1, 2, 3, 4, 5]), ..Header::default() };
    let mut bare = Vec::new();
    InterestDraft {
        nonce: Some(1),
        lifetime_ms: Some(4000),
        hop_limit: Some(64),
        ..InterestDraft::new(name.as_ref())
    }
    .write(&mut bare);
    let asked = Mircc {
        class: Some(0),
        round_trip_us: Some(20_000),
        path_label: Some(PathLabel::new(LabelFlags::Discovery)),
        ..Mircc::default()
    };
    let mut interest = Vec::new();
    Header { mircc: asked, ..header }.write_packet(Some(&bare), &mut interest);

    bare.clear();
    let meta = MetaInfo { freshness_ms: Some(1000), ..MetaInfo::default() };
    DataDraft { meta, ..DataDraft::new(name.as_ref(), &[7; 1000]) }
        .write(&Signer::DIGEST, &mut bare);
    let told = Mircc {
        primary_bps: Some(10_000_000),
        path_id: Some(1),
        path_label: Some(PathLabel::default()),
        ..Mircc::default()
    };
    let mut data = Vec::new();
    Header { mircc: told, ..header }.write_packet(Some(&bare), &mut data);

    println!("Interest of {} octets, Data of {}", interest.len(), data.len());
    time("decode the Interest", || {
        let packet = LpPacket::decode(black_box(&interest)).expect("a packet");
        Interest::decode(packet.fragment.expect("a fragment")).expect("an Interest").name.len()
    });
    time("decode the Data", || {
        let packet = LpPacket::decode(black_box(&data)).expect("a packet");
        Data::decode(packet.fragment.expect("a fragment")).expect("a Data").name.len()
    });
    let mut out = Vec::with_capacity(2000);
    for (what, wire) in
        [("write the Interest's LpPacket", &interest), ("write the Data's LpPacket", &data)]
    {
        let packet = LpPacket::decode(wire).expect("a packet");
        time(what, || {
            out.clear();
            black_box(packet).header.write_packet(packet.fragment, &mut out);
            out.len()
        });
    }
}

/// Prints the best mean of many short runs, because other processes disturb some of them.
fn time(what: &str, mut work: impl FnMut() -> usize) {
    let mut run = || {
        let start = Instant::now();
        (0..PACKETS).for_each(|_| {
            black_box(work());
        });
        start.elapsed().as_nanos() / u128::from(PACKETS)
    };
    let best = (0..RUNS).map(|_| run()).min().expect("runs");
    println!("{what}: {best} ns");
}
