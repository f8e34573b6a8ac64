//! MetaInfo of Data.

use crate::name::Component;
use crate::number;
use crate::tlv::{
    Buffer, DecodeError, Element, Fault, Order, Reader, put_element, put_nested, put_nni,
};

/// ContentType: the kind of a Data packet's content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ContentType {
    /// 0: octets of an application. The default.
    #[default]
    Blob,
    /// 1: names under which the content may be found.
    Link,
    /// 2: a key or certificate.
    Key,
    /// 3: an application's refusal.
    Nack,
    /// Any other number.
    Other(u64),
}

impl ContentType {
    /// The type with this number.
    pub fn from_code(code: u64) -> ContentType {
        match code {
            0 => ContentType::Blob,
            1 => ContentType::Link,
            2 => ContentType::Key,
            3 => ContentType::Nack,
            code => ContentType::Other(code),
        }
    }

    /// Number of the type.
    pub fn code(self) -> u64 {
        match self {
            ContentType::Blob => 0,
            ContentType::Link => 1,
            ContentType::Key => 2,
            ContentType::Nack => 3,
            ContentType::Other(code) => code,
        }
    }
}

/// MetaInfo of a Data packet: a description of its content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MetaInfo<'a> {
    /// ContentType. Absent means [`ContentType::Blob`].
    pub content_type: Option<ContentType>,
    /// FreshnessPeriod in milliseconds. Absent means 0, never fresh.
    pub freshness_ms: Option<u64>,
    /// FinalBlockId: the last component of the last segment's name.
    pub final_block: Option<Component<'a>>,
}

impl<'a> MetaInfo<'a> {
    /// Decodes the MetaInfo element `outer`.
    pub(super) fn decode(outer: &Element<'a>) -> Result<MetaInfo<'a>, DecodeError> {
        let mut meta = MetaInfo::default();
        let mut order = Order::default();
        for element in Reader::within(outer) {
            let element = element?;
            let place = match element.number {
                number::CONTENT_TYPE => 1,
                number::FRESHNESS_PERIOD => 2,
                number::FINAL_BLOCK_ID => 3,
                _ => 0,
            };
            if !order.admits(place, &element)? {
                continue;
            }
            match place {
                1 => meta.content_type = Some(ContentType::from_code(element.nni()?)),
                2 => meta.freshness_ms = Some(element.nni()?),
                _ => {
                    let inner = Element::first(element.value, element.value_offset())?;
                    if inner.whole.len() < element.value.len() {
                        return Err(element.fail(Fault::Trailing));
                    }
                    meta.final_block = Some(Component::decode(&inner)?);
                }
            }
        }
        Ok(meta)
    }

    /// Appends MetaInfo unless it is empty.
    pub(super) fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        if *self == MetaInfo::default() {
            return;
        }
        put_nested(out, number::META_INFO, |out| {
            if let Some(content_type) = self.content_type {
                put_nni(out, number::CONTENT_TYPE, content_type.code());
            }
            if let Some(freshness) = self.freshness_ms {
                put_nni(out, number::FRESHNESS_PERIOD, freshness);
            }
            if let Some(last) = self.final_block {
                put_element(out, number::FINAL_BLOCK_ID, last.whole);
            }
        });
    }
}
