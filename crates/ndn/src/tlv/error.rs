//! Why octets are no packet.

use thiserror::Error;

/// The place of a fault in the octets that were decoded, and the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("octet {offset}, {}: {fault}", Type(*number))]
pub struct DecodeError {
    /// Where the faulty element begins, counted from the first octet that was given to the decoder.
    pub offset: usize,
    /// The TLV-TYPE of the faulty or missing element; 0 if the fault is in the TYPE itself.
    pub number: u32,
    /// The fault.
    pub fault: Fault,
}

struct Type(u32);

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            0 => f.write_str("an element"),
            number => write!(f, "type {number}"),
        }
    }
}

/// A fault in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// The octets end before the element does.
    #[error("the octets end before the element does")]
    Truncated,
    /// TYPE or LENGTH takes more octets than it must.
    #[error("a TYPE or LENGTH is not in its shortest form")]
    NotShortest,
    /// TYPE is 0 or above 2^32 - 1; of a name's component, above 65535.
    #[error("the TYPE is out of range")]
    TypeOutOfRange,
    /// VALUE has a length that this element may not have.
    #[error("the VALUE has a wrong length")]
    WrongLength,
    /// VALUE holds a number or text that this element may not hold.
    #[error("the VALUE is not one that this element may have")]
    WrongValue,
    /// An element that must be there is not.
    #[error("the element is missing")]
    Missing,
    /// An element that may not be ignored is unknown here.
    #[error("the element is unknown and may not be ignored")]
    Unknown,
    /// An element that may not be ignored stands after one that must follow it, or is there twice.
    #[error("the element is out of order or there twice")]
    OutOfOrder,
    /// Octets follow the one element that was expected.
    #[error("octets follow the element")]
    Trailing,
    /// Another element was expected here.
    #[error("another element was expected")]
    WrongType,
}
