//! Traces that live runs could leave on this host, and whether live runs are possible here.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a lock under which one test runs at a time: live runs disturb each other, and a test
/// compares the host's traces before and after.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if scenarios can run live here as root. Otherwise prints why the test is left out.
pub fn capable(test: &str) -> bool {
    let root =
        Command::new("id").arg("-u").output().is_ok_and(|output| stdout(&output).trim() == "0");
    if !root {
        eprintln!(
            "{test}: left out, only root can see what is left behind in the namespaces of others"
        );
        return false;
    }
    let doctor = Command::new(PROGRAM).args(["doctor", "--json"]).output().expect("narrows runs");
    if !doctor.status.success() {
        eprintln!(
            "{test}: left out, scenarios cannot run live here: {}{}",
            stdout(&doctor),
            stderr(&doctor)
        );
    }
    doctor.status.success()
}

/// True if a tool is installed. Otherwise prints that the test is left out.
pub fn has(tool: &str, test: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("{test}: left out, {tool} is not installed (see make tools)");
    }
    found
}

/// Traces of live runs on the host: links, addresses, routes, named network namespaces, and the
/// number of mounts.
#[derive(Debug, PartialEq, Eq)]
pub struct Traces {
    links: String,
    addresses: String,
    routes: String,
    named: BTreeSet<String>,
    mounts: usize,
}

impl Traces {
    /// Returns the present traces.
    pub fn now() -> Traces {
        let ip = |what: &[&str]| stdout(&Command::new("ip").args(what).output().expect("ip runs"));
        let mounts = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
        Traces {
            links: ip(&["-o", "link"]),
            addresses: ip(&["-o", "address"])
                .lines()
                .map(|line| line.split("valid_lft").next().unwrap_or_default().to_owned() + "\n")
                .collect(),
            routes: ip(&["route", "show", "table", "all"]),
            named: fs::read_dir("/run/netns")
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect(),
            // The first test that pins programs mounts a file system for them, which stays.
            mounts: mounts.lines().filter(|line| !line.contains(" - bpf ")).count(),
        }
    }
}

/// Returns the command lines of processes whose environment contains `mark`.
pub fn left_running(mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    for process in fs::read_dir("/proc").expect("/proc").flatten() {
        let path = process.path();
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        if String::from_utf8_lossy(&environment).contains(mark) {
            let command = fs::read(path.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&command).replace('\0', " "));
        }
    }
    found
}

/// Runs `narrows live` with `arguments`, and asserts that nothing is left behind. Accepts the exit
/// status of invalid runs, because the test's host may be busy.
pub fn live(place: &Scratch, arguments: &[&str]) -> Output {
    let mut command = place.command(PROGRAM);
    command.arg("live").args(arguments);
    run(command, arguments)
}

/// Runs `narrows live` with a limit on open files in each process, and asserts that nothing is left
/// behind.
pub fn live_with_files(place: &Scratch, files: u32, arguments: &[&str]) -> Output {
    let mut command = place.command("sh");
    command
        .args(["-c", &format!("ulimit -n {files} && exec \"$0\" live \"$@\""), PROGRAM])
        .args(arguments);
    run(command, arguments)
}

fn run(mut command: Command, arguments: &[&str]) -> Output {
    let before = Traces::now();
    let mark = format!("NARROWS_TEST={}", std::process::id());
    let (key, value) = mark.split_once('=').expect("a variable");
    let output = command.env(key, value).output().expect("narrows runs");
    assert_eq!(Traces::now(), before, "left behind by {arguments:?}");
    // The test process itself does not have the mark: the variable is set only for the command.
    assert_eq!(left_running(&mark), Vec::<String>::new(), "left running by {arguments:?}");
    output
}

/// Returns exit status and output of a program, for messages of failed tests.
pub fn told(output: &Output) -> String {
    format!("{}\n{}\n{}", code(output), stdout(output), stderr(output))
}
