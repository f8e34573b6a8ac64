//! The keys of an experiment's file, as they are written.

use super::description::OpenConnections;
use super::select::{End, Unit};
use narrows_scenario::written::{At, Quantity};
use narrows_units::Span;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raw {
    pub name: At<String>,
    pub control: Option<At<String>>,
    pub treatment: At<String>,
    #[serde(default)]
    pub select: RawSelect,
    pub design: Option<RawDesign>,
    #[serde(default)]
    pub metric: Vec<RawMetric>,
    #[serde(default)]
    pub stop: RawStop,
    #[serde(default)]
    pub roll_back: RawRollBack,
    #[serde(default)]
    pub result: RawResult,
    pub plan: Option<At<RawPlan>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSelect {
    pub cgroups: Option<Vec<At<String>>>,
    pub end: Option<End>,
    pub ports: Option<Vec<At<RawPorts>>>,
    pub prefixes: Option<Vec<At<String>>>,
    #[serde(default)]
    pub except: Vec<At<String>>,
    #[serde(default)]
    pub interfaces: Vec<String>,
    pub respect: Option<bool>,
    #[serde(default)]
    pub mptcp: bool,
    #[serde(default)]
    pub loopback: bool,
    pub unit: Option<Unit>,
}

#[derive(Deserialize, Clone)]
#[serde(untagged)]
pub(super) enum RawPorts {
    One(i64),
    Range(String),
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawDesign {
    pub kind: Option<At<RawKind>>,
    pub period: Option<At<Quantity<Span>>>,
    pub burn_in: Option<At<Quantity<Span>>>,
    pub burn_out: Option<At<Quantity<Span>>>,
    pub pairs: Option<At<u32>>,
    pub high: Option<At<String>>,
    pub share: Option<At<String>>,
    pub steps: Option<At<Vec<At<String>>>>,
    pub observe: Option<At<u32>>,
    pub seed: Option<u64>,
    pub start: Option<At<String>>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum RawKind {
    Switchback,
    Share,
    Steps,
}

impl RawKind {
    pub fn name(self) -> &'static str {
        match self {
            RawKind::Switchback => "switchback",
            RawKind::Share => "share",
            RawKind::Steps => "steps",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMetric {
    pub name: At<String>,
    pub harm: Option<At<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStop {
    pub alpha: Option<At<String>>,
    pub emergency: Option<At<f64>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRollBack {
    pub open: Option<OpenConnections>,
    pub lease: Option<At<Quantity<Span>>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RawResult {
    pub keep: Option<At<String>>,
    pub listen: Option<At<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawPlan {
    pub scenario: Option<At<String>>,
    pub path: Option<At<String>>,
    pub traffic: Option<At<serde_json::Value>>,
    pub width: Option<At<String>>,
    pub share: Option<At<String>>,
    pub variation: Option<At<String>>,
}
