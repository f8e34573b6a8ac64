//! `narrows lab bench --forward`: CPU time of the NDN forwarder per packet, from received octets to
//! sent octets, without sockets.

use narrows_forward::{
    Config, FaceSetup, FaceUri, Forwarder, LinkRates, MirccSupport, Remote, Sockets,
};
use narrows_icn::FaceId;
use narrows_ndn::lp::{Header, LabelFlags, Mircc, PathLabel, PitToken};
use narrows_ndn::management::FacePersistency;
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, InterestDraft, MetaInfo, Name};
use narrows_units::{Rate, Span, Time};
use narrows_wire::Ecn;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use narrows_workbench::meter;
use serde::Serialize;
use std::io::Write;

/// Number of Interests in flight: this many Interests arrive, then the Data for all of them.
const WINDOW: u32 = 32;

/// Exchanges (an Interest and its Data) before the measurement, enough to fill every content store,
/// and exchanges that are measured.
const WARMUP: u32 = 70_016;
const MEASURED: u32 = 400_000;

/// Octets of content in each Data packet.
const CONTENT: usize = 1000;

/// Interval between two arrivals. It offers 1.1 Gbit/s, about a tenth of the link rate, so the
/// shaper delays no Interest.
const SPACING: Span = Span::from_micros(4);
const LINK: Rate = Rate::from_mbps(10_000);

/// Cost per packet of one configuration.
#[derive(Serialize)]
struct Row {
    /// True if the neighbours follow MIRCC's rates and the links have a rate law and a shaper.
    mircc: bool,
    /// Capacity of the content store, in Data packets.
    content_store: usize,
    /// Median over the repetitions. The next two fields are the minimum and the maximum.
    ns_per_packet: f64,
    ns_per_packet_least: f64,
    ns_per_packet_most: f64,
}

/// Measures each configuration `runs` times, in turns, and prints a table or JSON.
pub fn bench(runs: u32, json: bool) -> Result<Outcome, Failure> {
    let cells = [(false, 1024), (false, 65_536), (true, 1024), (true, 65_536)];
    let mut costs = vec![Vec::new(); cells.len()];
    for _ in 0..runs {
        cells
            .iter()
            .zip(&mut costs)
            .for_each(|(cell, costs)| costs.push(Load::new(cell.0, cell.1).measure()));
    }
    let rows = cells.into_iter().zip(costs).map(|((mircc, content_store), mut costs)| {
        costs.sort_by(f64::total_cmp);
        let (least, median, most) = (costs[0], costs[costs.len() / 2], costs[costs.len() - 1]);
        Row {
            mircc,
            content_store,
            ns_per_packet: median,
            ns_per_packet_least: least,
            ns_per_packet_most: most,
        }
    });
    let rows: Vec<Row> = rows.collect();
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(Outcome::Ok);
    }
    writeln!(
        out,
        "{:<7} {:>13} {:>9} {:>13}",
        "fields", "content store", "ns/packet", "over runs"
    )?;
    for row in &rows {
        let fields = if row.mircc { "MIRCC" } else { "none" };
        let range = format!("{:.0}–{:.0}", row.ns_per_packet_least, row.ns_per_packet_most);
        writeln!(
            out,
            "{fields:<7} {:>13} {:>9.0} {range:>13}",
            row.content_store, row.ns_per_packet
        )?;
    }
    Ok(Outcome::Ok)
}

/// Buffer that stands in for the sockets and counts the sent packets.
#[derive(Default)]
struct Out {
    octets: Vec<u8>,
    packets: u32,
}

impl Sockets for Out {
    fn send(&mut self, _: FaceId, packet: &[u8]) {
        self.octets.extend_from_slice(packet);
        self.packets += 1;
    }

    fn open(&mut self, _: u64, _: &Remote, _: Option<LinkRates>) {}

    fn close(&mut self, _: FaceId) {}

    fn queued(&self, _: FaceId) -> usize {
        0
    }
}

/// A link packet and the positions of its number: in the name, and in an Interest also in the
/// nonce.
struct Numbered {
    octets: Vec<u8>,
    places: Vec<usize>,
}

impl Numbered {
    /// Creates a packet from octets in which [`MARK`] stands at each position of the number.
    fn new(marked: Vec<u8>) -> Numbered {
        let places =
            (0..marked.len() - 3).filter(|at| marked[*at..at + 4] == MARK.to_be_bytes()).collect();
        Numbered { octets: marked, places }
    }

    fn set(&mut self, number: u32) {
        for at in &self.places {
            self.octets[*at..at + 4].copy_from_slice(&number.to_be_bytes());
        }
    }
}

/// Placeholder for the number of a packet. It is also the first number: the segment components of
/// all later names have the same length.
const MARK: u32 = 0x9e37_79b9;

/// A forwarder between a consumer and a producer, and the packets that they exchange.
struct Load {
    forwarder: Forwarder,
    out: Out,
    consumer: FaceId,
    producer: FaceId,
    interests: Vec<Numbered>,
    data: Vec<Numbered>,
    now: Time,
    number: u32,
}

impl Load {
    fn new(mircc: bool, content_store: usize) -> Load {
        let mut config = Config::default();
        config.tables.content_store = content_store;
        let mut forwarder = Forwarder::new(&config, Time::ZERO, 0, 1);
        let mut out = Out::default();
        let mut face = |host: u8| {
            let setup = FaceSetup {
                remote: FaceUri::Udp(([192, 0, 2, host], 6363).into()),
                local: FaceUri::Udp(([192, 0, 2, 1], 6363).into()),
                persistency: FacePersistency::Persistent,
                is_local: false,
                mtu: 1400,
                follows_path: false,
                ends_idle: true,
                rates: mircc.then_some(LinkRates::known(LINK, LINK, true)),
                headers: None,
                understands: if mircc { MirccSupport::On } else { MirccSupport::Off },
                nacks: false,
                police: false,
            };
            forwarder.add_face(Time::ZERO, setup, &mut out).expect("room for two faces")
        };
        let (consumer, producer) = (face(2), face(3));
        let prefix = Name::new().generic(b"load");
        forwarder.add_route(&prefix, producer, 0);
        let name = prefix.version(1 << 50).segment(u64::from(MARK));
        let label = |flags| {
            let mut label = PathLabel::new(flags);
            label.labels.push(77).then_some(label)
        };
        let asks = Mircc {
            class: Some(0),
            round_trip_us: Some(2000),
            path_label: label(LabelFlags::Fallback),
            ..Mircc::default()
        };
        let answers = Mircc {
            primary_bps: Some(1_000_000_000),
            secondary_bps: Some(500_000_000),
            path_id: Some(1),
            path_label: label(LabelFlags::Discovery),
            limit: Some(1),
            ..Mircc::default()
        };
        let link = |token: Option<&[u8]>, fields: Mircc, packet: &[u8]| {
            let mut octets = Vec::new();
            let mircc = if mircc { fields } else { Mircc::default() };
            Header { pit_token: token.and_then(PitToken::new), mircc, ..Header::default() }
                .write_packet(Some(packet), &mut octets);
            octets
        };
        let (mut interest, mut data) = (Vec::new(), Vec::new());
        InterestDraft {
            nonce: Some(MARK),
            lifetime_ms: Some(4000),
            ..InterestDraft::new(name.as_ref())
        }
        .write(&mut interest);
        let meta = MetaInfo { freshness_ms: Some(1000), ..MetaInfo::default() };
        DataDraft { name: name.as_ref(), meta, content: Some(&[0x5a; CONTENT]) }
            .write(&Signer::DIGEST, &mut data);
        let many = |octets: Vec<u8>| (0..WINDOW).map(|_| Numbered::new(octets.clone())).collect();
        let (interests, data) =
            (many(link(Some(&[7; 6]), asks, &interest)), many(link(None, answers, &data)));
        Load { forwarder, out, consumer, producer, interests, data, now: Time::ZERO, number: MARK }
    }

    /// Returns nanoseconds of CPU time per packet, over Interests and Data.
    fn measure(mut self) -> f64 {
        self.exchange(WARMUP);
        let (before, sent) = (meter::cpu_time(), self.out.packets);
        self.exchange(MEASURED);
        let cost = meter::cpu_time() - before;
        assert_eq!(
            self.out.packets - sent,
            2 * MEASURED,
            "each Interest is forwarded, and answered"
        );
        cost.as_nanos() as f64 / f64::from(2 * MEASURED)
    }

    fn exchange(&mut self, exchanges: u32) {
        for _ in 0..exchanges / WINDOW {
            for (interest, data) in self.interests.iter_mut().zip(&mut self.data) {
                interest.set(self.number);
                data.set(self.number);
                self.number = self.number.wrapping_add(1) | 1 << 31;
            }
            for (from, packets) in [(self.consumer, &self.interests), (self.producer, &self.data)] {
                for packet in packets {
                    self.now += SPACING;
                    if self.forwarder.due() <= self.now {
                        self.forwarder.poll(self.now, &mut self.out);
                    }
                    self.forwarder.receive(
                        self.now,
                        from,
                        Ecn::NotEct,
                        &packet.octets,
                        &mut self.out,
                    );
                }
                self.out.octets.clear();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interest_is_forwarded_and_answered() {
        for mircc in [false, true] {
            let mut load = Load::new(mircc, 64);
            load.exchange(10 * WINDOW);
            assert_eq!(load.out.packets, 20 * WINDOW, "MIRCC: {mircc}");
        }
    }
}
