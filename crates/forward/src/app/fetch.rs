//! Fetch of an object: at the rates that links write into its Data, or by a window where no link
//! writes rates.

use super::asker::{Request, RequestLoop};
use super::content::Segments;
use super::discover::discover;
use super::fetch_error::FetchError;
use super::guide::RateFollowing;
use super::trust::{SignatureStatus, Trust};
use crate::client::{Client, ClientError};
use crate::config::MirccSupport;
use crate::name::PacketName;
use crate::wall::{wall_seconds, wall_seed};
use narrows_icn::{ConsumerSetup, Content as _, HintForm, Method, Packet, Subflow};
use narrows_ndn::tlv::MAX_PACKET;
use narrows_ndn::{ContentType, Data, Name, number};
use narrows_units::{Bytes, Span, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::time::Instant;

/// Longest time that the first segment may take.
const PATIENCE: Span = Span::from_secs(4);
/// Most signers of one object that are reported.
const MOST_SIGNERS: usize = 16;
/// Limits of a fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most octets of an object.
    pub(super) most: Bytes,
    /// Longest time without any Data, without the first missing segment, or without a forwarder.
    pub(super) patience: Span,
}

impl Default for Limits {
    /// 1 TB and 20 s. Our choice.
    fn default() -> Limits {
        Limits { most: Bytes::new(1_000_000_000_000), patience: Span::from_secs(20) }
    }
}

/// Most octets of segments that may wait for an earlier segment: 0.5 s at 1 Gbit/s. Later segments
/// count as lost. Our choice.
const MOST_WAITING: usize = 64 << 20;
/// Interval between attempts to connect to a forwarder that has ended.
const RECONNECT_INTERVAL: std::time::Duration = std::time::Duration::from_millis(100);
/// Longest wait before the next check of the limits.
const CHECK_INTERVAL: Span = Span::from_millis(100);
const LIFETIME: Span = Span::from_secs(4);

/// Result of a fetch.
#[derive(Debug)]
pub struct Fetched {
    /// Versioned name of the object.
    pub name: String,
    /// Segments of the object.
    pub segments: u64,
    /// Octets of content.
    pub octets: u64,
    /// Time from the first Interest to the last Data.
    pub took: Span,
    /// Smoothed round trip time.
    pub srtt: Span,
    /// True if the fetch followed rates from Data at the end.
    pub followed_rates: bool,
    /// Paths in use at the end.
    pub paths: Vec<Subflow>,
    /// Retransmissions: Interests for segments that had been requested before.
    pub repeated: u64,
    /// How the segments were signed: at most 16 signers.
    pub signed: BTreeSet<SignatureStatus>,
}

/// Progress of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Segments that have arrived.
    pub segments: u64,
    /// All segments of the object.
    pub of: u64,
    /// Octets of content that have arrived.
    pub octets: u64,
}

/// Fetches an object; see [`Consumer::fetch`](crate::Consumer::fetch).
pub(super) fn fetch(
    client: &mut Client,
    trust: &Trust,
    limits: Limits,
    name: &Name,
    out: &mut dyn Write,
    told: &mut dyn FnMut(Progress),
) -> Result<Fetched, FetchError> {
    let began = Instant::now();
    let base = discover(client, trust, name)?;
    let wrong = |problem: &str| FetchError::Wrong(base.as_ref().to_string(), problem.to_owned());
    let now = || Time::from_nanos(began.elapsed().as_nanos() as u64);
    let mut object = Incoming::new(&base, trust, limits, now());
    let mut mode = object.mode();
    let mut asker = RequestLoop::new(client, MirccSupport::On, object.request(now()))
        .map_err(|error| wrong(&error.to_string()))?;
    let mut repeated = 0;
    while !object.is_complete() {
        if object.mode() != mode {
            mode = object.mode();
            repeated += asker.consumer().counters().retransmissions;
            asker.begin(object.request(now())).map_err(|error| wrong(&error.to_string()))?;
        }
        match asker.wait(now, now() + CHECK_INTERVAL) {
            Err(ClientError::Closed(_)) => {
                repeated += asker.consumer().counters().retransmissions;
                wait_for_forwarder(&mut asker, limits.patience)?;
                asker.begin(object.request(now())).map_err(|error| wrong(&error.to_string()))?;
                object.restart_timers(now());
                continue;
            }
            waited => waited?,
        }
        while let Some(mut packet) = asker.packet(now()) {
            let takes = match &mut packet {
                Packet::Data(data) => object.take(now(), data)?,
                Packet::Interest(_) | Packet::Nack(_) => true,
            };
            if takes {
                asker.handle(now(), packet);
            }
        }
        object.write(out)?;
        object.tell(told);
        object.give_up(now())?;
    }
    out.flush()?;
    Ok(Fetched {
        name: base.as_ref().to_string(),
        segments: object.next,
        octets: object.tally.octets,
        took: now().since(Time::ZERO),
        srtt: asker.consumer().srtt(),
        followed_rates: mode == RequestMode::Rates,
        paths: asker.consumer().subflows().cloned().collect(),
        repeated: repeated + asker.consumer().counters().retransmissions,
        signed: object.tally.signed,
    })
}

/// Waits for a forwarder at the same place and connects to it.
fn wait_for_forwarder(
    asker: &mut RequestLoop<&mut Client>,
    patience: Span,
) -> Result<(), ClientError> {
    let began = Instant::now();
    loop {
        std::thread::sleep(RECONNECT_INTERVAL);
        match asker.reconnect() {
            Err(absent @ ClientError::Absent { .. })
                if began.elapsed().as_nanos() as u64 > patience.as_nanos() =>
            {
                return Err(absent);
            }
            Err(ClientError::Absent { .. }) => {}
            connected => return connected,
        }
    }
}

/// How segments are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RequestMode {
    /// The first segment alone: it contains the number of the last one.
    First,
    /// As a congestion window allows.
    Window,
    /// At the rates in Data.
    Rates,
}

/// The part of an object that has arrived.
struct Incoming<'a> {
    base: &'a Name,
    trust: &'a Trust,
    all: Segments,
    guide: RateFollowing,
    /// Size of a Data packet.
    size: Bytes,
    /// Number of the last segment, known after the first segment.
    last: Option<u64>,
    /// First segment that is not yet written.
    next: u64,
    /// Content of later segments.
    waiting: BTreeMap<u64, Vec<u8>>,
    /// Octets of the content in `waiting`.
    octets: usize,
    limits: Limits,
    /// Arrival time of the latest Data, and of the latest segment that was the first missing one.
    latest: Time,
    advanced: Time,
    tally: Tally,
}

impl<'a> Incoming<'a> {
    fn new(base: &'a Name, trust: &'a Trust, limits: Limits, now: Time) -> Incoming<'a> {
        Incoming {
            base,
            trust,
            all: Segments::new(base.clone(), 0),
            guide: RateFollowing::default(),
            size: Bytes::new(MAX_PACKET as u64),
            last: None,
            next: 0,
            waiting: BTreeMap::new(),
            octets: 0,
            limits,
            latest: now,
            advanced: now,
            tally: Tally::default(),
        }
    }

    fn is_complete(&self) -> bool {
        self.last.is_some_and(|last| self.next > last)
    }

    fn mode(&self) -> RequestMode {
        match self.last {
            None => RequestMode::First,
            Some(_) if self.guide.follows_rates() => RequestMode::Rates,
            Some(_) => RequestMode::Window,
        }
    }

    /// Request for the segments that have not arrived.
    fn request(&self, now: Time) -> Request {
        let method = match self.mode() {
            RequestMode::Rates => Method::Rates("mircc".parse().expect("a consumer")),
            RequestMode::First | RequestMode::Window => {
                Method::Window("newreno".parse().expect("a controller"))
            }
        };
        let setup = ConsumerSetup {
            seed: wall_seed(),
            interest: Bytes::new(100),
            data: self.size,
            lifetime: LIFETIME,
            form: HintForm::Labels,
            catch_up: Request::CATCH_UP,
        };
        let segments = self.last.map_or(1, |last| (last - self.next).saturating_add(1));
        Request {
            content: Segments::new(self.base.clone(), self.next),
            segments: Some(segments),
            method,
            setup,
            start: now,
        }
    }

    /// Restarts the timers for a new connection: answers to Interests of the old one do not arrive.
    fn restart_timers(&mut self, now: Time) {
        (self.latest, self.advanced) = (now, now);
    }

    /// Takes a segment that has not arrived before. If the Data has no rates, it gets the rates
    /// that the consumer is to follow. Returns false if there is no room for the segment before
    /// earlier ones arrive: it then counts as lost and is requested again.
    fn take(
        &mut self,
        now: Time,
        packet: &mut narrows_icn::Data<PacketName>,
    ) -> Result<bool, FetchError> {
        let Some(segment) = self.all.segment(&packet.name).filter(|segment| *segment >= self.next)
        else {
            return Ok(true);
        };
        self.guide.hear(now, packet.size, &mut packet.rates);
        if self.last.is_some_and(|last| segment > last) || self.waiting.contains_key(&segment) {
            return Ok(true);
        }
        if segment > self.next && self.octets + packet.size.get() as usize > MOST_WAITING {
            self.latest = now;
            return Ok(false);
        }
        let data = self.tally.take(self.trust, packet.body.octets(&packet.name))?;
        if self.last.is_none() {
            let last = data.meta.final_block.and_then(|last| last.nni_of(number::SEGMENT));
            let missing = "its first segment does not say which is the last";
            let last = last.ok_or_else(|| {
                FetchError::Wrong(self.base.as_ref().to_string(), missing.to_owned())
            })?;
            let segments = u128::from(last) + 1;
            if segments * data.content.map_or(1, |content| content.len().max(1)) as u128
                > u128::from(self.limits.most.get())
            {
                return Err(FetchError::TooLarge {
                    name: self.base.as_ref().to_string(),
                    segments,
                    most: self.limits.most,
                });
            }
            self.last = Some(last);
            self.size = packet.size;
        }
        if self.tally.octets > self.limits.most.get() {
            let segments = u128::from(self.last.unwrap_or(0)) + 1;
            return Err(FetchError::TooLarge {
                name: self.base.as_ref().to_string(),
                segments,
                most: self.limits.most,
            });
        }
        let content = data.content.unwrap_or_default().to_vec();
        self.octets += content.len();
        self.waiting.insert(segment, content);
        self.latest = now;
        if segment == self.next {
            self.advanced = now;
        }
        Ok(true)
    }

    /// Writes the segments that are next in order.
    fn write(&mut self, out: &mut dyn Write) -> Result<(), FetchError> {
        while let Some(content) = self.waiting.remove(&self.next) {
            out.write_all(&content)?;
            self.octets -= content.len();
            self.next += 1;
        }
        Ok(())
    }

    fn tell(&self, told: &mut dyn FnMut(Progress)) {
        if let Some(last) = self.last {
            told(Progress {
                segments: self.arrived(),
                of: last.saturating_add(1),
                octets: self.tally.octets,
            });
        }
    }

    fn arrived(&self) -> u64 {
        self.next + self.waiting.len() as u64
    }

    /// Fails if nothing has arrived for too long.
    fn give_up(&self, now: Time) -> Result<(), FetchError> {
        let silent = now.since(self.latest);
        match self.last {
            None if silent > PATIENCE => {
                Err(ClientError::Silent(self.base.as_ref().to_string(), silent).into())
            }
            Some(last)
                if silent <= self.limits.patience
                    && now.since(self.advanced) > self.limits.patience =>
            {
                Err(FetchError::Missing {
                    segment: self.next,
                    silent: now.since(self.advanced),
                    arrived: self.arrived(),
                    of: last.saturating_add(1),
                })
            }
            Some(last) if silent > self.limits.patience => {
                Err(FetchError::Stalled(silent, self.arrived(), last.saturating_add(1)))
            }
            _ => Ok(()),
        }
    }
}

/// Octets and signers of the segments that have arrived.
#[derive(Default)]
struct Tally {
    octets: u64,
    signed: BTreeSet<SignatureStatus>,
}

impl Tally {
    /// Decodes a segment and checks its signature.
    fn take<'a>(&mut self, trust: &Trust, octets: &'a [u8]) -> Result<Data<'a>, FetchError> {
        let data = Data::decode(octets).map_err(|error| {
            FetchError::Wrong("a segment".to_owned(), format!("it is not Data: {error}"))
        })?;
        let signed = trust
            .check(&data, wall_seconds())
            .map_err(|error| FetchError::Distrusted(data.name.to_string(), error))?;
        if data.meta.content_type == Some(ContentType::Nack) {
            return Err(FetchError::Wrong(
                data.name.to_string(),
                "the producer has no such segment".to_owned(),
            ));
        }
        // A producer that signs every segment with another key must not fill the memory.
        if self.signed.len() < MOST_SIGNERS {
            self.signed.insert(signed);
        }
        self.octets += data.content.map_or(0, <[u8]>::len) as u64;
        Ok(data)
    }
}
