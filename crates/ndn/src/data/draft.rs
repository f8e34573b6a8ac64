//! A Data to be written.

use super::meta::MetaInfo;
use crate::name::NameRef;
use crate::number;
use crate::tlv::{Buffer, put_element};

/// A Data to be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DataDraft<'a> {
    /// Name.
    pub name: NameRef<'a>,
    /// MetaInfo; left out if it says nothing.
    pub meta: MetaInfo<'a>,
    /// The VALUE of Content; `None` leaves the element out, which some consumers do not accept.
    pub content: Option<&'a [u8]>,
}

impl<'a> DataDraft<'a> {
    /// A Data of this name and content, and nothing else said.
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
