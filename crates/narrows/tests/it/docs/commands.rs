//! The page of commands equals the commands' help, and pages name only flags that commands have.

use super::links::all_pages;
use crate::blocks::{is_stale, root};
use crate::scratch::{Scratch, code, stderr, stdout};
use std::collections::BTreeMap;
use std::fs;

/// Returns the help of each command by its words: `""` is the program itself, `"deploy plan"` a
/// subcommand.
fn helps(place: &Scratch) -> Vec<(String, String)> {
    let (mut all, mut next) = (Vec::new(), vec![String::new()]);
    while let Some(command) = next.pop() {
        let said = place.narrows(command.split_whitespace().chain(["--help"]));
        assert_eq!(code(&said), 0, "narrows {command} --help: {}", stderr(&said));
        let help = stdout(&said);
        let before = help.split("\nOptions:").next().unwrap_or_default();
        let inner = before.lines().filter_map(|line| {
            let name = line.strip_prefix("  ")?.split_once("  ")?.0;
            let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            (is_name && name != "help").then(|| format!("{command} {name}").trim().to_owned())
        });
        let inner: Vec<String> = inner.collect();
        next.extend(inner.into_iter().rev());
        all.push((command, help));
    }
    all
}

#[test]
fn the_page_of_commands_is_their_help() {
    let mut text = String::from(
        "# Commands\n\n\
         The help of every command, as `narrows COMMAND --help` prints it; `make docs` rewrites this page. `narrows man DIR` writes the\n\
         same as manual pages, and `narrows completions SHELL` prints a script that completes commands.\n",
    );
    for (command, help) in helps(&Scratch::new("docs-commands")) {
        let name = format!("narrows {command}");
        text += &format!("\n## {}\n\n```text\n{}\n```\n", name.trim(), help.trim_end());
    }
    let path = root().join("docs/reference/commands.md");
    assert!(
        !is_stale(&path, &text),
        "{} differs from the help; `make docs` writes it",
        path.display()
    );
}

/// Returns the flags in a text, such as `--seeds` in `--seeds 3`, `--seeds=3` and `[--seeds]`.
fn flags(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.split(move |c: char| !is_inside(c))
        .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
}

/// Returns the code in a page: text between backticks, and lines of code blocks.
fn code_of(page: &str) -> Vec<String> {
    let (mut found, mut is_block) = (Vec::new(), false);
    let mut prose = String::new();
    for line in page.replace("\\\n", " ").lines() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if is_block {
            found.push(line.to_owned());
        } else {
            prose += line;
            prose.push('\n');
        }
    }
    found.extend(prose.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " ")));
    found
}

#[test]
fn every_flag_in_the_pages_exists() {
    let helps: BTreeMap<String, String> = helps(&Scratch::new("docs-flags")).into_iter().collect();
    let has = |command: &str, flag: &str| {
        helps.get(command).is_some_and(|help| flags(help).any(|own| own == flag))
    };
    let mut wrong = Vec::new();
    for page in all_pages() {
        let text = fs::read_to_string(&page).expect("a page");
        for code in code_of(&text) {
            // The next program begins after a bar or a semicolon, and a remark after a hash.
            for part in code.split(['|', ';', '#']).flat_map(|part| part.split("&&")) {
                let Some(rest) = part.trim_start_matches("sudo ").trim().strip_prefix("narrows ")
                else {
                    continue;
                };
                let mut command = String::new();
                for word in rest.split_whitespace() {
                    let longer = format!("{command} {word}").trim().to_owned();
                    if !helps.contains_key(&longer) {
                        break;
                    }
                    command = longer;
                }
                // Arguments after the dashes belong to another program.
                let own = rest.split(" -- ").next().unwrap_or_default();
                let unknown = flags(own).filter(|flag| !has(&command, flag));
                wrong.extend(unknown.map(|flag| format!("{}: {flag} in {part}", page.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "flags that no command has: {wrong:#?}");
}
