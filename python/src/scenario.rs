//! Scenarios as data: JSON on Python's side, TOML on the program's.

use crate::raised;
use narrows::workbench::text;
use pyo3::prelude::*;

/// Writes the keys and values of a scenario, in JSON, as a scenario file.
#[pyfunction]
pub fn scenario_toml(data: &str) -> PyResult<String> {
    text::toml(data).map_err(raised)
}

/// Reads the keys and values of a scenario file, as JSON.
#[pyfunction]
pub fn scenario_data(toml: &str) -> PyResult<String> {
    text::data(toml).map_err(raised)
}

/// Returns the text of a scenario with the value at a path changed; `value` is JSON.
#[pyfunction]
pub fn scenario_set(toml: &str, path: &str, value: &str) -> PyResult<String> {
    text::with(toml, path, value).map_err(raised)
}

/// Checks the text of a scenario.
#[pyfunction]
pub fn scenario_check(py: Python<'_>, toml: &str) -> PyResult<()> {
    py.detach(|| text::check(toml)).map_err(raised)
}
