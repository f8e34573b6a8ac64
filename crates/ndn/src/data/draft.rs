//! A Data packet to be encoded.

use super::meta::MetaInfo;
use crate::name::NameRef;
use crate::number;
use crate::tlv::{Buffer, put_element};

/// A Data packet to be encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataDraft<'a> {
    /// Name.
    pub name: NameRef<'a>,
    /// MetaInfo. The element is left out if it is empty.
    pub meta: MetaInfo<'a>,
    /// VALUE of Content. `None` leaves the element out, which some consumers do not accept.
    pub content: Option<&'a [u8]>,
}

impl<'a> DataDraft<'a> {
    /// A Data packet with this name and content, and default values otherwise.
    pub fn new(name: NameRef<'a>, content: &'a [u8]) -> DataDraft<'a> {
        DataDraft { name, content: Some(content), ..DataDraft::default() }
    }

    /// Appends Name, MetaInfo and Content.
    pub(super) fn write_unsigned(&self, out: &mut (impl Buffer + ?Sized)) {
        self.name.write(out);
        self.meta.write(out);
        if let Some(content) = self.content {
            put_element(out, number::CONTENT, content);
        }
    }
}
