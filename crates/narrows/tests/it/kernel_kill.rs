//! Controllers in the kernel after `kill -9`, races and missing pins. The next command finds each
//! controller complete, or damaged with a message, or gone, and in the end nothing is left.
//! `NARROWS_TORTURE` sets the number of trials in per cent of full size, which is 1,300; the
//! minimum is 65.
#![cfg(feature = "bpf")]

use crate::host::{alone, capable, left_running};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use narrows_units::Random;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Number of trials, and a description of each failure.
#[derive(Default)]
struct Tally {
    tried: u32,
    wrong: Vec<String>,
}

impl Tally {
    fn check(&mut self, what: &str, found: Result<(), String>) {
        self.tried += 1;
        if let Err(found) = found {
            eprintln!("{what}: {found}");
            self.wrong.push(format!("{what}: {found}"));
        }
    }
}

/// Returns a controller name that no other process uses.
fn name() -> String {
    format!("torn.{}", std::process::id())
}

fn pins() -> PathBuf {
    Path::new(narrows_kernel::PINS).join(name().replace('.', "-"))
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("kernel").args(arguments).env("NO_COLOR", "1");
    command
}

fn kernel(arguments: &[&str]) -> Output {
    command(arguments).output().expect("narrows runs")
}

fn begin(arguments: &[&str]) -> Child {
    command(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("narrows runs")
}

fn load() -> Result<(), String> {
    expect(
        &kernel(&["load", "pcc-vivace", "--as", &name()]),
        &["is a controller of this host's kernel now"],
    )
}

/// Checks that a command succeeded or was refused with one of the known messages.
fn expect(output: &Output, words: &[&str]) -> Result<(), String> {
    let told = stdout(output) + &stderr(output);
    let known = matches!(code(output), 0 | 2) && words.iter().any(|words| told.contains(words));
    known.then_some(()).ok_or_else(|| format!("status {}: {told}", code(output)))
}

/// Checks that the next command finds the controller complete and unloads it, or finds none, and
/// that nothing of it is left.
fn settle() -> Result<(), String> {
    let list = kernel(&["list"]);
    let listed = code(&list) == 0
        && stdout(&list)
            .lines()
            .any(|line| line.contains(&name()) && line.contains("loaded by narrows"));
    if code(&list) != 0 || pins().exists() != listed {
        return Err(format!(
            "pinned: {}, listed: {listed}; {}{}",
            pins().exists(),
            stdout(&list),
            stderr(&list)
        ));
    }
    if listed {
        expect(&kernel(&["unload", &name()]), &["is unloaded."])?;
    }
    match pins().exists() || narrows_kernel::available().contains(&name()) {
        true => Err(format!(
            "left behind: pinned {}, listed {:?}",
            pins().exists(),
            narrows_kernel::available()
        )),
        false => Ok(()),
    }
}

/// Kills a process after a random time of at most `most`.
fn kill(child: &mut Child, random: &mut Random, most: Duration) {
    thread::sleep(Duration::from_micros(random.below(most.as_micros() as u64)));
    // The process may have ended.
    let _ = child.kill();
    child.wait().expect("an end");
}

/// Measures how long a command takes here.
fn taking(arguments: &[&str]) -> Duration {
    let began = Instant::now();
    kernel(arguments);
    began.elapsed()
}

fn killed_loads(tally: &mut Tally, random: &mut Random, count: u64, whole: Duration) {
    for _ in 0..count {
        kill(&mut begin(&["load", "pcc-vivace", "--as", &name()]), random, whole);
        tally.check("a killed load", settle());
    }
}

fn killed_unloads(tally: &mut Tally, random: &mut Random, count: u64, whole: Duration) {
    for _ in 0..count {
        tally.check("a load", load());
        kill(&mut begin(&["unload", &name()]), random, whole);
        tally.check("a killed unload", settle());
    }
}

/// Starts two commands at once. Each succeeds, or reports that the other was faster.
fn races(tally: &mut Tally, random: &mut Random, count: u64, whole: Duration) {
    const KNOWN: [&str; 5] = [
        "controller of this host's kernel now",
        "is unloaded.",
        "has loaded no controller",
        "is loaded already",
        "already has a controller",
    ];
    let own = name();
    let (load_it, unload_it) = (["load", "pcc-vivace", "--as", &own], ["unload", &own]);
    for pair in [
        [&load_it[..], &load_it[..]],
        [&unload_it[..], &unload_it[..]],
        [&load_it[..], &unload_it[..]],
    ] {
        for _ in 0..count {
            if pair[0] == unload_it {
                tally.check("a load", load());
            }
            let first = command(pair[0])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("narrows runs");
            thread::sleep(Duration::from_micros(random.below(whole.as_micros() as u64)));
            let second = kernel(pair[1]);
            let first = first.wait_with_output().expect("an end");
            tally.check("the first of two", expect(&first, &KNOWN));
            tally.check("the second of two", expect(&second, &KNOWN));
            tally.check("two at once", settle());
        }
    }
}

/// Deletes one or two random pins.
fn harmed_pins(tally: &mut Tally, random: &mut Random, count: u64) {
    for _ in 0..count {
        tally.check("a load", load());
        let files: Vec<PathBuf> = fs::read_dir(pins())
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        for _ in 0..=random.below(2) {
            // A file may be drawn twice.
            let _ = fs::remove_file(&files[random.below(files.len() as u64) as usize]);
        }
        tally.check(
            "stats beside a harmed one",
            if code(&kernel(&["stats"])) == 0 { Ok(()) } else { Err("refused".to_owned()) },
        );
        tally.check("harmed pins", settle());
    }
}

/// Kills live runs. Each must take its controllers with it.
fn killed_live_runs(tally: &mut Tally, random: &mut Random, count: u64) {
    const SCENARIO: &str = "name = \"Torn\"\nduration = \"20 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"5 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"pcc-vivace?latency=77\"\n";
    let place = Scratch::new("kernel-kill");
    let file = place.write("torn.toml", SCENARIO);
    let mark = format!("kernel-kill-{}", std::process::id());
    for _ in 0..count {
        let before = narrows_kernel::available();
        let mut live = place.command(PROGRAM);
        let live = live
            .args(["live", &file, "--with-flows", "--", "sleep", "60"])
            .env("NARROWS_TEST", &mark);
        kill(
            &mut live.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("narrows runs"),
            random,
            Duration::from_millis(1500),
        );
        let killed = Instant::now();
        let left = || -> Vec<String> {
            let names = narrows_kernel::available()
                .into_iter()
                .filter(|name| name.starts_with("pcc_vivace") && !before.contains(name));
            names.chain(left_running(&mark)).collect()
        };
        while !left().is_empty() && killed.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(20));
        }
        tally.check(
            "a killed live run",
            if left().is_empty() { Ok(()) } else { Err(format!("left: {:?}", left())) },
        );
    }
}

#[test]
fn nothing_is_left_of_controllers_whatever_kills_races_or_harms() {
    if !capable("nothing_is_left_of_controllers_whatever_kills_races_or_harms") {
        return;
    }
    let _alone = alone();
    // Full size is 20 times the minimum.
    let percent: f64 = std::env::var("NARROWS_TORTURE")
        .map_or(1.0, |percent| percent.parse().expect("NARROWS_TORTURE is a number"));
    let times = (percent / 5.0).max(1.0) as u64;
    let (mut tally, mut random) = (Tally::default(), Random::stream(1, "kernel kill"));
    let loading = taking(&["load", "pcc-vivace", "--as", &name()]);
    let unloading = taking(&["unload", &name()]);
    killed_loads(&mut tally, &mut random, 8 * times, loading + loading / 4);
    killed_unloads(&mut tally, &mut random, 6 * times, unloading + unloading / 4);
    races(&mut tally, &mut random, 3 * times, loading);
    harmed_pins(&mut tally, &mut random, 4 * times);
    killed_live_runs(&mut tally, &mut random, 3 * times);
    eprintln!("kernel kill: {} tried, {} wrong", tally.tried, tally.wrong.len());
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
}
