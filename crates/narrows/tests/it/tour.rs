//! README and the chapters of the tour show the output of their commands.
//! `UPDATE_DOCS=1 cargo test -p narrows --test it tour` rewrites it.
//!
//! A page contains `<!-- run: narrows ... -->`. Everything up to `<!-- end of run -->` comes from
//! that command.

use crate::blocks::{is_stale, pages, rewritten, root};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::path::PathBuf;
use std::process::Command;

#[test]
fn readme_and_tour_show_what_their_commands_print() {
    let place = Scratch::new("tour");
    let (mut stale, mut shown) = (Vec::<PathBuf>::new(), 0);
    for page in pages("docs/tour").into_iter().chain([root().join("README.md")]) {
        let text = rewritten(&page, "run", &mut |command| {
            shown += 1;
            let out = place.path(&format!("result-{shown}"));
            // A shell splits the words, as the reader's shell does.
            let mut shell: Command = place.command("sh");
            shell.current_dir(root());
            let ran = shell.args([
                "-c",
                &format!(
                    "{} --quiet --out '{}'",
                    command.replacen("narrows", "\"$0\"", 1),
                    out.display()
                ),
                PROGRAM,
            ]);
            let ran = ran.output().expect("a shell");
            assert_eq!(code(&ran), 0, "{command}: {}", stderr(&ran));
            format!("```text\n$ {command}\n{}\n```", stdout(&ran).trim_end())
        });
        if is_stale(&page, &text) {
            stale.push(page);
        }
    }
    assert!(
        stale.is_empty(),
        "UPDATE_DOCS=1 cargo test -p narrows --test it tour rewrites {stale:#?}"
    );
    assert!(shown >= 6, "{shown} commands");
}
