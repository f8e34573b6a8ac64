//! This version can read results that version 0.1.0 wrote.
//!
//! `crates/narrows/tests/kept/0.1.0` has a comparison, a sweep and a check without their pages. A
//! version that cannot read one of them must refuse it with a message, which this test must then
//! assert.

use crate::blocks::root;
use crate::scratch::{Scratch, code, stderr, stdout};
use std::fs;
use std::path::Path;

fn copied(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a kept result") {
        let path = entry.expect("a file").path();
        let own = to.join(path.file_name().expect("a name"));
        match path.is_dir() {
            true => copied(&path, &own),
            false => _ = fs::copy(&path, own).expect("a copy"),
        }
    }
}

#[test]
fn results_of_the_first_version_are_read() {
    let place = Scratch::new("kept");
    copied(&root().join("crates/narrows/tests/kept/0.1.0"), &place.path("kept"));
    for (name, says) in [("compare", "cubic"), ("sweep", "rate"), ("check", "cubic")] {
        let result = format!("kept/{name}");
        let ran = place.narrows(["report", &result]);
        assert_eq!(code(&ran), 0, "{name}: {}", stderr(&ran));
        assert!(stdout(&ran).contains(says), "{name}: {}", stdout(&ran));
        let page = place.path(&format!("{result}/report.html"));
        assert!(fs::metadata(page).is_ok_and(|page| page.len() > 10_000), "{name} has a page");
    }
    for name in ["compare", "sweep"] {
        let ran = place.narrows(["diff", &format!("kept/{name}"), &format!("kept/{name}")]);
        assert_eq!(code(&ran), 0, "{name}: {}", stderr(&ran));
    }
    let ran = place.narrows(["export", "kept/compare"]);
    assert_eq!(code(&ran), 0, "{}", stderr(&ran));
}
