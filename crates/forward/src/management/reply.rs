//! Data packets of the management.

use crate::name::{PacketName, Token, Wire};
use narrows_icn::{Data, Route};
use narrows_ndn as ndn;
use narrows_units::{Bytes, Span};
use narrows_wire::Rates;

/// Data packets that the management sends.
pub(crate) type Reply = Vec<Data<PacketName>>;

/// Management Data: signed with a digest, and not to be cached.
pub(crate) fn management_data(octets: Vec<u8>) -> Data<PacketName> {
    let decoded = ndn::Data::decode(&octets).expect("Data that was just written");
    Data {
        name: PacketName::of_packet(&octets, &decoded.name),
        marked: false,
        no_cache: true,
        size: Bytes::new(octets.len() as u64),
        rates: Rates::UNLIMITED,
        freshness: Span::from_millis(decoded.meta.freshness_ms.unwrap_or(0)),
        route: Route::default(),
        token: Token::default(),
        body: Wire::DATA,
    }
}
