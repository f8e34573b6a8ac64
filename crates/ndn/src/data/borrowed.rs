//! Borrowed view of a Data packet.

use super::meta::MetaInfo;
use crate::name::NameRef;
use crate::number;
use crate::tlv::{DecodeError, Element, Fault, Order, Reader};
use sha2::{Digest, Sha256};

/// A view of a Data packet in its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// TLV of the Data.
    pub wire: &'a [u8],
    /// Name.
    pub name: NameRef<'a>,
    /// MetaInfo.
    pub meta: MetaInfo<'a>,
    /// VALUE of Content. Absent and empty are distinguished, but mean the same.
    pub content: Option<&'a [u8]>,
    /// SignatureInfo, not decoded, because a forwarder does not need it.
    pub signature_info: Element<'a>,
    /// VALUE of SignatureValue.
    pub signature_value: &'a [u8],
    /// Position of Name.
    name_at: usize,
}

impl<'a> Data<'a> {
    /// Decodes `wire`, which must be exactly one Data packet. The signature is not checked.
    ///
    /// # Errors
    /// The octets are not Data, or are Data that a receiver has to reject.
    #[inline]
    pub fn decode(wire: &'a [u8]) -> Result<Data<'a>, DecodeError> {
        let outer = Element::only(wire)?.expect(number::DATA)?;
        let missing =
            |number| DecodeError { offset: outer.value_offset(), number, fault: Fault::Missing };
        let mut elements = Reader::within(&outer);
        let name = match elements.next().transpose()? {
            Some(first) if first.number == number::NAME => NameRef::decode(&first)?,
            _ => return Err(missing(number::NAME)),
        };
        let mut meta = MetaInfo::default();
        let mut content = None;
        let mut info = None;
        let mut value = None;
        let mut order = Order::default();
        for element in elements {
            let element = element?;
            let place = match element.number {
                number::META_INFO => 1,
                number::CONTENT => 2,
                number::SIGNATURE_INFO => 3,
                number::SIGNATURE_VALUE => 4,
                _ => 0,
            };
            if !order.admits(place, &element)? {
                continue;
            }
            match place {
                1 => meta = MetaInfo::decode(&element)?,
                2 => content = Some(element.value),
                3 => info = Some(element),
                _ => value = Some(element.value),
            }
        }
        Ok(Data {
            wire,
            name,
            meta,
            content,
            signature_info: info.ok_or_else(|| missing(number::SIGNATURE_INFO))?,
            signature_value: value.ok_or_else(|| missing(number::SIGNATURE_VALUE))?,
            name_at: outer.value_offset(),
        })
    }

    /// The octets from Name to the end of SignatureInfo.
    pub(super) fn name_to_signature_info(&self) -> &'a [u8] {
        &self.wire[self.name_at..self.signature_info.end()]
    }

    /// Implicit digest: SHA-256 of the Data's TLV. An Interest may contain it in its name.
    pub fn implicit_digest(&self) -> [u8; 32] {
        Sha256::digest(self.wire).into()
    }
}
