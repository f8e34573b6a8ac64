//! Folders in which a program chooses the names of files.

use narrows_files::Folder;
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::symlink;
use std::process::Command;
use tempfile::tempdir;

#[test]
fn a_link_in_a_folder_is_refused_and_what_it_leads_to_stays() {
    let place = tempdir().expect("a folder");
    let (hostile, precious) = (place.path().join("hostile"), place.path().join("precious"));
    fs::create_dir(&hostile).expect("a folder");
    fs::write(&precious, "precious").expect("a file");
    symlink("../precious", hostile.join("link")).expect("a link");
    symlink("..", hostile.join("csv")).expect("a link");
    assert!(
        Command::new("mkfifo").arg(hostile.join("pipe")).status().expect("mkfifo runs").success()
    );
    fs::create_dir(hostile.join("folder")).expect("a folder");
    let folder = Folder::open(&hostile).expect("a folder");
    for (name, kind) in [("link", "a symbolic link"), ("pipe", "a pipe"), ("folder", "a directory")]
    {
        let error = folder.create(name).expect_err(name);
        assert_eq!(error.to_string(), format!("it is {kind}, not a regular file; remove it"));
    }
    folder.folder("csv").expect_err("it leads elsewhere");
    folder.folder("link").expect_err("it is no folder");
    for name in ["../precious", "/etc/passwd", "", ".", "..", "a/b"] {
        assert_eq!(folder.create(name).expect_err(name).kind(), ErrorKind::InvalidInput, "{name}");
    }
    let (path, error) = Folder::refuse_special(&hostile).expect_err("it has links");
    assert!(
        path.starts_with(&hostile) && error.to_string().ends_with(", not a regular file"),
        "{path:?}: {error}"
    );
    // A link that replaces the file meanwhile is replaced, not followed.
    let mut late = folder.create("late").expect("a file");
    symlink("../precious", hostile.join("late")).expect("a link");
    late.write_all(b"content").expect("written");
    late.finish().expect("complete");
    assert_eq!(fs::read(hostile.join("late")).expect("a file"), b"content");
    assert_eq!(fs::read(&precious).expect("a file"), b"precious");
}

#[test]
fn folders_are_made_and_their_files_replaced_whole() {
    let place = tempdir().expect("a folder");
    let folder = Folder::make(&place.path().join("a/b")).expect("a folder");
    let inner = folder.folder("csv").expect("a folder");
    for content in ["one", "two"] {
        inner.write("table", content.as_bytes()).expect("written");
        assert_eq!(fs::read_to_string(inner.path("table")).expect("a file"), content);
    }
    let mut third = inner.create("table").expect("a file");
    third.write_all(b"three").expect("written");
    drop(third);
    assert_eq!(fs::read_to_string(inner.path("table")).expect("a file"), "two");
    assert_eq!(fs::read_dir(place.path().join("a/b/csv")).expect("a folder").count(), 1);
    Folder::refuse_special(&place.path().join("a/b")).expect("regular files only");
}
