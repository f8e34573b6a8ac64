//! The controller in docs/how-to/bring-your-own.md compiles, its commands run, and their output
//! equals the page. `UPDATE_DOCS=1 cargo test -p narrows --test it own_controller` rewrites the
//! output.

use crate::blocks::{is_stale, rewritten, root};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::fs;
use std::process::Output;

/// Returns the code blocks of the page in a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let begin = format!("```{language}\n");
    page.split(&begin).skip(1).map(|block| block.split("```").next().expect("an end")).collect()
}

fn shell(place: &Scratch, command: &str, more: &str) -> Output {
    let command = command.replacen("narrows", "\"$0\"", 1);
    place
        .command("sh")
        .args(["-c", &format!("{command} {more}"), PROGRAM])
        .output()
        .expect("a shell")
}

#[test]
fn the_page_is_true() {
    let path = root().join("docs/how-to/bring-your-own.md");
    let page = fs::read_to_string(&path).expect("the page");
    let place = Scratch::new("own-controller");
    let source = blocks(&page, "c")[0];
    place.write("mine.bpf.c", source);
    place.write("few.c", blocks(&page, "c")[1]);
    for (block, name) in blocks(&page, "c").into_iter().zip(["mine.bpf.c", "few.c"]) {
        let example = fs::read_to_string(root().join("examples/bpf").join(name));
        assert_eq!(example.expect("an example"), block, "examples/bpf/{name}");
    }
    place.write("mine.toml", blocks(&page, "toml")[0]);
    let inspected = shell(&place, "narrows inspect ./mine.bpf.c", "");
    if code(&inspected) != 0
        && (stderr(&inspected).contains("no clang is in PATH")
            || stderr(&inspected).contains("without them"))
    {
        return eprintln!("left out: {}", stderr(&inspected));
    }

    let mut run = 0;
    for command in blocks(&page, "sh")
        .into_iter()
        .flat_map(str::lines)
        .filter(|line| !line.starts_with("sudo "))
    {
        run += 1;
        let more = if command.starts_with("narrows inspect") {
            String::new()
        } else {
            format!("--quiet --out out-{run}")
        };
        let output = shell(&place, command, &more);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""), "{command}");
    }
    assert_eq!(run, 5);

    let text = rewritten(&path, "run", &mut |command| {
        let output = shell(&place, command, "--quiet --out shown");
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        format!("```text\n$ {command}\n{}\n```", stdout(&output).trim_end())
    });
    assert!(
        !is_stale(&path, &text),
        "UPDATE_DOCS=1 cargo test -p narrows --test it own_controller rewrites {}",
        path.display()
    );

    let last = "tp->snd_cwnd_cnt = sum % whole;";
    assert!(source.contains(last) && page.contains("`tp->rcv_nxt = 0;`"));
    place.write("mine.bpf.c", &source.replace(last, "tp->rcv_nxt = 0;"));
    let output = shell(&place, "narrows inspect ./mine.bpf.c", "");
    assert!(
        code(&output) == 0
            && stdout(&output).contains(
                "it changes tcp_sock.rcv_nxt, which the kernel lets no controller change"
            ),
        "{}",
        stdout(&output)
    );
    let output = shell(&place, "narrows compare ./mine.bpf.c cubic", "--quiet --out fault");
    assert_eq!(code(&output), 2);
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let here = format!("{}/", fs::canonicalize(place.path("")).expect("a directory").display());
    let said = flat(&stderr(&output)).replace(&here, "");
    assert!(
        blocks(&page, "text").iter().any(|block| flat(block) == said),
        "the page has not: {said}"
    );
}
