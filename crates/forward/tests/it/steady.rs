//! Forwarding allocates no memory once tables and buffers have grown.

use crate::bench::{Bench, data, interest, link, ms};
use narrows_forward::{LinkRates, Remote, Sockets};
use narrows_icn::FaceId;
use narrows_ndn::lp::{Header, LabelFlags, Mircc, PathLabel, PitToken};
use narrows_units::{Rate, Span};

/// Sockets that count sent packets and keep none.
#[derive(Default)]
struct Sent {
    packets: usize,
}

impl Sockets for Sent {
    fn send(&mut self, _: FaceId, _: &[u8]) {
        self.packets += 1;
    }

    fn open(&mut self, _: u64, _: &Remote, _: Option<LinkRates>) {}

    fn close(&mut self, _: FaceId) {}

    fn queued(&self, _: FaceId) -> usize {
        0
    }
}

/// Allocations and packets sent in the second half of many exchanges between two neighbours.
fn allocations(rates: Option<LinkRates>, fields: [Mircc; 2]) -> (u64, usize) {
    const EXCHANGES: u32 = 4000;
    let mut bench = Bench::with(&toml("[tables]\ncontent_store = 100\n"));
    let (consumer, producer) = (
        bench.neighbour_with("udp4://192.0.2.1", rates),
        bench.neighbour_with("udp4://192.0.2.2", rates),
    );
    bench.forwarder.add_route(&crate::bench::name("/a"), producer, 0);
    let packets: Vec<[Vec<u8>; 2]> = (0..EXCHANGES)
        .map(|number| {
            let name = format!("/a/v/{}", 100_000 + number);
            let [asks, answers] = fields;
            let token = PitToken::new(&[1, 2, 3, 4, 5, 6]);
            let asked = link(
                &Header { pit_token: token, mircc: asks, ..Header::default() },
                &interest(&name, number),
            );
            [asked, link(&Header { mircc: answers, ..Header::default() }, &data(&name, &[0; 1000]))]
        })
        .collect();
    let mut sent = Sent::default();
    let mut now = ms(1);
    let mut exchange = |packets: &[[Vec<u8>; 2]]| {
        for [asked, answer] in packets {
            for (packet, from) in [(asked, consumer), (answer, producer)] {
                // All exchanges together take less than the 100 ms between two upkeeps.
                now += Span::from_micros(10);
                if bench.forwarder.due() <= now {
                    bench.forwarder.poll(now, &mut sent);
                }
                bench.forwarder.receive(now, from, narrows_wire::Ecn::NotEct, packet, &mut sent);
            }
        }
    };
    let (first, later) = packets.split_at(packets.len() / 2);
    exchange(first);
    let measured = allocation_counter::measure(|| exchange(later));
    (measured.count_total, sent.packets)
}

fn toml(text: &str) -> narrows_forward::Config {
    narrows_forward::Config::parse(text, "test").expect("a configuration")
}

#[test]
fn a_packet_without_fields_takes_no_memory() {
    assert_eq!(allocations(None, [Mircc::default(); 2]), (0, 8000));
}

#[test]
fn a_packet_with_rates_takes_no_memory() {
    let rate = Rate::from_mbps(1000);
    let mut label = PathLabel::new(LabelFlags::Fallback);
    assert!(label.labels.push(5));
    let asks = Mircc {
        class: Some(0),
        round_trip_us: Some(2000),
        path_label: Some(label),
        ..Mircc::default()
    };
    let answers = Mircc {
        primary_bps: Some(1 << 29),
        path_id: Some(7),
        path_label: Some(label),
        ..Mircc::default()
    };
    assert_eq!(allocations(Some(LinkRates::known(rate, rate, false)), [asks, answers]), (0, 8000));
}
