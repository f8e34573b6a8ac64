//! The packets of an ICN.

use crate::{Name, Route, Steer};
use narrows_units::{Bytes, Span};
use narrows_wire::Rates;

/// What an Interest counts as where rates are of two classes (MIRCC, section 3.3). Unmarked Interests are primary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Shared fairly between flows.
    #[default]
    Primary,
    /// What primary traffic leaves, shared between subflows.
    Secondary,
}

/// Asks for a Data packet.
#[derive(Clone, Debug)]
pub struct Interest<N: Name> {
    /// What is asked for.
    pub name: N,
    /// Data whose name begins with this one also answers it.
    pub can_be_prefix: bool,
    /// Data in a cache answers it only while fresh.
    pub must_be_fresh: bool,
    /// Tells apart what comes again: each transmission has its own.
    pub nonce: u32,
    /// Forwarders wait so long for an answer.
    pub lifetime: Span,
    /// Forwarders that may still pass it on.
    pub hop_limit: u8,
    /// Its class.
    pub class: Class,
    /// The smoothed round trip of whoever asks; zero while it is not known.
    pub srtt: Span,
    /// Which way it should take.
    pub steer: Steer,
    /// Size on the wire.
    pub size: Bytes,
    /// What the forwarder does not read.
    pub body: N::Body,
}

/// Answers an Interest.
#[derive(Clone, Debug)]
pub struct Data<N: Name> {
    /// Its name.
    pub name: N,
    /// Caches call it fresh for so long.
    pub freshness: Span,
    /// The lowest rates of the links it has crossed.
    pub rates: Rates,
    /// The way it has come.
    pub route: Route,
    /// A link it has crossed is congested.
    pub marked: bool,
    /// Caches do not keep it.
    pub no_cache: bool,
    /// Size on the wire.
    pub size: Bytes,
    /// What the forwarder does not read.
    pub body: N::Body,
}

/// Why an Interest is sent back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// A queue of Interests, or a table of them, is full (NDNLPv2: 50).
    Congestion,
    /// The same Interest has been here before (100).
    Duplicate,
    /// No route leads to its name (150).
    NoRoute,
    /// Its path label does not name a next hop, and it is to take no other (160: RFC 9531 in NDNLPv2).
    InvalidLabel,
    /// None is given.
    Unknown,
}

/// An Interest that was refused, on its way back.
#[derive(Clone, Debug)]
pub struct Nack<N: Name> {
    /// The Interest.
    pub interest: Interest<N>,
    /// Why it was refused.
    pub reason: Reason,
    /// The lowest rates of the links it has crossed, that of the link which refused it included.
    pub rates: Rates,
    /// The way it has come back, from where it was refused.
    pub route: Route,
}

/// Any packet.
#[derive(Clone, Debug)]
pub enum Packet<N: Name> {
    /// An Interest.
    Interest(Interest<N>),
    /// Data.
    Data(Data<N>),
    /// A refusal.
    Nack(Nack<N>),
}

impl<N: Name> Packet<N> {
    /// What it is about.
    pub fn name(&self) -> &N {
        match self {
            Packet::Interest(interest) => &interest.name,
            Packet::Data(data) => &data.name,
            Packet::Nack(nack) => &nack.interest.name,
        }
    }

    /// Size on the wire. A refusal is as large as its Interest.
    pub fn size(&self) -> Bytes {
        match self {
            Packet::Interest(interest) => interest.size,
            Packet::Data(data) => data.size,
            Packet::Nack(nack) => nack.interest.size,
        }
    }
}
