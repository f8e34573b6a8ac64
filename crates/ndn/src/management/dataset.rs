//! Status datasets of the NFD management protocol: sequences of TLV entries.

use super::faces::{ChannelStatus, FaceStatus};
use super::record::Record;
use super::status::{CsInfo, TableStatus};
use super::tables::{FibEntry, RibEntry, StrategyChoice};
use crate::tlv::{Buffer, DecodeError, Reader, put_nested};

/// An entry of a dataset.
pub trait Entry<'a>: Record<'a> {
    /// TLV TYPE of the entry.
    const NUMBER: u32 = 128;

    /// Appends the entry.
    fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}

impl<'a> Entry<'a> for FaceStatus<'a> {}
impl<'a> Entry<'a> for RibEntry<'a> {}
impl<'a> Entry<'a> for FibEntry<'a> {}
impl<'a> Entry<'a> for StrategyChoice<'a> {}
impl Entry<'_> for CsInfo {}
impl<'a> Entry<'a> for TableStatus<'a> {}
impl<'a> Entry<'a> for ChannelStatus<'a> {
    const NUMBER: u32 = 130;
}

/// Reads the entries of a dataset. `content` is the content of all its segments, joined.
///
/// # Errors
/// An item is an error if the entry is malformed, lacks a field or has another TYPE. The iterator
/// ends after octets that are no TLV element.
pub fn entries<'a, T: Entry<'a>>(
    content: &'a [u8],
) -> impl Iterator<Item = Result<T, DecodeError>> + use<'a, T> {
    Reader::new(content).map(|element| T::read(&element?.expect(T::NUMBER)?))
}
