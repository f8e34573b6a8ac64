//! A controller that fails, in a program of its own. Controllers are given to `main`, so this file
//! is both that program and its test.

#[path = "../../sim/tests/it/faulty.rs"]
mod faulty;

use faulty::ENTRY;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::{env, fs};

/// Environment variable that makes this process the program.
const PROGRAM: &str = "NARROWS_TEST_PROGRAM";

fn main() -> ExitCode {
    match env::var(PROGRAM).as_deref() {
        Ok("faulty") => return narrows::main(&[&ENTRY]),
        Ok("twice") => return narrows::main(&[&ENTRY, &ENTRY]),
        _ => {}
    }
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("fault");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("a directory");
    the_run_ends_with_words_and_status_2_and_leaves_other_results_alone(&place);
    the_cells_that_a_sweep_has_are_kept(&place);
    a_name_that_is_there_twice_is_refused(&place);
    fs::remove_dir_all(&place).expect("it was made above");
    ExitCode::SUCCESS
}

fn run(place: &Path, program: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.env(PROGRAM, program).args(arguments).current_dir(place).output().expect("it runs")
}

/// Returns the standard error of a command that fails with status 2.
fn refused(place: &Path, program: &str, arguments: &[&str]) -> String {
    let output = run(place, program, arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    told
}

fn files(place: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(place)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A scenario in which the first acknowledgement arrives after 41.724 ms: two packets of 60 B, two
/// of 52 B and one of 1500 B at 8 Mbit/s, and four delays.
fn scenario(controller: &str) -> String {
    format!(
        "duration = \"2 s\"\nsend_overhead = false\n[[link]]\nname = \"bottleneck\"\nbetween = [\"left\", \"right\"]\nrate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n\
         [[flow]]\nname = \"download\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"{controller}\"\n"
    )
}

const TOLD: &str = "flow \"download\": its controller faulty cannot go on at 41.724 ms: line 3: a window of 0; return at least 1";

fn the_run_ends_with_words_and_status_2_and_leaves_other_results_alone(place: &Path) {
    fs::write(place.join("good.toml"), scenario("cubic")).expect("a file");
    fs::write(place.join("bad.toml"), scenario("faulty")).expect("a file");
    assert!(
        run(place, "faulty", &["run", "good.toml", "--quiet", "--out", "good"]).status.success()
    );
    let before = fs::read(place.join("good/SHA256SUMS")).expect("a result");
    let told = refused(place, "faulty", &["run", "bad.toml", "--quiet", "--out", "bad"]);
    assert_eq!(told, format!("error: {TOLD}\n"));
    assert_eq!(
        refused(place, "faulty", &["compare", "cubic", "faulty", "--quiet", "--out", "both"])
            .lines()
            .count(),
        1
    );
    assert_eq!(files(place), ["bad.toml", "good", "good.toml"]);
    assert_eq!(fs::read(place.join("good/SHA256SUMS")).expect("a result"), before);
    assert!(run(place, "faulty", &["report", "good"]).status.success());
}

fn the_cells_that_a_sweep_has_are_kept(place: &Path) {
    let axis = "[sweep]\n\"flow.download.controller\" = [\"cubic\", \"newreno\", \"faulty\"]\n";
    fs::write(place.join("sweep.toml"), scenario("cubic") + axis).expect("a file");
    let told = refused(
        place,
        "faulty",
        &["sweep", "sweep.toml", "--quiet", "--jobs", "1", "--out", "swept"],
    );
    assert!(
        told.starts_with("error: in the cell with ") && told.ends_with(&format!("{TOLD}\n")),
        "{told}"
    );
    let kept = fs::metadata(place.join("swept.partial")).expect("what was done is kept").len();
    // Finished cells are not run again, and the file does not grow.
    refused(place, "faulty", &["sweep", "--resume", "swept", "--quiet", "--jobs", "1"]);
    assert_eq!(fs::metadata(place.join("swept.partial")).expect("still kept").len(), kept);
}

fn a_name_that_is_there_twice_is_refused(place: &Path) {
    let told = refused(place, "twice", &["list", "controllers"]);
    assert_eq!(
        told,
        "error: the controller \"faulty\" (fails) cannot be added: \"faulty\" is there already (fails); give it another name in its Entry\n"
    );
}
