//! Each requirement in `docs/reference/requirements.md` is quoted at the code that fulfils it and
//! at a test of it, and sources quote no other requirement.

use crate::blocks::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Words before a quotation at the code, and words before a quotation at a test.
const FULFILS: &str = "Requirement, ";
const SHOWS: &str = "Shows ";

/// A requirement: its place in a document, and its text.
type Quotation = (String, String);

/// Returns the rows of the page. The text is the reason why a requirement is not fulfilled, if it
/// is not.
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

/// Collects the quotations after `words` in the comments of all sources below `folder`.
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

/// Returns the comments of a source, each joined into one line. An empty comment line separates two
/// comments.
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
