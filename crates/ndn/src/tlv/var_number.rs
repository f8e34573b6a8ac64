//! Numbers of variable length: TYPE, LENGTH and NonNegativeInteger.

use super::error::Fault;

/// Reads a TYPE or LENGTH at the start of `octets`. Returns its value and the number of its octets.
///
/// # Errors
/// The octets end too early, or a shorter form exists.
#[inline]
pub fn read_var_number(octets: &[u8]) -> Result<(u64, usize), Fault> {
    match octets {
        [first @ ..=252, ..] => Ok((u64::from(*first), 1)),
        [253, a, b, ..] => shortest(u64::from(u16::from_be_bytes([*a, *b])), 253, 3),
        [254, a, b, c, d, ..] => {
            shortest(u64::from(u32::from_be_bytes([*a, *b, *c, *d])), 1 << 16, 5)
        }
        [255, a, b, c, d, e, f, g, h, ..] => {
            shortest(u64::from_be_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), 1 << 32, 9)
        }
        _ => Err(Fault::Truncated),
    }
}

fn shortest(value: u64, least: u64, size: usize) -> Result<(u64, usize), Fault> {
    if value < least { Err(Fault::NotShortest) } else { Ok((value, size)) }
}

/// Octets of `value` as a TYPE or LENGTH: 1, 3, 5 or 9.
#[inline]
pub const fn var_number_size(value: u64) -> usize {
    match value {
        0..=252 => 1,
        253..=0xFFFF => 3,
        0x1_0000..=0xFFFF_FFFF => 5,
        _ => 9,
    }
}

/// Octets of `value` as a NonNegativeInteger: 1, 2, 4 or 8.
#[inline]
pub const fn nni_size(value: u64) -> usize {
    match value {
        0..=0xFF => 1,
        0x100..=0xFFFF => 2,
        0x1_0000..=0xFFFF_FFFF => 4,
        _ => 8,
    }
}

/// The number in a VALUE of 1, 2, 4 or 8 octets. `None` if VALUE has another length.
#[inline]
pub(crate) fn nni(value: &[u8]) -> Option<u64> {
    match *value {
        [a] => Some(u64::from(a)),
        [a, b] => Some(u64::from(u16::from_be_bytes([a, b]))),
        [a, b, c, d] => Some(u64::from(u32::from_be_bytes([a, b, c, d]))),
        [a, b, c, d, e, f, g, h] => Some(u64::from_be_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}
