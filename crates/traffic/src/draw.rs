//! Lengths that vary about a mean.

use narrows_scenario::Draw;
use narrows_units::{Bytes, Random, Span};

/// A time with this mean.
pub(crate) fn span(random: &mut Random, mean: Span, draw: Draw) -> Span {
    match draw {
        Draw::Fixed => mean,
        Draw::Exponential => Span::from_secs_f64(random.exponential(mean.as_secs_f64())),
    }
}

/// A size with this mean, at least a byte.
pub(crate) fn size(random: &mut Random, mean: Bytes, draw: Draw) -> Bytes {
    match draw {
        Draw::Fixed => mean,
        Draw::Exponential => {
            Bytes::new((random.exponential(mean.get() as f64) + 0.5) as u64).max(Bytes::new(1))
        }
    }
}
