//! Reading is bounded, and does not wait without end.

use narrows_files::{Limit, open_to_append, open_unlinked, read, read_text};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};
use tempfile::tempdir;

/// Longer than the time limit for a pipe without another end.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn a_file_is_read_up_to_its_limit() {
    let place = tempdir().expect("a folder");
    let path = place.path().join("file");
    fs::write(&path, [b'x'; 100]).expect("a file");
    assert_eq!(read(&path, Limit::bytes(100)).expect("content"), [b'x'; 100]);
    let error = read(&path, Limit::bytes(99)).expect_err("too long");
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::FileTooLarge, "it is longer than 99 bytes".to_owned())
    );
    assert_eq!(read_text(&path, Limit::KEY).expect("text").len(), 100);
    fs::write(&path, [0xff]).expect("a file");
    assert_eq!(read_text(&path, Limit::KEY).expect_err("no text").kind(), ErrorKind::InvalidData);
    // Files of /proc have the size 0.
    assert!(read_text(Path::new("/proc/self/status"), Limit::TEXT).expect("text").contains("Pid:"));
    assert_eq!(
        read(place.path(), Limit::TEXT).expect_err("a folder").kind(),
        ErrorKind::IsADirectory
    );
}

#[test]
fn devices_without_an_end_are_refused_soon() {
    for (limit, told) in
        [(Limit::KEY, "it is longer than 64 KiB"), (Limit::TEXT, "it is longer than 16 MiB")]
    {
        assert_eq!(read(Path::new("/dev/zero"), limit).expect_err("no end").to_string(), told);
    }
    let sparse = tempdir().expect("a folder");
    let path = sparse.path().join("sparse");
    File::create(&path).expect("a file").set_len(1 << 40).expect("a long file");
    let began = Instant::now();
    assert_eq!(
        read(&path, Limit::SERVED).expect_err("too long").to_string(),
        "it is longer than 4096 MiB"
    );
    assert!(began.elapsed() < Duration::from_secs(1));
}

#[test]
fn pipes_are_read_to_their_end_and_refused_if_nobody_writes() {
    let place = tempdir().expect("a folder");
    let path = place.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
    let writer = thread::spawn({
        let path = path.clone();
        move || {
            let mut end = OpenOptions::new().write(true).open(path).expect("the other end");
            for part in ["one ", "two ", "three"] {
                thread::sleep(Duration::from_millis(120));
                end.write_all(part.as_bytes()).expect("written");
            }
        }
    });
    assert_eq!(read_text(&path, Limit::TEXT).expect("text"), "one two three");
    writer.join().expect("a thread");
    let began = Instant::now();
    assert_eq!(
        read(&path, Limit::TEXT).expect_err("nobody").to_string(),
        "it is a pipe that no program writes into"
    );
    assert_eq!(
        open_to_append(&path).expect_err("nobody").to_string(),
        "it is a pipe that no program reads"
    );
    assert!(began.elapsed() < 2 * SOON);
}

#[test]
fn where_links_do_not_count_only_regular_files_are_opened() {
    let place = tempdir().expect("a folder");
    let path = |name: &str| place.path().join(name);
    fs::write(path("file"), "content").expect("a file");
    symlink("file", path("link")).expect("a link");
    assert!(Command::new("mkfifo").arg(path("pipe")).status().expect("mkfifo runs").success());
    open_unlinked(&path("file")).expect("a regular file");
    for (name, told) in [("link", "a symbolic link"), ("pipe", "a pipe"), (".", "a directory")] {
        assert_eq!(
            open_unlinked(&path(name)).expect_err(name).to_string(),
            format!("it is {told}, not a regular file")
        );
    }
}
