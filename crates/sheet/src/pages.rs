//! The sizes that the headers of a column's pages claim, checked before a decoder believes them.
//!
//! The form is that of parquet.thrift's `PageHeader` in Thrift's compact protocol
//! (thrift-compact-protocol.md).

use parquet::errors::ParquetError;
use std::fs::File;
use std::os::unix::fs::FileExt;

/// Snappy makes at most 64 bytes of a copy, which has 3 (format_description.txt, section 2.2.2).
const SNAPPY: u64 = 22;
/// Bytes that a short page may have beyond that.
const SHORT: u64 = 64;
/// The longest header: it may have the least and the largest value.
const LONGEST: usize = 1 << 20;
/// Most of them are shorter.
const USUAL: usize = 1 << 9;
/// Structures within structures.
const DEPTH: u32 = 8;

/// The largest page of a column, in bytes after decompression. `from` is the place of its first
/// page, `length` that of all.
///
/// # Errors
///
/// A page claims to be larger than its bytes can become, or has no header.
pub(crate) fn largest(file: &File, from: u64, length: u64) -> Result<u64, ParquetError> {
    let end = from.checked_add(length).ok_or_else(none)?;
    let mut at = from;
    let mut largest = 0;
    while at < end {
        let page = header(file, at, end)?;
        if page.decompressed > SNAPPY * page.compressed + SHORT {
            return Err(ParquetError::General(
                "a page claims to be larger than it can be".to_owned(),
            ));
        }
        largest = largest.max(page.decompressed);
        at = at.checked_add(page.header + page.compressed).ok_or_else(none)?;
    }
    Ok(largest)
}

fn none() -> ParquetError {
    ParquetError::General("it has a page without a header".to_owned())
}

struct Page {
    header: u64,
    compressed: u64,
    decompressed: u64,
}

fn header(file: &File, at: u64, end: u64) -> Result<Page, ParquetError> {
    for most in [USUAL, LONGEST] {
        let most = most.min(usize::try_from(end - at).unwrap_or(most));
        let mut bytes = vec![0; most];
        let read = file
            .read_at(&mut bytes, at)
            .map_err(|error| ParquetError::External(Box::new(error)))?;
        if let Some(page) = parsed(&bytes[..read]) {
            return Ok(page);
        }
    }
    Err(none())
}

fn parsed(bytes: &[u8]) -> Option<Page> {
    let mut from = Bytes { bytes, at: 0 };
    let mut field = 0;
    let mut sizes = [None; 2];
    while let Some((number, kind)) = from.field(field)? {
        field = number;
        match (number, kind) {
            // uncompressed_page_size and compressed_page_size.
            (2 | 3, 5) => sizes[number as usize - 2] = Some(u64::try_from(from.signed()?).ok()?),
            _ => from.skip(kind, DEPTH)?,
        }
    }
    Some(Page { header: from.at as u64, decompressed: sizes[0]?, compressed: sizes[1]? })
}

/// The compact protocol, of which nothing is believed.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let zigzag = self.unsigned()?;
        Some((zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed())
    }

    fn past(&mut self, length: u64) -> Option<()> {
        self.at = self
            .at
            .checked_add(usize::try_from(length).ok()?)
            .filter(|at| *at <= self.bytes.len())?;
        Some(())
    }

    /// The number and kind of the next field of a structure; `Some(None)` at its end.
    fn field(&mut self, before: i64) -> Option<Option<(i64, u8)>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        let number = if byte >> 4 == 0 {
            self.signed()?
        } else {
            before.checked_add(i64::from(byte >> 4))?
        };
        Some(Some((number, byte & 0x0f)))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            // True and false stand in the kind.
            1 | 2 => Some(()),
            3 => self.past(1),
            4..=6 => self.unsigned().map(drop),
            7 => self.past(8),
            8 => {
                let length = self.unsigned()?;
                self.past(length)
            }
            9 | 10 => {
                let head = self.byte()?;
                let count = if head >> 4 == 15 { self.unsigned()? } else { u64::from(head >> 4) };
                // In a list a boolean takes a byte.
                (0..count).try_for_each(|_| {
                    if head & 0x0f <= 2 { self.past(1) } else { self.skip(head & 0x0f, depth) }
                })
            }
            12 => {
                let mut field = 0;
                while let Some((number, kind)) = self.field(field)? {
                    field = number;
                    self.skip(kind, depth)?;
                }
                Some(())
            }
            _ => None,
        }
    }
}
