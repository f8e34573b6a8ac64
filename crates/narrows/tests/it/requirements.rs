//! Every requirement of `docs/reference/requirements.md` is quoted beside the code that fulfils it and at a
//! test that shows it, and no source quotes another.

use crate::blocks::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The words before a quotation in the source, and before one at a test.
const FULFILS: &str = "Requirement, ";
const SHOWS: &str = "Shows ";

/// A requirement: where it stands, and what it says.
type Quotation = (String, String);

/// The rows of the page, with the reason of those that are not fulfilled.
fn listed() -> Vec<(Quotation, String)> {
    let page = fs::read_to_string(root().join("docs/reference/requirements.md")).expect("the page");
    let rows = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split('|').map(str::trim).collect();
        let [document, place, quotation, why, ""] = cells[..] else { return None };
        (document != "Document")
            .then(|| ((format!("{document} {place}"), quotation.to_owned()), why.to_owned()))
    });
    rows.collect()
}

/// The quotations in the comments of all sources, after these words.
fn quoted(words: &str, folder: &Path, found: &mut BTreeSet<Quotation>) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let path = entry.path();
        if path.is_dir() {
            quoted(words, &path, found);
        } else if path.extension().is_some_and(|end| end == "rs")
            && !path.ends_with("requirements.rs")
        {
            let text = fs::read_to_string(&path).expect("a source");
            for comment in comments(&text) {
                for rest in comment.split(words).skip(1) {
                    if let Some((place, rest)) = rest.split_once(": \"")
                        && (place.contains(" section ") || place.contains(" slide "))
                        && let Some(end) = rest.rfind('"').filter(|_| !rest.contains(words))
                    {
                        found.insert((place.to_owned(), rest[..end].to_owned()));
                    }
                }
            }
        }
    }
}

/// Comments that stand on lines of their own, each in one line. An empty line of a comment begins
/// another.
fn comments(text: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    for line in text.lines() {
        let comment = line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches('/'));
        let begins = comment.is_some_and(|rest| {
            let rest = rest.trim_start();
            rest.starts_with(FULFILS) || rest.starts_with(SHOWS)
        });
        match comment.map(str::trim).filter(|rest| !rest.is_empty()) {
            Some(rest) if begins || all.last().is_some_and(String::is_empty) => {
                all.push(rest.to_owned());
            }
            Some(rest) => {
                let last = all.last_mut().expect("one at least");
                last.push(' ');
                last.push_str(rest);
            }
            None => all.push(String::new()),
        }
    }
    all
}

#[test]
fn every_requirement_has_its_code_and_its_test() {
    let (mut fulfilled, mut shown) = (BTreeSet::new(), BTreeSet::new());
    quoted(FULFILS, &root().join("crates"), &mut fulfilled);
    quoted(SHOWS, &root().join("crates"), &mut shown);
    let listed = listed();
    assert!(listed.len() >= 30, "{} rows", listed.len());
    let mut wrong = Vec::new();
    for (quotation, why) in &listed {
        let (place, text) = quotation;
        let marks = (fulfilled.contains(quotation), shown.contains(quotation));
        match (why.is_empty(), marks) {
            (true, (true, true)) | (false, (false, false)) => {}
            (true, (code, test)) => {
                wrong.push(format!("{place}: \"{text}\": in code {code}, at a test {test}"));
            }
            (false, _) => wrong.push(format!("{place}: \"{text}\" is quoted and not fulfilled")),
        }
    }
    for quotation in fulfilled.union(&shown) {
        if !listed.iter().any(|(row, _)| row == quotation) {
            wrong.push(format!("{}: \"{}\" is not listed", quotation.0, quotation.1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
