//! What a face sees of its link: sizes of packets, and how fast Interests come in.

use narrows_units::{Bytes, Span, Time};

/// An average of sizes that begins with the first one and then takes an eighth of each.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanSize {
    mean: f64,
    seen: bool,
}

impl MeanSize {
    /// `assumed` until the first.
    pub(crate) fn assumed(assumed: f64) -> MeanSize {
        MeanSize { mean: assumed, seen: false }
    }

    pub(crate) fn add(&mut self, size: Bytes) {
        let size = size.get() as f64;
        if self.seen {
            self.mean += (size - self.mean) / 8.0;
        } else {
            (self.mean, self.seen) = (size.max(1.0), true);
        }
    }

    pub(crate) fn get(&self) -> f64 {
        self.mean
    }
}

/// The rate of what comes in, over windows of 0.1 s.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Observed {
    since: Time,
    bits: u64,
    rate: f64,
}

const WINDOW: Span = Span::from_millis(100);

impl Observed {
    pub(crate) fn add(&mut self, now: Time, size: Bytes) {
        self.update(now);
        self.bits += size.bits();
    }

    /// Bits per second in the last whole window.
    pub(crate) fn rate(&mut self, now: Time) -> f64 {
        self.update(now);
        self.rate
    }

    fn update(&mut self, now: Time) {
        let elapsed = now.since(self.since);
        if elapsed >= WINDOW {
            self.rate = self.bits as f64 / elapsed.as_secs_f64();
            (self.since, self.bits) = (now, 0);
        }
    }
}
