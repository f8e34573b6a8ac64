//! Which part of its rate a link is meant to carry.

use narrows_units::Rate;

/// The utilisation aimed at, γ_l.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// A constant.
    Fixed(f64),
    /// Moved until the mean utilisation is what its class of capacity wants (the ns-2 module).
    Adaptive(Adaptive),
}

#[derive(Clone, Debug)]
pub(super) struct Adaptive {
    value: f64,
    /// Sum and number of the utilisations since the latest move.
    seen: (f64, u32),
}

/// Periods between moves.
const EVERY: u32 = 10;

/// A class begins at 0.66 of its rate in bits per second: the mean utilisation wanted there and the
/// step towards it.
const CLASSES: [(f64, f64, f64); 7] = [
    (1e4, 0.890, 0.008),
    (1e5, 0.920, 0.006),
    (1e6, 0.940, 0.005),
    (1e7, 0.960, 0.004),
    (1e8, 0.975, 0.003),
    (1e9, 0.985, 0.002),
    (1e10, 0.990, 0.001),
];

impl Target {
    pub(super) fn adaptive() -> Target {
        Target::Adaptive(Adaptive { value: 0.95, seen: (0.0, 0) })
    }

    pub(super) fn get(&self) -> f64 {
        match self {
            Target::Fixed(value) => *value,
            Target::Adaptive(adaptive) => adaptive.value,
        }
    }

    /// A period ends in which `utilisation` of the capacity arrived.
    pub(super) fn learn(&mut self, utilisation: f64, rate: Option<Rate>) {
        let (Target::Adaptive(adaptive), Some(rate)) = (self, rate) else { return };
        adaptive.seen.0 += utilisation;
        adaptive.seen.1 += 1;
        if adaptive.seen.1 == EVERY {
            let mean = std::mem::take(&mut adaptive.seen).0 / EVERY as f64;
            let (wanted, step) = class(rate.as_bps() as f64);
            adaptive.value =
                (adaptive.value + if mean < wanted { step } else { -step }).clamp(0.1, 0.999);
        }
    }
}

fn class(bps: f64) -> (f64, f64) {
    let (_, wanted, step) =
        CLASSES.iter().rev().find(|(rate, ..)| bps >= 0.66 * rate).unwrap_or(&CLASSES[0]);
    (*wanted, *step)
}
