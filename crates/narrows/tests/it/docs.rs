//! Pages in `docs` agree with the program. Lists, keys and commands are generated:
//! `UPDATE_DOCS=1 cargo test -p narrows --test it docs` rewrites them.

mod commands;
mod keys;
mod links;
mod summary;

use crate::blocks::root;
use crate::scratch::{Scratch, code, stderr};
use narrows_report::{ColumnAbout, TableAbout};
use serde_json::Value;
use std::collections::BTreeMap;
use std::{env, fs};

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn json(place: &Scratch, arguments: &[&str]) -> Value {
    serde_json::from_slice(&place.narrows(arguments.iter().copied()).stdout).expect("JSON")
}

fn controllers(place: &Scratch) -> String {
    let mut page = String::from(
        "# Controllers\n\n\
         Values of `controller` in scenarios and arguments of `narrows compare`. Parameters follow a question mark, quoted in a shell:\n\
         `cubic?profile=rfc9438&ecn=true`. `narrows list controllers` generates this page; a test keeps them equal.\n",
    );
    let mut params = Params::default();
    for entry in json(place, &["list", "controllers", "--json"]).as_array().expect("a list") {
        page += &format!(
            "\n## `{}`\n\n{}.\n\n",
            text(&entry["name"]),
            capitalised(&text(&entry["summary"]))
        );
        page += &format!("- Follows: {}\n", text(&entry["source"]));
        let own = format!("controllers/{}.md", text(&entry["name"]));
        if root().join("docs/reference").join(&own).exists() {
            page += &format!("- In detail: [{own}]({own})\n");
        }
        page += &match entry["kernel"].as_str() {
            Some(name) => format!("- In Linux: `{name}`\n"),
            None => "- In Linux: no\n".to_owned(),
        };
        if let Some(name) = entry["loadable"].as_str() {
            page += &format!("- [Loaded](../how-to/kernel.md) by: `narrows kernel load {name}`\n");
        }
        let needs: Vec<String> =
            entry["needs"].as_array().expect("a list").iter().map(text).collect();
        page += &format!(
            "- Needs: {}\n",
            if needs.is_empty() { "nothing".to_owned() } else { needs.join(", ") }
        );
        if let Some(router) = entry["router"].as_str() {
            page += &format!("- Its router: `queue = \"{router}\"`\n");
        }
        page += &params.of(entry);
    }
    page
}

fn disciplines(place: &Scratch) -> String {
    let mut page = String::from(
        "# Queue disciplines\n\n\
         Values of `queue` in a scenario's links. Parameters follow a question mark: `queue = \"codel?target=5&interval=100\"`. The link's\n\
         `buffer` limits every discipline; packets beyond it are dropped. `narrows list disciplines` generates this page; a test keeps them\n\
         equal.\n",
    );
    let mut params = Params::default();
    for entry in json(place, &["list", "disciplines", "--json"]).as_array().expect("a list") {
        page += &format!(
            "\n## `{}`\n\n{}.\n\n",
            text(&entry["name"]),
            capitalised(&text(&entry["summary"]))
        );
        page += &format!("- Follows: {}\n", text(&entry["source"]));
        let offers: Vec<String> =
            entry["offers"].as_array().expect("a list").iter().map(text).collect();
        if !offers.is_empty() {
            page += &format!("- Offers: {}\n", offers.join(", "));
        }
        page += &params.of(entry);
    }
    page
}

/// Lists the parameters of entries. A row that an earlier entry has is not repeated but only named.
#[derive(Default)]
struct Params {
    /// Name of the first entry with a row.
    first: BTreeMap<String, String>,
}

impl Params {
    /// Returns the new parameters of an entry with their values, the default first, and then the
    /// names of parameters that an earlier entry has. Empty if the entry has no parameters.
    fn of(&mut self, entry: &Value) -> String {
        let (mut rows, mut known) = (String::new(), BTreeMap::<String, Vec<String>>::new());
        for param in entry["params"].as_array().expect("a list") {
            let row = format!(
                "- `{}`, {}: {}\n",
                text(&param["name"]),
                text(&param["values"]),
                text(&param["help"])
            );
            match self.first.get(&row) {
                Some(name) => known
                    .entry(name.clone())
                    .or_default()
                    .push(format!("`{}`", text(&param["name"]))),
                None => {
                    self.first.insert(row.clone(), text(&entry["name"]));
                    rows += &row;
                }
            }
        }
        let known = known
            .iter()
            .map(|(name, params)| format!("\nAs for `{name}`: {}.\n", params.join(", ")))
            .collect::<String>();
        match rows.is_empty() {
            true => known,
            false => format!("\nParameters, defaults first:\n\n{rows}{known}"),
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().replace('|', " or ")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[test]
fn the_pages_of_controllers_and_disciplines_are_what_the_program_lists() {
    let place = Scratch::new("docs-lists");
    for (name, expected) in [
        ("docs/reference/controllers.md", controllers(&place)),
        ("docs/reference/disciplines.md", disciplines(&place)),
    ] {
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::write(root().join(name), &expected).expect("a page");
        }
        assert!(
            page(name) == expected,
            "{name} is not what `narrows list` says; `make docs` rewrites it"
        );
    }
}

/// Writes the sections of laws, consumers and strategies.
fn icn(place: &Scratch) -> String {
    let all = json(place, &["list", "icn", "--json"]);
    let (mut part, mut params) = (String::new(), Params::default());
    for (kind, title) in [("law", "Laws"), ("consumer", "Consumers"), ("strategy", "Strategies")] {
        part += &format!("\n## {title}\n");
        for entry in all.as_array().expect("a list").iter().filter(|entry| entry["kind"] == kind) {
            let (name, summary, source) =
                (text(&entry["name"]), text(&entry["summary"]), text(&entry["source"]));
            part +=
                &format!("\n### `{name}`\n\n{}.\n\n- Follows: {source}\n", capitalised(&summary));
            part += &params.of(entry);
        }
    }
    part + "\n"
}

#[test]
fn the_page_of_information_centric_networks_has_what_the_program_lists() {
    const BEGIN: &str = "<!-- from narrows list icn; make docs rewrites it -->\n";
    const END: &str = "<!-- end -->\n";
    let expected = icn(&Scratch::new("docs-icn"));
    let old = page("docs/model/icn.md");
    let (before, rest) = old.split_once(BEGIN).expect("where the list begins");
    let (own, after) = rest.split_once(END).expect("where it ends");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(
            root().join("docs/model/icn.md"),
            format!("{before}{BEGIN}{expected}{END}{after}"),
        )
        .expect("a page");
    } else {
        assert!(
            own == expected,
            "docs/model/icn.md is not what `narrows list icn` says; `make docs` rewrites it"
        );
    }
}

/// Returns the counts of the verdicts that the figure files state. `narrows reproduce` ends with
/// status 1 if a verdict differs.
fn share(place: &Scratch) -> String {
    const VERDICTS: [&str; 4] = ["held", "held in part", "not held", "not judged"];
    const ORIGINS: [&str; 3] = ["text", "picture", "memory"];
    let statements = json(place, &["list", "statements", "--json"]);
    let statements = statements.as_array().expect("a list");
    let mut table = String::from(
        "| Document | From its text | Held | In part | Not held | Not judged | From pictures, held of judged | From memory | Our own claims that hold |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut sums = [[0; 4]; 3];
    for paper in json(place, &["list", "papers", "--json"]).as_array().expect("a list") {
        let counts = ORIGINS.map(|origin| {
            VERDICTS.map(|verdict| {
                let is_it = |own: &&Value| {
                    own["paper"] == paper["name"]
                        && own["from"] == origin
                        && own["verdict"] == verdict
                };
                statements.iter().filter(is_it).count()
            })
        });
        let figures = paper["figures"].as_array().expect("figures").iter();
        let claims = figures
            .flat_map(|figure| [&figure["claims"], &figure["live"]])
            .filter_map(Value::as_array)
            .flatten();
        let own: Vec<&Value> = claims.filter(|claim| claim["statement"].is_null()).collect();
        let holding = own.iter().filter(|claim| claim["known"].is_null()).count();
        let [[held, part, not, unjudged], picture, memory] = counts;
        let apart = |[held, part, not, unjudged]: [usize; 4]| match (held + part + not, unjudged) {
            (0, 0) => String::new(),
            (judged, 0) => format!("{held} of {judged}"),
            (judged, unjudged) => format!("{held} of {judged}, {unjudged} not judged"),
        };
        let (name, title, all) =
            (text(&paper["name"]), text(&paper["title"]), held + part + not + unjudged);
        let (picture, memory) = (apart(picture), apart(memory));
        table += &format!(
            "| `{name}`: {title} | {all} | {held} | {part} | {not} | {unjudged} | {picture} | {memory} | {holding} of {} |\n",
            own.len()
        );
        for (sums, counts) in sums.iter_mut().zip(counts) {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }
    let share = |[held, part, not, _]: [usize; 4]| {
        let judged = held + part + not;
        format!("{held} of {judged} ({} %)", 100 * held / judged.max(1))
    };
    let [text, picture, memory] = sums;
    table
        + &format!(
            "\nOf the judged statements {} from the documents' texts hold, {} from pictures and {} from memory; {} cannot be judged.\n",
            share(text),
            share(picture),
            share(memory),
            sums.iter().map(|sums| sums[3]).sum::<usize>()
        )
}

#[test]
fn the_page_of_reproductions_has_the_share_that_holds() {
    const BEGIN: &str = "<!-- from the figure files; make docs rewrites it -->\n";
    const END: &str = "<!-- end -->\n";
    let expected = share(&Scratch::new("docs-share"));
    let old = page("measurements/reproductions.md");
    let (before, rest) = old.split_once(BEGIN).expect("where the share begins");
    let (own, after) = rest.split_once(END).expect("where it ends");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(
            root().join("measurements/reproductions.md"),
            format!("{before}{BEGIN}{expected}{END}{after}"),
        )
        .expect("a page");
    } else {
        assert!(
            own == expected,
            "measurements/reproductions.md does not have the share of the figure files; `make docs` rewrites it"
        );
    }
}

#[test]
fn scenarios_in_the_pages_run() {
    let place = Scratch::new("docs-run");
    let mut found = 0;
    for name in ["README.md", "docs/reference/scenario.md"] {
        let text = page(name);
        let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
        for block in blocks.filter(|block| block.contains("duration") && block.contains("[[flow]]"))
        {
            found += 1;
            place.write("page.toml", block);
            let output = place.narrows(["run", "page.toml", "--quiet"]);
            assert_eq!(code(&output), 0, "{name}:\n{block}\n{}", stderr(&output));
        }
    }
    assert!(found >= 2, "{found}");
}

/// Describes `acks.parquet`, which results have on request.
fn acks() -> TableAbout {
    let column = |own: &narrows_capture::AckColumn| ColumnAbout {
        name: own.name.to_owned(),
        about: own.about,
        is_counter: false,
    };
    let columns = narrows_capture::ACK_COLUMNS.iter().map(column).collect();
    TableAbout { file: "acks.parquet", about: narrows_capture::ACKS, columns }
}

/// Writes the section of a table: the meaning of a row, and each column. Equal descriptions appear
/// once.
fn section(table: &TableAbout) -> String {
    let list = |columns: &[(&str, &str)]| -> String {
        let line = |columns: &[(&str, &str)]| {
            let names: Vec<String> = columns.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("- {}: {}\n", names.join(", "), columns[0].1)
        };
        columns.chunk_by(|(_, one), (_, other)| one == other).map(line).collect()
    };
    let (counters, plain): (Vec<&ColumnAbout>, Vec<&ColumnAbout>) =
        table.columns.iter().partition(|column| column.is_counter);
    let plain: Vec<_> = plain.iter().map(|own| (own.name.as_str(), own.about)).collect();
    let counters: Vec<_> = counters
        .iter()
        .filter_map(|own| Some((own.name.strip_prefix("steady_")?, own.about)))
        .collect();
    let mut text = format!("## `{}`\n\n{}\n\n{}", table.file, table.about, list(&plain));
    if !counters.is_empty() {
        text += &format!("\nCounters (`steady_`, `total_`):\n\n{}", list(&counters));
    }
    text
}

#[test]
fn the_page_of_results_describes_every_file_and_column() {
    let (name, mut text) = ("docs/reference/results.md", page("docs/reference/results.md"));
    for table in narrows_report::table_descriptions().into_iter().chain([acks()]) {
        let begin = text.find(&format!("## `{}`\n", table.file)).unwrap_or(text.len());
        let end = text[begin..].find("\n## ").map_or(text.len(), |end| begin + end);
        text.replace_range(begin..end, &section(&table));
    }
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(root().join(name), &text).expect("a page");
    }
    assert!(text == page(name), "{name} differs from the tables; UPDATE_DOCS=1 writes it");
    let place = Scratch::new("docs-results");
    let scenario = root().join("scenarios/icn.toml");
    let scenario = scenario.to_str().expect("a path");
    for arguments in [
        &["compare", "cubic", "--duration", "1 s", "--quiet", "--out", "result"][..],
        &["run", scenario, "--quiet", "--out", "icn"],
    ] {
        let output = place.narrows(arguments.iter().copied());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let result = arguments.last().expect("a directory");
        let files = place.files_of(result).into_iter();
        let missing: Vec<String> =
            files.filter(|file| !text.contains(&format!("`{file}`"))).collect();
        assert!(missing.is_empty(), "{name} does not name {missing:#?}");
    }
}
