//! A shard of a sweep: a subset of its runs, in a directory with the numbers of these runs.

use super::job::Job;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::Started;
use crate::request;
use crate::run_store::Origin;
use narrows_report::{Part, PartSetup, Reserved, sha256};
use std::path::Path;

impl Job {
    /// Runs the missing runs of a shard and writes its directory.
    pub fn run_part(
        &self,
        reserved: Reserved,
        output: &request::Output,
        started: &Started,
    ) -> Result<(), Failure> {
        let kept = self.make(reserved.directory(), output)?;
        let whole = Origin { shard: None, ..self.origin.clone() };
        let (axes, seeds) = self.axes();
        let heading = self.origin.line();
        let setup = PartSetup {
            title: &self.sweep.name(),
            program: &self.origin.program,
            shard: &self.origin.shard.map(String::from).unwrap_or_default(),
            identity: &sha256(whole.line().as_bytes()),
            heading: &heading,
            sweep_toml: &self.origin.sweep,
            axes: &axes,
            seeds: &seeds,
            runs: &self.runs,
            all: self.sweep.cells(),
        };
        let info = started.info(self.origin.inputs.clone(), &output.console);
        narrows_report::write_part(reserved, &setup, |run| kept.get(run), &info)?;
        kept.complete()
    }

    /// True if the directory has the complete result of this shard.
    ///
    /// # Errors
    ///
    /// If the directory has another shard, or a shard of another sweep.
    pub fn is_complete_in(&self, directory: &Path) -> Result<bool, Failure> {
        let Some(own) = self.origin.shard else { return Ok(false) };
        let Some(part) = directory.is_dir().then(|| Part::open(directory).ok()).flatten() else {
            return Ok(false);
        };
        if part.heading() == self.origin.line() {
            return Ok(true);
        }
        let Ok(other) = serde_json::from_str::<Origin>(part.heading()) else { return Ok(false) };
        let which = other.differs(&self.origin).map_or_else(
            || {
                other.shard.map_or_else(String::new, |other| {
                    format!("are those of shard {other}, not of {own}")
                })
            },
            |what| {
                format!(
                    "{what}; they are shard {}",
                    other.shard.map(String::from).unwrap_or_default()
                )
            },
        );
        Err(Failure::Other(format!(
            "the runs in {} {which}; choose another directory with --out, or remove this one",
            directory.display()
        )))
    }

    /// Prints which runs the directory of a shard has.
    pub fn tell_part(
        &self,
        directory: &Path,
        output: &request::Output,
    ) -> Result<Outcome, Failure> {
        output.console.made(directory);
        let shard = self.origin.shard.map(String::from).unwrap_or_default();
        let told = format!(
            "{}: shard {shard}, {} of {} runs, in {}\n",
            self.sweep.name(),
            self.runs.len(),
            self.sweep.cells(),
            directory.display()
        );
        output.console.print(&told)?;
        if !output.quiet {
            output.console.print("\nnarrows merge makes the result of all shards.\n")?;
        }
        Ok(Outcome::Ok)
    }
}
