//! Controller files that are stored with the runs of a sweep, so that the sweep can resume on
//! another machine.

use crate::error::Failure;
use crate::inputs::controllers;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use narrows_files::leftovers::TemporaryFolder;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;

/// The executed content of a controller file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredController {
    /// Name in a result directory.
    file: String,
    /// Content in base64.
    content: String,
}

/// Returns the controller files that are loaded.
pub fn loaded() -> Vec<StoredController> {
    controllers()
        .into_iter()
        .map(|own| StoredController { file: own.file(), content: STANDARD.encode(&own.object) })
        .collect()
}

/// Writes the files to a temporary directory, where the sweep finds them as it does in a result
/// directory.
pub fn unpacked(files: &[StoredController]) -> Result<TemporaryFolder, Failure> {
    let unwritable = |error| {
        Failure::Other(format!(
            "the controllers that were kept cannot be written to a temporary directory: {error}; set TMPDIR"
        ))
    };
    let folder = TemporaryFolder::new().map_err(unwritable)?;
    for StoredController { file, content } in files {
        let damaged = || {
            Failure::Other(format!(
                "the controller {file:?} that was kept is damaged; make the runs again"
            ))
        };
        let content = STANDARD.decode(content).map_err(|_| damaged())?;
        if Path::new(file).file_name() != Some(file.as_ref()) {
            return Err(damaged());
        }
        fs::write(folder.path().join(file), content).map_err(unwritable)?;
    }
    Ok(folder)
}
