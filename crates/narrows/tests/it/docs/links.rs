//! Links between pages lead to files and headings that exist.

use crate::blocks::{pages, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

/// Returns every page of the repository that people read.
pub fn all_pages() -> Vec<PathBuf> {
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let folders = [
        "docs",
        "measurements",
        "scenarios",
        "papers",
        "crates",
        "contrib",
        "examples",
        "python/narrows",
    ];
    let own = own.map(|name| root().join(name)).into_iter();
    own.chain(folders.iter().flat_map(|folder| pages(folder))).collect()
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut broken = Vec::new();
    for page in all_pages() {
        let text =
            fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            if target.contains("://") || target.contains(' ') {
                continue;
            }
            let path = match file.is_empty() {
                true => page.clone(),
                false => page.parent().expect("a directory").join(file),
            };
            let found = path.exists()
                && (anchor.is_empty()
                    || fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(anchor)));
            if !found {
                broken.push(format!("{} links to {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links lead nowhere: {broken:#?}");
}

/// Returns the anchors of a page's headings, named as GitHub and mdBook name them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    });
    let marks = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    headings.chain(marks.map(str::to_owned)).collect()
}
