//! Output paths of every kind, also with a full disk and kills: the old content stays, or the new
//! content is complete.

use crate::scratch::Scratch;
use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::{Program, signal};
use crate::torture::results::{Original, one_link};
use narrows_units::Random;
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::Duration;

const CLASS: Class = Class {
    name: "outputs",
    title: "Output paths: links, pipes, devices; full disk, kill",
    full: 650,
};

/// Commands that write one file. Its path is the last argument.
const COMMANDS: [&[&str]; 5] = [
    &["report", "out", "--json", "--out"],
    &["figure", "out", "throughput", "--svg"],
    &["figure", "out", "throughput", "--png"],
    &["export", "out", "--format", "perfetto", "--out"],
    &["ndn", "key", "/example", "-o"],
];
/// Index of `ndn key`, which does not replace files.
const KEY: usize = 4;
/// Signal for a file that exceeds the size limit.
const SIGXFSZ: i32 = 25;
const OLD: &str = "what was there before";

/// Kind of file at the path before the command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    New,
    Regular(u32),
    Link,
    Dangling,
    Pipe,
    Device,
    Folder,
    Absent,
}

#[test]
fn outputs() {
    let original =
        Original::of(CLASS.name, &[("in.toml", one_link("300 ms", "5 Mbit/s"))], "run in.toml");
    // Files that each command writes when nothing hinders it.
    let wanted: Vec<Vec<u8>> = COMMANDS[..KEY]
        .iter()
        .map(|command| {
            let place = Scratch::new("torture-outputs-wanted");
            original.lay_out_result(&place);
            let ended =
                Program::new(&place, &[command, &["wanted"][..]].concat()).run().expect("an end");
            assert_eq!(ended.code(), 0, "{}: {}", command.join(" "), ended.told());
            place.read("work/wanted")
        })
        .collect();
    campaign(&CLASS, |case| {
        original.lay_out(&case.place);
        original.lay_out_result(&case.place);
        let which = case.random.below(COMMANDS.len() as u64) as usize;
        let target = target(&mut case.random);
        let trouble = case.random.below(3);
        if !lay_out(case, target) {
            return Ok(End::Refused);
        }
        let explain = |problem: String| {
            format!("{} to {target:?}, trouble {trouble}: {problem}", COMMANDS[which].join(" "))
        };
        let path = if target == Target::Absent { "none/file" } else { "file" };
        let arguments = [COMMANDS[which], &[path]].concat();
        let reader = (target == Target::Pipe).then(|| reader(case.place.path("work/file")));
        let limit = if trouble == 1 {
            format!("ulimit -f {} && exec", case.random.below(200))
        } else {
            "exec".to_owned()
        };
        let mut program = Program::under(&case.place, &limit, &arguments);
        let child = program.spawn();
        if trouble == 2 {
            thread::sleep(Duration::from_micros(case.random.below(40_000)));
            signal(child.id(), case.random.pick(&["KILL", "TERM", "HUP"]));
        }
        let ended = program.finish(child).map_err(explain)?;
        let signal = ended.status.signal();
        if signal.is_none() {
            ended.decent().map_err(explain)?;
        } else if trouble == 0 || trouble == 1 && signal != Some(SIGXFSZ) {
            return Err(explain(format!("ended by {signal:?}")));
        }
        let read = reader.map(|reader| open_end(case, reader));
        judge(case, which, target, ended.code(), read, wanted.get(which)).map_err(explain)
    });
}

fn target(random: &mut Random) -> Target {
    let mode = random.pick(&[0o600, 0o640, 0o644]);
    random.pick(&[
        Target::New,
        Target::Regular(mode),
        Target::Link,
        Target::Dangling,
        Target::Pipe,
        Target::Device,
        Target::Folder,
        Target::Absent,
    ])
}

/// Creates the target. False if that needs root.
fn lay_out(case: &Case, target: Target) -> bool {
    let path = |name: &str| case.place.path(&format!("work/{name}"));
    match target {
        Target::New | Target::Absent => {}
        Target::Regular(mode) => {
            fs::write(path("file"), OLD).expect("a file");
            fs::set_permissions(path("file"), Permissions::from_mode(mode)).expect("permissions");
        }
        Target::Link => {
            fs::write(path("far"), OLD).expect("a file");
            symlink("far", path("file")).expect("a link");
        }
        Target::Dangling => symlink("far", path("file")).expect("a link"),
        Target::Pipe => assert!(
            Command::new("mkfifo").arg(path("file")).status().expect("mkfifo runs").success()
        ),
        // A device of the test's own that accepts all data, like /dev/null.
        Target::Device => {
            let made = Command::new("mknod").arg(path("file")).args(["c", "1", "3"]).output();
            return made.is_ok_and(|output| output.status.success());
        }
        Target::Folder => fs::create_dir(path("file")).expect("a folder"),
    }
    true
}

/// Reads a pipe to its end, in a thread.
fn reader(path: PathBuf) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        File::open(path).expect("a pipe").read_to_end(&mut bytes).expect("its bytes");
        bytes
    })
}

/// Returns the data from the pipe, also if the command never opened it.
fn open_end(case: &Case, reader: JoinHandle<Vec<u8>>) -> Vec<u8> {
    // Opening the pipe for writing and closing it ends the reader's wait for a first writer.
    let _ = File::options().read(true).write(true).open(case.place.path("work/file"));
    reader.join().expect("a thread")
}

fn judge(
    case: &Case,
    which: usize,
    target: Target,
    code: i32,
    read: Option<Vec<u8>>,
    wanted: Option<&Vec<u8>>,
) -> Verdict {
    let path = |name: &str| case.place.path(&format!("work/{name}"));
    let kind = path("file").symlink_metadata().map(|there| there.file_type());
    let is = |test: fn(&fs::FileType) -> bool| kind.as_ref().is_ok_and(test);
    match target {
        Target::Link | Target::Dangling if !is(fs::FileType::is_symlink) => {
            return Err("the link is gone".to_owned());
        }
        Target::Pipe if !is(FileTypeExt::is_fifo) => return Err("the pipe is gone".to_owned()),
        Target::Device if !is(FileTypeExt::is_char_device) => {
            return Err("the device is gone".to_owned());
        }
        Target::Folder if !is(fs::FileType::is_dir) => return Err("the folder is gone".to_owned()),
        Target::Regular(mode)
            if path("file")
                .metadata()
                .is_ok_and(|there| there.permissions().mode() & 0o777 != mode) =>
        {
            return Err("other permissions".to_owned());
        }
        _ => {}
    }
    let file = match target {
        Target::New | Target::Regular(_) => Some("file"),
        Target::Link | Target::Dangling => Some("far"),
        _ => None,
    };
    let before =
        matches!(target, Target::Regular(_) | Target::Link).then(|| OLD.as_bytes().to_vec());
    let now = file.and_then(|file| fs::read(path(file)).ok()).or(read);
    let whole = |now: &Vec<u8>| match wanted {
        Some(wanted) => now == wanted,
        None => {
            now.starts_with(b"-----BEGIN PRIVATE KEY-----")
                && now.ends_with(b"-----END PRIVATE KEY-----\n")
        }
    };
    let fits = match (target, code) {
        // A pipe has the data up to the end. For devices and refused targets there is nothing to
        // compare.
        (Target::Pipe, 0) => now.as_ref().is_some_and(whole),
        (Target::Pipe | Target::Device | Target::Folder | Target::Absent, _) => true,
        (_, 0) => now.as_ref().is_some_and(whole),
        // If the program was killed after the file got its name, the file is complete.
        _ => now == before || now.as_ref().is_some_and(whole),
    };
    if !fits {
        return Err(format!(
            "exit status {code}, and the file has {:?} bytes",
            now.map(|now| now.len())
        ));
    }
    if code == 0 && which == KEY && target != Target::New {
        return Err("a key has taken the place of something".to_owned());
    }
    let expected = ["in.toml", "out", "file", "far", "file.cert"];
    match case.place.files_of("work").iter().find(|name| !expected.contains(&name.as_str())) {
        Some(name) => Err(format!("{name} stays")),
        None => Ok(if code == 0 { End::Accepted } else { End::Refused }),
    }
}
