//! Decoding errors.

use thiserror::Error;

/// Position of a fault in the decoded octets, and the fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("octet {offset}, {}: {fault}", Type(*number))]
pub struct DecodeError {
    /// Position of the faulty element, from the first octet that was passed to the decoder.
    pub offset: usize,
    /// TLV-TYPE of the faulty or missing element. 0 if the fault is in the TYPE itself.
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
    /// TYPE or LENGTH has a shorter form.
    #[error("a TYPE or LENGTH is not in its shortest form")]
    NotShortest,
    /// TYPE is 0 or above 2^32 - 1, or the TYPE of a name's component is above 65535.
    #[error("the TYPE is out of range")]
    TypeOutOfRange,
    /// VALUE has a length that this element must not have.
    #[error("the VALUE has a wrong length")]
    WrongLength,
    /// VALUE holds a number or text that this element must not hold.
    #[error("the VALUE is not allowed in this element")]
    WrongValue,
    /// A required element is missing.
    #[error("the element is missing")]
    Missing,
    /// The element is unknown and must not be ignored.
    #[error("the element is unknown and must not be ignored")]
    Unknown,
    /// An element that must not be ignored is out of order or present twice.
    #[error("the element is out of order or present twice")]
    OutOfOrder,
    /// Octets follow the only element that was expected.
    #[error("octets follow the element")]
    Trailing,
    /// Another element was expected.
    #[error("another element was expected")]
    WrongType,
}
