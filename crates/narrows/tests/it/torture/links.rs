//! Result directories with links, pipes and devices where commands read and write. Nothing outside
//! the result is read or written.

use crate::scratch::Scratch;
use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::inputs::tree;
use crate::torture::program::Program;
use crate::torture::results::{Original, one_link};
use narrows_units::Random;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

const CLASS: Class =
    Class { name: "links", title: "Links, pipes, devices in result directories", full: 1_300 };

/// Name and content of a file beside the result.
const PRECIOUS: &str = "precious";
const CONTENT: &str = "nobody-may-read-or-change-this";

/// Commands that read the result, and write into it or beside it.
const COMMANDS: [&[&str]; 8] = [
    &["report", "out"],
    &["report", "out", "--json"],
    &["report", "out", "--out", "page.html"],
    &["export", "out"],
    &["export", "out", "--format", "perfetto"],
    &["figure", "out", "throughput"],
    &["diff", "out", "out"],
    &["merge", "out", "--out", "merged"],
];

/// Names that a command reads or writes in a result, or once wrote.
const NAMES: [&str; 14] = [
    "report.html",
    ".report.html.partial",
    "csv",
    "csv/changes.csv",
    "csv/flow_samples.csv",
    "run.perfetto-trace",
    "SHA256SUMS",
    "summary.json",
    "run.json",
    "check.json",
    "flow_samples.parquet",
    "links.parquet",
    ".lock",
    "extra",
];

#[test]
fn links() {
    let original =
        Original::of(CLASS.name, &[("in.toml", one_link("300 ms", "5 Mbit/s"))], "run in.toml");
    campaign(&CLASS, |case| {
        original.lay_out(&case.place);
        original.lay_out_result(&case.place);
        case.place.write(&format!("work/{PRECIOUS}"), CONTENT);
        let command = case.random.pick(&COMMANDS);
        let done: Vec<String> = (0..case.random.between(1, 2))
            .map(|_| put(&case.place.path("work/out"), &mut case.random))
            .collect();
        let explain =
            |problem: String| format!("{}: {}: {problem}", done.join(", "), command.join(" "));
        let before = beside(&case.place);
        let ended = Program::new(&case.place, command).run().map_err(explain)?;
        ended.decent().map_err(explain)?;
        judge(case, &before, &ended.stdout, ended.code()).map_err(explain)
    });
}

/// Puts something into the result that is not a regular file, and describes it.
fn put(result: &Path, random: &mut Random) -> String {
    let name = random.pick(&NAMES);
    let path = result.join(name);
    let folder = path.parent().expect("a folder");
    if !folder.is_dir() {
        let _ = fs::remove_file(folder);
        fs::create_dir_all(folder).expect("a folder");
    }
    let _ = fs::remove_file(&path);
    let _ = fs::remove_dir_all(&path);
    let up = if name.contains('/') { "../../" } else { "../" };
    match random.below(7) {
        0..=2 => {
            let to = format!("{up}{}", random.pick(&[PRECIOUS, PRECIOUS, "new", ".", "in.toml"]));
            symlink(&to, &path).expect("a link");
            format!("{name} a link to {to}")
        }
        3 => {
            let to = random.pick(&["/dev/zero", "/etc", "/proc/self/mem"]);
            symlink(to, &path).expect("a link");
            format!("{name} a link to {to}")
        }
        4 => {
            assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
            format!("{name} a pipe")
        }
        5 => {
            let made = Command::new("mknod")
                .args([path.as_os_str(), "c".as_ref(), "1".as_ref(), "5".as_ref()])
                .output();
            match made.is_ok_and(|output| output.status.success()) {
                true => format!("{name} a device without an end"),
                false => "nothing, since only root makes devices".to_owned(),
            }
        }
        _ => match UnixListener::bind(&path) {
            Ok(_) => format!("{name} a socket"),
            Err(_) => "nothing, since the path is too long for a socket".to_owned(),
        },
    }
}

/// Returns all files beside the result, with their bytes.
fn beside(place: &Scratch) -> Vec<(String, Vec<u8>)> {
    let work = place.path("work");
    let mut files: Vec<(String, Vec<u8>)> = tree(&work)
        .into_iter()
        .filter(|path| {
            !path.starts_with(work.join("out"))
                && path.symlink_metadata().is_ok_and(|there| there.is_file())
        })
        .map(|path| {
            (
                path.strip_prefix(&work).expect("below it").display().to_string(),
                fs::read(&path).expect("a file"),
            )
        })
        .collect();
    files.sort();
    files
}

fn judge(case: &Case, before: &[(String, Vec<u8>)], stdout: &str, code: i32) -> Verdict {
    let after = beside(&case.place);
    if let Some((name, _)) = before.iter().find(|file| !after.contains(file)) {
        return Err(format!("{name} is another one"));
    }
    let made = ["page.html", "throughput.svg"];
    if let Some((name, _)) = after.iter().find(|(name, _)| {
        !made.contains(&name.as_str()) && !before.iter().any(|(own, _)| own == name)
    }) {
        return Err(format!("{name} appears"));
    }
    let shows =
        |bytes: &[u8]| bytes.windows(CONTENT.len()).any(|window| window == CONTENT.as_bytes());
    if shows(stdout.as_bytes())
        || after.iter().any(|(name, bytes)| name != PRECIOUS && shows(bytes))
    {
        return Err("shows a file from outside of the result".to_owned());
    }
    Ok(if code == 2 { End::Refused } else { End::Accepted })
}
