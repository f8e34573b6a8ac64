//! Statements of the authors, which no run can make.

use crate::EvidenceError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What authors must state: the key in the file, RFC 9743's section, and the question.
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

/// Statements by key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Statements(pub BTreeMap<String, String>);

impl Statements {
    /// Reads a TOML file with a text for each key of [`ASKED`]; `file` is what errors call it.
    ///
    /// # Errors
    ///
    /// It is no such file: the key that is unknown, and those that are known.
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

    /// As a file that [`Statements::read`] reads.
    pub fn toml(&self) -> String {
        // The strings of JSON are basic strings of TOML.
        self.0
            .iter()
            .map(|(key, text)| format!("{key} = {}\n", serde_json::Value::from(text.as_str())))
            .collect()
    }

    /// The keys that are asked for and not stated.
    pub fn missing(&self) -> Vec<&'static str> {
        let stated = |key: &str| self.0.get(key).is_some_and(|text| !text.trim().is_empty());
        ASKED.iter().map(|(key, _, _)| *key).filter(|key| !stated(key)).collect()
    }
}
