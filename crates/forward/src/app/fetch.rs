//! A consumer: fetches an object at the rates that links write into its Data, or by a window where no link does.

use super::asker::Asker;
use super::content::Segments;
use super::discover::discover;
use super::fetch_error::FetchError;
use super::trust::{Signed, Trust};
use crate::client::{Client, ClientError};
use crate::config::Understands;
use crate::link::{Link, Received, Scratch};
use crate::name::{PacketName, Wire};
use crate::octets::Octets;
use crate::wall::{wall_seconds, wall_seed};
use narrows_icn::{AnyConsumer, ConsumerCounters, ConsumerSetup, Form, Interest, Method, Packet, Spare, Subflow};
use narrows_ndn::tlv::MAX_PACKET;
use narrows_ndn::{ContentType, Data, InterestDraft, Name, number};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Instant;

/// How long the first segment may take, and how often it is tried.
const PATIENCE: Span = Span::from_millis(1000);
const TRIES: usize = 3;
/// So many signers of one object are told.
const MOST_SIGNERS: usize = 16;
/// Without any Data for so long the object is given up.
const GIVE_UP: Span = Span::from_secs(20);
const LIFETIME: Span = Span::from_secs(4);

/// How a fetch went.
#[derive(Debug)]
pub struct Fetched {
    /// The versioned name.
    pub name: String,
    /// Segments and octets of content.
    pub segments: u64,
    /// Octets of content.
    pub octets: u64,
    /// Time from the first Interest to the last Data.
    pub took: Span,
    /// Smoothed round trip; zero if there was one segment only.
    pub srtt: Span,
    /// True if links wrote rates into Data, which were followed.
    pub followed_rates: bool,
    /// The paths in use at the end.
    pub paths: Vec<Subflow>,
    /// Interests, Data, timeouts.
    pub counters: ConsumerCounters,
    /// How its segments were signed: up to 16 signers.
    pub signed: BTreeSet<Signed>,
}

/// How far a fetch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Segments that have come.
    pub segments: u64,
    /// All segments of the object.
    pub of: u64,
    /// Octets of content that have come.
    pub octets: u64,
}

/// Fetches an object; see [`Consumer::fetch`](crate::Consumer::fetch).
pub(super) fn fetch(
    client: &mut Client,
    trust: &Trust,
    name: &Name,
    out: &mut dyn Write,
    told: &mut dyn FnMut(Progress),
) -> Result<Fetched, FetchError> {
    let began = Instant::now();
    let base = discover(client, trust, name)?;
    let wrong = |problem: &str| FetchError::Wrong(base.as_ref().to_string(), problem.to_owned());
    let mut link = Link::new(MAX_PACKET, Understands::On, true);
    let first = first_segment(client, &base, &mut link)?;
    let mut tally = Tally::default();
    let data = tally.take(trust, first.body.octets())?;
    out.write_all(data.content.unwrap_or_default())?;
    let last = data.meta.final_block.and_then(|last| last.nni_of(number::SEGMENT));
    let last = last.ok_or_else(|| wrong("its first segment does not say which is the last"))?;
    let followed_rates = first.rates != Rates::UNLIMITED;
    let method = if followed_rates {
        Method::Rates("mircc".parse().expect("a consumer"))
    } else {
        Method::Window("newreno".parse().expect("a controller"))
    };
    let setup = ConsumerSetup {
        seed: wall_seed(),
        interest: Bytes::new(100),
        data: first.size,
        lifetime: LIFETIME,
        form: Form::Labels,
        catch_up: Asker::CATCH_UP,
    };
    let zero = Instant::now();
    let now = || Time::from_nanos(zero.elapsed().as_nanos() as u64);
    let content = Segments::new(base.clone(), 1);
    let consumer = AnyConsumer::new(&method, &setup, content.clone(), Some(last), now());
    let mut consumer = consumer.map_err(|error| wrong(&error.to_string()))?;
    let mut waiting: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let (mut next, mut latest) = (0, Instant::now());
    let (mut scratch, mut packets, mut spare) = (Scratch::default(), Vec::new(), Spare::default());
    while !consumer.finished() && last > 0 {
        consumer.poll(now());
        while let Some(interest) = consumer.interest() {
            write(&mut link, now(), interest, &mut scratch, &mut packets);
        }
        client.send_all(&packets)?;
        packets.clear();
        let wait = consumer.due().map_or(Span::from_millis(100), |due| due.since(now())).min(Span::from_millis(100));
        let mut packet = client.receive(wait)?;
        while let Some(octets_in) = packet {
            if let Ok(Received::Packet(received)) = link.receive(now(), &octets_in, 0, &mut spare) {
                if let Packet::Data(data) = &received {
                    use narrows_icn::Content as _;
                    if let Some(segment) = content.segment(&data.name).filter(|segment| *segment >= next && !waiting.contains_key(segment))
                    {
                        let content = tally.take(trust, data.body.octets())?.content;
                        waiting.insert(segment, content.unwrap_or_default().to_vec());
                        latest = Instant::now();
                    }
                }
                consumer.handle(now(), &received);
                spare.give(received);
                while let Some(interest) = consumer.interest() {
                    write(&mut link, now(), interest, &mut scratch, &mut packets);
                }
            }
            packet = client.waiting();
        }
        while let Some(content) = waiting.remove(&next) {
            out.write_all(&content)?;
            next += 1;
        }
        told(Progress { segments: 1 + next + waiting.len() as u64, of: last + 1, octets: tally.octets });
        let silent = Span::from_nanos(latest.elapsed().as_nanos() as u64);
        if silent > GIVE_UP {
            return Err(FetchError::Stalled(silent, 1 + next + waiting.len() as u64, last + 1));
        }
    }
    out.flush()?;
    Ok(Fetched {
        name: base.as_ref().to_string(),
        segments: last + 1,
        octets: tally.octets,
        took: Span::from_nanos(began.elapsed().as_nanos() as u64),
        srtt: consumer.srtt(),
        followed_rates,
        paths: consumer.subflows().cloned().collect(),
        counters: consumer.counters(),
        signed: tally.signed,
    })
}

/// Appends an Interest of the consumer as a packet of the link.
fn write(link: &mut Link, now: Time, mut interest: Interest<PacketName>, scratch: &mut Scratch, packets: &mut Vec<Vec<u8>>) {
    let mut octets = Vec::new();
    let lifetime_ms = Some(interest.lifetime.as_micros() / 1000);
    InterestDraft { nonce: Some(interest.nonce), lifetime_ms, ..InterestDraft::new(interest.name.view()) }.write(&mut octets);
    interest.body = Wire::interest(Octets::copy(&octets), None);
    link.send(now, &Packet::from(interest), None, scratch, |packet| packets.push(packet.to_vec()));
}

/// The first segment, as a packet of the node: its fields tell whether links write rates.
fn first_segment(client: &mut Client, base: &Name, link: &mut Link) -> Result<Box<narrows_icn::Data<PacketName>>, FetchError> {
    let zero = Time::ZERO;
    for _ in 0..TRIES {
        let name = base.clone().segment(0);
        let mut packets = Vec::new();
        let nonce = client.nonce();
        let interest = first_interest(&name, nonce);
        write(link, zero, interest, &mut Scratch::default(), &mut packets);
        client.send_all(&packets)?;
        let until = Instant::now();
        while until.elapsed().as_nanos() < u128::from(LIFETIME.as_nanos()) {
            let Some(packet) = client.receive(PATIENCE)? else { break };
            if let Ok(Received::Packet(Packet::Data(data))) = link.receive(zero, &packet, 0, &mut Spare::default())
                && data.name.view() == name.as_ref()
            {
                return Ok(data);
            }
        }
    }
    Err(ClientError::Silent(base.as_ref().to_string(), LIFETIME).into())
}

fn first_interest(name: &Name, nonce: u32) -> Interest<PacketName> {
    Interest {
        name: PacketName::new(name.as_ref()),
        nonce,
        can_be_prefix: false,
        must_be_fresh: false,
        hop_limit: u8::MAX,
        class: narrows_icn::Class::Primary,
        lifetime: LIFETIME,
        srtt: Span::ZERO,
        size: Bytes::new(100),
        steer: narrows_icn::Steer::default(),
        via: None,
        token: crate::name::Token::default(),
        body: Wire::default(),
    }
}

/// Octets and signers of the segments that have come.
#[derive(Default)]
struct Tally {
    octets: u64,
    signed: BTreeSet<Signed>,
}

impl Tally {
    /// The content of a segment that may be taken.
    fn take<'a>(&mut self, trust: &Trust, octets: &'a [u8]) -> Result<Data<'a>, FetchError> {
        let data = Data::decode(octets).map_err(|error| FetchError::Wrong("a segment".to_owned(), format!("it is no Data: {error}")))?;
        let signed = trust.check(&data, wall_seconds()).map_err(|error| FetchError::Distrusted(data.name.to_string(), error))?;
        if data.meta.content_type == Some(ContentType::Nack) {
            return Err(FetchError::Wrong(data.name.to_string(), "the producer has no such segment".to_owned()));
        }
        // One who signs every segment by another key must not fill the memory.
        if self.signed.len() < MOST_SIGNERS {
            self.signed.insert(signed);
        }
        self.octets += data.content.map_or(0, <[u8]>::len) as u64;
        Ok(data)
    }
}
