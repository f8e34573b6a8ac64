//! Findings that are stored across searches.

use crate::error::Failure;
use narrows_evidence::attack::{
    Aim, Finding, Genome, Goal, KeptFinding, Replayed, Scores, Standing, alike,
};
use narrows_files::{Folder, Limit, read_unlinked};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Name of the file in the directory of findings.
pub const FILE: &str = "kept.json";

/// A directory of findings and its content.
#[derive(Serialize)]
pub struct Keep {
    #[serde(skip)]
    directory: PathBuf,
    all: Vec<KeptFinding>,
}

impl Keep {
    /// Reads a directory of findings. A missing directory or file counts as empty.
    pub fn read(directory: &Path) -> Result<Keep, Failure> {
        if directory.is_file() {
            return Err(Failure::Other(format!(
                "--keep: {} is a file; name a folder, which has {FILE}",
                directory.display()
            )));
        }
        let path = directory.join(FILE);
        let unreadable = |error: &dyn std::fmt::Display| {
            Failure::Other(format!(
                "{} cannot be read: {error}; remove it or choose another --keep",
                path.display()
            ))
        };
        let all = match read_unlinked(&path, Limit::TEXT) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| unreadable(&error))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(unreadable(&error)),
        };
        let keep = Keep { directory: directory.to_owned(), all };
        match keep.all.iter().find(|kept| !kept.genome.fits()) {
            Some(kept) => Err(unreadable(&format!(
                "it has a network of {} that is outside of the ranges",
                kept.genome.kind.name()
            ))),
            None => Ok(keep),
        }
    }

    /// Reads a directory that must have findings.
    pub fn read_findings(directory: &Path) -> Result<Keep, Failure> {
        let keep = Keep::read(directory)?;
        match keep.all.is_empty() {
            true => Err(Failure::Other(format!(
                "{} has no findings; name the folder that `narrows attack --keep` has filled",
                directory.display()
            ))),
            false => Ok(keep),
        }
    }

    /// Returns the text of the file.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(&self.all).expect("its fields are texts and numbers") + "\n"
    }

    /// Returns the number of findings.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the networks that were found for a goal.
    pub fn genomes(&self, goal: Goal) -> Vec<Genome> {
        self.all
            .iter()
            .filter(|kept| kept.aim.goal == goal)
            .map(|kept| kept.genome.clone())
            .collect()
    }

    /// Repeats all findings with `subject` in place of the controller that they were found with.
    /// `scores` evaluates trials.
    pub fn replay(
        &self,
        subject: &str,
        scores: &mut Scores<'_, Failure>,
    ) -> Result<Vec<Replayed>, Failure> {
        self.all.iter().map(|kept| kept.replay(subject, scores)).collect()
    }

    /// Adds the confirmed findings that are not stored yet, and writes the file.
    pub fn add(&mut self, aim: &Aim, findings: &[Finding]) -> Result<(), Failure> {
        for finding in findings.iter().filter(|finding| finding.standing == Standing::Confirmed) {
            let is_there = |kept: &KeptFinding| {
                kept.aim.goal == aim.goal && alike(&kept.genome, &finding.genome)
            };
            if !self.all.iter().any(is_there) {
                self.all.push(KeptFinding {
                    aim: aim.clone(),
                    genome: finding.genome.clone(),
                    score: finding.score,
                });
            }
        }
        let path = self.directory.join(FILE);
        let text = self.json();
        let written =
            Folder::make(&self.directory).and_then(|folder| folder.write(FILE, text.as_bytes()));
        written.map_err(|error| {
            Failure::Other(format!(
                "{} cannot be written: {error}; the result directory has the findings",
                path.display()
            ))
        })
    }
}
