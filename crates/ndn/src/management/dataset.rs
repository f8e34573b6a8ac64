//! Datasets: entries back to back.

use super::faces::{ChannelStatus, FaceStatus};
use super::record::Record;
use super::status::CsInfo;
use super::tables::{FibEntry, RibEntry, StrategyChoice};
use crate::tlv::{Buffer, DecodeError, Reader, put_nested};

mod sealed {
    use super::{ChannelStatus, CsInfo, FaceStatus, FibEntry, Record, RibEntry, StrategyChoice};

    /// What is an entry of a dataset, and its TYPE.
    pub trait IsEntry<'a>: Record<'a> {
        /// TYPE.
        const NUMBER: u32 = 128;
    }

    impl<'a> IsEntry<'a> for FaceStatus<'a> {}
    impl<'a> IsEntry<'a> for RibEntry<'a> {}
    impl<'a> IsEntry<'a> for FibEntry<'a> {}
    impl<'a> IsEntry<'a> for StrategyChoice<'a> {}
    impl IsEntry<'_> for CsInfo {}
    impl<'a> IsEntry<'a> for ChannelStatus<'a> {
        const NUMBER: u32 = 130;
    }
}

/// An entry of a dataset: [`FaceStatus`], [`ChannelStatus`], [`RibEntry`], [`FibEntry`], [`StrategyChoice`] or [`CsInfo`].
#[expect(private_bounds, reason = "no other type can be an entry")]
pub trait Entry<'a>: sealed::IsEntry<'a> {
    /// Appends the entry.
    fn write(&self, out: &mut (impl Buffer + ?Sized)) {
        put_nested(out, Self::NUMBER, |out| self.write_fields(out));
    }
}

impl<'a, T: sealed::IsEntry<'a>> Entry<'a> for T {}

/// The entries of a dataset whose segments' contents, put together, are `content`.
///
/// # Errors
/// Each entry that is malformed, lacks a field, or is of another TYPE is an error; the iterator ends behind octets that are no element.
pub fn entries<'a, T: Entry<'a>>(content: &'a [u8]) -> impl Iterator<Item = Result<T, DecodeError>> + use<'a, T> {
    Reader::new(content).map(|element| T::read(&element?.expect(T::NUMBER)?))
}
