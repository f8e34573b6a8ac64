//! Interests, Data and Nacks.

use crate::name::Name;
use crate::route::{Route, Steer};
use narrows_units::{Bytes, Span};
use narrows_wire::Rates;

/// The traffic class of an Interest (MIRCC, section 4.2). Unmarked Interests are primary: this
/// default is ours.
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
    /// Networks of its producer: it goes to the first of these that has a route, and else by its
    /// name (NDN Packet Format Specification 0.3, "ForwardingHint").
    pub via: Option<Box<[N]>>,
    /// The neighbour that sends it wants this back with the answer.
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
    /// Congestion mark of a link that it has crossed.
    pub marked: bool,
    /// Caches must not store it.
    pub no_cache: bool,
    /// Size on the wire.
    pub size: Bytes,
    /// The lowest rates of the links it has crossed.
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

/// The reason of a Nack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NackReason {
    /// The queue of the Interest shaper or the PIT is full (NDNLPv2: 50).
    Congestion,
    /// The node has seen the same Interest before (100).
    Duplicate,
    /// No route matches its name (150).
    NoRoute,
    /// Its path label names no next hop, and it is strictly steered (160: RFC 9531 in NDNLPv2).
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
    /// The lowest rates of the links that it has crossed, and of the link that did not take it.
    pub rates: Rates,
    /// The path that it has taken back from the node that returned it.
    pub route: Route,
}

/// Any packet. Its content stays where it is, through queues and over links, until an application
/// has taken it.
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
