//! `narrows attack` from its arguments to its files.

use crate::scratch::{Scratch, code, same, stderr, stdout};
use narrows_evidence::attack::{Gene, GenomeKind, Scale};
use std::fs;
use std::path::Path;

/// A search that takes no time.
const SMALL: [&str; 10] =
    ["attack", "bbr", "--goal", "idle", "--budget", "60", "--findings", "1", "--genome", "steps"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    SMALL.iter().copied().chain(more.iter().copied()).collect()
}

#[test]
fn a_search_finds_the_same_with_any_number_of_threads_and_its_finding_fails() {
    let place = Scratch::new("attack");
    let first = place.narrows(with(&["--out", "one", "--jobs", "1"]));
    assert_eq!(code(&first), 1, "{}{}", stdout(&first), stderr(&first));
    let told = stdout(&first);
    assert!(
        told.contains("steps: 60 networks bred, highest score")
            && told.contains("1 confirmed finding"),
        "{told}"
    );
    let second = place.narrows(with(&["--out", "two", "--jobs", "2"]));
    assert_eq!(code(&second), 1);
    same(&place, "one", "two");
    assert!(!place.path("one.partial").exists());
    // The controller misses the goal in its own finding, and a reference meets it.
    let run = place.narrows(["run", "one/finding-1.toml", "--quiet", "--out", "again"]);
    assert_eq!(code(&run), 1, "{}{}", stdout(&run), stderr(&run));
    let text = String::from_utf8(place.read("one/finding-1.toml"))
        .expect("UTF-8")
        .replace("\"bbr\"", "\"newreno\"");
    let file = place.write("reference.toml", &text);
    let run = place.narrows(["run", &file, "--quiet", "--out", "reference"]);
    assert_eq!(code(&run), 0, "{}{}", stdout(&run), stderr(&run));
    assert_eq!(code(&place.narrows(["report", "one"])), 0);
}

#[test]
fn a_search_that_cannot_be_is_refused() {
    let place = Scratch::new("attack-refused");
    let refused = |words: &[&str]| {
        let output = place.narrows(words.iter().copied());
        assert_eq!(code(&output), 2, "{}", stdout(&output));
        stderr(&output)
    };
    let told = refused(&["attack", "bbr", "--goal", "speed"]);
    assert!(told.contains("choose from stall, idle, delay, harm, starve, stuck, waste"), "{told}");
    let told = refused(&["attack", "bbr", "--goal", "stuck", "--genome", "cross,back"]);
    assert!(
        told.contains(
            "a network of back has none; take --genome steps,trace,cross,drops,pauses,reorder"
        ),
        "{told}"
    );
    let told = refused(&["attack", "bbr", "--reference", "bbr"]);
    assert!(told.contains("cannot be its own reference"), "{told}");
    let told = refused(&["attack", "bbr", "--budget", "3", "--transport", "mss_=1"]);
    assert!(told.contains("mss_"), "{told}");
    assert!(place.listing().iter().all(|name| name == "narrows-results"), "{:?}", place.listing());
}

/// Returns ranges and sources of all genes as docs/how-to/attack.md lists them.
fn genes() -> String {
    let line = |kind: GenomeKind, of: &str, gene: &Gene| {
        let Gene { name, unit, low, high, scale, source, .. } = *gene;
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        let range = match scale {
            Scale::OneOf(values) => {
                values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
            }
            Scale::RatioOrZero => format!("0, {low} to {high}"),
            _ => format!("{low} to {high}"),
        };
        format!("| `{}` | {of} | {name} | {range}{unit} | {source} |\n", kind.name())
    };
    let mut text =
        "| Kind | Of | Number | Range | Source |\n| --- | --- | --- | --- | --- |\n".to_owned();
    let mut kinds = String::new();
    for kind in GenomeKind::ALL {
        let shape = kind.shape();
        let events = if shape.least == shape.most {
            shape.most.to_string()
        } else {
            format!("{} to {}", shape.least, shape.most)
        };
        kinds += &format!(
            "- `{}`: {}{}\n",
            shape.name,
            shape.summary,
            if shape.most > 0 { format!("; {events} events") } else { String::new() }
        );
        shape.base.iter().for_each(|gene| text += &line(kind, "network", gene));
        shape.events.iter().for_each(|gene| text += &line(kind, "event", gene));
    }
    format!("<!-- genes -->\n{kinds}\n{text}<!-- /genes -->")
}

#[test]
fn the_page_has_every_range() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/how-to/attack.md");
    let page = fs::read_to_string(&path).expect("the page");
    let (before, rest) = page.split_once("<!-- genes -->").expect("a place for ranges");
    let (_, after) = rest.split_once("<!-- /genes -->").expect("its end");
    let wanted = format!("{before}{}{after}", genes());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &wanted).expect("the page can be written");
    } else {
        assert!(
            page == wanted,
            "docs/how-to/attack.md differs from the code; UPDATE_DOCS=1 writes it"
        );
    }
}

/// Run by `make long`.
mod long {
    use super::*;

    #[test]
    #[ignore = "long: make long"]
    fn what_is_kept_is_replayed_with_another_controller() {
        let place = Scratch::new("attack-keep");
        let first = place.narrows(with(&["--out", "one", "--keep", "kept"]));
        assert_eq!(code(&first), 1, "{}{}", stdout(&first), stderr(&first));
        let again = place.narrows(with(&["--out", "two", "--keep", "kept", "--json"]));
        let json: serde_json::Value = serde_json::from_str(&stdout(&again)).expect("JSON");
        assert_eq!(json["replayed"][0]["still"], true, "{json}");
        let mut other = with(&["--out", "three", "--keep", "kept"]);
        other[1] = "cubic";
        let told = stdout(&place.narrows(other));
        assert!(told.contains("Kept finding for bbr, idle: does not break cubic, "), "{told}");
        // A check shows the findings beside its verdicts.
        let check = place.narrows([
            "check", "bbr", "--quick", "--only", "wired", "--quiet", "--keep", "kept", "--out",
            "check",
        ]);
        assert_eq!(code(&check), 0, "{}", stderr(&check));
        assert!(stdout(&check).contains("Kept finding, idle: still there, "), "{}", stdout(&check));
        let json: serde_json::Value =
            serde_json::from_slice(&place.read("check/check.json")).expect("JSON");
        assert_eq!(json["findings"][0]["still"], true, "{json}");
    }
}
