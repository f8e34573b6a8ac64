//! The header of `.BTF` and `.BTF.ext` (include/uapi/linux/btf.h).

use crate::bytes::Bytes;
use crate::problem::Problem;

const MAGIC: u16 = 0xeb9f;

/// The header of a section of types.
pub(super) struct Header<'a> {
    /// Its length in bytes, by which versions differ.
    pub length: u32,
    /// Where the parts are: what follows the length.
    pub parts: Bytes<'a>,
    /// The part after the header.
    pub body: Bytes<'a>,
}

impl<'a> Header<'a> {
    /// # Errors
    ///
    /// If the bytes are no header, or not whole. `place` is the section.
    pub fn read(place: &'a str, bytes: &'a [u8]) -> Result<Header<'a>, Problem> {
        let mut parts = Bytes::new(place, bytes);
        let whole = parts;
        let magic = parts.u16()?;
        let version = parts.u8()?;
        parts.u8()?;
        let length = parts.u32()?;
        if magic != MAGIC || version != 1 {
            return Err(parts.damaged(format!(
                "it begins with {magic:#06x}, version {version}, and not with 0xeb9f, version 1"
            )));
        }
        let body = whole.part(length, (bytes.len() as u32).saturating_sub(length))?;
        Ok(Header { length, parts, body })
    }
}
