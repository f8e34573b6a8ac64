//! The fidelity check of a result directory.

use crate::checksums::ResultDir;
use crate::error::ReportError;
use serde::Deserialize;

/// Measurements of both worlds, read from `fidelity.json`.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptFidelity {
    /// Title of the check, in one line.
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
    /// Returns the values of a quantity in kernel and simulator, for all valid cells.
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

/// Reads the fidelity check of a result directory; `None` if the directory holds another kind of
/// result.
///
/// # Errors
///
/// The file is damaged.
pub fn read_fidelity(files: &ResultDir) -> Result<Option<KeptFidelity>, ReportError> {
    files.json("fidelity.json")
}
