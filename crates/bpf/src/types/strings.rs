//! The names and source lines of an object's types.

use std::sync::Arc;

/// The longest name of a type or member, in bytes, as in the kernel (`KSYM_NAME_LEN` of
/// include/linux/kallsyms.h).
const LONGEST_NAME: usize = 512;

/// The longest text of a file's name or a line, in bytes; the rest is cut off. Ours.
const LONGEST_TEXT: usize = 1024;

/// Strings behind one another, each ended by a byte of zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strings(Arc<[u8]>);

impl Strings {
    pub fn new(bytes: &[u8]) -> Strings {
        Strings(bytes.into())
    }

    /// The name that begins at an offset; empty at 0. `None` if it lies outside, is no UTF-8, or
    /// has no end within 512 bytes.
    pub fn name(&self, offset: u32) -> Option<&str> {
        let bytes = self.0.get(offset as usize..)?;
        let end = bytes.iter().take(LONGEST_NAME).position(|byte| *byte == 0)?;
        std::str::from_utf8(&bytes[..end]).ok()
    }

    /// The text that begins at an offset, cut off after 1024 bytes, without what is no UTF-8.
    pub fn text(&self, offset: u32) -> String {
        let bytes = self.0.get(offset as usize..).unwrap_or_default();
        let bytes = &bytes[..bytes.len().min(LONGEST_TEXT)];
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        String::from_utf8_lossy(&bytes[..end]).into_owned()
    }
}
