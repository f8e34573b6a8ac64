//! `narrows check` as a user meets it: verdicts, files, versions, refusals, and resuming after an
//! interruption.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use narrows_report::sha256;
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SMALL: [&str; 5] = ["check", "bbr", "--quick", "--only", "far,wired"];

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).expect("JSON")
}

#[test]
fn a_check_gives_verdicts_and_files_and_the_same_bytes_with_any_threads() {
    let place = Scratch::new("check");
    for jobs in ["1", "2"] {
        let output =
            place.narrows(SMALL.into_iter().chain(["--quiet", "--jobs", jobs, "--out", jobs]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(
            stdout(&output).lines().all(|line| line.chars().count() <= 120),
            "{}",
            stdout(&output)
        );
    }
    for file in ["check.json", "check.md", "report.html", "runs.parquet"] {
        assert!(
            place.read(&format!("1/{file}")) == place.read(&format!("2/{file}")),
            "{file} depends on the threads"
        );
    }
    let check = json(&place.read("1/check.json"));
    let verdicts: Vec<_> = check["criteria"]
        .as_array()
        .expect("criteria")
        .iter()
        .map(|own| (&own["id"], &own["verdict"]))
        .collect();
    // BBR leaves an eighth of the satellite's capacity unused because it drains and probes. On
    // wired paths it is within 5 points of CUBIC.
    assert_eq!(
        verdicts,
        [
            (&Value::from("wired"), &Value::from("pass")),
            (&Value::from("far"), &Value::from("concern"))
        ]
    );
    // Far: three controllers; five seeds, thirty fresh seeds and three variants of five seeds.
    // Wired: three cells.
    assert_eq!(check["runs"], 3 * (5 + 30 + 15) + 3 * 3 * 5);
    for file in ["scenario-far.toml", "course-far.svg"] {
        assert!(place.files_of("1").contains(&file.to_owned()), "{:?}", place.files_of("1"));
    }
    let ran = place.narrows(["run", "1/scenario-far.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
    let page = place.read("1/report.html");
    let drawn = place.narrows(["report", "1", "--json"]);
    assert_eq!(
        (code(&drawn), drawn.stdout == place.read("1/check.json")),
        (0, true),
        "{}",
        stderr(&drawn)
    );
    assert!(place.read("1/report.html") == page, "the page is drawn as it was");
    let schema = json(&place.narrows(["schema", "--check"]).stdout);
    described(&check, &schema, &schema);
    let markdown = String::from_utf8(place.read("1/check.md")).expect("text");
    assert!(markdown.contains("| far | 7.5 | ought | concern |\n"), "{markdown}");
    assert!(markdown.contains("- **far**, concern: worst in far: utilisation"), "{markdown}");
    assert!(markdown.contains("newreno") && markdown.contains("Beyond the bound by"), "{markdown}");
    let paragraphs = markdown.lines().filter(|line| !line.starts_with(['|', '#', ' ']));
    assert!(
        paragraphs.clone().count() > 5
            && paragraphs.into_iter().all(|line| line.chars().count() <= 80),
        "{markdown}"
    );
    // A figure from elsewhere becomes an image in the page, so that browsers do not run its
    // scripts.
    let (hostile, sums) = (
        "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>",
        place.read("1/SHA256SUMS"),
    );
    let sum = sha256(&place.read("1/course-far.svg"));
    place.write("1/course-far.svg", hostile);
    place.write(
        "1/SHA256SUMS",
        &String::from_utf8(sums).expect("text").replace(&sum, &sha256(hostile.as_bytes())),
    );
    let drawn = place.narrows(["report", "1"]);
    assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
    let page = String::from_utf8(place.read("1/report.html")).expect("text");
    assert!(
        !page.contains("<script>alert") && page.contains("src=\"data:image/svg+xml;base64,"),
        "the script is in the page"
    );
}

/// Asserts that the schema has every key of a value, and that the value has every required key.
fn described(value: &Value, schema: &Value, root: &Value) {
    let schema = match schema["$ref"].as_str() {
        Some(reference) => root.pointer(reference.trim_start_matches('#')).expect("it is defined"),
        None => schema,
    };
    match value {
        Value::Object(keys) => {
            let any = schema["anyOf"]
                .as_array()
                .and_then(|all| all.iter().find(|own| own["type"] != "null"));
            if let Some(own) = any {
                return described(value, own, root);
            }
            for (key, own) in keys {
                let place =
                    schema["properties"].get(key).or_else(|| schema.get("additionalProperties"));
                described(own, place.unwrap_or_else(|| panic!("{key} is not in the schema")), root);
            }
            for required in schema["required"].as_array().into_iter().flatten() {
                assert!(
                    keys.contains_key(required.as_str().expect("a key")),
                    "{required} is missing"
                );
            }
        }
        Value::Array(all) => all.iter().for_each(|own| described(own, &schema["items"], root)),
        _ => {}
    }
}

#[test]
fn numbers_without_bounds_are_shown_and_not_judged() {
    let place = Scratch::new("check-shown");
    let own = place.narrows([
        "check",
        "screamv2",
        "--suite",
        "media",
        "--quick",
        "--quiet",
        "--only",
        "capacity,pause",
        "--strict",
        "--out",
        "media",
    ]);
    assert_eq!(code(&own), 0, "{}", stderr(&own));
    let text = stdout(&own);
    assert!(text.starts_with("screamv2: 2 shown\n") && !text.contains("Worst cell"), "{text}");
    let check = json(&place.read("media/check.json"));
    let cells = check["criteria"][0]["cells"].as_array().expect("cells");
    assert!(
        cells.iter().all(|cell| cell["verdict"] == "shown" && cell["excess"].is_null()),
        "{cells:?}"
    );
    // SCReAMv2's call is on time. The call of a controller that fills the buffer is late.
    let late = cells.iter().find(|cell| cell["measure"] == "late_frames").expect("late frames");
    let mean = |values: &Value| {
        values.as_array().expect("seeds").iter().filter_map(Value::as_f64).sum::<f64>() / 5.0
    };
    assert!(mean(&late["subject"]) < 10.0 && mean(&late["beside"][0]["values"]) > 50.0, "{late}");
    let schema = json(&place.narrows(["schema", "--check"]).stdout);
    described(&check, &schema, &schema);
    let markdown = String::from_utf8(place.read("media/check.md")).expect("text");
    assert!(markdown.contains("| Cell | Measure | screamv2 | newreno | cubic |"), "{markdown}");
    // With a baseline, the page shows both halves of each pair.
    let pairs = place.narrows([
        "check", "bbr", "--suite", "tcpeval", "--quick", "--quiet", "--only", "impact", "--out",
        "impact",
    ]);
    assert_eq!(code(&pairs), 0, "{}", stderr(&pairs));
    assert!(
        stdout(&pairs).contains("bbr beside newreno  newreno beside newreno  cubic beside newreno"),
        "{}",
        stdout(&pairs)
    );
}

#[test]
fn what_cannot_be_checked_is_refused_with_a_remedy() {
    let place = Scratch::new("check-refused");
    place.write("about.toml", "security = \"none\"\nlicence = \"x\"\n");
    place.write("bad.json", "{}");
    let refused = |arguments: &[&str]| {
        let output = place.narrows(["check"].into_iter().chain(arguments.iter().copied()));
        assert_eq!(code(&output), 2, "{arguments:?}");
        stderr(&output)
    };
    assert!(
        refused(&["bbr", "--only", "los"])
            .contains("there is no criterion \"los\"; did you mean \"loss\"?")
    );
    assert!(
        refused(&["bbr", "--baselines", "bbr"]).contains("bbr cannot be its own only baseline")
    );
    assert!(refused(&["vcp"]).contains("vcp needs the vcp router"));
    assert!(
        refused(&["bbr", "--about", "about.toml"])
            .contains("about.toml: \"licence\" is not asked for")
    );
    place.write("all.toml", "security = \"none\"\n");
    assert!(
        refused(&["bbr", "--about", "all.toml", "--only", "loss"])
            .contains("--about is read for criterion stated")
    );
    assert!(
        refused(&["bbr", "--keep", "nowhere"]).contains("nowhere has no findings; name the folder")
    );
    assert!(
        refused(&["bbr", "--keep", "bad.json"])
            .contains("bad.json is a file; name a folder, which has kept.json")
    );
    assert!(
        refused(&["bbr", "--against", "bad.json"])
            .contains("bad.json is not the result of a check")
    );
    assert!(refused(&["bbr", "--against", "nosuch"]).contains("there is no controller \"nosuch\""));
    assert!(
        refused(&["bbr3", "--suite", "bbr-draft", "--strict"])
            .contains("--strict cannot be used with --suite bbr-draft")
    );
    assert!(refused(&[]).contains("CONTROLLER"));
    assert!(
        !place.listing().contains(&"narrows-results".to_owned()),
        "nothing was begun: {:?}",
        place.listing()
    );
}

/// T16: NewReno fills the buffer of 400 ms, BBR does not. T14: both fill a path that holds less
/// than a packet.
#[test]
fn cases_of_bbr_that_can_be_seen_from_outside_are_judged_of_any_controller() {
    let place = Scratch::new("check-cases");
    for (controller, tenth) in [("newreno", "fail"), ("bbr", "pass")] {
        let words = [
            "check",
            controller,
            "--suite",
            "bbr-draft",
            "--quick",
            "--only",
            "T02,T14,T16",
            "--quiet",
            "--out",
            controller,
        ];
        let output = place.narrows(words);
        assert_eq!(
            code(&output),
            i32::from(tenth == "fail"),
            "{}{}",
            stdout(&output),
            stderr(&output)
        );
        let check = json(&place.read(&format!("{controller}/check.json")));
        let verdicts: Vec<_> = check["criteria"]
            .as_array()
            .expect("criteria")
            .iter()
            .map(|own| (&own["id"], &own["verdict"]))
            .collect();
        let expected = [("T02", "not run"), ("T14", "pass"), ("T16", tenth)]
            .map(|(id, verdict)| (Value::from(id), Value::from(verdict)));
        assert_eq!(verdicts, expected.each_ref().map(|(id, verdict)| (id, verdict)));
    }
    let check = json(&place.read("newreno/check.json"));
    let delays = check["criteria"][2]["cells"][0]["subject"].as_array().expect("numbers");
    assert!(
        delays.iter().all(|delay| (200.0..400.0).contains(&delay.as_f64().expect("a number"))),
        "{delays:?}"
    );
}

#[test]
fn complete_statements_are_all_that_a_strict_check_asks_of_the_authors() {
    let place = Scratch::new("check-stated");
    let status = |keys: &[&str], out: &str| {
        let texts: String = keys.iter().map(|key| format!("{key} = \"everywhere\"\n")).collect();
        place.write("about.toml", &texts);
        let output = place.narrows([
            "check",
            "bbr",
            "--quick",
            "--only",
            "stated",
            "--quiet",
            "--strict",
            "--about",
            "about.toml",
            "--out",
            out,
        ]);
        assert!(stdout(&output).contains("stated"), "{}{}", stdout(&output), stderr(&output));
        let markdown = String::from_utf8(place.read(&format!("{out}/check.md"))).expect("text");
        assert!(
            markdown.contains("are known? (section 8) everywhere")
                && markdown.contains("--about about.toml"),
            "{markdown}"
        );
        assert!(
            place.files_of(out).contains(&"about.toml".to_owned()),
            "{:?}",
            place.files_of(out)
        );
        code(&output)
    };
    assert_eq!(status(&["where", "rfc2914", "rfc7141", "deployment", "security"], "all"), 0);
    assert_eq!(status(&["where", "security"], "some"), 1);
}

#[test]
fn an_interrupted_check_goes_on() {
    let place = Scratch::new("check-resumed");
    let arguments =
        ["check", "bbr", "--quick", "--only", "loss", "--quiet", "--jobs", "1", "--out", "r"];
    let mut child = place.command(PROGRAM).args(arguments).spawn().expect("narrows runs");
    let began = Instant::now();
    let kept = || {
        std::fs::read(place.path("r.partial"))
            .map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count())
    };
    while kept() < 4 && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let made = kept();
    assert!(made >= 4, "{made} runs were kept");
    let output = place.narrows(arguments);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert_eq!(json(&place.read("r/check.json"))["criteria"][0]["verdict"], "fail");
    assert!(!place.path("r.partial").exists());
}

#[test]
fn a_comparison_of_versions_that_was_stopped_goes_on_by_the_whole_command() {
    let place = Scratch::new("check-stopped");
    // The check has so many runs that it cannot end before it is stopped.
    let arguments =
        ["check", "newreno", "--against", "cubic", "--only", "loss", "--quiet", "--jobs", "1"];
    let child = place
        .command(PROGRAM)
        .args(arguments)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("narrows runs");
    let began = Instant::now();
    // The other version runs first. The file has a header line that identifies the check, and one
    // line for each run.
    let file = place.path("narrows-results/check-cubic-1.partial");
    let kept = || {
        std::fs::read(&file)
            .is_ok_and(|text| text.iter().filter(|byte| **byte == b'\n').count() > 1)
    };
    while !kept() && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let stopped =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(stopped.success(), "it ended before");
    let output = child.wait_with_output().expect("it ends");
    let said = stderr(&output);
    assert!(
        said.contains(
            ": narrows check newreno --against cubic --only loss --quiet --jobs 1 resumes"
        ),
        "{said}"
    );
}

#[test]
fn checks_without_a_criterion_in_common_are_not_compared() {
    let place = Scratch::new("check-apart");
    let first = place
        .narrows(["check", "cubic", "--quick", "--only", "wired", "--quiet", "--out", "first"]);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    let second = place.narrows([
        "check",
        "cubic",
        "--quick",
        "--only",
        "far",
        "--quiet",
        "--against",
        "first",
    ]);
    let said =
        "there is nothing to compare: first/check.json judged wired, and --only asks for far";
    assert!(code(&second) == 2 && stderr(&second).contains(said), "{}", stderr(&second));
    assert!(
        !place.listing().contains(&"narrows-results".to_owned()),
        "nothing was run: {:?}",
        place.listing()
    );
    let listed = place.narrows(["figure", "first"]);
    assert!(code(&listed) == 0 && stdout(&listed).contains("wired-1"), "{}", stdout(&listed));
    let drawn = place.narrows(["figure", "first", "wired-1", "--pdf", "wired.pdf"]);
    assert_eq!(code(&drawn), 0, "{}", stderr(&drawn));
    let differ = place.narrows(["diff", "first", "first"]);
    let said = "first is the result of a check; `narrows check --against` compares checks";
    assert!(code(&differ) == 2 && stderr(&differ).contains(said), "{}", stderr(&differ));
}

/// Run by `make long`.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn the_suite_finds_what_others_have_published() {
        let place = Scratch::new("check-self");
        let output = place.narrows(["lab", "self-check", "--quick", "--quiet", "--out", "r"]);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
        assert!(stdout(&output).contains("11 of 11 judged statements hold"), "{}", stdout(&output));
        assert!(
            stdout(&output).contains("19 of 19 are those that published results lead to"),
            "{}",
            stdout(&output)
        );
        assert_eq!(json(&place.read("r/verdicts.json")).as_array().map(Vec::len), Some(19));
    }

    #[test]
    #[ignore = "long: make long"]
    fn versions_are_compared_and_a_verdict_that_gets_worse_is_told_by_the_status() {
        let place = Scratch::new("check-versions");
        let before = place.narrows([
            "check",
            "bbr3",
            "--quick",
            "--only",
            "constrained",
            "--quiet",
            "--out",
            "before",
        ]);
        assert_eq!(code(&before), 0, "{}", stderr(&before));
        let again = [
            "check",
            "bbr3",
            "--quick",
            "--only",
            "constrained",
            "--quiet",
            "--out",
            "same",
            "--baseline",
            "before/check.json",
        ];
        let same = place.narrows(again);
        assert_eq!(code(&same), 0, "{}", stderr(&same));
        assert!(
            stdout(&same).contains("From bbr3 to bbr3") && stdout(&same).contains("same"),
            "{}",
            stdout(&same)
        );
        for file in ["same/check.md", "same/report.html"] {
            assert!(
                String::from_utf8(place.read(file)).expect("text").contains("From bbr3 to bbr3"),
                "{file}"
            );
        }
        assert_eq!(
            json(&place.read("same/check.json"))["versions"]["criteria"][0]["change"],
            "same"
        );
        let both = place.narrows([
            "check",
            "bbr",
            "--quick",
            "--only",
            "far",
            "--quiet",
            "--against",
            "cubic",
        ]);
        assert_eq!(code(&both), 1, "CUBIC passes, BBR does not: {}", stdout(&both));
        assert!(stdout(&both).contains("worse"), "{}", stdout(&both));
    }
}
