//! The applications of a guest: one writes a stream, the other reads it.

use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Bytes after which the content repeats: a prime, so that a part in a wrong place shows.
const PERIOD: usize = 65_521;

/// The most that is written at once.
const CHUNK: usize = 1 << 16;

/// The content of all streams. Parts of it are shared by all connections.
static CONTENT: LazyLock<Bytes> = LazyLock::new(|| {
    let byte = |place: usize| {
        let place = (place % PERIOD) as u32;
        (place.wrapping_mul(0x9e37_79b1) >> 24) as u8
    };
    (0..PERIOD + CHUNK).map(byte).collect()
});

/// The content from `position` of a stream on, at most `length` bytes.
fn content(position: u64, length: u64) -> Bytes {
    let from = (position % PERIOD as u64) as usize;
    let length = length.min(CHUNK as u64) as usize;
    CONTENT.slice(from..from + length)
}

/// The application that writes.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    written: u64,
    /// Bytes still to write; [`u64::MAX`] without end.
    left: u64,
    last: bool,
    finished: bool,
    stopped: bool,
}

/// A wish of the writer for its stream.
pub(crate) enum Wish {
    /// Write this.
    Write(Bytes),
    /// End the stream.
    Finish,
    /// Reset the stream, once.
    Reset,
}

impl Writer {
    pub(crate) fn write(&mut self, bytes: u64, last: bool) {
        self.left = self.left.saturating_add(bytes);
        self.last |= last;
    }

    pub(crate) fn stop(&mut self) {
        (self.left, self.stopped) = (0, true);
    }

    /// The next wish; `None` if there is nothing to do.
    pub(crate) fn wish(&mut self) -> Option<Wish> {
        if self.finished {
            return None;
        }
        if self.left > 0 {
            return Some(Wish::Write(content(self.written, self.left)));
        }
        self.finished = self.last || self.stopped;
        self.finished.then_some(if self.stopped { Wish::Reset } else { Wish::Finish })
    }

    /// The stream has taken so many bytes.
    pub(crate) fn wrote(&mut self, bytes: usize) {
        self.written += bytes as u64;
        if self.left < u64::MAX {
            self.left -= bytes as u64;
        }
    }
}

/// The application that reads.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    /// It reads in order: what comes after a gap stays in the stack.
    pub(crate) ordered: bool,
    read: u64,
    in_order: u64,
    /// Parts read beyond a gap: where each begins and ends.
    beyond: BTreeMap<u64, u64>,
}

impl Reader {
    pub(crate) fn new(ordered: bool) -> Reader {
        Reader { ordered, ..Reader::default() }
    }

    /// Reads a part of the stream.
    pub(crate) fn read(&mut self, offset: u64, bytes: &[u8]) {
        debug_assert!(right(offset, bytes), "wrong content from byte {offset} on");
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

/// True if this is the content from `offset` on.
fn right(offset: u64, bytes: &[u8]) -> bool {
    let parts = bytes.chunks(CHUNK).zip((offset..).step_by(CHUNK));
    parts.into_iter().all(|(part, at)| *part == content(at, part.len() as u64)[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_come_out_of_order_are_joined() {
        let mut reader = Reader::default();
        let mut read = |from: u64, to: u64| {
            reader.read(from, &content(from, to - from));
            (reader.total(), reader.in_order())
        };
        assert_eq!(read(0, 10), (10, 10));
        assert_eq!(read(20, 30), (20, 10));
        assert_eq!(read(30, 31), (21, 10));
        assert_eq!(read(10, 20), (31, 31));
        assert_eq!(read(31, 70_000 - 5_000), (65_000, 65_000));
    }

    #[test]
    fn content_in_a_wrong_place_is_seen() {
        let part = content(100, 50);
        assert!(right(100, &part) && right(100 + PERIOD as u64, &part));
        assert!(!right(101, &part) && !right(100 + CHUNK as u64, &part));
    }

    #[test]
    fn a_writer_ends_or_resets_its_stream_once() {
        let mut writer = Writer::default();
        assert!(writer.wish().is_none());
        writer.write(70_000, true);
        let Some(Wish::Write(first)) = writer.wish() else { panic!("nothing to write") };
        assert_eq!(first.len(), CHUNK);
        writer.wrote(70_000);
        assert!(matches!(writer.wish(), Some(Wish::Finish)) && writer.wish().is_none());
        let mut endless = Writer::default();
        endless.write(u64::MAX, false);
        endless.wrote(5);
        assert!(matches!(endless.wish(), Some(Wish::Write(_))));
        endless.stop();
        assert!(matches!(endless.wish(), Some(Wish::Reset)) && endless.wish().is_none());
    }
}
