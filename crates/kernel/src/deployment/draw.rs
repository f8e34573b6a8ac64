//! The draw of a connection, computed as the program in the kernel computes it.

use std::net::Ipv6Addr;

/// Addresses and ports on which a draw depends. IPv4 addresses are mapped to IPv6 (RFC 4291,
/// section 2.5.5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuple {
    /// Address of the peer.
    pub remote: Ipv6Addr,
    /// Port of the peer.
    pub remote_port: u16,
    /// Own address.
    pub local: Ipv6Addr,
    /// Own port.
    pub local_port: u16,
}

/// Draws a number below 65536 for a connection or for its client. A client is an IPv4 address, or
/// the first 64 bits of an IPv6 address. A connection is treated if the number is below the share
/// times 65536.
pub fn draw(salt: u32, tuple: &Tuple, by_client: bool) -> u32 {
    let is_mapped = tuple.remote.to_ipv4_mapped().is_some();
    let words: [u32; 4] = bytemuck::cast(tuple.remote.octets());
    let counted = if by_client && !is_mapped { 2 } else { 4 };
    let mut h = words[..counted].iter().fold(mix(salt), |h, word| mix(h ^ word));
    if !by_client {
        // The program knows the local address only of IPv4 connections.
        let local = tuple.local.to_ipv4_mapped().map_or(0, |own| u32::from_ne_bytes(own.octets()));
        h = mix(h ^ local);
        h = mix(h ^ (u32::from(tuple.local_port) << 16 | u32::from(tuple.remote_port)));
    }
    h & 0xffff
}

/// Mixes 32 bits.
fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x7feb_352d);
    h ^= h >> 15;
    h = h.wrapping_mul(0x846c_a68b);
    h ^ h >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn tuple(peer: [u8; 4], remote_port: u16) -> Tuple {
        Tuple {
            remote: Ipv4Addr::from(peer).to_ipv6_mapped(),
            remote_port,
            local: Ipv4Addr::new(10, 0, 0, 1).to_ipv6_mapped(),
            local_port: 443,
        }
    }

    /// Known values on a little-endian machine, because words are read in native byte order.
    #[test]
    #[cfg(target_endian = "little")]
    fn draws_by_hand() {
        assert_eq!([1, 2, u32::MAX].map(mix), [0x6889_90c0, 0xd113_2181, 0x6768_824a]);
        assert_eq!(draw(1, &tuple([192, 0, 2, 7], 50000), false), 50783);
        assert_eq!(draw(1, &tuple([192, 0, 2, 7], 50001), false), 55533);
        let client = |port| draw(1, &tuple([192, 0, 2, 7], port), true);
        assert_eq!(client(50000), client(50001));
    }

    /// 100,000 connections in 16 bins: chi-square with 15 degrees of freedom is below 25.0 at 95 %.
    #[test]
    #[cfg(target_endian = "little")]
    fn draws_are_uniform() {
        let mut bins = [0_u32; 16];
        for n in 0..100_000_u32 {
            let own = tuple([192, 0, 2, (n % 250) as u8], (1024 + n / 250) as u16);
            bins[(draw(9, &own, false) >> 12) as usize] += 1;
        }
        let expected = 100_000.0 / 16.0;
        let square = |own: &u32| (f64::from(*own) - expected).powi(2) / expected;
        let chi: f64 = bins.iter().map(square).sum();
        assert!(chi < 25.0, "{chi}");
    }
}
