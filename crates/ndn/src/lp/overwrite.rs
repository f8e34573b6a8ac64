//! Overwriting of numbers in encoded packets.

use crate::number;
use crate::tlv::{DecodeError, Element, Reader, nni_size};
use thiserror::Error;

/// Reason why a field cannot be overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OverwriteError {
    /// The octets are not an LpPacket.
    #[error(transparent)]
    Malformed(#[from] DecodeError),
    /// The packet has no such field.
    #[error("the packet has no field of type {0}")]
    Absent(u32),
    /// The field is too narrow for the number.
    #[error("the field of type {number} has {width} octets, too few for {value}")]
    TooNarrow {
        /// TYPE of the field.
        number: u32,
        /// Octets of its VALUE.
        width: usize,
        /// The number.
        value: u64,
    },
}

/// Overwrites the NonNegativeInteger in the field of TYPE `number` of the LpPacket in `wire` with
/// `value`. The size of the packet stays the same. A router lowers MIRCC rates this way, because
/// [`super::Header::write_packet`] writes them in 8 octets.
///
/// # Errors
/// The field is missing, or the value does not fit.
pub fn overwrite(wire: &mut [u8], number: u32, value: u64) -> Result<(), OverwriteError> {
    let outer = Element::only(wire)?.expect(number::lp::LP_PACKET)?;
    for element in Reader::within(&outer) {
        let element = element?;
        if element.number == number {
            let width = element.value.len();
            let at = element.value_offset();
            if !matches!(width, 1 | 2 | 4 | 8) || nni_size(value) > width {
                return Err(OverwriteError::TooNarrow { number, width, value });
            }
            wire[at..at + width].copy_from_slice(&value.to_be_bytes()[8 - width..]);
            return Ok(());
        }
    }
    Err(OverwriteError::Absent(number))
}
