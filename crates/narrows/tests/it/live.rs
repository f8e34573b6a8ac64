//! Live runs as a user meets them: programs in the network, users without root, faults. None of
//! them leaves anything behind.

use crate::host::{Traces, alone, capable, has, left_running, live, told};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A scenario long enough for a program to run in it.
const PLACE: &str = r#"name = "Place"
duration = "20 s"

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "5 ms"
buffer = "2 bdp"

[[flow]]
name = "first"
from = "left"
to = "right"
controller = "cubic"
"#;

fn ran(output: &Output) -> bool {
    matches!(code(output), 0 | 3)
}

fn summary(place: &Scratch, directory: &str) -> Value {
    serde_json::from_slice(&place.read(&format!("{directory}/summary.json"))).expect("JSON")
}

#[test]
fn doctor_says_what_is_there_and_what_is_missing() {
    let output = Command::new(PROGRAM).args(["doctor", "--json"]).output().expect("narrows runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["live"].as_bool(), Some(output.status.success()), "{report:#}");
    let all = report["capabilities"].as_array().expect("a list");
    assert!(all.len() > 10, "{report:#}");
    for one in all {
        let there = one["state"] == "ok";
        assert!(!one["found"].as_str().expect("text").is_empty(), "{one}");
        assert_eq!(there, one["remedy"].as_str() == Some(""), "{one}");
    }
    let text = stdout(&Command::new(PROGRAM).arg("doctor").output().expect("narrows runs"));
    assert!(text.contains("kernel") && text.contains("/dev/net/tun"), "{text}");
    // Controllers that are only simulated have one line.
    let others: Vec<_> = text.lines().filter(|line| line.contains("copa")).collect();
    assert!(others.len() == 1 && others[0].contains("Linux has none of prague, "), "{text}");
}

#[test]
fn iperf3_takes_the_place_of_the_flows() {
    let test = "iperf3_takes_the_place_of_the_flows";
    if !capable(test) || !has("iperf3", test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-iperf3"));
    let file = place.write("place.toml", PLACE);
    let began = Instant::now();
    let output = live(
        &place,
        &[
            &file,
            "--out",
            "result",
            "--serve",
            "iperf3 -s",
            "--",
            "iperf3",
            "-c",
            "right",
            "-t",
            "2",
            "-C",
            "cubic",
        ],
    );
    assert!(ran(&output), "{}", told(&output));
    assert!(began.elapsed() < Duration::from_secs(12), "the run ends with the program");
    assert!(stdout(&output).contains("receiver"), "what iperf3 prints is seen: {}", told(&output));
    // 10 Mbit/s without headers are 9.65 Mbit/s. The mean includes start and end, which take longer
    // on a busy machine.
    let goodput = summary(&place, "result")["cases"][0]["metrics"]["goodput"]["median"].as_f64();
    assert!(
        goodput.is_some_and(|goodput| (1.0..9.7).contains(&goodput)),
        "{goodput:?} {}",
        told(&output)
    );
    let row = stdout(&output).lines().any(|line| line.starts_with("program  cubic"));
    assert!(row, "the kernel tells the controller: {}", told(&output));
    let allowed = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
        .expect("a list");
    let noted = stdout(&output).contains("this kernel gives cubic to no connection by default");
    assert_eq!(noted, !allowed.split_whitespace().any(|name| name == "cubic"), "{}", told(&output));
}

#[test]
fn a_receive_window_bounds_a_real_connection() {
    if !capable("a_receive_window_bounds_a_real_connection") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-window"));
    let network =
        PLACE.replace("10 Mbit/s", "100 Mbit/s").replace("5 ms", "100 ms").replace("20 s", "6 s");
    let file = place.write(
        "place.toml",
        &format!("warmup = \"2 s\"\n{network}\n[transport]\nreceive_window = \"200 kB\"\n"),
    );
    let output = live(&place, &[&file, "--out", "result"]);
    assert!(ran(&output), "{}", told(&output));
    // 200 kB each 200 ms are 8 Mbit/s. The kernel's own rounding of this clamp, 65,535 B times a
    // power of two, would give 10.5 Mbit/s.
    let goodput = summary(&place, "result")["cases"][0]["metrics"]["goodput"]["median"].as_f64();
    assert!(
        goodput.is_some_and(|goodput| (7.0..8.3).contains(&goodput)),
        "{goodput:?} {}",
        told(&output)
    );
}

#[test]
fn a_shell_sees_the_hosts_by_name_address_and_variable() {
    if !capable("a_shell_sees_the_hosts_by_name_address_and_variable") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-shell"));
    let file = place.write("place.toml", PLACE);
    let script = "test \"$1\" = \"$NARROWS_ADDRESS_RIGHT\" && getent ahostsv4 right | grep -q \"$1\" && ip -o link | grep -c narrows0";
    let output = live(
        &place,
        &[&file, "--json", "--out", "result", "--", "sh", "-c", script, "sh", "{right}"],
    );
    assert!(ran(&output), "{}", told(&output));
    // With --json, the program's output is kept apart from the result.
    assert!(serde_json::from_str::<Value>(&stdout(&output)).is_ok(), "{}", told(&output));
    assert!(stderr(&output).contains("1\n"), "{}", told(&output));
}

#[test]
fn a_program_that_fails_is_told_and_the_record_kept() {
    if !capable("a_program_that_fails_is_told_and_the_record_kept") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-crash"));
    let file = place.write("place.toml", &format!("{PLACE}[expect]\ngoodput = {{ min = 8 }}\n"));
    let cases = [
        ("kill -SEGV $$", "was ended by signal 11 (segmentation fault)"),
        ("exit 7", "ended with exit status 7"),
        // Only the kernel reports signals as such: exit status 130 is a shell's convention.
        (
            "exit 130",
            "the program \"sh\" ended with exit status 130 (with which a shell tells of signal 2)",
        ),
        ("kill -INT $$", "the program \"sh\" was ended by signal 2;"),
        // A process that is left running in the background is ended too.
        ("sleep 100 & exit 1", "ended with exit status 1"),
    ];
    for (number, (script, said)) in cases.iter().enumerate() {
        let directory = format!("result{number}");
        let output = live(&place, &[&file, "--out", &directory, "--", "sh", "-c", script]);
        assert_eq!(code(&output), 2, "{}", told(&output));
        assert!(
            stderr(&output).contains(said) && stderr(&output).contains(&directory),
            "{}",
            told(&output)
        );
        assert!(place.path(&format!("{directory}/report.html")).exists());
        assert!(
            !stdout(&output).contains("expected at least"),
            "what it did not do is not judged: {}",
            told(&output)
        );
    }
    let output = live(&place, &[&file, "--out", "none", "--", "narrows-no-such-program"]);
    assert_eq!(code(&output), 2, "{}", told(&output));
    assert!(
        stderr(&output).contains("\"narrows-no-such-program\" cannot be started"),
        "{}",
        told(&output)
    );
    let output = live(&place, &[&file, "--on", "nowhere", "--", "true"]);
    assert!(
        stderr(&output).contains("there is no host \"nowhere\"")
            && stderr(&output).contains("left, right"),
        "{}",
        told(&output)
    );
}

#[test]
fn a_device_that_is_deleted_ends_the_run_with_a_message() {
    if !capable("a_device_that_is_deleted_ends_the_run_with_a_message") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-deleted"));
    let file = place.write("place.toml", PLACE);
    let output = live(
        &place,
        &[&file, "--with-flows", "--", "sh", "-c", "sleep 0.5; ip link del narrows0; sleep 20"],
    );
    assert_eq!(code(&output), 2, "{}", told(&output));
    assert!(stderr(&output).contains("device of host \"left\""), "{}", told(&output));
}

#[test]
fn an_interrupted_or_killed_run_leaves_nothing() {
    if !capable("an_interrupted_or_killed_run_leaves_nothing") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-killed"));
    let file = place.write("place.toml", PLACE);
    let before = Traces::now();
    for (signal, said) in [("-INT", "stopped"), ("-TERM", "stopped"), ("-KILL", "")] {
        let mark = format!("live-killed-{}{signal}", std::process::id());
        let mut command = place.command(PROGRAM);
        command.args([
            "live",
            &file,
            "--out",
            "result",
            "--with-flows",
            "--serve",
            "sleep 99",
            "--",
            "sh",
            "-c",
            "sleep 98; true",
        ]);
        let mut child = command
            .env("NARROWS_TEST", &mark)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("narrows runs");
        let began = Instant::now();
        // The processes are narrows, two keepers of namespaces, two shells and the commands that
        // these started.
        while left_running(&mark).len() < 6 && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(
            left_running(&mark).len() >= 6,
            "program, server and narrows run: {:?}",
            left_running(&mark)
        );
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("kill")
                .success()
        );
        let status = child.wait().expect("an end");
        let mut text = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().expect("piped"), &mut text)
            .expect("text");
        if signal != "-KILL" {
            assert_eq!(status.code(), Some(2), "{text}");
        }
        assert!(text.contains(said), "{text}");
        let killed = Instant::now();
        while !left_running(&mark).is_empty() && killed.elapsed() < Duration::from_secs(2) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(left_running(&mark), Vec::<String>::new());
        assert_eq!(Traces::now(), before);
        assert!(!place.path("result").exists(), "no result that looks complete");
    }
}

/// Runs narrows behind a shell command that takes something away from it.
fn without(place: &Scratch, shell: &str, arguments: &str) -> Output {
    let before = Traces::now();
    let script = shell.replace("NARROWS", &format!("{PROGRAM} {arguments}"));
    let output = place.command("sh").args(["-c", &script]).output().expect("a shell");
    assert_eq!(Traces::now(), before, "{script}");
    output
}

#[test]
fn without_rights_it_says_how_to_get_them() {
    let test = "without_rights_it_says_how_to_get_them";
    if !capable(test) || !has("setpriv", test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-rights"));
    let file = place.write("place.toml", PLACE);
    // A user namespace without capabilities, in which no other user namespace can be created.
    let bare = "unshare --user --map-root-user sh -c 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all NARROWS'";
    let output = without(&place, bare, &format!("live {file}"));
    assert_eq!(code(&output), 2, "{}", told(&output));
    assert!(
        stderr(&output).contains("may not make network namespaces")
            && stderr(&output).contains("sudo"),
        "{}",
        told(&output)
    );
    let output = without(&place, bare, "doctor");
    assert_eq!(code(&output), 1, "{}", told(&output));
    assert!(
        stdout(&output).contains("missing  rights")
            && stdout(&output).contains("cannot run live here"),
        "{}",
        told(&output)
    );
}

#[test]
fn a_user_without_root_runs_live_in_a_namespace_of_its_own() {
    let test = "a_user_without_root_runs_live_in_a_namespace_of_its_own";
    let nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups NARROWS";
    let place = Scratch::new("live-user");
    if !capable(test) || !has("setpriv", test) {
        return;
    }
    // Other users may have no access to the directory of the program, so copy it.
    let copy = std::env::temp_dir().join(format!("narrows-live-user-{}", std::process::id()));
    fs::create_dir(&copy).expect("a directory");
    fs::copy(PROGRAM, copy.join("narrows")).expect("a copy");
    fs::write(copy.join("place.toml"), PLACE.replace("20 s", "1 s")).expect("a file");
    Command::new("chmod").args(["-R", "a+rwX"]).arg(&copy).status().expect("chmod");
    let _alone = alone();
    let within = |arguments: &str| {
        let shell =
            nobody.replace("NARROWS", &format!("{} {arguments}", copy.join("narrows").display()));
        let output = without(&place, &format!("cd {} && {shell}", copy.display()), "");
        (output, ())
    };
    let (doctor, ()) = within("doctor");
    if code(&doctor) == 1 {
        eprintln!("{test}: left out, users may not make namespaces here: {}", stdout(&doctor));
    } else {
        let (output, ()) = within("live place.toml --out result");
        assert!(ran(&output), "{}", told(&output));
        assert!(copy.join("result/report.html").exists());
    }
    fs::remove_dir_all(&copy).expect("removed");
}

#[test]
fn without_a_tun_device_it_says_how_to_get_one() {
    let test = "without_a_tun_device_it_says_how_to_get_one";
    if !capable(test) || !has("unshare", test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-tun"));
    let file = place.write("place.toml", PLACE);
    let hidden = "unshare --mount sh -c 'mount -t tmpfs none /dev/net && exec NARROWS'";
    let output = without(&place, hidden, &format!("live {file}"));
    assert_eq!(code(&output), 2, "{}", told(&output));
    assert!(
        stderr(&output).contains("TUN device") && stderr(&output).contains("modprobe tun"),
        "{}",
        told(&output)
    );
}

#[test]
fn a_full_disk_costs_the_files_not_the_table() {
    let test = "a_full_disk_costs_the_files_not_the_table";
    if !capable(test) || !has("unshare", test) {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-full"));
    let file = place.write("place.toml", &PLACE.replace("20 s", "1 s"));
    fs::create_dir(place.path("disk")).expect("a directory");
    let small = "unshare --mount sh -c 'mount -t tmpfs -o size=64k none disk && exec NARROWS'";
    let output = without(&place, small, &format!("live {file} --out disk/result"));
    assert_eq!(code(&output), 2, "{}", told(&output));
    assert!(
        stdout(&output).contains("Utilisation"),
        "what was measured is printed: {}",
        told(&output)
    );
    assert!(
        stderr(&output).contains("No space left") && stderr(&output).contains("free some space"),
        "{}",
        told(&output)
    );
    assert!(!place.path("disk/result").exists());
}

#[test]
fn what_the_kernel_cannot_do_is_refused_at_its_line() {
    if !capable("what_the_kernel_cannot_do_is_refused_at_its_line") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("live-refused"));
    let file = place.write("refused.toml", &format!("{PLACE}transport = {{ tick = \"10 ms\" }}\n"));
    let output = live(&place, &[&file]);
    assert_eq!(code(&output), 2, "{}", told(&output));
    let said = stderr(&output);
    assert!(
        said.contains("flow \"first\" cannot run live")
            && said.contains("tick = 0")
            && said.contains("refused.toml:16"),
        "{said}"
    );
    assert_eq!(place.listing(), ["refused.toml"]);
}
