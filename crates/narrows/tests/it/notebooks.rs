//! The Python code in docs/how-to/notebooks.md runs on a result. `make notebooks` installs the
//! packages that it needs; without them the test is left out.

use crate::blocks::root;
use crate::scratch::{Scratch, code, stderr};
use std::fs;

/// Returns the fenced blocks of Python.
fn fenced(page: &str) -> Vec<&str> {
    let opened = page.split("```python\n").skip(1);
    opened.map(|rest| rest.split_once("```").expect("a block ends").0).collect()
}

#[test]
fn the_notebooks_draw_their_figures() {
    let python = root().join("target/notebooks/bin/python");
    if !python.exists() {
        eprintln!("skipped: no {}; make notebooks installs it", python.display());
        return;
    }
    let python =
        fs::canonicalize(python.parent().expect("a folder")).expect("a folder").join("python");
    let place = Scratch::new("notebooks");
    let made = place.narrows([
        "compare",
        "--duration",
        "5s",
        "--seeds",
        "2",
        "--quiet",
        "--out",
        "result",
    ]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let page = fs::read_to_string(root().join("docs/how-to/notebooks.md")).expect("a page");
    let blocks = fenced(&page);
    assert!(blocks.len() >= 4, "{} blocks", blocks.len());
    for block in blocks {
        let mut command = place.command(&python.display().to_string());
        let ran = command
            .args(["-W", "error", "-c", block])
            .env("MPLBACKEND", "svg")
            .output()
            .expect("Python runs");
        assert_eq!(code(&ran), 0, "{block}\n{}", stderr(&ran));
        if let Some((_, file)) = block.split_once("savefig(\"") {
            let file = file.split('"').next().expect("a name");
            let drawn = String::from_utf8(place.read(file)).expect("text");
            // A legend with three cases shows that the figure is more than an empty frame.
            assert!(
                ["newreno", "cubic", "bbr"]
                    .iter()
                    .all(|case| drawn.contains(&format!("<!-- {case}"))),
                "{file} has no legend"
            );
        }
    }
}
