//! Scenarios as text and as data, for programs that embed the workbench.

use crate::controller_files;
use crate::error::{Failure, Refused};

pub use narrows_scenario::quoted;

/// The name of a scenario's text in errors.
const SCENARIO: &str = "scenario.toml";

/// Writes the keys and values of a scenario, in JSON, as a scenario file.
///
/// # Errors
///
/// If `data` is not an object in JSON, or has a value that TOML does not have.
pub fn toml(data: &str) -> Result<String, Refused> {
    let read = serde_json::from_str(data).map_err(|error| error.to_string());
    let written = read.and_then(|keys| narrows_scenario::to_toml(&keys));
    Ok(written.map_err(Failure::Other)?)
}

/// Reads the keys and values of a scenario file, as JSON.
///
/// # Errors
///
/// If the text is not TOML.
pub fn data(toml: &str) -> Result<String, Refused> {
    let data = narrows_scenario::from_toml(toml, SCENARIO)?;
    Ok(serde_json::Value::Object(data).to_string())
}

/// Returns the text of a scenario with the value at a path changed. The value is JSON.
///
/// # Errors
///
/// If there is no such place, or the value is not one of scenarios.
pub fn with(toml: &str, path: &str, value: &str) -> Result<String, Refused> {
    let value = serde_json::from_str(value).map_err(|error| Failure::Other(error.to_string()))?;
    Ok(narrows_scenario::with_value(toml, SCENARIO, path, &value)?)
}

/// Checks the text of a scenario. Files that it names are read.
///
/// # Errors
///
/// The reason why it is refused.
pub fn check(toml: &str) -> Result<(), Refused> {
    // The files of controllers are loaded for this check alone.
    let _session = controller_files::session(&[])
        .map_err(|refused| Failure::Other(refused.to_string()))?
        .enter();
    narrows_scenario::parse(toml, SCENARIO, &narrows_scenario::read_named)?;
    Ok(())
}
