//! Bad input and bad flags are refused with file, line and remedy, and nothing is written.

use super::without;
use crate::scratch::{PROGRAM, SHORT, Scratch, code, stderr, stdout};
use std::fs;
use std::process::Stdio;

/// A faulty file: a name for the fault, the text of the file, the number of the line that the
/// message shows, and parts of the message and its help.
struct Refused {
    what: &'static str,
    text: String,
    line: usize,
    says: &'static [&'static str],
}

fn refused(
    what: &'static str,
    text: impl Into<String>,
    line: usize,
    says: &'static [&'static str],
) -> Refused {
    Refused { what, text: text.into(), line, says }
}

#[test]
fn bad_input_is_refused_with_file_line_and_remedy_and_nothing_is_written() {
    let with = |from: &str, to: &str| SHORT.replacen(from, to, 1);
    let traced = |trace: &str| {
        without(SHORT, "rate").replace("delay", &format!("trace = \"{trace}\"\ndelay"))
    };
    let ring = r#"duration = "2 s"
link = [
    { name = "ab", from = "a", to = "b", rate = "1 Mbit/s" },
    { name = "ba", from = "b", to = "a", rate = "1 Mbit/s" },
    { name = "ac", between = ["a", "c"], rate = "1 Mbit/s" },
]
[[flow]]
from = "a"
to = "c"
controller = "cubic"
route = ["ab", "ba", "ac"]
"#;
    let cases = [
        refused("unknown key", with("delay", "dealy"), 8, &["unknown", "dealy", "delay"]),
        refused(
            "missing unit",
            with("10 Mbit/s", "10"),
            7,
            &["it has no unit", "write for example \"100 Mbit/s\""],
        ),
        refused(
            "number without quotes",
            with("\"10 Mbit/s\"", "10"),
            7,
            &["it has no unit", "100 Mbit/s"],
        ),
        refused(
            "negative rate",
            with("10 Mbit/s", "-10 Mbit/s"),
            7,
            &["it is negative", "write for example"],
        ),
        refused(
            "rate of zero",
            with("10 Mbit/s", "0 Mbit/s"),
            7,
            &["must be greater than zero", "above zero"],
        ),
        refused(
            "negative delay",
            with("5 ms", "-5 ms"),
            8,
            &["it is negative", "write for example"],
        ),
        refused(
            "dangling flow",
            with("to = \"right\"", "to = \"rihgt\""),
            14,
            &["there is no node \"rihgt\"", "did you mean \"right\"?"],
        ),
        refused(
            "dangling link",
            with("[[link]]", "[[node]]\nname = \"left\"\n\n[[link]]"),
            9,
            &["there is no node \"right\"", "[[node]]"],
        ),
        refused(
            "link to itself",
            with("[\"left\", \"right\"]", "[\"left\", \"left\"]"),
            6,
            &["to itself", "two different nodes"],
        ),
        refused("route loop", ring, 11, &["where the route has already been", "loop"]),
        refused(
            "unreadable trace",
            traced("nowhere.up"),
            7,
            &["nowhere.up", "cannot be read", "give the path"],
        ),
        refused(
            "trace that is a directory",
            traced("directory"),
            7,
            &["directory", "cannot be read"],
        ),
        refused(
            "empty trace",
            traced("empty.up"),
            7,
            &["empty.up:1: the trace is empty", "for example"],
        ),
        refused("trace out of order", traced("backwards.up"), 7, &["backwards.up:2:"]),
        refused("buffer of 0", with("1 bdp", "0 kB"), 9, &["holds nothing", "above zero"]),
        refused(
            "buffer smaller than a packet",
            with("1 bdp", "100 B"),
            9,
            &["cannot hold a packet", "at least one full packet"],
        ),
        refused(
            "no flows",
            SHORT.split("\n[[flow]]").next().unwrap_or_default(),
            1,
            &["no flows", "add a [[flow]]"],
        ),
        refused(
            "count of 0",
            format!("{SHORT}count = 0\n"),
            16,
            &["a count of 0 makes no flow", "1 or more"],
        ),
        refused(
            "NaN",
            with("buffer", "loss = { probability = nan }\nbuffer"),
            9,
            &["not a probability", "from 0 to 1"],
        ),
        refused(
            "NaN in a band",
            format!("{SHORT}[expect]\nutilisation = {{ min = nan }}\n"),
            17,
            &["finite"],
        ),
        refused(
            "unknown metric",
            format!("{SHORT}[expect]\nutilization = {{ min = 9 }}\n"),
            17,
            &["utilization", "did you mean \"utilisation\"?"],
        ),
        refused(
            "flows of one name",
            format!("{SHORT}{}", &SHORT[SHORT.find("[[flow]]").unwrap_or(0)..]),
            17,
            &["two flows are called \"first\"", "rename"],
        ),
        refused(
            "links of one name",
            SHORT.replace(
                "[[flow]]",
                "[[link]]\nname = \"bottleneck\"\nbetween = [\"left\", \"right\"]\n[[flow]]",
            ),
            12,
            &["two links are called \"bottleneck\"", "rename"],
        ),
        refused(
            "unknown controller",
            with("cubic", "qubic"),
            15,
            &["there is no controller \"qubic\"", "cubic"],
        ),
        refused(
            "unknown parameter",
            with("cubic", "cubic?hzz=250"),
            15,
            &["no parameter \"hzz\"", "hz"],
        ),
        refused(
            "parameter out of range",
            with("cubic", "cubic?hz=1"),
            15,
            &["hz=1", "100 to 1000"],
        ),
        refused(
            "duration of 0",
            with("2 s", "0 s"),
            2,
            &["must be greater than zero", "above zero"],
        ),
        refused(
            "warm-up of everything",
            with("duration", "warmup = \"2 s\"\nduration"),
            2,
            &["must be shorter than the run", "shorter"],
        ),
        refused("not TOML", with("[[link]]", "[[link]"), 4, &[]),
    ];
    let place = Scratch::new("refused");
    place.write("empty.up", "");
    place.write("backwards.up", "5\n3\n");
    fs::create_dir(place.path("directory")).expect("a directory");
    for Refused { what, text, line, says } in cases {
        let file = place.write("bad.toml", &text);
        let before = place.listing();
        for command in [
            vec!["run", &file],
            vec!["run", &file, "--out", "result"],
            vec!["compare", "--file", &file],
        ] {
            let output = place.narrows(command);
            let told = stderr(&output);
            assert_eq!(code(&output), 2, "{what}: {}{told}", stdout(&output));
            assert_eq!(stdout(&output), "", "{what}");
            assert!(
                told.contains(&format!("bad.toml:{line}:")),
                "{what}: line {line} is not named\n{text}\n{told}"
            );
            // Messages break long lines.
            let flat =
                told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
            assert!(flat.contains("help: "), "{what}: no remedy\n{told}");
            for said in says {
                assert!(flat.contains(said), "{what}: \"{said}\" is not said\n{told}");
            }
            assert!(!told.contains("panicked"), "{what}: {told}");
            assert_eq!(place.listing(), before, "{what} wrote something");
        }
    }
}

#[test]
fn bad_flags_are_refused_and_nothing_is_written() {
    let place = Scratch::new("flags");
    let cases: [(&[&str], &str); 16] = [
        (&["compare", "--rate", "10"], "it has no unit; write for example \"100 Mbit/s\""),
        (&["compare", "--rate=-10 Mbit/s"], "it is negative"),
        (&["compare", "--rate", "nan"], "not a rate"),
        (&["compare", "--loss", "nan"], "not a share of packets"),
        (&["compare", "--loss", "1"], "write \"100 %\" or \"1 %\""),
        (&["compare", "--loss", "150 %"], "not a share of packets"),
        (&["compare", "--flows", "0"], "give a whole number from 1 on"),
        (&["compare", "--seeds", "many"], "give a whole number from 1 to 100000"),
        (&["run", "x.toml", "--jobs", "2000"], "give a whole number from 1 to 1024"),
        (&["compare", "--buffer", "0 kB"], "holds nothing"),
        (&["compare", "--duration", "0 s"], "must be greater than zero"),
        (&["compare", "--trace", "nowhere.up"], "cannot be read"),
        (&["compare", "cubic", "cubic"], "cubic is named twice; name each once"),
        (&["compare", "qubic"], "there is no controller \"qubic\""),
        (&["run", "nowhere.toml"], "nowhere.toml cannot be read"),
        (&["report", "nowhere"], "give the directory of a complete result"),
    ];
    for (arguments, says) in cases {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 2, "{arguments:?}: {}", stderr(&output));
        assert!(
            stderr(&output).contains(says),
            "{arguments:?}: \"{says}\" is not said\n{}",
            stderr(&output)
        );
        assert_eq!(place.listing(), Vec::<String>::new(), "{arguments:?} wrote something");
    }
}

#[test]
fn what_needs_flows_is_refused_of_information_centric_networks() {
    let place = Scratch::new("icn-refused");
    let file = place.write("icn.toml", include_str!("../../../../../scenarios/icn.toml"));
    let before = place.listing();
    for (arguments, says) in [
        (vec!["run", &file, "--pcap", "all"], "leave --pcap out"),
        (vec!["run", &file, "--qlog", "first"], "leave --qlog out"),
        (vec!["compare", "cubic", "--file", &file], "narrows compare --icn cubic --file"),
    ] {
        let output = place.narrows(arguments.clone());
        let told = stderr(&output);
        let flat =
            told.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert_eq!(code(&output), 2, "{arguments:?}: {told}");
        assert!(
            told.contains("icn.toml:7:") && flat.contains(says) && !told.contains("panicked"),
            "{arguments:?}: {told}"
        );
        assert_eq!(place.listing(), before, "{arguments:?} wrote something");
    }
}

#[test]
fn an_output_directory_that_exists_is_left_alone() {
    let place = Scratch::new("exists");
    let file = place.write("short.toml", SHORT);
    fs::create_dir(place.path("result")).expect("a directory");
    place.write("result/precious.txt", "mine");
    let before = place.listing();
    for arguments in [vec!["run", &file, "--out", "result"], vec!["compare", "--out", "result"]] {
        let output = place.narrows(arguments);
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains(
                "result already exists; choose another directory with --out, or remove this one"
            ),
            "{}",
            stderr(&output)
        );
        assert_eq!(place.listing(), before);
        assert_eq!(place.read("result/precious.txt"), b"mine");
    }
}

#[test]
fn a_matrix_has_no_place_for_controllers_that_need_routers() {
    let place = Scratch::new("matrix-router");
    let refused = place.narrows(["matrix", "cubic", "rcp"]);
    assert_eq!(code(&refused), 2);
    assert!(
        stderr(&refused).contains("rcp needs the rcp router")
            && stderr(&refused).contains("narrows compare cubic rcp"),
        "{}",
        stderr(&refused)
    );
    assert!(place.listing().is_empty());
}

#[test]
fn unknown_words_get_a_tip_that_helps_or_none() {
    let place = Scratch::new("tips");
    let told = |words: &[&str]| {
        let output = place.narrows(words.iter().copied());
        assert_eq!(code(&output), 2);
        stderr(&output)
    };
    let tip = told(&["run", "x.toml", "--duration", "10 s"]);
    assert!(
        tip.contains(
            "tip: this is a key of the scenario; change it with --set 'duration=\"10 s\"'"
        ) && !tip.contains("--at"),
        "{tip}"
    );
    let tip = told(&["run", "x.toml", "--watch", "8080"]);
    assert!(tip.contains("tip: write '--watch=8080'"), "{tip}");
    let tip = told(&["compare", "cubic", "--duraton", "3 s"]);
    assert!(tip.contains("'--duration'"), "{tip}");
    let tip = told(&["run", "x.toml", "--seeds", "-1"]);
    assert!(!tip.contains("tip:"), "{tip}");
}

/// The tip for `run --duration` names an existing flag, and following the tip works.
#[test]
fn a_key_of_a_scenario_is_changed_for_one_run() {
    let place = Scratch::new("set-one");
    let file = place.write("short.toml", SHORT);
    let arguments = [
        "run",
        &file,
        "--set",
        "duration=3 s",
        "--set",
        "link.bottleneck.rate=5 Mbit/s",
        "--set",
        "flow.first.count=2",
        "--out",
        "out",
    ];
    let output = place.narrows(arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let written = String::from_utf8(place.read("out/scenario.toml")).expect("text");
    for line in ["duration = \"3 s\"", "rate = \"5 Mbit/s\"", "\"first.1\"", "\"first.2\""] {
        assert!(written.contains(line), "{line} is not in {written}");
    }
    let wrong = place.narrows(["run", &file, "--set", "link.none.rate=5 Mbit/s"]);
    assert!(code(&wrong) == 2 && stderr(&wrong).contains("none"), "{}", stderr(&wrong));
}

#[test]
fn numbers_and_names_that_are_none_get_a_remedy() {
    let place = Scratch::new("none-such");
    place.write("grad.c", "int unused;\n");
    let told = |words: &[&str]| {
        let output = place.narrows(words.iter().copied());
        assert_eq!(code(&output), 2, "{words:?}");
        stderr(&output)
    };
    let flows = told(&["compare", "cubic", "--flows", "2.5"]);
    assert!(flows.contains("give a whole number") && !flows.contains("invalid digit"), "{flows}");
    let file = told(&["compare", "grad.c"]);
    assert!(file.contains("did you mean the file \"./grad.c\"?"), "{file}");
    let entry = told(&["list", "controllers", "cubik"]);
    assert!(entry.contains("cubic"), "{entry}");
    let one = place.narrows(["list", "controllers", "cubic"]);
    assert!(
        stdout(&one).starts_with("cubic") && stdout(&one).lines().count() < 30,
        "{}",
        stdout(&one)
    );
}

/// The reader of the standard error has gone away. The program must not panic.
#[test]
fn messages_that_nobody_reads_are_no_failure() {
    let place = Scratch::new("unread");
    let mut child = place
        .command(PROGRAM)
        .args(["compare", "cubic", "--flows", "2.5"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("narrows runs");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("an end").code(), Some(2));
}

#[test]
fn a_policer_that_passes_nothing_and_an_outage_without_end_are_refused() {
    let place = Scratch::new("no-traffic");
    let told = |text: &str| {
        let file = place.write("wrong.toml", text);
        let output = place.narrows(["run", &file, "--out", "out"]);
        assert_eq!(code(&output), 2, "{text}");
        stderr(&output)
    };
    let policer = |burst: &str| {
        SHORT.replace(
            "buffer = \"1 bdp\"",
            &format!("buffer = \"1 bdp\"\nqueue = \"policer?rate=5&burst={burst}\""),
        )
    };
    let refused = told(&policer("1"));
    assert!(
        refused.contains("never passes a packet of")
            && refused.contains("make burst, which is in kB"),
        "{refused}"
    );
    let file = place.write("right.toml", &policer("15"));
    assert_eq!(code(&place.narrows(["run", &file, "--out", "right"])), 0);
    let change = "\n[[change]]\nat = \"0.2 s\"\nlink = \"bottleneck\"\ndown_for = \"0.5 s\"\nevery = \"0.5 s\"\ntimes = 3\n";
    let refused = told(&(SHORT.to_owned() + change));
    assert!(refused.contains("is not over when the next begins, after"), "{refused}");
}

/// A flow that never opens its connection has no results, and the summary says so.
#[test]
fn a_connection_that_never_opens_is_noted() {
    let place = Scratch::new("unopened");
    let arguments = [
        "compare",
        "cubic",
        "--flows",
        "1",
        "--loss",
        "100 %",
        "--rate",
        "10 Mbit/s",
        "--duration",
        "5 s",
        "--seeds",
        "1",
        "--out",
        "out",
    ];
    let output = place.narrows(arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let text = stdout(&output);
    assert!(
        text.contains("no connection opened in")
            && text.contains("SYNs got an answer: the network dropped"),
        "{text}"
    );
}
