//! A consumer: fetches an object at the rates that links write into its Data, or by a window where no link does.

use super::content::Segments;
use crate::client::{Client, ClientError};
use crate::config::Understands;
use crate::link::{Link, Received, Scratch};
use crate::name::{PacketName, Wire};
use crate::octets::Octets;
use narrows_icn::{AnyConsumer, ConsumerCounters, ConsumerSetup, Form, Interest, Method, Packet, Spare, Subflow};
use narrows_ndn::tlv::{Element, MAX_PACKET};
use narrows_ndn::{ContentType, Data, InterestDraft, Name, NameRef, number};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// How long a discovery may take, and how often it is tried.
const PATIENCE: Span = Span::from_millis(1000);
const TRIES: usize = 3;
/// Without any Data for so long the object is given up.
const GIVE_UP: Span = Span::from_secs(20);
const LIFETIME: Span = Span::from_secs(4);
/// A process wakes up so much late now and then: many gaps between Interests on a fast link. Ours.
const CATCH_UP: Span = Span::from_millis(1);

/// Why an object cannot be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The network.
    #[error("{0}")]
    Client(#[from] ClientError),
    /// What came is not what was asked for.
    #[error("{0}: {1}")]
    Wrong(String, String),
    /// Nothing came any more.
    #[error("nothing came for {0}, {1} of {2} segments are there: the way to the producer is broken, or it has gone")]
    Stalled(Span, u64, u64),
    /// What came cannot be written.
    #[error("what came cannot be written: {0}")]
    Write(#[from] io::Error),
}

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
}

/// Fetches the object `name`: its latest version, unless it names one. `told` hears of segments that have come, of all, and of octets.
///
/// # Errors
/// The network does not answer, Data is damaged, or `out` takes no more.
pub fn fetch(client: &mut Client, name: &Name, out: &mut dyn Write, told: &mut dyn FnMut(u64, u64, u64)) -> Result<Fetched, FetchError> {
    let began = Instant::now();
    let base = discover(client, name)?;
    let wrong = |problem: &str| FetchError::Wrong(base.as_ref().to_string(), problem.to_owned());
    let mut link = Link::new(MAX_PACKET, Understands::On, true);
    let first = first_segment(client, &base, &mut link)?;
    let data = Data::decode(first.body.octets()).map_err(|_| wrong("the first segment is no Data"))?;
    check(&data)?;
    out.write_all(data.content.unwrap_or_default())?;
    let mut octets = data.content.map_or(0, <[u8]>::len) as u64;
    let last = data.meta.final_block.and_then(|last| last.nni_of(number::SEGMENT));
    let last = last.ok_or_else(|| wrong("its first segment does not say which is the last"))?;
    let followed_rates = first.rates != Rates::UNLIMITED;
    let method = if followed_rates {
        Method::Rates("mircc".parse().expect("a consumer"))
    } else {
        Method::Window("newreno".parse().expect("a controller"))
    };
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let setup =
        ConsumerSetup { seed, interest: Bytes::new(100), data: first.size, lifetime: LIFETIME, form: Form::Labels, catch_up: CATCH_UP };
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
                        let view = Data::decode(data.body.octets()).map_err(|_| wrong("a segment is no Data"))?;
                        check(&view)?;
                        waiting.insert(segment, view.content.unwrap_or_default().to_vec());
                        octets += view.content.map_or(0, <[u8]>::len) as u64;
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
        told(1 + next + waiting.len() as u64, last + 1, octets);
        let silent = Span::from_nanos(latest.elapsed().as_nanos() as u64);
        if silent > GIVE_UP {
            return Err(FetchError::Stalled(silent, 1 + next + waiting.len() as u64, last + 1));
        }
    }
    out.flush()?;
    Ok(Fetched {
        name: base.as_ref().to_string(),
        segments: last + 1,
        octets,
        took: Span::from_nanos(began.elapsed().as_nanos() as u64),
        srtt: consumer.srtt(),
        followed_rates,
        paths: consumer.subflows().cloned().collect(),
        counters: consumer.counters(),
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

/// The versioned name of an object: from its metadata, unless the name has a version, or else from its first segment.
fn discover(client: &mut Client, name: &Name) -> Result<Name, FetchError> {
    let view = name.as_ref();
    if is_version(&view) {
        return Ok(name.clone());
    }
    let metadata = name.clone().keyword(b"metadata");
    for asked in [metadata.as_ref(), view] {
        for _ in 0..TRIES {
            let mut octets = Vec::new();
            let nonce = Some(client.nonce());
            let lifetime_ms = Some(PATIENCE.as_micros() / 1000);
            InterestDraft { nonce, can_be_prefix: true, must_be_fresh: true, lifetime_ms, ..InterestDraft::new(asked) }.write(&mut octets);
            match client.ask(&octets, PATIENCE) {
                Ok(answer) => {
                    if let Some(found) = versioned(&answer, asked == metadata.as_ref()) {
                        return Ok(found);
                    }
                    break;
                }
                Err(ClientError::Silent(..)) => {}
                Err(ClientError::Refused(..)) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Err(FetchError::Wrong(view.to_string(), "no producer answers; is it registered, and is there a route to it?".to_owned()))
}

/// The versioned name that Data tells: in its content as metadata, and otherwise its own without the segment.
fn versioned(octets: &[u8], is_metadata: bool) -> Option<Name> {
    let data = Data::decode(octets).ok()?;
    data.check_digest().ok()?;
    let named = if is_metadata { NameRef::decode(&Element::first(data.content?, 0).ok()?).ok()? } else { data.name.without_last(1) };
    is_version(&named).then(|| Name::new().join(&named))
}

fn is_version(name: &NameRef<'_>) -> bool {
    name.last().is_some_and(|last| last.nni_of(number::VERSION).is_some())
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

/// Data that says its digest must have it; other signatures are not checked.
fn check(data: &Data<'_>) -> Result<(), FetchError> {
    let wrong = |problem: String| FetchError::Wrong(data.name.to_string(), problem);
    if data.meta.content_type == Some(ContentType::Nack) {
        return Err(wrong("the producer has no such segment".to_owned()));
    }
    let info = data.signature().map_err(|error| wrong(error.to_string()))?;
    if info.signature_type == narrows_ndn::signature::SignatureType::DigestSha256 {
        data.check_digest().map_err(|error| wrong(error.to_string()))?;
    }
    Ok(())
}
