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

/// Draws a number below 65536 for a connection that is established at `born_ns` of the monotonic
/// clock. It is treated if the number is below the share times 65536.
///
/// A client that uses the same ports again draws anew, because the time has changed.
pub fn draw(salt: u32, tuple: &Tuple, born_ns: u64) -> u32 {
    let words: [u32; 4] = bytemuck::cast(tuple.remote.octets());
    // The program knows the local address only of IPv4 connections.
    let local = tuple.local.to_ipv4_mapped().map_or(0, |own| u32::from_ne_bytes(own.octets()));
    let ports = u32::from(tuple.local_port) << 16 | u32::from(tuple.remote_port);
    let rest = [local, ports, born_ns as u32];
    mixed(salt, words.iter().chain(&rest)) & 0xffff
}

/// Draws a number below 65536 for all connections of a client: an IPv4 address, or the first 64
/// bits of an IPv6 address.
pub fn draw_client(salt: u32, client: Ipv6Addr) -> u32 {
    let words: [u32; 4] = bytemuck::cast(client.octets());
    let counted = if client.to_ipv4_mapped().is_some() { 4 } else { 2 };
    mixed(salt, words[..counted].iter()) & 0xffff
}

/// Mixes words into a salt, one after another.
fn mixed<'a>(salt: u32, words: impl Iterator<Item = &'a u32>) -> u32 {
    words.fold(mix(salt), |h, word| mix(h ^ word))
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
        let words = [0, 0, 0xffff_0000, 0x0702_00c0, 0x0100_000a, 443 << 16 | 50000];
        assert_eq!(mixed(1, words.iter()) & 0xffff, 50783);
        let peer = Ipv4Addr::new(192, 0, 2, 7).to_ipv6_mapped();
        assert_eq!(draw_client(1, peer), mixed(1, words[..4].iter()) & 0xffff);
        let born = 0x0123_4567_89ab_cdef;
        let whole: Vec<u32> = words.into_iter().chain([0x89ab_cdef]).collect();
        assert_eq!(draw(1, &tuple([192, 0, 2, 7], 50000), born), mixed(1, whole.iter()) & 0xffff);
        let [one, other] =
            ["2001:db8::1", "2001:db8:0:0:ffff::2"].map(|own| own.parse().expect("an address"));
        assert_eq!(draw_client(1, one), draw_client(1, other));
    }

    /// 100,000 connections in 16 bins: chi-square with 15 degrees of freedom is below 25.0 at 95 %.
    #[test]
    #[cfg(target_endian = "little")]
    fn draws_are_uniform() {
        let mut bins = [0_u32; 16];
        for n in 0..100_000_u32 {
            let own = tuple([192, 0, 2, (n % 250) as u8], (1024 + n / 250) as u16);
            bins[(draw(9, &own, u64::from(n)) >> 12) as usize] += 1;
        }
        let expected = 100_000.0 / 16.0;
        let square = |own: &u32| (f64::from(*own) - expected).powi(2) / expected;
        let chi: f64 = bins.iter().map(square).sum();
        assert!(chi < 25.0, "{chi}");
    }

    /// A client goes through its 14,000 ports 50 times. Even arms are then 0.5 +- 0.0006. Drawn by
    /// addresses and ports alone, they would stay as uneven as the first time, some 0.004 off.
    #[test]
    fn a_client_that_uses_its_ports_again_draws_anew() {
        let mut treated = [0_u32; 50];
        for (round, own) in (0_u64..).zip(&mut treated) {
            for port in 0..14_000_u16 {
                let born = (round * 14_000 + u64::from(port)) * 1_000_003;
                *own += u32::from(draw(7, &tuple([192, 0, 2, 7], 32768 + 2 * port), born) < 0x8000);
            }
        }
        let deviations =
            |treated: u32, of: f64| (f64::from(treated) - of / 2.0) / (of / 4.0).sqrt();
        let squares: f64 = treated.iter().map(|own| deviations(*own, 14_000.0).powi(2)).sum();
        // Chi-square with 50 degrees of freedom is between 24.7 and 86.7 at 99.8 %.
        assert!((24.7..86.7).contains(&squares), "{squares}");
        let all = deviations(treated.iter().sum(), 700_000.0);
        assert!(all.abs() < 3.3, "{all}");
    }
}
