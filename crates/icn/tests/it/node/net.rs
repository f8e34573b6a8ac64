//! Nodes joined by links without delay, and applications on their faces.

use narrows_icn::*;
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::VecDeque;

pub const INTEREST: Bytes = Bytes::new(100);
pub const DATA: Bytes = Bytes::new(1000);

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

pub fn mbps(mbps: u64) -> Rate {
    Rate::from_mbps(mbps)
}

pub fn link(label: u16) -> FaceConfig {
    FaceConfig {
        capacity_in: None,
        capacity_out: None,
        measured: false,
        label,
        law: None,
        shaper: None,
        rates: true,
        application: false,
        local: false,
        nacks: Nacking::Always,
        proxy: None,
        police: false,
    }
}

pub fn application(label: u16) -> FaceConfig {
    FaceConfig { application: true, local: true, ..link(label) }
}

pub fn interest(name: Interned, nonce: u32) -> Interest<Interned> {
    Interest {
        name,
        can_be_prefix: false,
        must_be_fresh: false,
        nonce,
        lifetime: Span::from_secs(4),
        hop_limit: 64,
        class: Class::Primary,
        srtt: Span::ZERO,
        steer: Steer::default(),
        size: INTEREST,
        via: None,
        token: (),
        body: (),
    }
}

pub fn data(name: Interned) -> Data<Interned> {
    Data {
        name,
        freshness: Span::ZERO,
        rates: Rates::UNLIMITED,
        route: Route::default(),
        marked: false,
        no_cache: false,
        size: DATA,
        token: (),
        body: (),
    }
}

pub fn nack(interest: Interest<Interned>, reason: NackReason) -> Packet<Interned> {
    Packet::from(Nack { interest, reason, rates: Rates::UNLIMITED, route: Route::default() })
}

/// Everything a node has to send.
pub fn actions(node: &mut Node<Interned>) -> Vec<(FaceId, Packet<Interned>)> {
    std::iter::from_fn(|| node.action()).collect()
}

pub fn as_data(packet: &Packet<Interned>) -> &Data<Interned> {
    if let Packet::Data(data) = packet { data } else { panic!("{packet:?}") }
}

pub fn as_interest(packet: &Packet<Interned>) -> &Interest<Interned> {
    if let Packet::Interest(interest) = packet { interest } else { panic!("{packet:?}") }
}

pub fn as_nack(packet: &Packet<Interned>) -> &Nack<Interned> {
    if let Packet::Nack(nack) = packet { nack } else { panic!("{packet:?}") }
}

/// Nodes and the links between their faces.
pub struct Net {
    pub nodes: Vec<Node<Interned>>,
    /// For each node and face, what is on the other side; `None` for an application.
    peers: Vec<Vec<Option<(usize, FaceId)>>>,
    queue: VecDeque<(usize, FaceId, Packet<Interned>)>,
    /// Packets handed to applications: node, face, packet.
    pub received: Vec<(usize, FaceId, Packet<Interned>)>,
    /// Packets that crossed a link.
    pub crossed: u64,
}

impl Net {
    pub fn new(nodes: usize, form: HintForm, seed: u64) -> Net {
        let node = |id| Node::new(NodeConfig { id, seed, form, ..NodeConfig::default() });
        Net {
            nodes: (0..nodes as u64).map(node).collect(),
            peers: vec![Vec::new(); nodes],
            queue: VecDeque::new(),
            received: Vec::new(),
            crossed: 0,
        }
    }

    /// A link between two nodes; the faces of `a` and of `b`.
    pub fn link(&mut self, a: usize, b: usize, config: &FaceConfig) -> (FaceId, FaceId) {
        let at_a = self.face(a, config);
        let at_b = self.face(b, config);
        self.peers[a].push(Some((b, at_b)));
        self.peers[b].push(Some((a, at_a)));
        (at_a, at_b)
    }

    /// An application.
    pub fn application(&mut self, node: usize) -> FaceId {
        let face = self.face(node, &application(1));
        self.peers[node].push(None);
        face
    }

    pub fn faces(&self, node: usize) -> u32 {
        self.peers[node].len() as u32
    }

    fn face(&mut self, node: usize, config: &FaceConfig) -> FaceId {
        // Labels that differ between nodes, so that a node does not take another's label for its
        // own.
        let label = (100 * (node + 1) + self.peers[node].len() + 1) as u16;
        self.nodes[node].add_face(Time::ZERO, &FaceConfig { label, ..config.clone() })
    }

    /// An application sends, and everything that follows at once happens.
    pub fn send(&mut self, now: Time, node: usize, face: FaceId, packet: Packet<Interned>) {
        self.queue.push_back((node, face, packet));
        self.settle(now);
    }

    /// Time passes.
    pub fn poll(&mut self, now: Time) {
        for node in 0..self.nodes.len() {
            self.nodes[node].poll(now);
            self.collect(node);
        }
        self.settle(now);
    }

    fn settle(&mut self, now: Time) {
        while let Some((node, face, packet)) = self.queue.pop_front() {
            self.nodes[node].handle(now, face, packet, &mut Spare::default());
            self.collect(node);
        }
    }

    fn collect(&mut self, node: usize) {
        while let Some((face, packet)) = self.nodes[node].action() {
            match self.peers[node][face.0 as usize] {
                Some((peer, at)) => {
                    self.crossed += 1;
                    self.queue.push_back((peer, at, packet));
                }
                None => self.received.push((node, face, packet)),
            }
        }
    }

    /// Packets handed to applications since the last time.
    pub fn take(&mut self) -> Vec<(usize, FaceId, Packet<Interned>)> {
        std::mem::take(&mut self.received)
    }

    /// Producers answer all Interests that they were handed; what else was received stays.
    pub fn produce(&mut self, now: Time) {
        loop {
            let (interests, rest): (Vec<_>, Vec<_>) = self
                .take()
                .into_iter()
                .partition(|(_, _, packet)| matches!(packet, Packet::Interest(_)));
            self.received = rest;
            if interests.is_empty() {
                return;
            }
            for (node, face, packet) in interests {
                self.send(now, node, face, Packet::from(data(as_interest(&packet).name)));
            }
        }
    }
}
