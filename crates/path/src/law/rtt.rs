//! The mean round trip d that rate laws keep: what packets told, smoothed over ticks.

use narrows_units::Span;

/// Seconds, before any packet has told a round trip.
pub(crate) const FIRST: f64 = 0.1;
/// Seconds; means are never shorter, for laws divide by them.
const SHORTEST: f64 = 1e-3;
/// The part of the difference that MIRCC and RCP take per tick where both shall have one mean.
pub(crate) const SHARED_GAIN: f64 = 0.25;

/// The mean `d` after an interval in which packets `told` a round trip m: nearer to m by `gain(m)`
/// of the difference, at least nothing and at most all of it.
pub(crate) fn follow(d: f64, told: Option<Span>, gain: impl FnOnce(f64) -> f64) -> f64 {
    let followed = told.map_or(d, |told| {
        let m = told.as_secs_f64();
        d + gain(m).clamp(0.0, 1.0) * (m - d)
    });
    followed.max(SHORTEST)
}
