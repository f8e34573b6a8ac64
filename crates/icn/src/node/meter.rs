//! Measurements of a face: mean packet sizes, and the rate of Interests that arrive.

use narrows_units::{Bytes, Span, Time};

/// An exponentially weighted average of packet sizes with a gain of 1/8, which starts from the
/// first size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanSize {
    mean: f64,
    /// The size that the mean is, if it is one: another packet of this size does not change it.
    steady: Option<Bytes>,
    seen: bool,
}

impl MeanSize {
    /// Returns `assumed` until the first packet.
    pub(crate) fn assumed(assumed: f64) -> MeanSize {
        MeanSize { mean: assumed, steady: None, seen: false }
    }

    /// True if the mean may have changed.
    #[inline]
    pub(crate) fn add(&mut self, size: Bytes) -> bool {
        let changes = self.steady != Some(size);
        if changes {
            self.change(size);
        }
        changes
    }

    fn change(&mut self, bytes: Bytes) {
        let size = bytes.get() as f64;
        if self.seen {
            self.mean += (size - self.mean) / 8.0;
        } else {
            (self.mean, self.seen) = (size.max(1.0), true);
        }
        self.steady = (self.mean == size).then_some(bytes);
    }

    pub(crate) fn get(&self) -> f64 {
        self.mean
    }
}

/// The rate of arriving packets, measured over windows of 0.1 s.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IncomingRate {
    since: Time,
    bits: u64,
    rate: f64,
}

const WINDOW: Span = Span::from_millis(100);

impl IncomingRate {
    /// True if the [`rate`](IncomingRate::rate) has changed.
    pub(crate) fn add(&mut self, now: Time, size: Bytes) -> bool {
        let changed = self.update(now);
        self.bits += size.bits();
        changed
    }

    /// Bit/s in the last whole window before the latest [`update`](IncomingRate::update).
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// It is `now`. True if the rate has changed.
    pub(crate) fn update(&mut self, now: Time) -> bool {
        let elapsed = now.since(self.since);
        let over = elapsed >= WINDOW;
        if over {
            self.rate = self.bits as f64 / elapsed.as_secs_f64();
            (self.since, self.bits) = (now, 0);
        }
        over
    }
}
