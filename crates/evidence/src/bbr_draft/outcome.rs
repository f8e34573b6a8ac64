//! Outcomes: a verdict and its evidence.

use super::known::known;
use super::subject::Subject;
use serde::Serialize;

/// The verdict on one variant of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Everything that the case demands holds.
    Pass,
    /// Something does not hold.
    Fail,
}

/// The outcome of one variant of a case.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// The case: `T01`.
    pub case: &'static str,
    /// The variant of its set-up; empty if there is but one.
    pub variant: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Where the words of the example and the pseudocode differ, or the example and this set-up.
    pub differs_from_text: Option<&'static str>,
    /// What does not hold: one sentence each.
    pub reasons: Vec<String>,
    /// Why each of these was to be expected of this profile; as many as reasons if the failure is explained.
    pub known: Vec<&'static str>,
    /// Times in seconds, flights in packets, rates in packets per second, shares: by name with unit, in the order in which they came up.
    #[serde(serialize_with = "as_map")]
    pub evidence: Vec<(String, f64)>,
}

impl Outcome {
    /// True unless something failed that was not to be expected of the profile.
    pub fn is_explained(&self) -> bool {
        self.verdict == Verdict::Pass
            || (self.verdict == Verdict::Fail && self.known.len() == self.reasons.len())
    }

    /// The piece of evidence of this name.
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

/// One variant of a case as it is carried out: what was asked, and whether it holds.
pub(super) struct Trial {
    variant: String,
    failed: Vec<(&'static str, String)>,
    evidence: Vec<(String, f64)>,
}

impl Trial {
    /// Carries out `body`, whose error is a demand that could not even be looked at.
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

    /// A demand, called `name`, that `holds` or does not, as `says` then explains; of several failures of one demand the first counts.
    pub fn check(&mut self, name: &'static str, holds: bool, says: impl FnOnce() -> String) {
        if !holds && self.failed.iter().all(|(failed, _)| *failed != name) {
            self.failed.push((name, says()));
        }
    }

    /// A piece of evidence.
    pub fn note(&mut self, name: &str, value: f64) {
        self.evidence.push((name.to_owned(), value));
    }

    /// The outcome, as a variant of the case of this name.
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
