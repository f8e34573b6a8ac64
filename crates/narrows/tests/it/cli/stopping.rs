//! Full disks, signals and readers that go away: no incomplete result looks complete.

use super::RESULT_FILES;
use crate::scratch::{PROGRAM, SHORT, Scratch, code, stderr, stdout};
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_full_disk_is_told_and_leaves_nothing() {
    let place = Scratch::new("disk");
    let file = place.write("short.toml", SHORT);
    fs::create_dir(place.path("small")).expect("a directory");
    // A small file system in a mount namespace of its own, which ends with the shell.
    let script = format!(
        "mount -t tmpfs -o size=64k none small || exit 77; '{}' run '{file}' --out small/result; status=$?; echo left: $(ls -A small); exit $status",
        PROGRAM
    );
    let output =
        place.command("unshare").args(["--map-root-user", "--mount", "sh", "-c", &script]).output();
    let output = match output {
        Ok(output) if code(&output) != 77 && !stderr(&output).contains("unshare") => output,
        _ => return eprintln!("skipped: no mount namespace can be made here, so no small disk"),
    };
    let told = stderr(&output);
    assert_eq!(code(&output), 2, "{}{told}", stdout(&output));
    assert!(
        told.contains("cannot write small/")
            && told.contains("free some space, or choose another place with --out"),
        "{told}"
    );
    // The results are printed even if they cannot be written.
    assert!(stdout(&output).contains("Utilisation"), "{}", stdout(&output));
    assert!(stdout(&output).ends_with("left:\n"), "{}", stdout(&output));
}

#[test]
fn a_killed_run_leaves_nothing_that_looks_complete() {
    let place = Scratch::new("killed");
    let file =
        place.write("short.toml", &SHORT.replace("2 s", "20 s").replace("10 Mbit/s", "50 Mbit/s"));
    let began = Instant::now();
    assert_eq!(
        code(&place.narrows(["run", &file, "--seeds", "2", "--quiet", "--out", "whole"])),
        0
    );
    let wall = began.elapsed();
    assert_eq!(place.files_of("whole"), RESULT_FILES);
    let mut killed = 0;
    for percent in [10, 50, 75, 80, 85, 90, 95, 100] {
        let name = format!("killed-{percent}");
        let mut child = place
            .command(PROGRAM)
            .args(["run", &file, "--seeds", "2", "--quiet", "--out", &name])
            .stdout(Stdio::null())
            .spawn()
            .expect("narrows runs");
        std::thread::sleep(wall * percent / 100);
        child.kill().expect("a signal");
        if child.wait().expect("an end").code().is_none() {
            killed += 1;
        }
        if place.path(&name).exists() {
            assert_eq!(place.files_of(&name), RESULT_FILES, "killed after {percent} %");
            assert_eq!(code(&place.narrows(["report", &name])), 0, "killed after {percent} %");
            assert_eq!(
                place.read(&format!("{name}/summary.json")),
                place.read("whole/summary.json")
            );
        }
    }
    assert!(killed > 0, "no run was killed before its end");
}

#[test]
fn ctrl_c_and_sigterm_stop_a_long_run_within_a_second() {
    let place = Scratch::new("interrupted");
    let file = place.write("long.toml", &SHORT.replace("2 s", "100_000 s"));
    let before = place.listing();
    for signal in ["-INT", "-TERM"] {
        let mut command = place.command(PROGRAM);
        let mut child = command
            .args(["run", &file])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs");
        std::thread::sleep(Duration::from_millis(700));
        assert!(child.try_wait().expect("a state").is_none(), "it ended by itself");
        let interrupted = Instant::now();
        let sent =
            place.command("kill").args([signal, &child.id().to_string()]).status().expect("kill");
        assert!(sent.success());
        let output = child.wait_with_output().expect("an end");
        let took = interrupted.elapsed();
        assert_eq!(code(&output), 2, "{signal}: {}", stderr(&output));
        assert!(took < Duration::from_secs(1), "{signal}: it took {took:?}");
        assert!(
            stderr(&output).contains("stopped; nothing was written"),
            "{signal}: {}",
            stderr(&output)
        );
        assert_eq!(place.listing(), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hangup_stops_a_run_unless_nohup_has_it_ignored() {
    let place = Scratch::new("hangup");
    let file = place.write("long.toml", &SHORT.replace("2 s", "100_000 s"));
    for (disposition, hears) in [("--default-signal=HUP", true), ("--ignore-signal=HUP", false)] {
        let mut command = place.command("env");
        let mut child = command
            .args([disposition, PROGRAM, "run", &file, "--quiet"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs");
        let number = child.id().to_string();
        let send = |signal: &str| {
            assert!(place.command("kill").args([signal, &number]).status().expect("kill").success())
        };
        std::thread::sleep(Duration::from_millis(700));
        send("-HUP");
        std::thread::sleep(Duration::from_secs(1));
        assert_eq!(child.try_wait().expect("a state").is_some(), hears, "{disposition}");
        if !hears {
            send("-TERM");
        }
        let output = child.wait_with_output().expect("an end");
        assert!(
            code(&output) == 2 && stderr(&output).contains("stopped; nothing was written"),
            "{disposition}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_costs_no_result() {
    let place = Scratch::new("pipe");
    let file = place.write("short.toml", SHORT);
    let commands: [&[&str]; 5] = [
        &["list", "metrics"],
        &["list", "controllers", "--json"],
        &["schema"],
        &["run", &file, "--out", "result"],
        &["report", "result"],
    ];
    for command in commands {
        let mut child = place
            .command(PROGRAM)
            .args(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("an end");
        assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{command:?}");
    }
    assert_eq!(place.files_of("result"), RESULT_FILES);
}

/// Returns a folder's entries, hidden ones included, without the files of kept runs.
fn beside_kept(place: &Scratch) -> Vec<String> {
    place.listing().into_iter().filter(|name| !name.ends_with(".partial")).collect()
}

#[test]
fn many_short_runs_and_long_preparations_stop_within_two_seconds_and_leave_only_runs_that_are_done()
{
    let place = Scratch::new("interrupted-many");
    let short = place.write("short.toml", &SHORT.replace("2 s", "100 ms"));
    let count = place.write("count.toml", &format!("{SHORT}count = 1_000_000\n"));
    let rates: Vec<String> = (0..200).map(|more| format!("{} kbit/s", 10_000 + more)).collect();
    let set = format!("link.bottleneck.rate={}", rates.join(","));
    let before = place.listing();
    let commands: [(&[&str], &str, u64); 6] = [
        (
            &["sweep", &short, "--set", &set, "--seeds", "1000", "--out", "sweep"],
            "runs are kept in sweep.partial",
            3000,
        ),
        (
            &["run", &short, "--seeds", "30000", "--out", "run"],
            "stopped; nothing was written",
            1500,
        ),
        (
            &["check", "bbr", "--quick", "--seeds", "1000", "--out", "check"],
            "runs are kept in check.partial",
            6000,
        ),
        (&["run", &count, "--out", "count"], "stopped; nothing was written", 1500),
        (&["reproduce", "--out", "reproduce"], "stopped; ", 500),
        (
            &["check", "bbr3", "--suite", "bbr-draft", "--out", "draft"],
            "stopped; nothing was written",
            700,
        ),
    ];
    for ((words, says, after), signal) in
        commands.into_iter().zip(["-INT", "-TERM", "-HUP"].into_iter().cycle())
    {
        let mut child = place
            .command(PROGRAM)
            .args(words)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs");
        let began = Instant::now();
        let out = words.last().expect("a directory");
        let kept = || {
            fs::read(place.path(&format!("{out}.partial")))
                .is_ok_and(|text| text.iter().filter(|byte| **byte == b'\n').count() > 1)
        };
        // If runs are kept, wait until there are some.
        while began.elapsed() < Duration::from_millis(after) || (says.contains("kept") && !kept()) {
            let ended = child.try_wait().expect("a state");
            assert!(
                ended.is_none() && began.elapsed() < Duration::from_secs(60),
                "{:.200?} ended, or keeps nothing",
                words
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(child.try_wait().expect("a state").is_none(), "{words:?} ended by itself");
        assert!(
            place
                .command("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("kill")
                .success()
        );
        let asked = Instant::now();
        let output = child.wait_with_output().expect("an end");
        let took = asked.elapsed();
        assert_eq!(code(&output), 2, "{:.200?} {signal}: {}", words, stderr(&output));
        assert!(stderr(&output).contains(says), "{:.200?} {signal}: {}", words, stderr(&output));
        // The program's own bound is one second. This bound leaves room for other tests on the same
        // machine.
        assert!(
            took < Duration::from_secs(2),
            "{:.200?}: it took {took:?} after {signal}",
            words[0]
        );
        assert_eq!(beside_kept(&place), before, "{:.200?}", words[0]);
    }
}

/// A signal reaches the program while a compiler that never ends is running.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_during_compilation_leaves_no_temporary_folder() {
    use std::os::unix::fs::PermissionsExt;
    let place = Scratch::new("interrupted-compiling");
    place.write("mine.bpf.c", "int unused;\n");
    fs::create_dir_all(place.path("bin"))
        .and_then(|()| fs::create_dir_all(place.path("tmp")))
        .expect("directories");
    place.write(
        "bin/clang",
        "#!/bin/sh\ncase \"$*\" in --version) echo clang version 99;; *) exec sleep 8;; esac\n",
    );
    fs::set_permissions(place.path("bin/clang"), fs::Permissions::from_mode(0o755))
        .expect("a program");
    let path =
        format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap_or_default());
    for signal in ["-INT", "-TERM"] {
        let mut command = place.command(PROGRAM);
        command
            .args(["compare", "./mine.bpf.c"])
            .env("PATH", &path)
            .env("TMPDIR", place.path("tmp"));
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("narrows runs");
        let began = Instant::now();
        while place.files_of("tmp").is_empty() {
            assert!(began.elapsed() < Duration::from_secs(10), "nothing was compiled");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(
            place
                .command("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("kill")
                .success()
        );
        let asked = Instant::now();
        // The standard error is shared with the compiler, which may live on, so wait for the
        // process itself.
        while fs::exists(format!("/proc/{}/exe", child.id())).is_ok_and(|there| there)
            && asked.elapsed() < Duration::from_secs(5)
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        let took = asked.elapsed();
        assert!(took < Duration::from_secs(2), "it took {took:?} after {signal}");
        child.wait().expect("it has ended");
        assert_eq!(place.files_of("tmp"), [""; 0], "{signal}");
    }
}
