//! The content of streams: known bytes, so that a part in a wrong place shows.

use bytes::Bytes;
use std::sync::LazyLock;

/// Bytes after which the content of a stream repeats: a prime.
const PERIOD: usize = 65_521;

/// The most that is written at once.
const CHUNK: usize = 1 << 16;

/// Bytes by which the contents of consecutive streams are shifted.
const SHIFT: u64 = 4_099;

/// The content of all streams. Parts of it are shared by all connections.
static CONTENT: LazyLock<Bytes> = LazyLock::new(|| {
    let byte = |place: usize| {
        let place = (place % PERIOD) as u32;
        (place.wrapping_mul(0x9e37_79b1) >> 24) as u8
    };
    (0..PERIOD + CHUNK).map(byte).collect()
});

/// The content of stream `number` from `position` on, at most `length` bytes.
pub(crate) fn content(number: u64, position: u64, length: u64) -> Bytes {
    let place = position.wrapping_add(number.wrapping_mul(SHIFT));
    let from = (place % PERIOD as u64) as usize;
    let length = length.min(CHUNK as u64) as usize;
    CONTENT.slice(from..from + length)
}

/// True if this is the content of stream `number` from `offset` on.
pub(crate) fn is_right(number: u64, offset: u64, bytes: &[u8]) -> bool {
    let parts = bytes.chunks(CHUNK).zip((offset..).step_by(CHUNK));
    parts.into_iter().all(|(part, at)| *part == content(number, at, part.len() as u64)[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_in_a_wrong_place_is_seen() {
        let part = content(3, 100, 50);
        assert!(is_right(3, 100, &part) && is_right(3, 100 + PERIOD as u64, &part));
        assert!(!is_right(3, 101, &part) && !is_right(3, 100 + CHUNK as u64, &part));
        assert!(!is_right(2, 100, &part), "of another stream");
    }
}
