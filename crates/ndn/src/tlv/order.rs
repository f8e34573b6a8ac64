//! The rule that lets packets have new elements.

use super::element::Element;
use super::error::{DecodeError, Fault};

/// Elements with a fixed order among unknown elements. An element that is unknown or out of order
/// is skipped, or rejected if it is critical (NDN Packet Format 0.3, "Considerations for
/// Evolvability of TLV-Based Encoding").
#[derive(Default)]
pub(crate) struct Order {
    last: u8,
}

impl Order {
    /// True if `element` is to be read, false if it is to be skipped. `place` is its place in the
    /// order, from 1 on, or 0 if the element is unknown.
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
