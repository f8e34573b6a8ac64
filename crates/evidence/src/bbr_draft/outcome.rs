//! Outcomes: a verdict with its evidence.

use super::known::known;
use super::subject::Subject;
use serde::Serialize;

/// The verdict on one variant of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All conditions of the case hold.
    Pass,
    /// At least one condition does not hold.
    Fail,
}

/// The outcome of one variant of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Identifier of the case: `T01`.
    pub case: &'static str,
    /// Variant of the set-up; empty if there is only one.
    pub variant: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Differences between the words of the example and the pseudocode, or between the example and
    /// this set-up.
    pub differs_from_text: Option<&'static str>,
    /// Conditions that do not hold, one sentence each.
    pub reasons: Vec<String>,
    /// Reasons why the profile is known not to meet these conditions. There are as many as
    /// `reasons` if the failure is explained.
    pub known: Vec<&'static str>,
    /// Measured values by name with unit, in the order of measurement: times in seconds, flights in
    /// packets, rates in packets per second, shares.
    #[serde(serialize_with = "as_map")]
    pub evidence: Vec<(String, f64)>,
}

impl Outcome {
    /// True unless a condition failed without a known reason.
    pub fn is_explained(&self) -> bool {
        self.verdict == Verdict::Pass
            || (self.verdict == Verdict::Fail && self.known.len() == self.reasons.len())
    }

    /// Returns the measured value of this name.
    pub fn value(&self, name: &str) -> Option<f64> {
        self.evidence.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

fn as_map<S: serde::Serializer>(
    evidence: &[(String, f64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(evidence.iter().map(|(name, value)| (name, value)))
}

/// One variant of a case during its run: failed conditions and measured values.
pub(super) struct Trial {
    variant: String,
    failed: Vec<(&'static str, String)>,
    evidence: Vec<(String, f64)>,
}

impl Trial {
    /// Runs `body`. An error of `body` means that a condition could not be checked.
    pub fn new(
        variant: impl Into<String>,
        body: impl FnOnce(&mut Trial) -> Result<(), String>,
    ) -> Trial {
        let mut trial = Trial { variant: variant.into(), failed: Vec::new(), evidence: Vec::new() };
        if let Err(missed) = body(&mut trial) {
            trial.failed.push(("reached", missed));
        }
        trial
    }

    /// Records the result of a condition. If it fails, `says` returns the explanation. Only the
    /// first failure of a condition counts.
    pub fn check(&mut self, name: &'static str, holds: bool, says: impl FnOnce() -> String) {
        if !holds && self.failed.iter().all(|(failed, _)| *failed != name) {
            self.failed.push((name, says()));
        }
    }

    /// Records a measured value.
    pub fn note(&mut self, name: &str, value: f64) {
        self.evidence.push((name.to_owned(), value));
    }

    /// Returns the outcome as a variant of the case `case`.
    pub fn judge(
        self,
        case: &'static str,
        differs_from_text: Option<&'static str>,
        subject: &Subject,
    ) -> Outcome {
        let known: Vec<&'static str> = self
            .failed
            .iter()
            .filter_map(|(name, _)| known(subject.profile, case, &self.variant, name))
            .collect();
        Outcome {
            case,
            variant: self.variant,
            verdict: if self.failed.is_empty() { Verdict::Pass } else { Verdict::Fail },
            differs_from_text,
            reasons: self.failed.into_iter().map(|(_, says)| says).collect(),
            known,
            evidence: self.evidence,
        }
    }
}
