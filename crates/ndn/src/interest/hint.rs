//! Names back to back, as in ForwardingHint.

use crate::name::NameRef;
use crate::number;
use crate::tlv::{DecodeError, Element, Fault, Order, Reader};

/// The Names of a ForwardingHint, in the order of the packet. All have been checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names<'a> {
    value: &'a [u8],
}

impl<'a> Names<'a> {
    /// Decodes a ForwardingHint.
    ///
    /// # Errors
    /// The element is not a ForwardingHint, a Name is malformed, or an element is unknown and
    /// critical.
    pub(super) fn decode(element: &Element<'a>) -> Result<Names<'a>, DecodeError> {
        let mut any = false;
        for inner in Reader::within(element) {
            let inner = inner?;
            if inner.number == number::NAME {
                NameRef::decode(&inner)?;
                any = true;
            } else {
                Order::default().admits(0, &inner)?;
            }
        }
        if any { Ok(Names { value: element.value }) } else { Err(element.fail(Fault::Missing)) }
    }

    /// The Names.
    pub fn iter(&self) -> impl Iterator<Item = NameRef<'a>> + use<'a> {
        Reader::new(self.value).flatten().filter_map(|element| NameRef::decode(&element).ok())
    }

    /// The octets of the Names' TLVs, including unknown elements among them.
    pub fn value(&self) -> &'a [u8] {
        self.value
    }
}
