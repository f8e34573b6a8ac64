//! The unchecked content of a suite's files.

use crate::EvidenceError;
use serde::Deserialize;
use serde::de::DeserializeOwned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    pub name: String,
    pub document: String,
    pub title: String,
    pub rules: String,
    pub criterion: Vec<Criterion>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    pub id: String,
    pub title: String,
    pub section: String,
    pub strength: String,
    pub asks: String,
    pub scope: Option<String>,
    #[serde(default)]
    pub signals: bool,
    pub not_run: Option<String>,
    pub not_applicable: Option<String>,
    #[serde(default)]
    pub live: bool,
    #[serde(default)]
    pub from_others: bool,
}

/// The tables of a grid's file in addition to the scenario.
#[derive(Deserialize)]
pub struct Grid {
    pub check: Check,
    pub rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub criterion: String,
    pub cast: String,
    #[serde(default)]
    pub baselines: Option<String>,
    #[serde(default)]
    pub other: Option<String>,
    #[serde(default)]
    pub signals: bool,
    #[serde(default)]
    pub full: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub kind: String,
    pub measure: Option<String>,
    pub and: Option<String>,
    #[serde(default)]
    pub of: String,
    pub window: Option<[String; 2]>,
    pub fail: Option<Bound>,
    pub concern: Option<Bound>,
    pub axis: Option<String>,
    pub criterion: Option<String>,
    #[serde(default)]
    pub only: Vec<String>,
    #[serde(default)]
    pub undefined: Option<String>,
    #[serde(default)]
    pub improves: Option<f64>,
    pub says: String,
    pub source: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    pub above: Option<f64>,
    pub below: Option<f64>,
    pub by: Option<f64>,
    pub times: Option<f64>,
}

/// Parses the tables of a file that `T` declares.
pub fn parse<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, EvidenceError> {
    toml::from_str(text).map_err(|error| EvidenceError::new(file, error.to_string().trim_end()))
}
