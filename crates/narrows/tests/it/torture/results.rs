//! Comparison of results with those of undisturbed runs.

use crate::scratch::Scratch;
use crate::torture::program::Program;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// A command, with the result of an undisturbed run.
pub struct Original {
    /// Arguments, ending with `--out out`.
    pub arguments: Vec<&'static str>,
    /// Wall time of the undisturbed run on this machine.
    pub wall: Duration,
    /// Processor time of the undisturbed run.
    pub used: Duration,
    place: Scratch,
    inputs: Vec<(&'static str, String)>,
}

impl Original {
    /// Runs a command once, for a class of trials.
    pub fn of(class: &str, inputs: &[(&'static str, String)], line: &'static str) -> Original {
        let place = Scratch::new(&format!("torture-{class}-{}", line.replace([' ', '.'], "-")));
        let arguments: Vec<&str> = line.split(' ').chain(["--out", "out"]).collect();
        lay_out(&place, inputs);
        let began = Instant::now();
        let ended = Program::new(&place, &arguments).run().expect("an end");
        assert_eq!(ended.code(), 0, "{line}: {}", ended.told());
        Original {
            arguments,
            wall: began.elapsed(),
            used: ended.used,
            place,
            inputs: inputs.to_vec(),
        }
    }

    /// Puts the inputs where the command will run.
    pub fn lay_out(&self, place: &Scratch) {
        lay_out(place, &self.inputs);
    }

    /// Puts the result where the command will run.
    pub fn lay_out_result(&self, place: &Scratch) {
        fs::create_dir_all(place.path("work/out")).expect("a directory");
        for file in self.place.files_of("work/out") {
            fs::copy(self.place.path("work/out").join(&file), place.path("work/out").join(&file))
                .expect("a copy");
        }
    }

    /// Compares a result in `place` with the undisturbed one, except for data that depends on
    /// machine and clock. An error describes the difference.
    pub fn same(&self, place: &Scratch, directory: &str) -> Result<(), String> {
        difference(&self.place.path("work/out"), &place.path(directory)).map_or(Ok(()), Err)
    }

    /// Checks that `place` contains only the inputs and `allowed` files. An error names another
    /// file.
    pub fn leftover(&self, place: &Scratch, allowed: &[&str]) -> Result<(), String> {
        let files = place.files_of("work");
        match files.iter().find(|file| {
            !allowed.contains(&file.as_str()) && !self.inputs.iter().any(|(name, _)| name == file)
        }) {
            Some(file) => Err(format!("{file} stays")),
            None => Ok(()),
        }
    }
}

fn lay_out(place: &Scratch, inputs: &[(&str, String)]) {
    fs::create_dir_all(place.path("work")).expect("a directory");
    for (name, text) in inputs {
        place.write(&format!("work/{name}"), text);
    }
}

/// Describes the first difference between two results.
pub fn difference(one: &Path, two: &Path) -> Option<String> {
    let names = |directory: &Path| {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let (own, other) = (names(one), names(two));
    if own != other {
        return Some(format!("there should be {own:?}, and there is {other:?}"));
    }
    let bytes = |directory: &Path, file: &str| fs::read(directory.join(file)).ok();
    own.iter()
        .find(|file| *file != "run.json" && bytes(one, file) != bytes(two, file))
        .map(|file| format!("{file} differs"))
}

/// Returns a scenario of one flow over one link.
pub fn one_link(duration: &str, rate: &str) -> String {
    format!(
        r#"name = "One link"
duration = "{duration}"

[[link]]
name = "only"
between = ["a", "b"]
rate = "{rate}"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "one"
from = "a"
to = "b"
controller = "cubic"
"#
    )
}

/// Returns a sweep of [`one_link`] over two delays.
pub fn swept(duration: &str, rate: &str, seeds: u32) -> String {
    one_link(duration, rate)
        + &format!("\n[sweep]\n\"link.only.delay\" = [\"1 ms\", \"9 ms\"]\nseeds = {seeds}\n")
}
