//! Disks that are full, read-only, out of inodes or limited in file size, and a full standard
//! output. No incomplete result looks complete.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::Program;
use crate::torture::results::{Original, one_link, swept};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

const CLASS: Class =
    Class { name: "disk", title: "Disk full, size limit, inodes, read-only, /dev/full", full: 65 };

/// Mount namespace of its own, which ends with the shell in it.
const APART: &str = "unshare --user --map-root-user --mount sh -c";
/// Signal for a file that exceeds the size limit.
const SIGXFSZ: i32 = 25;

#[test]
fn disk() {
    let inputs =
        [("in.toml", one_link("2 s", "10 Mbit/s")), ("sweep.toml", swept("2 s", "10 Mbit/s", 1))];
    let originals = [
        "run in.toml --pcap all --qlog one",
        "compare newreno bbr --file in.toml",
        "sweep sweep.toml",
    ]
    .map(|line| Original::of(CLASS.name, &inputs, line));
    let mounts = Command::new("sh")
        .args(["-c", &format!("{APART} 'mount -t tmpfs none /mnt'")])
        .stderr(Stdio::null())
        .status();
    let mounts = mounts.is_ok_and(|status| status.success());
    if !mounts {
        println!("no file system can be mounted here, so none is full, out of inodes or read-only");
    }
    campaign(&CLASS, |case| {
        let original = &originals[case.random.below(originals.len() as u64) as usize];
        original.lay_out(&case.place);
        let trouble = trouble(case, mounts);
        let ended = Program::under(&case.place, &trouble, &original.arguments).run()?;
        let explain = |problem: String| {
            format!("{} under {trouble}: {problem}", original.arguments.join(" "))
        };
        if ended.status.signal() != Some(SIGXFSZ) {
            ended.decent().map_err(explain)?;
        }
        judge(case, original, ended.code()).map_err(explain)
    });
}

/// Returns a shell command that limits the disk and then runs its arguments. Remaining files end up
/// in `work`.
fn trouble(case: &mut Case, mounts: bool) -> String {
    let random = &mut case.random;
    let mounted = |options: &str, then: &str| {
        // The program runs in the small file system with a copy of the inputs. Afterwards all files
        // are copied to the large one.
        let inside = "{ cd small; \"$@\"; s=$?; cd ..; cp -a small/. .; exit $s; }";
        format!(
            "mkdir small && exec {APART} 'mount -t tmpfs -o {options} none small && cp *.toml small && {then} {inside}' sh"
        )
    };
    match random.below(if mounts { 5 } else { 2 }) {
        0 => format!("ulimit -f {} && exec", random.below(400)),
        1 => "exec >/dev/full && exec".to_owned(),
        2 => mounted(&format!("size={}k", 4 * random.between(3, 200)), ""),
        3 => mounted(&format!("nr_inodes={}", random.between(4, 25)), ""),
        _ => mounted("size=1m", "mount -o remount,ro small &&"),
    }
}

fn judge(case: &Case, original: &Original, code: i32) -> Verdict {
    let work = case.place.path("work");
    let _ = fs::remove_dir(work.join("small"));
    if work.join("out").exists() {
        original
            .same(&case.place, "work/out")
            .map_err(|problem| format!("looks complete: {problem}"))?;
    } else if code == 0 {
        return Err("exit status 0, and no result".to_owned());
    }
    // The runs of a sweep are kept, so that it can be resumed where there is room.
    if code != -1 {
        original.leftover(&case.place, &["out", "out.partial"])?;
    }
    Ok(if code == 0 { End::Accepted } else { End::Refused })
}
