//! The measurements that a plan keeps of a run.

use crate::measured::Measured;

/// The measurements of a run, by period and arm.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// For each part, the control and the treatment. A run of one share is one part.
    pub parts: Vec<[Measured; 2]>,
    /// Largest ratio of the mean completion of 200 transfers in a row to that of all.
    pub moving: Option<f64>,
}

impl Reduced {
    /// Returns all connections together.
    pub fn whole(&self) -> Measured {
        let mut whole = Measured::default();
        self.parts.iter().flatten().for_each(|own| whole.merge(own));
        whole
    }
}
