//! Measurements that a report shows together with the simulation.

use crate::error::Failure;
use narrows_files::{Limit, read_text};
use narrows_report::Overlay;
use std::path::PathBuf;

/// Reads overlays. Their names are the file names without the prefix that a result directory adds.
pub fn read(paths: &[PathBuf]) -> Result<Vec<Overlay>, Failure> {
    let mut overlays: Vec<Overlay> = Vec::new();
    for path in paths {
        let text = read_text(path, Limit::MEASUREMENT).map_err(|error| {
            Failure::Other(format!(
                "the measurement {} cannot be read: {error}; give the output of iperf3 --json, a log of mm-link or a qlog",
                path.display()
            ))
        })?;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = file.strip_prefix("overlay-").unwrap_or(&file);
        if overlays.iter().any(|other| other.name == name) {
            return Err(Failure::Other(format!("two measurements are called {name}; rename one")));
        }
        overlays
            .push(Overlay::parse(name, &text).map_err(|error| Failure::Other(error.to_string()))?);
    }
    Ok(overlays)
}
