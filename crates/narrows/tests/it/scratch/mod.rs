//! An empty directory in which the program runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Path of the program under test.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_narrows");

/// A temporary directory. It is removed at the end of a test that passes.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new(name: &str) -> Scratch {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.path(name), text).expect("a file");
        name.to_owned()
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Returns the sorted names of the files in a directory.
    pub fn files_of(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory))
            .unwrap_or_else(|error| panic!("{directory}: {error}"));
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Returns all names in the scratch directory, to show that nothing was written.
    pub fn listing(&self) -> Vec<String> {
        self.files_of("")
    }

    /// Returns a command that runs in this directory without a terminal.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.0).env("NO_COLOR", "1");
        command
    }

    pub fn narrows<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Output {
        self.command(PROGRAM).args(arguments).output().expect("narrows runs")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.0);
        }
    }
}

/// Returns the exit status, or -1 after a signal.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or(-1)
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A scenario that takes almost no time.
pub const SHORT: &str = r#"name = "Short"
duration = "2 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "1 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
"#;

/// Fails unless two results have the same files with the same bytes, except for data that depends
/// on machine and clock.
pub fn same(place: &Scratch, one: &str, two: &str) {
    assert_eq!(place.files_of(one), place.files_of(two));
    for file in place.files_of(one).iter().filter(|file| *file != "run.json") {
        assert!(
            place.read(&format!("{one}/{file}")) == place.read(&format!("{two}/{file}")),
            "{file} of {one} and {two} differ"
        );
    }
}
