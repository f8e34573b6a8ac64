//! Periods as lines of a file, from which an experiment goes on.

use super::Trial;
use crate::measured::Measured;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Name of the file of periods in the folder of an experiment.
pub const PERIODS: &str = "periods.jsonl";

/// A period that is over, as a line of `periods.jsonl`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptPeriod {
    /// Number of the period, from 0.
    pub period: usize,
    /// Share of the connections that were drawn as treated.
    pub share: f64,
    /// True if the period does not count.
    pub void: bool,
    /// Control and treated connections.
    pub arms: [Measured; 2],
}

/// The reason why kept periods cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptError(String);

impl fmt::Display for KeptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for KeptError {}

impl KeptPeriod {
    /// Formats the period as a line.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("its fields are numbers") + "\n"
    }

    /// Reads lines. A last line without an end was being written, and is left out. `file` is the
    /// name in errors.
    ///
    /// # Errors
    ///
    /// A line is damaged, or the periods are not numbered from 0 on.
    pub fn read(text: &str, file: &str) -> Result<Vec<KeptPeriod>, KeptError> {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let mut all: Vec<KeptPeriod> = Vec::new();
        for (number, line) in whole.lines().enumerate() {
            let refuse = |reason: String| {
                KeptError(format!(
                    "{file}:{}: {reason}; the lines before it are whole: remove this one and those after it",
                    number + 1
                ))
            };
            let own: KeptPeriod =
                serde_json::from_str(line).map_err(|error| refuse(error.to_string()))?;
            if !own.arms.iter().all(Measured::is_plausible) {
                return Err(refuse("it has numbers that no period has".to_owned()));
            }
            if own.period != all.len() {
                return Err(refuse(format!("period {} is not {}", own.period, all.len())));
            }
            all.push(own);
        }
        Ok(all)
    }
}

impl Trial {
    /// Returns a period that is over.
    pub fn kept(&self, period: usize) -> KeptPeriod {
        KeptPeriod {
            period,
            share: self.slots[period].share,
            void: self.void[period],
            arms: self.periods[period].clone(),
        }
    }

    /// Takes periods that are over from an earlier agent, and judges them.
    ///
    /// # Errors
    ///
    /// They are of another experiment.
    pub fn restore(&mut self, kept: Vec<KeptPeriod>) -> Result<(), KeptError> {
        let (count, all) = (kept.len(), self.slots.len());
        let same = kept.iter().zip(&self.slots).all(|(own, slot)| own.share == slot.share);
        if count > all || !same {
            return Err(KeptError(format!(
                "{count} periods are kept, which are not the first of the {all} of this experiment; keep the file of an experiment as it was"
            )));
        }
        for own in kept {
            self.void[own.period] = own.void;
            self.periods[own.period] = own.arms;
            self.judge(own.period + 1);
        }
        Ok(())
    }
}
