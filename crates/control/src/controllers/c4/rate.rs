//! The nominal rate: the largest delivery rate that was measured, less what congestion took off it.

use crate::parts::mutated::{Mutated, Mutation};
use crate::{Feedback, RateSample};
use narrows_units::Span;

/// The nominal rate and the largest recent measurement, in bytes of payload per second.
#[derive(Clone, Copy, Debug, Default)]
pub struct NominalRate {
    nominal: f64,
    recent: f64,
    mutated: Mutated,
}

impl NominalRate {
    /// None is known.
    pub fn new(mutated: Mutated) -> NominalRate {
        NominalRate { mutated, ..NominalRate::default() }
    }

    /// The nominal rate; 0 before the first measurement.
    pub fn get(&self) -> f64 {
        self.nominal
    }

    /// The largest measurement since the end of the latest recovery; 0 without one.
    pub fn recent(&self) -> f64 {
        self.recent
    }

    /// A rate was measured. It raises the nominal rate if that `may_rise`; true if it did.
    pub fn take(&mut self, measured: f64, may_rise: bool) -> bool {
        self.recent = self.recent.max(measured);
        // The draft's pseudocode has the inequality the other way round.
        let rises = if self.mutated.has(Mutation::LowerRate) {
            measured < self.nominal
        } else {
            measured > self.nominal
        };
        if may_rise && rises {
            self.nominal = measured;
        }
        may_rise && rises
    }

    /// Sets the nominal rate.
    pub fn set(&mut self, rate: f64) {
        debug_assert!(rate >= 0.0 && rate.is_finite(), "a rate of {rate}");
        self.nominal = rate;
    }

    /// A recovery ends: measurements count anew.
    pub fn forget_recent(&mut self) {
        self.recent = 0.0;
    }
}

/// The time over which a delivery rate is measured, if that in which its packets were sent is not
/// longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// Since the newest packet left ("Nominal rate"): up to a packet per round trip too much.
    Departure,
    /// Since the delivery before it left (`picoquic_estimate_path_bandwidth`).
    Delivery,
}

/// The delivery rate that an acknowledgement shows, in bytes of payload per second: what was
/// delivered since the newest of its packets left.
pub fn measured(feedback: &Feedback<'_>, mss: f64, samples: Samples) -> Option<f64> {
    let sample = feedback.rate.as_ref()?;
    let valid = sample.interval?;
    let newest = feedback.acked.iter().max_by_key(|acked| acked.sent_at)?;
    let interval = match samples {
        Samples::Departure => newest.rtt.max(sample.send_interval),
        Samples::Delivery => valid,
    };
    (interval > Span::ZERO).then(|| delivered(sample, mss) / interval.as_secs_f64())
}

/// Bytes delivered since the newest packet of the acknowledgement left.
pub fn delivered(sample: &RateSample, mss: f64) -> f64 {
    f64::from(sample.delivered) * mss
}
