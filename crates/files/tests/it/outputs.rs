//! Writing to a path that a user gives.

use narrows_files::Output;
use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;
use tempfile::{TempDir, tempdir};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

fn place() -> TempDir {
    tempdir().expect("a folder")
}

fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo runs").success());
}

#[test]
fn a_file_gets_its_name_when_it_is_complete() {
    let place = place();
    let path = place.path().join("new");
    let mut output = Output::create(&path).expect("a file");
    output.write_all(b"content").expect("written");
    assert!(!path.exists());
    output.finish().expect("complete");
    assert_eq!(fs::read(&path).expect("a file"), b"content");
    assert_eq!(names(place.path()), ["new"]);
}

#[test]
fn what_was_there_stays_until_the_new_file_is_complete_and_nothing_else_is_left() {
    let place = place();
    let path = place.path().join("old");
    fs::write(&path, "old").expect("a file");
    let mut output = Output::create(&path).expect("a file");
    output.write_all(&[0; 100_000]).expect("written");
    drop(output);
    assert_eq!(fs::read(&path).expect("a file"), b"old");
    assert_eq!(names(place.path()), ["old"]);
    Output::write(&path, b"new").expect("written");
    assert_eq!(fs::read(&path).expect("a file"), b"new");
    assert_eq!(names(place.path()), ["old"]);
}

#[test]
fn a_replaced_file_keeps_its_permissions_and_loses_those_to_run_as_its_owner() {
    let place = place();
    let path = place.path().join("secret");
    fs::write(&path, "old").expect("a file");
    for (before, after) in [(0o600, 0o600), (0o640, 0o640), (0o4755, 0o755)] {
        fs::set_permissions(&path, Permissions::from_mode(before)).expect("permissions");
        Output::write(&path, b"new").expect("written");
        assert_eq!(path.metadata().expect("a file").mode() & 0o7777, after);
    }
}

#[test]
fn links_that_the_user_names_are_followed_also_where_they_lead_to_nothing_yet() {
    let place = place();
    fs::create_dir(place.path().join("far")).expect("a folder");
    fs::write(place.path().join("far/there"), "old").expect("a file");
    symlink("far/there", place.path().join("one")).expect("a link");
    symlink("one", place.path().join("two")).expect("a link");
    symlink("far/absent", place.path().join("three")).expect("a link");
    Output::write(&place.path().join("two"), b"new").expect("written");
    assert_eq!(fs::read(place.path().join("far/there")).expect("a file"), b"new");
    assert!(place.path().join("one").is_symlink() && place.path().join("two").is_symlink());
    Output::write(&place.path().join("three"), b"first").expect("written");
    assert_eq!(fs::read(place.path().join("far/absent")).expect("a file"), b"first");
    assert!(place.path().join("three").is_symlink());
    symlink("round", place.path().join("round")).expect("a link");
    Output::write(&place.path().join("round"), b"").expect_err("a circle");
}

#[test]
fn a_pipe_is_written_into_and_stays_a_pipe() {
    let place = place();
    let path = place.path().join("pipe");
    fifo(&path);
    let reader = thread::spawn({
        let path = path.clone();
        move || {
            let mut text = String::new();
            File::open(path).expect("the other end").read_to_string(&mut text).expect("text");
            text
        }
    });
    Output::write(&path, b"through").expect("written");
    assert_eq!(reader.join().expect("a thread"), "through");
    assert_eq!(path.metadata().expect("a pipe").mode() & 0o170_000, 0o010_000);
    assert_eq!(names(place.path()), ["pipe"]);
}

#[test]
fn a_pipe_that_nobody_reads_is_refused() {
    let place = place();
    let path = place.path().join("pipe");
    fifo(&path);
    let error = Output::create(&path).expect_err("no reader");
    assert_eq!(error.to_string(), "it is a pipe that no program reads");
}

#[test]
fn open_files_of_this_process_are_written_into() {
    let place = place();
    let mut file = File::options()
        .read(true)
        .append(true)
        .create(true)
        .open(place.path().join("open"))
        .expect("a file");
    file.write_all(b"before, ").expect("written");
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    let mut output = Output::create(Path::new(&format!("/dev/fd/{number}"))).expect("an open file");
    output.write_all(b"X").expect("written");
    output.finish().expect("complete");
    // The open file is written, not another file of the same name.
    assert_eq!(
        file.metadata().expect("a file").ino(),
        place.path().join("open").metadata().expect("a file").ino()
    );
    assert_eq!(names(place.path()), ["open"]);
}

#[test]
fn folders_and_protected_files_are_refused_and_nothing_new_replaces_anything() {
    let place = place();
    let kind = |path: &str| Output::create(&place.path().join(path)).expect_err(path).kind();
    fs::create_dir(place.path().join("folder")).expect("a folder");
    assert_eq!(kind("folder"), ErrorKind::IsADirectory);
    assert_eq!(kind("absent/"), ErrorKind::IsADirectory);
    assert_eq!(kind("none/file"), ErrorKind::NotFound);
    fs::write(place.path().join("there"), "old").expect("a file");
    symlink("there", place.path().join("link")).expect("a link");
    symlink("nowhere", place.path().join("dangling")).expect("a link");
    for path in ["there", "link"] {
        assert_eq!(
            Output::create_new(&place.path().join(path)).expect_err(path).kind(),
            ErrorKind::AlreadyExists
        );
    }
    for path in ["there", "link", "dangling"] {
        assert_eq!(
            Output::create_private(&place.path().join(path), 0o600).expect_err(path).kind(),
            ErrorKind::AlreadyExists
        );
    }
    // A file that appears in the meantime is not replaced either.
    let late = Output::create_private(&place.path().join("late"), 0o600).expect("nothing is there");
    fs::write(place.path().join("late"), "first").expect("a file");
    assert_eq!(late.finish().expect_err("taken").kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(place.path().join("late")).expect("a file"), b"first");
    let private = place.path().join("private");
    Output::create_private(&private, 0o600).expect("nothing is there").finish().expect("complete");
    assert_eq!(private.metadata().expect("a file").mode() & 0o777, 0o600);
}

#[test]
fn two_writers_of_one_file_do_not_mix() {
    let place = place();
    let path = place.path().join("same");
    let (mut one, mut two) =
        (Output::create(&path).expect("a file"), Output::create(&path).expect("a file"));
    for _ in 0..1000 {
        one.write_all(&[1; 100]).expect("written");
        two.write_all(&[2; 100]).expect("written");
    }
    one.finish().expect("complete");
    assert_eq!(fs::read(&path).expect("a file"), [1; 100_000]);
    two.finish().expect("complete");
    assert_eq!(fs::read(&path).expect("a file"), [2; 100_000]);
    assert_eq!(names(place.path()), ["same"]);
}
