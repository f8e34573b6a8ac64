//! A Data in its octets.

use super::meta::MetaInfo;
use crate::name::NameRef;
use crate::number;
use crate::tlv::{DecodeError, Element, Fault, Order, Reader};
use sha2::{Digest, Sha256};

/// A view of a Data in its octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// The Data's TLV.
    pub wire: &'a [u8],
    /// Name.
    pub name: NameRef<'a>,
    /// MetaInfo.
    pub meta: MetaInfo<'a>,
    /// The VALUE of Content. Absent and empty are told apart, and mean the same.
    pub content: Option<&'a [u8]>,
    /// SignatureInfo, unread: a forwarder does not care.
    pub signature_info: Element<'a>,
    /// The VALUE of SignatureValue.
    pub signature_value: &'a [u8],
    /// Where Name begins.
    name_at: usize,
}

impl<'a> Data<'a> {
    /// The Data that `wire` consists of. Its signature is not checked.
    ///
    /// # Errors
    /// The octets are no Data, or one that a receiver has to reject.
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

    /// The octets from Name up to and including SignatureInfo.
    pub(super) fn name_to_signature_info(&self) -> &'a [u8] {
        &self.wire[self.name_at..self.signature_info.end()]
    }

    /// SHA-256 of the Data's TLV, by which an Interest may name it.
    pub fn implicit_digest(&self) -> [u8; 32] {
        Sha256::digest(self.wire).into()
    }
}
