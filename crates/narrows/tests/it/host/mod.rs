//! What a live run could leave behind on this host, and whether live runs are possible at all.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Live runs share the machine badly, and what is left behind is told from what was there before: one test at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if scenarios can run live here as root. Says why not, for a test that is left out.
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

/// True if a tool is there. Says that it is not, for a test that is left out.
pub fn has(tool: &str, test: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok();
    if !found {
        eprintln!("{test}: left out, {tool} is not installed (see make tools)");
    }
    found
}

/// What can be left behind. Namespaces of programs that ran before and still run do not count.
#[derive(Debug, PartialEq, Eq)]
pub struct Traces {
    links: String,
    addresses: String,
    routes: String,
    named: BTreeSet<String>,
    mounts: usize,
}

impl Traces {
    /// As the host is now.
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
            mounts: mounts.lines().count(),
        }
    }
}

/// Processes that have this text in their environment, and those that are in a network namespace with them but not in that of the test.
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

/// Runs live with `arguments`; checks that nothing is left behind. Statuses of invalid runs count as those of valid ones: the test's machine may be busy.
pub fn live(place: &Scratch, arguments: &[&str]) -> Output {
    let mut command = place.command(PROGRAM);
    command.arg("live").args(arguments);
    run(command, arguments)
}

/// The same with at most so many open files in each process.
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
    // The tests themselves do not have it: theirs is another process's environment.
    assert_eq!(left_running(&mark), Vec::<String>::new(), "left running by {arguments:?}");
    output
}

/// All that a program said, for failures.
pub fn told(output: &Output) -> String {
    format!("{}\n{}\n{}", code(output), stdout(output), stderr(output))
}
