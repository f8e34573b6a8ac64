//! A fidelity check as its directory keeps it.

use crate::checksums::ResultDir;
use crate::error::ReportError;
use serde::Deserialize;

/// Measurements of both worlds, as `fidelity.json` has them.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptFidelity {
    /// The title, one line.
    pub title: String,
    cells: Vec<KeptCell>,
}

#[derive(Clone, Debug, Deserialize)]
struct KeptCell {
    invalid: Option<String>,
    distances: Vec<KeptDistance>,
}

#[derive(Clone, Debug, Deserialize)]
struct KeptDistance {
    quantity: String,
    kernel: f64,
    simulator: f64,
}

impl KeptFidelity {
    /// The values of a quantity in kernel and simulator, of the cells that count.
    pub(crate) fn both(&self, quantity: &str) -> Vec<(f64, f64)> {
        let counted = self
            .cells
            .iter()
            .filter(|cell| cell.invalid.is_none())
            .flat_map(|cell| &cell.distances);
        counted
            .filter(|own| own.quantity == quantity)
            .map(|own| (own.kernel, own.simulator))
            .collect()
    }
}

/// The fidelity check of a result directory; `None` if it is that of something else.
///
/// # Errors
/// It does not say what it should.
pub fn read_fidelity(files: &ResultDir) -> Result<Option<KeptFidelity>, ReportError> {
    files.json("fidelity.json")
}
