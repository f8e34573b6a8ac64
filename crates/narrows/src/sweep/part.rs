//! A shard of a sweep: some of its runs, in a directory that says which.

use super::job::Job;
use crate::cells::Origin;
use crate::cli::OutputArgs;
use crate::error::Failure;
use crate::outcome::Outcome;
use crate::output::Started;
use narrows_report::{Part, PartSetup, Reserved, sha256};
use std::path::Path;

impl Job {
    /// Runs what is not kept yet of a shard, and writes its directory.
    pub fn run_part(&self, reserved: Reserved, output: &OutputArgs, started: &Started) -> Result<(), Failure> {
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
        kept.remove()
    }

    /// Whether this very shard is in the directory, complete.
    pub fn is_complete_in(&self, directory: &Path) -> bool {
        let own = |part: Part| part.heading() == self.origin.line();
        self.origin.shard.is_some() && directory.is_dir() && Part::open(directory).is_ok_and(own)
    }

    /// Says which runs a shard's directory has.
    pub fn tell_part(&self, directory: &Path, output: &OutputArgs) -> Result<Outcome, Failure> {
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
