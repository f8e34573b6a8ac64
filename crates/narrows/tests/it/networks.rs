//! Flags that replace the network or the workload mean the same in every command.

use crate::scratch::{Scratch, code, same, stderr, stdout};
use serde_json::Value;

const FILE: &str = r#"name = "duel"
duration = "4 s"
warmup = "1 s"

[[link]]
name = "narrow"
between = ["left", "right"]
rate = "10 Mbit/s"
delay = "10 ms"
buffer = "1 bdp"

[[flow]]
name = "ours"
from = "left"
to = "right"
controller = "bbr"

[[flow]]
name = "theirs"
from = "left"
to = "right"
controller = "cubic"
"#;

fn summary(place: &Scratch, directory: &str) -> Value {
    serde_json::from_slice(&place.read(&format!("{directory}/summary.json"))).expect("JSON")
}

#[test]
fn a_run_and_a_cell_on_another_network_are_alike() {
    let place = Scratch::new("networks");
    place.write("duel.toml", FILE);
    let flags = ["--path", "lte", "--queue", "fq-codel", "--workload", "web", "--quiet"];
    for (command, out) in [("run", "ran"), ("sweep", "swept")] {
        let more: &[&str] = if command == "sweep" { &["--set", "seed=1"] } else { &[] };
        let output = place.narrows(
            [command, "duel.toml"].iter().chain(&flags).chain(more).copied().chain(["--out", out]),
        );
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
    let (ran, swept) = (summary(&place, "ran"), summary(&place, "swept"));
    let own = ran["cases"][0]["metrics"].as_object().expect("metrics");
    let cell = swept["cells"][0]["metrics"].as_object().expect("metrics");
    assert!(
        cell.len() > 10
            && cell.iter().all(|(name, metric)| metric["median"] == own[name]["median"]),
        "{cell:?}"
    );
    let scenario = String::from_utf8(place.read("ran/scenario.toml")).expect("text");
    assert!(
        scenario.contains("queue = \"fq-codel\"")
            && scenario.contains("12 Mbit/s")
            && !scenario.contains("10 Mbit/s"),
        "{scenario}"
    );
    // A result can be made again from its directory.
    let remake = summary(&place, "swept")["remake"].as_str().expect("a command").to_owned();
    assert_eq!(remake, "narrows sweep sweep.toml");
    let output = place.narrows(["sweep", "swept/sweep.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    same(&place, "swept", "again");
}

#[test]
fn several_are_networks_of_a_matrix_that_shows_both_of_a_pair() {
    let place = Scratch::new("networks-matrix");
    let arguments = [
        "matrix",
        "cubic,bbr",
        "--path",
        "lte,wifi",
        "--queue",
        "fq-codel",
        "--duration",
        "4 s",
        "--seeds",
        "1",
        "--quiet",
    ];
    let output = place.narrows(arguments.into_iter().chain(["--out", "pairs"]));
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let told = stdout(&output);
    for words in ["lte, fq-codel", "wifi, fq-codel", "Goodput, Mbit/s: row beside column", " / "] {
        assert!(told.contains(words), "{words} is not in {told}");
    }
    // Harm is marked only if its whole interval over seeds exceeds the yardstick.
    let harm: Vec<&str> = told.split("\n\n").filter(|table| table.starts_with("Harm in")).collect();
    assert!(harm.len() == 6 && harm.iter().all(|table| !table.contains('!')), "{told}");
    assert!(told.contains("for which one seed is too few"), "{told}");
    let whole = summary(&place, "pairs");
    assert_eq!(
        whole["remake"],
        "narrows matrix cubic bbr --path lte,wifi --queue fq-codel --duration '4 s' --seeds 1"
    );
    let spaced = place.narrows(
        ["matrix", "cubic", "bbr"]
            .into_iter()
            .chain(arguments[2..].iter().copied())
            .chain(["--out", "spaced"]),
    );
    assert_eq!(spaced.stdout, output.stdout);
    same(&place, "pairs", "spaced");
}

#[test]
fn who_won_is_shown_and_can_be_asked_for() {
    let place = Scratch::new("networks-metric");
    place.write("duel.toml", FILE);
    let sweep = ["sweep", "duel.toml", "--queue", "fifo,fq-codel", "--seeds", "2", "--quiet"];
    let output = place.narrows(sweep.into_iter().chain(["--out", "swept"]));
    let told = stdout(&output);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        told.matches("ours: bbr").count() == 2 && told.matches("theirs: cubic").count() == 2,
        "{told}"
    );
    let asked =
        |metric: &str| place.narrows(sweep.into_iter().chain(["--metric", metric, "--json"]));
    let group = &summary(&place, "swept")["cells"][0]["groups"][1];
    let median = group["metrics"]["goodput"]["median"].as_f64().expect("a number");
    let output = place.narrows(sweep.into_iter().chain([
        "--metric",
        "goodput of theirs,goodput of cubic",
        "--out",
        "asked",
    ]));
    let told = stdout(&output);
    let shown = format!("{median:.2}");
    assert!(
        told.contains("of theirs") && told.matches(&shown).count() >= 2,
        "{shown} is not twice in {told}"
    );
    for (metric, says) in [
        ("goodput of mine", "no group of flows and no controller is called \"mine\""),
        ("standing_queue of cubic", "is of the whole network"),
        ("godput", "did you mean \"goodput\""),
    ] {
        let output = asked(metric);
        assert!(
            code(&output) == 2 && stderr(&output).contains(says),
            "{metric}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn what_is_not_one_network_is_refused() {
    let place = Scratch::new("networks-refused");
    place.write("duel.toml", FILE);
    place.write(
        "two.toml",
        &FILE.replace(
            "[[flow]]\nname = \"ours\"",
            "[[link]]\nname = \"wide\"\nbetween = [\"right\", \"far\"]\nrate = \"1 Gbit/s\"\n\n[[flow]]\nname = \"ours\"",
        ),
    );
    let before = place.listing();
    let cases: [(&[&str], &str); 7] = [
        (&["run", "two.toml", "--queue", "codel"], "\"narrow\" and \"wide\""),
        (&["run", "duel.toml", "--queue", "codel,fifo"], "narrows run takes one --queue"),
        (&["run", "duel.toml", "--path", "lte", "--trace", "t"], "two networks"),
        (&["run", "duel.toml", "--queue", "codle"], "did you mean \"codel\""),
        (&["compare", "cubic", "--workload", "web,bulk"], "narrows compare takes one --workload"),
        (
            &["sweep", "duel.toml", "--set", "link.narrow.queue=fifo,codel", "--queue", "fq-codel"],
            "--queue",
        ),
        (&["matrix", "cubic", "--path", "lte", "--rate", "5 Mbit/s"], "cannot be used with"),
    ];
    for (arguments, says) in cases {
        let output = place.narrows(arguments.iter().copied());
        let flat = stderr(&output)
            .split_whitespace()
            .filter(|word| *word != "│")
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            code(&output) == 2 && flat.contains(says),
            "{arguments:?}: {says} is not in {flat}"
        );
        assert_eq!(place.listing(), before, "{arguments:?}");
    }
}
