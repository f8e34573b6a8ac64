//! Statements of the authors, for questions that no run can answer.

use crate::EvidenceError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Questions for the authors: the key in the file, the section of RFC 9743, and the question.
pub const ASKED: [(&str, &str, &str); 5] = [
    ("where", "3.1, 3.2", "Where may the controller be used, and where not?"),
    ("rfc2914", "5.3.1", "How far does it depart from the principles of RFC 2914?"),
    (
        "rfc7141",
        "5.3.2",
        "How far does it depart from RFC 7141, on marks and drops in bytes and packets?",
    ),
    ("deployment", "3", "Which experience of its use is there, and how can it be switched off?"),
    ("security", "8", "Which attacks on it, or by it, are known?"),
];

/// Statements of the authors, by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Statements(pub BTreeMap<String, String>);

impl Statements {
    /// Reads a TOML file with a text for each key of [`ASKED`]. `file` is the name in errors.
    ///
    /// # Errors
    ///
    /// The file is invalid, or has an unknown key. The error lists the known keys.
    pub fn read(text: &str, file: &str) -> Result<Statements, EvidenceError> {
        let known = ASKED.map(|(key, _, _)| key);
        let own: BTreeMap<String, String> = toml::from_str(text).map_err(|error| {
            let remedy = format!(
                "help: write lines of the form `key = \"text\"` with the keys {}",
                known.join(", ")
            );
            EvidenceError::new(file, &format!("{}\n{remedy}", error.to_string().trim_end()))
        })?;
        if let Some(unknown) = own.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(EvidenceError::new(
                file,
                &format!("\"{unknown}\" is not asked for; the statements are {}", known.join(", ")),
            ));
        }
        Ok(Statements(own))
    }

    /// Returns the text of a file that [`Statements::read`] reads.
    pub fn toml(&self) -> String {
        // JSON strings are valid basic strings in TOML.
        self.0
            .iter()
            .map(|(key, text)| format!("{key} = {}\n", serde_json::Value::from(text.as_str())))
            .collect()
    }

    /// Returns the keys without a statement.
    pub fn missing(&self) -> Vec<&'static str> {
        let stated = |key: &str| self.0.get(key).is_some_and(|text| !text.trim().is_empty());
        ASKED.iter().map(|(key, _, _)| *key).filter(|key| !stated(key)).collect()
    }
}
