//! The applications of a guest: one writes a stream, the other reads it.

use bytes::Bytes;
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

/// What the writer wants of its stream.
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
    read: u64,
}

impl Reader {
    pub(crate) fn read(&mut self, bytes: &[u8]) {
        #[cfg(debug_assertions)]
        bytes.chunks(CHUNK).zip((self.read..).step_by(CHUNK)).for_each(|(part, at)| {
            assert!(*part == content(at, part.len() as u64)[..], "wrong content from byte {at} on");
        });
        self.read += bytes.len() as u64;
    }

    /// Bytes read so far.
    pub(crate) fn total(&self) -> u64 {
        self.read
    }
}
