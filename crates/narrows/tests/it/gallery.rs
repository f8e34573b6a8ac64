//! Figures in the documentation equal those that their commands draw.
//! `UPDATE_DOCS=1 cargo test -p narrows --test it gallery` draws them again.
//!
//! A page contains `<!-- figure: FILE.svg = FIGURE of COMMAND -->`. The command, run at the top of
//! the repository, makes the file and everything up to `<!-- end of figure -->`.

use crate::blocks::{is_stale, pages, rewritten, root};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Largest size of a figure in bytes, to keep the repository small.
const LARGEST: usize = 60_000;

/// Results made so far.
struct Made {
    place: Scratch,
    /// Result directories by command.
    results: BTreeMap<String, PathBuf>,
}

impl Made {
    fn shell(&self, script: &str, words: &[&str]) -> Output {
        let mut shell = self.place.command("sh");
        let output = shell
            .current_dir(root())
            .args(["-c", script, PROGRAM])
            .args(words)
            .output()
            .expect("a shell");
        assert_eq!(code(&output), 0, "{script}: {}", stderr(&output));
        output
    }

    /// Returns the result directory of a command, which is run only once.
    fn result(&mut self, command: &str) -> PathBuf {
        if let Some(there) = self.results.get(command) {
            return there.clone();
        }
        let out = self.place.path(&format!("result-{}", self.results.len()));
        // A shell splits the words, as the reader's shell does.
        let script = format!("{} --quiet --out \"$1\"", command.replacen("narrows", "\"$0\"", 1));
        self.shell(&script, &[&out.display().to_string()]);
        self.results.insert(command.to_owned(), out.clone());
        out
    }

    /// Returns a figure of a result, and its title.
    fn figure(&self, result: &Path, name: &str) -> (String, String) {
        let (svg, out) =
            (self.place.path("figure.svg").display().to_string(), result.display().to_string());
        self.shell("\"$0\" figure \"$1\" \"$2\" --svg \"$3\"", &[&out, name, &svg]);
        let listed = stdout(&self.shell("\"$0\" figure \"$1\"", &[&out]));
        let title =
            listed.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).expect(name);
        (fs::read_to_string(svg).expect("a figure"), title.trim().to_owned())
    }
}

#[test]
fn figures_of_the_documentation_are_what_their_commands_draw() {
    let mut made = Made { place: Scratch::new("gallery"), results: BTreeMap::new() };
    let (mut stale, mut in_gallery) = (Vec::<PathBuf>::new(), 0);
    for page in pages("docs") {
        let text = rewritten(&page, "figure", &mut |said| {
            let (file, (name, command)) = said
                .split_once(" = ")
                .and_then(|(file, rest)| Some((file, rest.split_once(" of ")?)))
                .unwrap_or_else(|| {
                    panic!("{}: {said} is not FILE.svg = FIGURE of COMMAND", page.display())
                });
            in_gallery += usize::from(page.ends_with("gallery.md"));
            let result = made.result(command);
            let (svg, title) = made.figure(&result, name);
            assert!(svg.len() <= LARGEST, "{file} has {} bytes", svg.len());
            let path = page.parent().expect("a folder").join(file);
            if is_stale(&path, &svg) {
                stale.push(path);
            }
            let out = Path::new(file).file_stem().expect("a name").to_string_lossy();
            format!(
                "```sh\n{command} --out {out}\nnarrows figure {out} {name} --svg {out}.svg\n```\n\n![{title}]({file})"
            )
        });
        if is_stale(&page, &text) {
            stale.push(page);
        }
    }
    assert!(
        stale.is_empty(),
        "UPDATE_DOCS=1 cargo test -p narrows --test it gallery makes {stale:#?} again"
    );
    assert!(in_gallery >= 10, "{in_gallery} figures in the gallery");
}
