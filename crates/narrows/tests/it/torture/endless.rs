//! Inputs that never end or never begin, for everything that commands read. They are refused within
//! the limits of memory and time.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::Program;
use narrows_units::Random;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const CLASS: Class =
    Class { name: "endless", title: "Devices, pipes and sparse files as every input", full: 260 };

/// Commands with `@` in place of the input, and the suffix that the input's name must have.
const COMMANDS: [(&[&str], &str); 18] = [
    (&["run", "@"], ".toml"),
    (&["sweep", "@"], ".toml"),
    (&["compare", "cubic", "--file", "@"], ".toml"),
    (&["compare", "cubic", "--trace", "@"], ""),
    (&["report", "out", "--overlay", "@"], ""),
    (&["compare", "./@"], ".bpf.c"),
    (&["compare", "./@"], ".bpf.o"),
    (&["compare", "./@"], ".policy.json"),
    (&["inspect", "./@"], ".bpf.o"),
    (&["check", "cubic", "--about", "@"], ".toml"),
    (&["check", "cubic", "--against", "@"], ".json"),
    (&["merge", "@", "--out", "merged"], ""),
    (&["sweep", "--resume", "@"], ""),
    (&["ndn", "key", "/example", "--key", "@"], ""),
    (&["ndn", "serve", "/example", "@", "--at", "unix:///nowhere"], ""),
    (&["ndn", "serve", "/example", "in.toml", "--key", "@", "--at", "unix:///nowhere"], ""),
    (&["ndn", "get", "/example", "--trust", "@", "--at", "unix:///nowhere"], ""),
    (&["ndn", "forward", "--config", "@"], ""),
];

/// A scenario that names its trace.
const TRACED: &str = "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\ntrace = \"endless\"\ndelay = \"5 ms\"\nbuffer = \"1 bdp\"\n\
                      [[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";

#[test]
fn endless() {
    campaign(&CLASS, |case| {
        fs::create_dir_all(case.place.path("work")).expect("a directory");
        case.place.write("work/in.toml", TRACED);
        let traced = case.random.chance(0.1);
        let (command, end) =
            if traced { (&["run", "in.toml"][..], "") } else { case.random.pick(&COMMANDS) };
        let name = format!("endless{end}");
        let (what, writer) = put(&case.place.path(&format!("work/{name}")), &mut case.random);
        let arguments: Vec<String> = command.iter().map(|word| word.replace('@', &name)).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let verdict = refused(case, &arguments)
            .map_err(|problem| format!("{} with {what}: {problem}", arguments.join(" ")));
        if let Some(mut writer) = writer {
            // The writer has ended already if nobody read.
            let _ = writer.kill();
            writer.wait().expect("an end");
        }
        verdict
    });
}

/// Creates an input without an end or a beginning, and describes it. Some inputs need a writing
/// program, which is returned.
fn put(path: &Path, random: &mut Random) -> (&'static str, Option<Child>) {
    let pipe =
        || assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
    match random.below(6) {
        0 | 1 => {
            let device = random.pick(&["/dev/zero", "/dev/urandom", "/dev/full"]);
            symlink(device, path).expect("a link");
            (device, None)
        }
        2 => {
            pipe();
            ("a pipe that nobody writes into", None)
        }
        3 => {
            pipe();
            // The writer waits for a reader.
            let writer = Command::new("sh")
                .args(["-c", "exec yes >\"$0\""])
                .arg(path)
                .stderr(Stdio::null())
                .spawn();
            ("a pipe without an end", Some(writer.expect("a shell runs")))
        }
        4 => {
            File::create(path)
                .expect("a file")
                .set_len(1 << random.between(32, 42))
                .expect("a long file");
            ("a file of holes", None)
        }
        _ => {
            symlink(path, path).expect("a link");
            ("a link to itself", None)
        }
    }
}

fn refused(case: &Case, arguments: &[&str]) -> Verdict {
    let ended = Program::new(&case.place, arguments).run()?;
    ended.decent()?;
    match ended.code() {
        2 => Ok(End::Refused),
        code => Err(format!("exit status {code}")),
    }
}
