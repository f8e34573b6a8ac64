//! Interests, Data and Nacks.

use crate::name::Name;
use crate::route::{Route, Steer};
use narrows_units::{Bytes, Span};
use narrows_wire::Rates;

/// The traffic class of an Interest (MIRCC, section 4.2). Interests without a class are primary:
/// this default is ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Shared fairly between flows.
    #[default]
    Primary,
    /// Uses the capacity that primary traffic leaves, shared between subflows.
    Secondary,
}

/// Requests a Data packet.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Interest<N: Name> {
    /// The name requested.
    pub name: N,
    /// A number unique to each transmission, which detects loops.
    pub nonce: u32,
    /// Data whose name begins with this one also answers it.
    pub can_be_prefix: bool,
    /// Cached Data answers it only while fresh.
    pub must_be_fresh: bool,
    /// The number of links that it may still cross.
    pub hop_limit: u8,
    /// Its class.
    pub class: Class,
    /// The time for which forwarders keep it pending.
    pub lifetime: Span,
    /// The consumer's smoothed round trip; zero while unknown.
    pub srtt: Span,
    /// Size on the wire.
    pub size: Bytes,
    /// The path that it should take.
    pub steer: Steer,
    /// The forwarding hint: names of networks that reach the producer. The Interest follows the
    /// first of them that has a route, or its own name if none has (NDN Packet Format Specification
    /// 0.3, "ForwardingHint").
    pub via: Option<Box<[N]>>,
    /// The PIT token (NDNLPv2). The answer carries it back to the neighbour that sent it.
    pub token: N::Token,
    /// Content that forwarders do not read.
    pub body: N::Body,
}

/// Answers an Interest.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Data<N: Name> {
    /// Its name.
    pub name: N,
    /// True if a link on its way has marked congestion.
    pub marked: bool,
    /// Caches must not store it.
    pub no_cache: bool,
    /// Size on the wire.
    pub size: Bytes,
    /// The lowest rate of the links that it has crossed, in each class (MIRCC, RCP).
    pub rates: Rates,
    /// The time for which caches treat it as fresh.
    pub freshness: Span,
    /// The path that it has taken.
    pub route: Route,
    /// The token of the Interest that it answers.
    pub token: N::Token,
    /// Content that forwarders do not read.
    pub body: N::Body,
}

/// The reason of a Nack, with its code in NDNLPv2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NackReason {
    /// The queue of the Interest shaper or the PIT is full (50).
    Congestion,
    /// The node has seen the same Interest before (100).
    Duplicate,
    /// No route matches its name (150).
    NoRoute,
    /// The path label names no next hop, and the Interest may take no other path (160; RFC 9531).
    InvalidLabel,
    /// No reason is given.
    Unknown,
}

/// An Interest returned because it could not be forwarded.
#[derive(Clone, Debug)]
pub struct Nack<N: Name> {
    /// The Interest.
    pub interest: Interest<N>,
    /// Why it was returned.
    pub reason: NackReason,
    /// The lowest rate, in each class, of the links that it has crossed and of the link that
    /// refused the Interest.
    pub rates: Rates,
    /// The path that it has taken back from the node that returned it.
    pub route: Route,
}

/// Any packet. It is boxed: queues and links move the pointer, and the content is not copied.
#[derive(Clone, Debug)]
pub enum Packet<N: Name> {
    /// An Interest.
    Interest(Box<Interest<N>>),
    /// Data.
    Data(Box<Data<N>>),
    /// A Nack.
    Nack(Box<Nack<N>>),
}

impl<N: Name> From<Interest<N>> for Packet<N> {
    fn from(interest: Interest<N>) -> Packet<N> {
        Packet::Interest(Box::new(interest))
    }
}

impl<N: Name> From<Data<N>> for Packet<N> {
    fn from(data: Data<N>) -> Packet<N> {
        Packet::Data(Box::new(data))
    }
}

impl<N: Name> From<Nack<N>> for Packet<N> {
    fn from(nack: Nack<N>) -> Packet<N> {
        Packet::Nack(Box::new(nack))
    }
}

impl<N: Name> Packet<N> {
    /// The name of the packet, or of the Interest of a Nack.
    pub fn name(&self) -> &N {
        match self {
            Packet::Interest(interest) => &interest.name,
            Packet::Data(data) => &data.name,
            Packet::Nack(nack) => &nack.interest.name,
        }
    }

    /// Size on the wire. A Nack is as large as its Interest.
    pub fn size(&self) -> Bytes {
        match self {
            Packet::Interest(interest) => interest.size,
            Packet::Data(data) => data.size,
            Packet::Nack(nack) => nack.interest.size,
        }
    }
}
