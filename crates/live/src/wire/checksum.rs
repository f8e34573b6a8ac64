//! Checksums of IP, TCP and UDP (RFC 1071).

use etherparse::checksum::Sum16BitWords;

/// Returns the folded sum of 16-bit words, not inverted: the value of a checksum field that the
/// device completes.
pub(super) fn folded(sum: &Sum16BitWords) -> u16 {
    !sum.ones_complement().to_be()
}

/// Returns the checksum of an IPv4 header with a zero checksum field.
pub(super) fn of_ipv4_header(header: &[u8]) -> u16 {
    !folded(&Sum16BitWords::new().add_slice(header))
}

/// Updates a checksum after the change of a word that it covers (RFC 1624 section 3, equation 3).
pub(super) fn replaced(checksum: u16, old: u16, new: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!old) + u32::from(new);
    let sum = (sum & 0xffff) + (sum >> 16);
    !((sum & 0xffff) + (sum >> 16)) as u16
}

/// Returns the sum of the pseudo-header: both addresses, the protocol, and the length of transport
/// header and payload (RFC 9293 section 3.1, RFC 8200 section 8.1).
pub(super) fn of_pseudo_header(addresses: &[u8], protocol: u8, length: usize) -> u16 {
    let [_, _, high, low] = (length as u32).to_be_bytes();
    folded(
        &Sum16BitWords::new()
            .add_slice(addresses)
            .add_2bytes([0, protocol])
            .add_2bytes([high, low]),
    )
}

/// Completes the transport checksum of a packet, given from its IP header on, as the device would.
/// Sums from `start` on, where the field at `start + offset` holds the sum of the pseudo-header,
/// and writes the result there. A sum of zero is written as all ones, which is equal to it and
/// required by UDP (RFC 768). With an offset beyond the packet, does nothing.
pub fn complete(ip: &mut [u8], start: u16, offset: u16) {
    let (start, field) = (usize::from(start), usize::from(start) + usize::from(offset));
    if field + 2 > ip.len() {
        return;
    }
    let sum = Sum16BitWords::new().add_slice(&ip[start..]).to_ones_complement_with_no_zero();
    ip[field..field + 2].copy_from_slice(&sum.to_ne_bytes());
}
