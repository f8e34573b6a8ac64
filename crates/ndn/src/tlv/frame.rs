//! Packets in a stream of octets.

use super::error::{DecodeError, Fault};
use super::var_number::read_var_number;

/// Octets of the largest packet that forwarders carry.
pub const MAX_PACKET: usize = 8800;

/// Number of octets of the packet at the start of `octets`. `None` if more octets are needed to
/// know it. The packet is complete once that many octets have arrived; further octets may follow
/// it.
///
/// # Errors
/// TYPE or LENGTH is malformed, or the packet exceeds `limit` octets. The stream cannot be read any
/// further then.
pub fn frame_length(octets: &[u8], limit: usize) -> Result<Option<usize>, DecodeError> {
    let fail = |number, fault| DecodeError { offset: 0, number, fault };
    let (number, after_type) = match read_var_number(octets) {
        Ok(read) => read,
        Err(Fault::Truncated) => return Ok(None),
        Err(fault) => return Err(fail(0, fault)),
    };
    let number = u32::try_from(number)
        .ok()
        .filter(|number| *number != 0)
        .ok_or(fail(0, Fault::TypeOutOfRange))?;
    let (length, size) = match read_var_number(&octets[after_type..]) {
        Ok(read) => read,
        Err(Fault::Truncated) => return Ok(None),
        Err(fault) => return Err(fail(number, fault)),
    };
    let whole =
        usize::try_from(length).ok().and_then(|length| length.checked_add(after_type + size));
    whole.filter(|whole| *whole <= limit).map(Some).ok_or(fail(number, Fault::WrongLength))
}
