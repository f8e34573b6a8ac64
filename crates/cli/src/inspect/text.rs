//! Text output of an inspection.

use super::found::{Found, Uses, Verifier, fields, flags, helpers, log_end, questions};
use narrows_bpf::{Program, parameters};

/// Width of the first column. The next constant is the width of a line.
const INDENT: usize = 14;
const WIDTH: usize = 100;

/// Explanation of the field rows.
const POINTS: &str = "\nFields are those that the relocations of the compiler name (CO-RE). Of those that it points into,\n\
                      the relocation does not tell whether they are read or written.\n";

/// Formats the inspection as text.
pub fn text(found: &Found) -> String {
    let mut text = match &found.program {
        Some(program) => described(found, program),
        None => format!("{}\n", found.file),
    };
    if found.program.as_ref().is_some_and(|program| !program.mentions.is_empty()) {
        text += POINTS;
    }
    text += &listed("notes", &found.notes);
    text += &listed("may fail", &found.doubts);
    let problems: Vec<String> = found.problems.iter().map(ToString::to_string).collect();
    text += &listed("problems", &problems);
    text += &found.verifier.as_ref().map(kernel).unwrap_or_default();
    if found.verifier.is_none() && found.problems.is_empty() {
        text += "\nNo verifier looked at it: as root, `narrows inspect --kernel` asks this host's kernel.\n";
    }
    text
}

fn described(found: &Found, program: &Program) -> String {
    let mut text = format!("{}, from {}\n", program.name, found.file);
    text += &row("compiled by", found.compiler.iter().cloned());
    text += &row("license", [program.license.clone()]);
    text += &row("flags", flags(program));
    text += &row("callbacks", program.callbacks.keys().cloned());
    text += &row("instructions", [program.code.len().to_string()]);
    let fields = fields(program);
    let with = |fits: fn(&Uses) -> bool| {
        let fitting = fields.iter().filter(move |(_, (uses, _))| fits(uses));
        fitting.map(|(name, (_, there))| shown(name, *there)).collect::<Vec<_>>()
    };
    text += &row("reads", with(|uses| uses.reads && !uses.writes));
    text += &row("writes", with(|uses| uses.writes && !uses.reads));
    text += &row("changes", with(|uses| uses.writes && uses.reads));
    text += &row("points into", with(|uses| uses.locates));
    text +=
        &row("asks for", questions(program).into_iter().map(|(name, there)| shown(name, there)));
    text += &row("calls", program.kfuncs.iter().cloned().chain(helpers(program)));
    text += &row(
        "maps",
        program
            .maps
            .iter()
            .map(|map| format!("{} ({}, {} B)", map.name, map.kind_name(), map.value_size)),
    );
    for (place, variable) in parameters(program).enumerate() {
        let word = if place == 0 { "parameters" } else { "" };
        let given = found.given.iter().find(|(key, _)| *key == variable.name);
        let given = given.map_or(String::new(), |(_, value)| format!(", here {value}"));
        text += &row(
            word,
            [format!("{}={} ({}){given}", variable.name, variable.text(), variable.kind())],
        );
    }
    text
}

fn shown(name: &str, there: bool) -> String {
    if there { name.to_owned() } else { format!("{name} (not there)") }
}

/// Formats a word and a list of items, wrapped at [`WIDTH`]. Empty if there are no items.
fn row(word: &str, items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    let mut lines = vec![String::new()];
    for (place, item) in items.iter().enumerate() {
        let item = if place + 1 < items.len() { format!("{item},") } else { item.clone() };
        let line = lines.last_mut().expect("there is one");
        if line.is_empty() {
            line.push_str(&item);
        } else if INDENT + line.len() + 1 + item.len() <= WIDTH {
            *line += &format!(" {item}");
        } else {
            lines.push(item);
        }
    }
    let word = |place: usize| if place == 0 { word } else { "" };
    let rows =
        lines.iter().enumerate().map(|(place, line)| format!("{:<INDENT$}{line}\n", word(place)));
    if items.is_empty() { String::new() } else { rows.collect() }
}

/// Formats a heading and a bullet per line. Empty if there are no lines.
fn listed(heading: &str, lines: &[String]) -> String {
    let lines: String =
        lines.iter().map(|line| format!("- {}\n", line.trim_end().replace('\n', "\n  "))).collect();
    if lines.is_empty() { lines } else { format!("\n{heading}\n{lines}") }
}

fn kernel(verifier: &Verifier) -> String {
    let release = &verifier.release;
    match &verifier.refused {
        None => format!(
            "\nThe verifier of Linux {release} accepts {}. Nothing was registered.\n",
            verifier.accepted.join(", ")
        ),
        Some((why, log)) => format!("\nLinux {release}: {why}\n\n{}\n", log_end(log)),
    }
}
