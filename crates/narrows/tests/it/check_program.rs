//! `narrows check --live -- PROGRAM`: a check of a program instead of a controller.

use crate::host::{alone, capable, has, told};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};

/// Checks a program by a criterion.
fn checked(place: &Scratch, criterion: &str, words: &[&str]) -> std::process::Output {
    place.narrows(
        ["check", "--live", "--quick", "--quiet", "--json", "--only", criterion, "--out", "r"]
            .iter()
            .chain(words)
            .copied(),
    )
}

#[test]
fn a_program_that_fails_in_its_first_run_ends_the_check_with_the_reason() {
    if !capable("a_program_that_fails_in_its_first_run_ends_the_check_with_the_reason") {
        return;
    }
    let (_alone, place) = (alone(), Scratch::new("check-program"));
    let cases = [
        (vec!["--", "sh", "-c", "exit 3"], "the program ended with exit status 3 after"),
        (vec!["--", "sleep", "1"], "and the run lasts 60 s: let it send for longer"),
        (vec!["--", "narrows-no-such-program"], "\"narrows-no-such-program\" cannot be started"),
        // The check would run this baseline beside the program where the program does not pass.
        (vec!["--baselines", "bbr3", "--", "true"], "Linux has no such controller"),
        // Sender and receiver have names that do not depend on the network.
        (
            vec![
                "--",
                "sh",
                "-c",
                "getent ahostsv4 receiver | grep -q {receiver} && getent ahostsv4 sender && exit 5",
            ],
            "exit status 5",
        ),
    ];
    for (words, said) in cases {
        let output = checked(&place, "wired", &words);
        assert_eq!(code(&output), 2, "{}", told(&output));
        assert!(stderr(&output).contains(said), "{}", told(&output));
        assert_eq!(
            place.listing(),
            Vec::<String>::new(),
            "nothing that looks complete, or that has to be made way for"
        );
    }
}

#[test]
fn a_program_is_refused_where_it_would_not_be_heeded() {
    let place = Scratch::new("check-program-refused");
    for (words, said) in [
        ("check -- true", "--live"),
        ("check cubic --live -- true", "cannot be used with"),
        ("check --live --serve true", "<PROGRAM>"),
        ("check cubic --live --serve true", "cannot be used with"),
        ("check cubic --suite tcpeval --live", "which judges nothing"),
        ("check --live --against cubic -- true", "the two checks have different"),
        ("check --live --suite media -- true", "leave --suite out"),
    ] {
        let output = place.narrows(words.split(' '));
        assert_eq!(code(&output), 2, "{words}: {}", told(&output));
        assert!(stderr(&output).contains(said), "{words}: {}", told(&output));
    }
}

/// Run by `make long`.
mod long {
    use super::*;
    use serde_json::Value;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    #[test]
    #[ignore = "long: make long"]
    fn iperf3_with_cubic_does_on_the_kernel_as_cubic_does_in_the_simulator() {
        let test = "iperf3_with_cubic_does_on_the_kernel_as_cubic_does_in_the_simulator";
        if !capable(test) || !has("iperf3", test) {
            return;
        }
        let (_alone, place) = (alone(), Scratch::new("check-iperf3"));
        let output = checked(
            &place,
            "far",
            &["--serve", "iperf3 -s", "--", "iperf3", "-c", "receiver", "-C", "cubic", "-t", "90"],
        );
        assert_eq!(code(&output), 0, "{}", told(&output));
        let checked: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
        assert_eq!(checked["program"], true);
        let far = checked["criteria"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|own| own["id"] == "far")
            .expect("it was asked for");
        // If the host is too slow, the check says so and gives no verdict.
        if far["verdict"] == "not run" {
            return;
        }
        let cells = far["cells"].as_array().expect("a list");
        let used = cells.iter().find(|cell| cell["measure"] == "utilisation").expect("the rule");
        let number = |of: &Value| of[0].as_f64().expect("a number");
        let cubic = used["beside"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|own| own["of"] == "cubic")
            .expect("a baseline");
        assert!(
            (number(&used["subject"]) - number(&cubic["values"])).abs() < 5.0,
            "the margin of the rule: {used:#}"
        );
        assert!(place.path("r/report.html").exists());
    }

    /// The check makes three runs of a few seconds. Stopped after the first, it makes the other two
    /// when it is resumed.
    #[test]
    #[ignore = "long: make long"]
    fn a_check_of_a_program_that_was_stopped_goes_on() {
        let test = "a_check_of_a_program_that_was_stopped_goes_on";
        if !capable(test) || !has("iperf3", test) {
            return;
        }
        let (_alone, place) = (alone(), Scratch::new("check-iperf3-resumed"));
        let words = "check --live --quick --suite bbr-draft --only T01,T12 --out r --serve";
        let arguments: Vec<&str> = words
            .split(' ')
            .chain(["iperf3 -s", "--", "iperf3", "-c", "receiver", "-C", "cubic", "-t", "60"])
            .collect();
        let mut child = place
            .command(PROGRAM)
            .args(&arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("narrows runs");
        let began = Instant::now();
        // The file has a header line that identifies the check, and one line for each run.
        let kept = || {
            std::fs::read(place.path("r.partial"))
                .map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count())
        };
        while kept() < 2 && began.elapsed() < Duration::from_secs(120) {
            std::thread::sleep(Duration::from_millis(10));
        }
        let stopped = Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill runs");
        assert!(stopped.success(), "it ended before");
        assert_eq!(child.wait().expect("it ends").code(), Some(2));
        assert_eq!(kept(), 2);
        let output = place.narrows(arguments.iter().copied());
        assert!(
            stderr(&output)
                .contains("1 run is kept from before; 2 runs of the program on the kernel"),
            "{}",
            told(&output)
        );
        let checked: Value = serde_json::from_slice(&place.read("r/check.json")).expect("JSON");
        let judged: Vec<_> = checked["criteria"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|own| own["id"].clone())
            .collect();
        assert_eq!(judged, ["T01", "T12"]);
        assert!(!place.path("r.partial").exists());
    }
}
