//! Datagrams of flows without a controller: UDP over IPv4, with a number from 0 in their first
//! bytes.

use narrows_units::Bytes;

/// Size of the headers of IPv4 and UDP.
pub const DATAGRAM_HEADERS: Bytes = Bytes::new(28);

/// Size of the number at the beginning of each payload, big-endian.
pub const NUMBER: usize = 8;

/// Returns the number of the datagram with this payload; `None` if the payload is too short.
pub fn number_of(payload: &[u8]) -> Option<u64> {
    payload.first_chunk::<NUMBER>().map(|bytes| u64::from_be_bytes(*bytes))
}
