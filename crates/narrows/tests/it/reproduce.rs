//! Reproductions of published results as a user meets them, also killed and resumed.

use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Creates a scratch directory with a paper of two figures and four claims. One claim does not
/// hold, and the paper says so.
fn place(name: &str) -> Scratch {
    let place = Scratch::new(name);
    fs::create_dir(place.path("paper")).expect("a directory");
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/paper");
    for file in ["paper.toml", "buffers.toml", "leaving.toml"] {
        fs::copy(own.join(file), place.path(&format!("paper/{file}"))).expect("a file");
    }
    place
}

fn edit(place: &Scratch, file: &str, from: &str, to: &str) {
    let text = String::from_utf8(place.read(file)).expect("text");
    assert!(text.contains(from), "{from} is not in {file}");
    place.write(file, &text.replace(from, to));
}

#[test]
fn claims_are_judged_one_by_one_and_the_share_is_told() {
    let place = place("reproduce");
    let output = place.narrows(["reproduce", "paper", "--quiet", "--jobs", "1", "--out", "one"]);
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}{told}", stderr(&output));
    assert!(told.contains("A queue and who fills it. Narrows, for its own tests, 2026.\n\nBuffers and delay (figure 1)\n"), "{told}");
    assert!(
        told.contains(
            "does not hold (explained)\nKnown: \"Nobody ever loses a packet\": both controllers"
        ),
        "{told}"
    );
    assert!(
        told.ends_with(
            "3 of 4 claims hold (75 %); 1 known not to, see measurements/reproductions.md.\n"
        ),
        "{told}"
    );
    assert_eq!(
        place.files_of("one"),
        ["SHA256SUMS", "claims.json", "plots.json", "report.html", "run.json"]
    );
    assert_eq!(place.listing(), ["one", "paper"]);

    // Any number of threads gives the same bytes, and the printed JSON equals the directory's.
    let output =
        place.narrows(["reproduce", "paper", "--quiet", "--jobs", "2", "--out", "two", "--json"]);
    for file in ["claims.json", "plots.json", "report.html"] {
        assert!(place.read(&format!("one/{file}")) == place.read(&format!("two/{file}")), "{file}");
    }
    assert!(output.stdout == place.read("two/claims.json"));
    let claims: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(claims.as_array().map(Vec::len), Some(4));
    let leaving = &claims[3];
    assert_eq!(
        (leaving["paper"].as_str(), leaving["figure"].as_str(), leaving["compared"].as_str()),
        (Some("paper"), Some("leaving"), Some("ratio"))
    );
    assert_eq!(
        (leaving["holds"].as_bool(), leaving["judged"].as_str(), leaving["scaled"].as_str()),
        (Some(true), Some("ordering"), None)
    );
    // Before, the flow gets half the link; afterwards, all of it.
    assert!((1.5..2.5).contains(&leaving["measured"].as_f64().expect("a number")), "{leaving}");

    // The page shows each plot and each claim, and needs no other file.
    let page = String::from_utf8(place.read("one/report.html")).expect("text");
    assert_eq!(page.matches("data-plot=\"").count(), 3);
    assert!(
        page.contains("Four times the buffer gives more than twice the delay")
            && page.contains("does not hold (explained)")
    );
    let head = page.split("<script>").next().unwrap_or_default();
    assert!(
        !head.contains("{{") && head.contains("</noscript>"),
        "a place of the page was left open"
    );
}

#[test]
fn statements_are_counted_apart_and_experiments_run_on_their_own() {
    let place = place("reproduce-statements");
    let listed = "[[statement]]\nname = \"grows\"\nsays = \"Delay grows\"\nsource = \"figure 1\"\n\
                  [[statement]]\nname = \"none-lost\"\nsays = \"Nothing is lost\"\nsource = \"figure 1\"\nwhy = \"they fill the queue\"\nexperiment = \"why/deep\"\n\
                  [[statement]]\nname = \"seen\"\nsays = \"All saw it\"\nsource = \"figure 3\"\nwhy = \"it was a demonstration\"\n";
    place.write("paper/statements.toml", listed);
    for (says, name) in [
        ("Four times the buffer gives more than twice the delay", "grows"),
        ("Nobody ever loses a packet", "none-lost"),
    ] {
        edit(
            &place,
            "paper/buffers.toml",
            &format!("says = \"{says}\"\n"),
            &format!("says = \"{says}\"\nstatement = \"{name}\"\n"),
        );
    }
    fs::create_dir(place.path("paper/why")).expect("a directory");
    let output = place.narrows(["reproduce", "paper", "--quick", "--quiet"]);
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains("there is no experiment \"why/deep\""), "{}", stderr(&output));
    fs::copy(place.path("paper/leaving.toml"), place.path("paper/why/deep.toml")).expect("a file");

    let output = place.narrows(["reproduce", "paper", "--quiet", "--out", "all"]);
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}{told}", stderr(&output));
    let wanted = "1 of 2 judged statements hold (50 %), 1 not, 1 not judged. 3 of 4 claims hold (75 %), 2 of 2 of our own; 1 known not to";
    assert!(told.replace('\n', " ").contains(wanted), "{told}");
    let statements: Value =
        serde_json::from_slice(&place.read("all/statements.json")).expect("JSON");
    let verdicts: Vec<&str> = statements
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|statement| statement["verdict"].as_str())
        .collect();
    assert_eq!(verdicts, ["held", "not held", "not judged"]);
    assert!(
        String::from_utf8(place.read("all/report.html"))
            .expect("text")
            .contains("narrows reproduce paper --figure why/deep")
    );

    for command in [["--why"].as_slice(), &["--figure", "why/deep"]] {
        let output = place
            .narrows(["reproduce", "paper", "--quick", "--quiet"].iter().chain(command).copied());
        let told = stdout(&output);
        assert_eq!(code(&output), 0, "{}{told}", stderr(&output));
        assert!(
            told.contains("A flow leaves")
                && told.contains("1 of 1 claims hold")
                && !told.contains("Buffers and delay"),
            "{told}"
        );
    }
}

#[test]
fn quick_is_smaller_and_says_what_it_scales() {
    let place = place("reproduce-quick");
    let output = place.narrows(["reproduce", "paper", "--quick", "--quiet", "--figure", "buffers"]);
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}{told}", stderr(&output));
    assert!(
        told.contains("Scaled: Shorter runs and fewer buffers: queues fill within a second.\n")
            && !told.contains("A flow leaves"),
        "{told}"
    );
    assert_eq!(place.files_of("narrows-results"), ["reproduction-quick-1"]);
}

#[test]
fn what_turns_out_otherwise_than_the_file_says_has_its_exit_status() {
    let place = place("reproduce-missed");
    edit(&place, "paper/buffers.toml", "min = 95", "min = 100.5");
    let command = ["reproduce", "paper", "--quick", "--quiet", "--figure", "buffers"];
    let output = place.narrows(command);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stdout(&output).contains(
            "1 of 3 claims hold (33 %); 1 known not to, see measurements/reproductions.md; 1 not explained."
        ),
        "{}",
        stdout(&output)
    );
    edit(&place, "paper/buffers.toml", "min = 100.5", "min = 90");
    edit(&place, "paper/buffers.toml", "max = 0", "max = 50");
    let output = place.narrows(command);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("holds (was known not to)")
            && stdout(&output).contains("3 of 3 claims hold (100 %)"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn what_was_killed_continues_where_it_was() {
    let place = place("reproduce-killed");
    edit(&place, "paper/buffers.toml", "duration = \"20 s\"", "duration = \"400 s\"");
    let command = ["reproduce", "paper", "--quiet", "--jobs", "1", "--out"];
    let with = |out| command.into_iter().chain([out]);
    assert_eq!(code(&place.narrows(with("whole"))), 0);
    let kept = || {
        let files = fs::read_dir(place.path("killed.partial")).into_iter().flatten().flatten();
        let lines = |path: &Path| {
            fs::read(path).map_or(0, |bytes| {
                bytes.iter().filter(|byte| **byte == b'\n').count().saturating_sub(1)
            })
        };
        files.map(|entry| lines(&entry.path())).sum::<usize>()
    };
    let mut before = 0;
    for _ in 0..2 {
        let mut child = place.command(PROGRAM).args(with("killed")).spawn().expect("narrows runs");
        let began = Instant::now();
        while kept() < before + 3 {
            assert!(
                began.elapsed() < Duration::from_secs(120)
                    && child.try_wait().expect("a state").is_none(),
                "{} runs kept",
                kept()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().expect("a kill");
        child.wait().expect("an end");
        assert!(!place.path("killed").exists());
        before = kept();
    }
    let output = place.narrows(with("killed"));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    for file in ["claims.json", "report.html"] {
        let of = |out: &str| String::from_utf8(place.read(&format!("{out}/{file}"))).expect("text");
        assert!(of("whole") == of("killed"), "{file}");
    }
    assert!(!place.path("killed.partial").exists());
}

#[test]
fn what_cannot_be_run_says_what_could() {
    let place = place("reproduce-refused");
    for (arguments, says) in [
        (
            &["reproduce", "nothing"][..],
            "there is no paper \"nothing\"; give a folder that has a paper.toml",
        ),
        (
            &["reproduce", "paper", "--figure", "bufers"],
            "there is no figure \"bufers\"; known figures: buffers, leaving",
        ),
    ] {
        let output = place.narrows(arguments.iter().copied());
        assert!(code(&output) == 2 && stderr(&output).contains(says), "{}", stderr(&output));
    }
    edit(&place, "paper/leaving.toml", "[\"14 s\", \"20 s\"]", "[\"14 s\", \"21 s\"]");
    let output = place.narrows(["reproduce", "paper"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("paper/leaving.toml:40"),
        "{}",
        stderr(&output)
    );
    assert_eq!(place.listing(), ["paper"]);
}

#[test]
fn a_figure_is_a_scenario_for_every_other_command() {
    let place = place("reproduce-scenario");
    for command in [["run", "paper/leaving.toml"], ["sweep", "paper/buffers.toml"]] {
        let output = place.narrows(command.into_iter().chain(["--quiet", "--out", command[0]]));
        assert_eq!(code(&output), 0, "{}", stderr(&output));
    }
}

#[test]
fn figures_of_the_programs_own_papers_turn_out_as_their_files_say() {
    let place = Scratch::new("reproduce-papers");
    let output = place.narrows([
        "reproduce",
        "fast",
        "--quick",
        "--quiet",
        "--figure",
        "blasts",
        "--figure",
        "regression",
    ]);
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}{told}", stderr(&output));
    assert!(told.contains(" claims hold (") && !told.contains("not explained"), "{told}");
    let output = place.narrows([
        "reproduce",
        "mircc",
        "--quick",
        "--quiet",
        "--figure",
        "linear",
        "--figure",
        "slingshot",
        "--figure",
        "vectors",
    ]);
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}{told}", stderr(&output));
}
