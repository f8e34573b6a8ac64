//! Paths on which a forwarder is to listen. It replaces a socket on which nobody listens, and
//! leaves every other file as it is.

use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::{Program, signal};
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CLASS: Class = Class {
    name: "sockets",
    title: "Paths of the forwarder's socket: files, links, devices, sockets in use",
    full: 120,
};

/// Kind of file at the path before the forwarder starts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum There {
    Nothing,
    Stale,
    Listening,
    File,
    Link,
    LinkToNothing,
    LinkToStale,
    Directory,
    Pipe,
    Device,
}

const ALL: [There; 10] = [
    There::Nothing,
    There::Stale,
    There::Listening,
    There::File,
    There::Link,
    There::LinkToNothing,
    There::LinkToStale,
    There::Directory,
    There::Pipe,
    There::Device,
];

#[test]
fn sockets() {
    campaign(&CLASS, |case| {
        let there = case.random.pick(&ALL);
        let removed = case.random.chance(0.3);
        one(case, there, removed)
            .map_err(|problem| format!("{there:?}, removed meanwhile: {removed}: {problem}"))
    });
}

fn one(case: &Case, there: There, removed: bool) -> Verdict {
    let (path, other) = (case.place.path("n.sock"), case.place.path("other"));
    let node = |arguments: &[&str]| {
        // Creating a device needs root.
        let made = Command::new("mknod").arg(&path).args(arguments).stderr(Stdio::null()).status();
        made.is_ok_and(|status| status.success())
    };
    let mut listener = None;
    match there {
        There::Nothing => {}
        There::Stale => drop(UnixListener::bind(&path).expect("a socket")),
        There::Listening => listener = Some(UnixListener::bind(&path).expect("a socket")),
        There::File => fs::write(&path, "precious").expect("a file"),
        There::Link => {
            fs::write(&other, "precious").expect("a file");
            symlink(&other, &path).expect("a link");
        }
        There::LinkToNothing => symlink(&other, &path).expect("a link"),
        There::LinkToStale => {
            drop(UnixListener::bind(&other).expect("a socket"));
            symlink(&other, &path).expect("a link");
        }
        There::Directory => fs::create_dir(&path).expect("a directory"),
        There::Pipe if !node(&["p"]) => return Ok(End::Refused),
        There::Device if !node(&["c", "1", "3"]) => return Ok(End::Refused),
        There::Pipe | There::Device => {}
    }
    let seen = |at| {
        fs::symlink_metadata(at)
            .map(|found| (found.dev(), found.ino(), found.mode(), found.len()))
            .ok()
    };
    let (before, before_other) = (seen(&path), seen(&other));
    let at = path.display().to_string();
    let mut program = Program::new(
        &case.place,
        &["ndn", "forward", "--unix", &at, "--udp", "127.0.0.1:0", "--tcp", "127.0.0.1:0"],
    );
    let mut child = program.spawn();
    let began = Instant::now();
    let runs = loop {
        if child.try_wait().expect("a state").is_some() {
            break false;
        }
        if there != There::Listening && seen(&path) != before && UnixStream::connect(&path).is_ok()
        {
            break true;
        }
        if began.elapsed() > Duration::from_secs(20) {
            let _ = child.kill();
            return Err("it neither listens nor ends".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let mut taken = None;
    if runs {
        if removed {
            fs::remove_file(&path).expect("its socket");
            taken = Some(UnixListener::bind(&path).expect("another socket"));
        }
        signal(child.id(), "TERM");
    }
    let expected = seen(&path).filter(|_| taken.is_some());
    let ended = program.finish(child)?;
    ended.decent()?;
    if matches!(there, There::Nothing | There::Stale) {
        if !runs || ended.code() != 0 {
            return Err(format!("it does not run: {}", ended.told()));
        }
        return match seen(&path) {
            now if now == expected => Ok(End::Accepted),
            _ => Err("its end leaves its own socket, or takes that of another".to_owned()),
        };
    }
    if runs || ended.code() != 2 {
        return Err("it takes what is not its own".to_owned());
    }
    if listener.is_some_and(|_| UnixStream::connect(&path).is_err()) {
        return Err("who listens there is not reached any more".to_owned());
    }
    if (seen(&path), seen(&other)) != (before, before_other) {
        return Err("what was there has changed".to_owned());
    }
    Ok(End::Refused)
}
