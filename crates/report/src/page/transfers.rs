//! The data of the plots of transfers: slowdown by size, and completion times.

use super::lines::{Point, Steps, steps};
use crate::Comparison;
use crate::columns::sizes;
use narrows_measure::{Histogram, SizeBin};

/// Limit on the points of all distributions of completion times. It keeps the data below 2 MB.
const BUDGET: usize = 30_000;
/// Largest number of points of one distribution.
const STEPS: usize = 150;
const QUANTILES: [(&str, f64); 3] = [("median", 0.50), ("p95", 0.95), ("p99", 0.99)];

pub(crate) struct Transfers {
    /// The size ranges that occur, in ascending order.
    pub sizes: Vec<Size>,
    pub slowdown: Vec<Slowdown>,
    pub completion: Vec<Completion>,
}

pub(crate) struct Size {
    pub name: String,
    /// Geometric mean of the limits of the range, in bytes.
    pub middle: Point,
}

/// A quantile of the slowdown, with one value for each size range.
pub(crate) struct Slowdown {
    pub case: usize,
    /// Index of the quantile, in the order of the legend.
    pub rank: usize,
    pub name: &'static str,
    pub y: Vec<Option<Point>>,
    pub counts: Vec<u64>,
}

/// Completion times of the transfers in a size range, or of all sizes.
pub(crate) struct Completion {
    pub case: usize,
    pub size: Option<usize>,
    pub count: u64,
    pub steps: Steps,
}

/// Collects the transfers of all seeds of each case; `None` if no transfer was completed.
pub(crate) fn transfers(comparison: &Comparison) -> Option<Transfers> {
    let bins: Vec<Vec<SizeBin>> = comparison.cases.iter().map(|case| sizes(&case.runs)).collect();
    let mut ranges: Vec<&SizeBin> = bins.iter().flatten().collect();
    ranges.sort_by_key(|bin| bin.from);
    ranges.dedup_by_key(|bin| bin.from);
    if ranges.is_empty() {
        return None;
    }
    let most = (BUDGET / (bins.len() * (ranges.len() + 1))).clamp(8, STEPS);
    let (mut slowdown, mut completion) = (Vec::new(), Vec::new());
    for (case, bins) in bins.iter().enumerate().filter(|(_, bins)| !bins.is_empty()) {
        let found: Vec<Option<&SizeBin>> =
            ranges.iter().map(|range| bins.iter().find(|bin| bin.from == range.from)).collect();
        slowdown.extend(QUANTILES.iter().enumerate().map(|(rank, (name, q))| {
            Slowdown {
                case,
                rank,
                name,
                y: found
                    .iter()
                    .map(|bin| bin.and_then(|bin| bin.slowdown.quantile(*q)).map(Point))
                    .collect(),
                counts: found
                    .iter()
                    .map(|bin| bin.map_or(0, |bin| bin.completion.count()))
                    .collect(),
            }
        }));
        let mut all = Histogram::new();
        bins.iter().for_each(|bin| all.merge(&bin.completion));
        let sized = found
            .iter()
            .enumerate()
            .filter_map(|(size, bin)| Some((Some(size), &bin.as_ref()?.completion)));
        completion.extend(std::iter::once((None, &all)).chain(sized).filter_map(
            |(size, histogram)| {
                Some(Completion {
                    case,
                    size,
                    count: histogram.count(),
                    steps: steps(histogram, most)?,
                })
            },
        ));
    }
    let middle = |bin: &SizeBin| Point((bin.from.get() as f64 * bin.end().get() as f64).sqrt());
    let sizes = ranges.iter().map(|bin| Size { name: bin.range(), middle: middle(bin) }).collect();
    Some(Transfers { sizes, slowdown, completion })
}
