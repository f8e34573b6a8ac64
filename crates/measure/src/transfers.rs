//! Transfers: units of application data, from their start to their completion.

use crate::Histogram;
use narrows_units::{Bytes, Span, Time};

/// One unit of application data that has reached its application whole: a file, a burst, a frame, a
/// response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When the application had it ready to send; of a response, when the request for it left.
    pub start: Time,
    /// Its payload.
    pub size: Bytes,
    /// From the start until its last byte was delivered in order at the far end.
    pub took: Span,
    /// The least that it could have taken alone on its path: propagation, and its transmission at
    /// the slowest link.
    pub ideal: Span,
}

impl Transfer {
    /// How many times as long as alone on its path it took.
    pub fn slowdown(&self) -> f64 {
        self.took.as_nanos() as f64 / self.ideal.as_nanos().max(1) as f64
    }
}

/// The transfers of one flow.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    /// How many began since the warm-up ended.
    pub begun: u64,
    /// Of these, those of which a part was lost for ever.
    pub lost: u64,
    /// The time after which a frame of media is late.
    pub deadline: Option<Span>,
    /// Frames that began since the warm-up ended and came later than that, or not at all. The
    /// transfer that may follow the frames is never late.
    pub late: u64,
    /// Those that were completed, as far as the world lists them: in the order of completion.
    pub list: Vec<Transfer>,
    /// The ranges of sizes that occurred, in rising order.
    pub sizes: Vec<SizeBin>,
}

/// The completed transfers of a range of sizes that began since the warm-up ended.
#[derive(Clone, Debug, Default)]
pub struct SizeBin {
    /// The smallest size of the range; the next one begins at [`SizeBin::end`].
    pub from: Bytes,
    /// How long they took.
    pub completion: Histogram,
    /// Their slowdown.
    pub slowdown: Ratios,
}

impl SizeBin {
    /// The size at which the next range begins: ranges end at 1, 3, 10, 30, 100 bytes and so on.
    pub fn end(&self) -> Bytes {
        let from = self.from.get().max(1);
        Bytes::new(if leading_digit(from) == 3 { from / 3 * 10 } else { from * 3 })
    }

    /// The range as people read it, both ends in the larger one's unit: "0.3 to 1 kB".
    pub fn range(&self) -> String {
        let end = self.end().get();
        let (unit, scale) = match end {
            0..1_000 => ("B", 1),
            1_000..1_000_000 => ("kB", 1_000),
            1_000_000..1_000_000_000 => ("MB", 1_000_000),
            _ => ("GB", 1_000_000_000),
        };
        format!("{} to {} {unit}", self.from.get() as f64 / scale as f64, end / scale)
    }
}

/// The beginning of the range that holds `size`: a power of ten, or three of them.
fn range_of(size: Bytes) -> Bytes {
    let mut from = 1u64;
    while from <= size.get() / 10 {
        from *= 10;
    }
    Bytes::new(if size.get() / 3 >= from { 3 * from } else { from })
}

fn leading_digit(number: u64) -> u64 {
    let mut digit = number;
    while digit >= 10 {
        digit /= 10;
    }
    digit
}

impl Transfers {
    /// Counts a completed transfer that began since the warm-up ended, and that is late after the
    /// flow's deadline, if the flow has one.
    pub fn count(&mut self, transfer: &Transfer) {
        self.count_within(transfer, self.deadline);
    }

    /// Counts a completed transfer that began since the warm-up ended, and that is late after
    /// `deadline`; never if that is `None`.
    pub fn count_within(&mut self, transfer: &Transfer, deadline: Option<Span>) {
        let bin = self.bin(range_of(transfer.size));
        bin.completion.record(transfer.took);
        bin.slowdown.record(transfer.slowdown());
        self.late += deadline.is_some_and(|deadline| transfer.took > deadline) as u64;
    }

    /// The range that begins at `from`, which [`SizeBin::from`] of another told.
    pub fn bin(&mut self, from: Bytes) -> &mut SizeBin {
        let place = self.sizes.partition_point(|bin| bin.from < from);
        if self.sizes.get(place).is_none_or(|bin| bin.from != from) {
            self.sizes.insert(place, SizeBin { from, ..SizeBin::default() });
        }
        &mut self.sizes[place]
    }

    /// How many that began since the warm-up ended were completed.
    pub fn completed(&self) -> u64 {
        self.sizes.iter().map(|bin| bin.completion.count()).sum()
    }
}

/// A streamed histogram of ratios, as exact as [`Histogram`] is.
#[derive(Clone, Debug, Default)]
pub struct Ratios(
    /// The ratios in millionths.
    pub Histogram,
);

impl Ratios {
    /// Counts one ratio.
    pub fn record(&mut self, ratio: f64) {
        self.0.record(Span::from_nanos((ratio * 1e6 + 0.5) as u64));
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Ratios) {
        self.0.merge(&other.0);
    }

    /// The smallest value that at least the share `q` (0 to 1) of all values does not exceed;
    /// `None` if empty.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        self.0.quantile(q).map(Span::as_millis_f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_sizes() {
        for (size, from, end) in [
            (0, 1, 3),
            (1, 1, 3),
            (2, 1, 3),
            (3, 3, 10),
            (9, 3, 10),
            (10, 10, 30),
            (29, 10, 30),
            (99_999, 30_000, 100_000),
        ] {
            let bin = SizeBin { from: range_of(Bytes::new(size)), ..SizeBin::default() };
            assert_eq!((bin.from.get(), bin.end().get()), (from, end), "{size}");
        }
        for (size, range) in [
            (5, "3 to 10 B"),
            (150, "100 to 300 B"),
            (999, "0.3 to 1 kB"),
            (12_345, "10 to 30 kB"),
            (300_000, "0.3 to 1 MB"),
        ] {
            assert_eq!(
                SizeBin { from: range_of(Bytes::new(size)), ..SizeBin::default() }.range(),
                range
            );
        }
        assert_eq!(range_of(Bytes::new(u64::MAX)).get(), 10_000_000_000_000_000_000);
    }

    #[test]
    fn sizes_are_counted_apart() {
        let mut transfers = Transfers::default();
        for (size, ms) in [(5_000, 40), (1_000, 20), (2_999, 30)] {
            let ideal = Span::from_millis(10);
            transfers.count(&Transfer {
                start: Time::ZERO,
                size: Bytes::new(size),
                took: Span::from_millis(ms),
                ideal,
            });
        }
        let bins: Vec<_> = transfers
            .sizes
            .iter()
            .map(|bin| {
                (
                    bin.from.get(),
                    bin.completion.count(),
                    bin.slowdown.0.max().map(Span::as_millis_f64),
                )
            })
            .collect();
        assert_eq!(bins, [(1_000, 2, Some(3.0)), (3_000, 1, Some(4.0))]);
        assert_eq!(transfers.completed(), 3);
    }
}
