//! One TLV element.

use super::error::{DecodeError, Fault};
use super::var_number::{nni, read_var_number};

/// A TLV element in the octets of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element<'a> {
    /// TYPE, 1 to 2^32 - 1.
    pub number: u32,
    /// VALUE.
    pub value: &'a [u8],
    /// TYPE, LENGTH and VALUE.
    pub whole: &'a [u8],
    /// Position of `whole` in the octets that were passed to the decoder.
    pub offset: usize,
}

impl<'a> Element<'a> {
    /// Decodes the element at the start of `octets`. `offset` is the position of `octets` in the
    /// decoder's input. Other elements may follow.
    ///
    /// # Errors
    /// The octets end too early, TYPE or LENGTH is not in its shortest form, or TYPE is out of
    /// range.
    // If the element is returned through memory, waiting for it takes longer than decoding it.
    #[inline(always)]
    pub fn first(octets: &'a [u8], offset: usize) -> Result<Element<'a>, DecodeError> {
        let fail = |number, fault| DecodeError { offset, number, fault };
        let (number, after_type) = read_var_number(octets).map_err(|fault| fail(0, fault))?;
        let number = u32::try_from(number)
            .ok()
            .filter(|number| *number != 0)
            .ok_or(fail(0, Fault::TypeOutOfRange))?;
        let (length, size) =
            read_var_number(&octets[after_type..]).map_err(|fault| fail(number, fault))?;
        let head = after_type + size;
        let end = usize::try_from(length)
            .ok()
            .and_then(|length| head.checked_add(length))
            .filter(|end| *end <= octets.len());
        let end = end.ok_or(fail(number, Fault::Truncated))?;
        Ok(Element { number, value: &octets[head..end], whole: &octets[..end], offset })
    }

    /// Decodes `octets`, which must be exactly one element.
    ///
    /// # Errors
    /// The octets end too early, TYPE or LENGTH is not in its shortest form, TYPE is out of range,
    /// or octets follow the element.
    #[inline]
    pub fn only(octets: &'a [u8]) -> Result<Element<'a>, DecodeError> {
        let element = Element::first(octets, 0)?;
        if element.whole.len() < octets.len() {
            return Err(DecodeError {
                offset: element.whole.len(),
                number: element.number,
                fault: Fault::Trailing,
            });
        }
        Ok(element)
    }

    /// Returns the element if its TYPE is `number`.
    ///
    /// # Errors
    /// The element has another TYPE.
    #[inline]
    pub fn expect(self, number: u32) -> Result<Element<'a>, DecodeError> {
        if self.number == number { Ok(self) } else { Err(self.fail(Fault::WrongType)) }
    }

    /// Position of VALUE in the octets that were passed to the decoder.
    #[inline]
    pub fn value_offset(&self) -> usize {
        self.offset + (self.whole.len() - self.value.len())
    }

    /// End of the element in the octets that were passed to the decoder.
    #[inline]
    pub fn end(&self) -> usize {
        self.offset + self.whole.len()
    }

    /// True if a receiver that does not know the element must reject the enclosing packet: TYPE is
    /// at most 31, or odd.
    #[inline]
    pub fn is_critical(&self) -> bool {
        self.number <= 31 || self.number % 2 == 1
    }

    /// A decoding error at this element.
    #[cold]
    pub fn fail(&self, fault: Fault) -> DecodeError {
        DecodeError { offset: self.offset, number: self.number, fault }
    }

    /// VALUE as a NonNegativeInteger.
    ///
    /// # Errors
    /// VALUE has other than 1, 2, 4 or 8 octets.
    #[inline]
    pub fn nni(&self) -> Result<u64, DecodeError> {
        nni(self.value).ok_or_else(|| self.fail(Fault::WrongLength))
    }

    /// VALUE as `N` octets.
    ///
    /// # Errors
    /// VALUE has another length.
    #[inline]
    pub fn octets<const N: usize>(&self) -> Result<[u8; N], DecodeError> {
        self.value.try_into().map_err(|_| self.fail(Fault::WrongLength))
    }

    /// VALUE as text.
    ///
    /// # Errors
    /// VALUE is not UTF-8.
    pub fn text(&self) -> Result<&'a str, DecodeError> {
        std::str::from_utf8(self.value).map_err(|_| self.fail(Fault::WrongValue))
    }

    /// Checks that VALUE is empty.
    ///
    /// # Errors
    /// VALUE is not empty.
    #[inline]
    pub fn empty(&self) -> Result<(), DecodeError> {
        if self.value.is_empty() { Ok(()) } else { Err(self.fail(Fault::WrongLength)) }
    }
}
