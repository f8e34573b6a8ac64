//! `docs/SUMMARY.md`, the table of contents of the book, names every page once, and the index names
//! each page too.

use crate::blocks::{pages, root};
use std::collections::BTreeMap;
use std::fs;

#[test]
fn contents_and_index_name_every_page() {
    let folder = root().join("docs");
    let [contents, index] =
        ["SUMMARY.md", "README.md"].map(|name| fs::read_to_string(folder.join(name)).expect(name));
    let targets = |text: &str| -> BTreeMap<String, usize> {
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        links.fold(BTreeMap::new(), |mut counts, link| {
            *counts.entry(link.to_owned()).or_default() += 1;
            counts
        })
    };
    let (contents, index) = (targets(&contents), targets(&index));
    let mut wrong = Vec::new();
    for page in pages("docs") {
        let name = page.strip_prefix(&folder).expect("a page of the folder").display().to_string();
        if name == "SUMMARY.md" {
            continue;
        }
        if contents.get(&name) != Some(&1) {
            wrong.push(format!("{name} is not once in docs/SUMMARY.md"));
        }
        // The index names a folder of pages by the page that lists them.
        let is_listed = name.starts_with("reference/controllers/") || name == "README.md";
        if !is_listed && !index.contains_key(&name) {
            wrong.push(format!("{name} is not in docs/README.md"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
