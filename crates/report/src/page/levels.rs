//! Curves at several resolutions: a coarse one for the whole run, and finer ones for zooming in.

use super::lines::{Curve, Instant, extremes, growth};
use narrows_units::{Span, Time};
use serde::Serialize;

/// Ratio between the numbers of points of a level and of the next coarser level.
const FACTOR: usize = 8;

/// A curve at several resolutions.
#[derive(Serialize)]
pub(crate) struct Levels {
    #[serde(flatten)]
    pub coarse: Curve,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    finer: Vec<Curve>,
}

/// Limits on the points of a curve: pairs of extremes in the coarsest level, and points of all
/// finer levels together.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub bins: usize,
    pub finer: usize,
}

/// Numbers of samples per mean: in the coarsest level, and the smallest useful number.
#[derive(Clone, Copy)]
pub(crate) struct Means {
    pub coarse: usize,
    pub finest: usize,
}

impl From<Curve> for Levels {
    fn from(coarse: Curve) -> Levels {
        Levels { coarse, finer: Vec::new() }
    }
}

/// Returns the extremes of several curves at all levels that there is room for, down to single
/// samples.
pub(crate) fn extreme_levels(curves: &[Vec<Option<f64>>], interval: Span, room: Room) -> Levels {
    let length = curves.iter().map(Vec::len).max().unwrap_or(0);
    // A single curve is drawn sample by sample. Several curves give a pair of extremes for each
    // sample.
    let all = if curves.len() == 1 { length.div_ceil(2) } else { length };
    let mut levels = Levels::from(extremes(curves, interval, room.bins));
    let (mut bins, mut left) = (room.bins, room.finer / 2);
    while bins < all {
        let next = (bins * FACTOR).min(all).min(left);
        if next < all.min(2 * bins) {
            break;
        }
        levels.finer.push(extremes(curves, interval, next));
        (bins, left) = (next, left - next);
    }
    levels
}

/// Returns the growth of a count per second, as means over fewer and fewer samples.
pub(crate) fn growth_levels(
    counts: &[Option<f64>],
    interval: Span,
    means: Means,
    since: Time,
    room: Room,
) -> Levels {
    let mut levels = Levels::from(growth(counts, interval, means.coarse, since));
    let (mut per, mut left) = (means.coarse, room.finer);
    while per > means.finest {
        let next = (per / FACTOR).max(means.finest);
        if 2 * next > per || counts.len() / next > left {
            break;
        }
        levels.finer.push(growth(counts, interval, next, since));
        (per, left) = (next, left - counts.len() / next);
    }
    levels
}

/// Times at which a count grew, and the increases.
#[derive(Serialize)]
pub(crate) struct Growths {
    pub x: Vec<Instant>,
    count: Vec<u64>,
}

/// Returns the times at which a count grew. An increase less than `per` samples after the start of
/// the previous entry is added to that entry. `None` if the count never grew.
pub(crate) fn growths(counts: &[Option<f64>], interval: Span, per: usize) -> Option<Growths> {
    let (mut last, mut before) = (0.0, None);
    let mut all = Growths { x: Vec::new(), count: Vec::new() };
    for (index, count) in counts.iter().enumerate() {
        let Some(more) = count.map(|count| count - last).filter(|more| *more > 0.0) else {
            continue;
        };
        last += more;
        match all.count.last_mut().filter(|_| before.is_some_and(|before| index - before < per)) {
            Some(count) => *count += more as u64,
            None => {
                all.x.push(Instant(interval.as_secs_f64() * (index + 1) as f64));
                all.count.push(more as u64);
                before = Some(index);
            }
        }
    }
    (!all.x.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Span = Span::from_millis(1);

    #[test]
    fn each_level_is_finer_and_the_last_one_is_the_samples() {
        let samples: Vec<Option<f64>> =
            (0..100_000).map(|index| Some(f64::from(index % 1000))).collect();
        let levels = extreme_levels(
            std::slice::from_ref(&samples),
            MS,
            Room { bins: 400, finer: 1_000_000 },
        );
        let lengths: Vec<usize> = levels.finer.iter().map(|curve| curve.y.len()).collect();
        assert_eq!((levels.coarse.y.len(), &lengths[..]), (800, &[6250, 50_000, 100_000][..]));
        assert!(levels.finer.iter().all(|curve| {
            curve.y.iter().flatten().map(|point| point.0).fold(0.0, f64::max) == 999.0
        }));
        assert_eq!(levels.finer[2].y[12_345].map(|point| point.0), Some(345.0));
    }

    #[test]
    fn finer_levels_keep_to_their_room() {
        let samples: Vec<Option<f64>> = vec![Some(1.0); 1_000_000];
        let levels = extreme_levels(
            &[samples.clone(), samples.clone()],
            MS,
            Room { bins: 400, finer: 60_000 },
        );
        let finer: usize = levels.finer.iter().map(|curve| curve.y.len()).sum();
        assert!((30_000..=60_000).contains(&finer), "{finer}");
        let means = Means { coarse: 3000, finest: 30 };
        let grown =
            growth_levels(&samples, MS, means, Time::ZERO, Room { bins: 400, finer: 30_000 });
        assert_eq!(
            grown.finer.iter().map(|curve| curve.y.len()).collect::<Vec<_>>(),
            [2666, 21_739]
        );
        assert!(
            extreme_levels(&[vec![Some(1.0); 700]], MS, Room { bins: 400, finer: 60_000 })
                .finer
                .is_empty()
        );
    }

    #[test]
    fn growths_close_together_are_one() {
        let counts = [0.0, 3.0, 3.0, 4.0, 4.0, 4.0, 9.0].map(Some);
        let told = |per| {
            growths(&counts, Span::from_millis(250), per)
                .map(|all| (all.x.iter().map(|x| x.0).collect(), all.count))
        };
        assert_eq!(told(1), Some((vec![0.5, 1.0, 1.75], vec![3, 1, 5])));
        assert_eq!(told(3).map(|(_, count): (Vec<f64>, _)| count), Some(vec![4, 5]));
        assert!(growths(&[Some(0.0), None], MS, 1).is_none());
    }
}
