//! The rule by which packets may grow new elements.

use super::element::Element;
use super::error::{DecodeError, Fault};

/// Elements of a fixed order among unknown ones: an element that is unknown or out of order is
/// skipped, or refused if it is critical (NDN Packet Format 0.3, "Considerations for Evolvability
/// of TLV-Based Encoding").
#[derive(Default)]
pub(crate) struct Order {
    last: u8,
}

impl Order {
    /// True if `element`, which stands at `place` in the order (1 and above; 0 if unknown), is to
    /// be read; false if it is to be skipped.
    #[inline]
    pub fn admits(&mut self, place: u8, element: &Element) -> Result<bool, DecodeError> {
        if place > self.last {
            self.last = place;
            return Ok(true);
        }
        if !element.is_critical() {
            return Ok(false);
        }
        Err(element.fail(if place == 0 { Fault::Unknown } else { Fault::OutOfOrder }))
    }
}
