//! A forwarder without sockets, on as many threads as its configuration has. The test drives them
//! all.

use narrows_forward::{
    Config, FaceSetup, FaceUri, Forwarder, Handovers, LinkRates, MirccSupport, Opened, Remote,
    Shared, Sockets,
};
use narrows_icn::FaceId;
use narrows_ndn::lp::{Header, LpPacket, Mircc};
use narrows_ndn::management::{ControlResponse, FacePersistency, GeneralStatus};
use narrows_ndn::signature::Signer;
use narrows_ndn::{Data, DataDraft, Interest, InterestDraft, MetaInfo, Name};
use narrows_units::{Span, Time};
use narrows_wire::Ecn;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Entries in a forwarder's tables.
#[derive(Debug)]
pub struct Status {
    pub pit_entries: u64,
    pub cs_entries: u64,
    pub fib_entries: u64,
}

/// Calls of a forwarder to its sockets.
#[derive(Default)]
pub struct Asked {
    pub sent: Vec<(FaceId, Vec<u8>)>,
    pub opening: Vec<(u64, Remote, Option<LinkRates>)>,
    pub closed: Vec<FaceId>,
    /// Octets that each socket has not yet accepted.
    pub queued: usize,
}

impl Sockets for Asked {
    fn send(&mut self, face: FaceId, packet: &[u8]) {
        self.sent.push((face, packet.to_vec()));
    }

    fn open(&mut self, ticket: u64, remote: &Remote, rates: Option<LinkRates>) {
        self.opening.push((ticket, remote.clone(), rates));
    }

    fn close(&mut self, face: FaceId) {
        self.closed.push(face);
    }

    fn queued(&self, _face: FaceId) -> usize {
        self.queued
    }
}

pub struct Bench {
    /// The forwarder of the first thread, and the forwarders of the other threads.
    pub forwarder: Forwarder,
    pub others: Vec<Arc<Shared<Forwarder>>>,
    /// Handovers that wait for each thread.
    queues: Vec<Handovers>,
    /// Thread of each face that does not belong to the first thread.
    owners: BTreeMap<FaceId, usize>,
    next_owner: usize,
    pub now: Time,
    pub asked: Asked,
    nonces: u32,
}

/// 22 November 2026.
pub const WALL_MS: u64 = 1_795_305_600_000;

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

pub fn name(uri: &str) -> Name {
    uri.parse().expect("a name")
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(&Config::default())
    }

    pub fn with(config: &Config) -> Bench {
        let (forwarder, others) = Forwarder::sharded(config, Time::ZERO, WALL_MS, 1);
        let queues = (0..=others.len()).map(|_| Handovers::default()).collect();
        Bench {
            forwarder,
            others,
            queues,
            owners: BTreeMap::new(),
            next_owner: 0,
            now: Time::ZERO,
            asked: Asked::default(),
            nonces: 1000,
        }
    }

    /// A bench with `threads` threads, which get new faces in turn.
    pub fn threads(threads: usize) -> Bench {
        Bench::with(
            &Config::parse(&format!("[tables]\nthreads = {threads}\n"), "test")
                .expect("a configuration"),
        )
    }

    /// Moves the handovers of all threads into the queues.
    pub fn post(&mut self) {
        for thread in 0..=self.others.len() {
            let queues = &mut self.queues;
            let mut post = |forwarder: &mut Forwarder| {
                let lost = forwarder
                    .handed_over()
                    .iter_mut()
                    .zip(queues.iter_mut())
                    .map(|(from, to)| to.append(from))
                    .sum();
                forwarder.count_lost(lost);
            };
            match thread {
                0 => post(&mut self.forwarder),
                _ => post(&mut self.others[thread - 1].lock()),
            }
        }
    }

    /// Lets the threads take handovers until none is left.
    pub fn settle(&mut self) {
        self.post();
        while let Some(thread) = self.queues.iter().position(|queue| !queue.is_empty()) {
            let mut waiting = Vec::new();
            self.queues[thread].take(&mut waiting);
            for handover in waiting {
                match thread {
                    0 => self.forwarder.take(self.now, handover, &mut self.asked),
                    _ => self.others[thread - 1].lock().take(self.now, handover, &mut self.asked),
                }
            }
            self.post();
        }
    }

    /// Passes octets to a face on its thread.
    pub fn arrive(&mut self, face: FaceId, octets: &[u8]) {
        let (now, asked) = (self.now, &mut self.asked);
        match self.owners.get(&face) {
            None => self.forwarder.receive(now, face, Ecn::NotEct, octets, asked),
            Some(thread) => {
                self.others[thread - 1].lock().receive(now, face, Ecn::NotEct, octets, asked)
            }
        }
    }

    /// A nonce that no Interest has had.
    pub fn nonce(&mut self) -> u32 {
        self.nonces += 1;
        self.nonces
    }

    /// Adds an application on the UNIX socket.
    pub fn app(&mut self) -> FaceId {
        self.face(FaceSetup {
            remote: FaceUri::Fd(7),
            local: FaceUri::Unix("/run/nfd/nfd.sock".into()),
            persistency: FacePersistency::OnDemand,
            is_local: true,
            mtu: 8800,
            follows_path: false,
            ends_idle: false,
            rates: None,
            headers: None,
            understands: MirccSupport::Auto,
            nacks: false,
            police: false,
        })
    }

    /// Adds a neighbour over UDP.
    pub fn neighbour(&mut self, remote: &str) -> FaceId {
        self.neighbour_with(remote, None)
    }

    pub fn neighbour_with(&mut self, remote: &str, rates: Option<LinkRates>) -> FaceId {
        self.face(neighbour_setup(remote, rates))
    }

    pub fn face(&mut self, setup: FaceSetup) -> FaceId {
        let thread = self.next_owner;
        self.next_owner = (thread + 1) % self.queues.len();
        let face =
            self.forwarder.add_face_at(self.now, setup, thread, &mut self.asked).expect("room");
        self.owners.remove(&face);
        if thread > 0 {
            self.owners.insert(face, thread);
        }
        self.settle();
        face
    }

    /// Passes octets to a face. Returns the packets that the forwarder then sends.
    pub fn receive(&mut self, face: FaceId, octets: &[u8]) -> Vec<(FaceId, Vec<u8>)> {
        self.arrive(face, octets);
        self.settle();
        self.open_all();
        std::mem::take(&mut self.asked.sent)
    }

    /// Lets time pass. Returns the packets that the forwarder sends.
    pub fn pass(&mut self, until: Time) -> Vec<(FaceId, Vec<u8>)> {
        loop {
            let dues = self.others.iter().map(|other| other.lock().due());
            let due = dues.fold(self.forwarder.due(), Time::min);
            if due > until {
                break;
            }
            self.now = self.now.max(due);
            self.forwarder.poll(self.now, &mut self.asked);
            for other in &self.others {
                other.lock().poll(self.now, &mut self.asked);
            }
            self.settle();
        }
        self.now = until;
        std::mem::take(&mut self.asked.sent)
    }

    /// Opens the faces that the forwarder has asked for.
    fn open_all(&mut self) {
        for (ticket, remote, rates) in std::mem::take(&mut self.asked.opening) {
            let Some(address) = remote.address() else {
                self.forwarder.opened(
                    self.now,
                    ticket,
                    Err("the name is not known".to_owned()),
                    &mut self.asked,
                );
                self.settle();
                continue;
            };
            let setup = neighbour_setup(&remote.uri(address).to_string(), rates);
            let face = Ok(Opened::New(self.face(setup)));
            self.forwarder.opened(self.now, ticket, face, &mut self.asked);
            self.settle();
        }
    }

    /// General status of the forwarder, from its management.
    pub fn status(&mut self, face: FaceId) -> Status {
        let mut asked = Vec::new();
        let (dataset, nonce) = (name("/localhost/nfd/status/general"), self.nonce());
        InterestDraft {
            nonce: Some(nonce),
            can_be_prefix: true,
            must_be_fresh: true,
            ..InterestDraft::new(dataset.as_ref())
        }
        .write(&mut asked);
        let sent = self.receive(face, &asked);
        let (_, reply) = sent.iter().find(|(to, _)| *to == face).expect("an answer");
        with_data(reply, |data| {
            let status = GeneralStatus::decode(data.content.expect("content")).expect("a status");
            Status {
                pit_entries: status.pit_entries,
                cs_entries: status.cs_entries,
                fib_entries: status.fib_entries,
            }
        })
    }

    /// Sends a command. Returns the status code and the content of the answer.
    pub fn command(&mut self, face: FaceId, octets: &[u8]) -> (u64, Vec<u8>) {
        let sent = self.receive(face, octets);
        let (to, reply) = sent.iter().find(|(to, _)| *to == face).expect("an answer");
        assert_eq!(*to, face);
        let (content, name) = with_data(reply, |data| {
            (data.content.expect("content").to_vec(), data.name.to_string())
        });
        let asked = with_interest(octets, |interest| interest.name.to_string());
        assert_eq!(name, asked, "the answer has exactly the name of the command");
        let response = ControlResponse::decode(&content).expect("a response");
        assert!(response.parameters.is_some(), "clients need parameters, even if they are empty");
        (response.code, content)
    }
}

fn neighbour_setup(remote: &str, rates: Option<LinkRates>) -> FaceSetup {
    let remote = Remote::parse(remote).expect("a remote");
    let address = remote.address().expect("an address");
    FaceSetup {
        remote: remote.uri(address),
        local: FaceUri::Udp("192.0.2.100:6363".parse().expect("an address")),
        persistency: FacePersistency::Persistent,
        is_local: address.ip().is_loopback(),
        mtu: 1400,
        follows_path: false,
        ends_idle: true,
        rates,
        headers: None,
        understands: MirccSupport::Auto,
        nacks: false,
        police: false,
    }
}

pub fn with_data<T>(octets: &[u8], read: impl FnOnce(&Data<'_>) -> T) -> T {
    let packet = LpPacket::decode(octets).expect("a packet of the link");
    let data = Data::decode(packet.fragment.expect("a fragment")).expect("Data");
    data.check_digest().expect("a signature");
    read(&data)
}

pub fn with_interest<T>(octets: &[u8], read: impl FnOnce(&Interest<'_>) -> T) -> T {
    let packet = LpPacket::decode(octets).expect("a packet of the link");
    read(&Interest::decode(packet.fragment.expect("a fragment")).expect("an Interest"))
}

pub fn header(octets: &[u8]) -> Header<'_> {
    LpPacket::decode(octets).expect("a packet of the link").header
}

/// An Interest with this name and this nonce.
pub fn interest(uri: &str, nonce: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let name = name(uri);
    InterestDraft { nonce: Some(nonce), ..InterestDraft::new(name.as_ref()) }.write(&mut octets);
    octets
}

/// Data with this name that stays fresh for a second.
pub fn data(uri: &str, content: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    let name = name(uri);
    let meta = MetaInfo { freshness_ms: Some(1000), ..MetaInfo::default() };
    DataDraft { name: name.as_ref(), meta, content: Some(content) }
        .write(&Signer::DIGEST, &mut octets);
    octets
}

/// The hello that shows MIRCC to a neighbour: a link packet with the class of an Interest and
/// nothing else.
pub const HELLO: &[u8] = &[0x64, 0x05, 0xfd, 0x03, 0x8c, 0x01, 0x00];

/// An Interest of a consumer that shows MIRCC.
pub fn of_follower(uri: &str, nonce: u32) -> Vec<u8> {
    link(
        &Header { mircc: Mircc { class: Some(0), ..Mircc::default() }, ..Header::default() },
        &interest(uri, nonce),
    )
}

/// A link packet with these fields.
pub fn link(header: &Header<'_>, fragment: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    header.write_packet(Some(fragment), &mut octets);
    octets
}
