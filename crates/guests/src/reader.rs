//! The application that reads a stream.

use crate::content::is_right;
use std::collections::BTreeMap;

/// The application that reads one stream. In builds with debug assertions it compares each byte
/// with the byte that was written.
#[derive(Debug)]
pub(crate) struct Reader {
    number: u64,
    /// It reads in order: what comes after a gap stays in the stack.
    pub(crate) ordered: bool,
    read: u64,
    in_order: u64,
    /// Parts read beyond a gap: where each begins and ends.
    beyond: BTreeMap<u64, u64>,
}

impl Reader {
    pub(crate) fn new(number: u64, ordered: bool) -> Reader {
        Reader { number, ordered, read: 0, in_order: 0, beyond: BTreeMap::new() }
    }

    /// Reads a part of the stream.
    pub(crate) fn read(&mut self, offset: u64, bytes: &[u8]) {
        debug_assert!(
            is_right(self.number, offset, bytes),
            "wrong content from byte {offset} of stream {} on",
            self.number
        );
        let end = offset + bytes.len() as u64;
        self.read += bytes.len() as u64;
        debug_assert!(offset >= self.in_order, "byte {offset} is read twice");
        if offset > self.in_order {
            self.beyond.insert(offset, end);
            return;
        }
        self.in_order = end;
        while let Some(next) = self.beyond.remove(&self.in_order) {
            self.in_order = next;
        }
    }

    /// Bytes read so far.
    pub(crate) fn total(&self) -> u64 {
        self.read
    }

    /// Bytes read without a gap.
    pub(crate) fn in_order(&self) -> u64 {
        self.in_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::content;

    #[test]
    fn parts_that_come_out_of_order_are_joined() {
        let mut reader = Reader::new(7, false);
        let mut read = |from: u64, to: u64| {
            reader.read(from, &content(7, from, to - from));
            (reader.total(), reader.in_order())
        };
        assert_eq!(read(0, 10), (10, 10));
        assert_eq!(read(20, 30), (20, 10));
        assert_eq!(read(30, 31), (21, 10));
        assert_eq!(read(10, 20), (31, 31));
        assert_eq!(read(31, 70_000 - 5_000), (65_000, 65_000));
    }
}
