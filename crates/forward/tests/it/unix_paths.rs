//! The path of the UNIX socket: which files a daemon may remove there, and which it must keep.

use narrows_forward::{Config, Daemon, DaemonError};
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

struct Place(PathBuf);

impl Place {
    fn new(label: &str) -> Place {
        let path =
            std::env::temp_dir().join(format!("narrows-unix-{}-{label}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Place(path)
    }

    fn socket(&self) -> PathBuf {
        self.0.join("n.sock")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the directory");
    }
}

fn start(path: &Path) -> Result<Daemon, DaemonError> {
    let text = format!("[listen]\nunix = \"{}\"\nudp = []\ntcp = []\n", path.display());
    Daemon::start(&Config::parse(&text, "test").expect("a configuration")).map(|(daemon, _)| daemon)
}

fn refusal(path: &Path) -> String {
    start(path).map(drop).expect_err("it is refused").to_string()
}

#[test]
fn a_file_that_is_not_a_socket_is_refused_and_kept() {
    let place = Place::new("kinds");
    let path = place.socket();
    let remedy = "not a socket; move it away, or give another path";

    fs::write(&path, "precious").expect("a file");
    let told = refusal(&path);
    assert!(told.contains("a regular file") && told.contains(remedy), "{told}");
    assert_eq!(fs::read_to_string(&path).expect("the file"), "precious");
    fs::remove_file(&path).expect("a file");

    let target = place.0.join("target");
    for content in [None, Some("precious")] {
        if let Some(content) = content {
            fs::write(&target, content).expect("a file");
        }
        symlink(&target, &path).expect("a link");
        assert!(refusal(&path).contains("a symbolic link"));
        assert_eq!(fs::read_link(&path).expect("the link"), target);
        fs::remove_file(&path).expect("a link");
    }
    assert_eq!(fs::read_to_string(&target).expect("the file"), "precious");

    fs::create_dir(&path).expect("a directory");
    assert!(refusal(&path).contains("a directory"));
    fs::remove_dir(&path).expect("the directory is still there");

    for (word, arguments) in [("a FIFO", &["p"][..]), ("a device", &["c", "1", "3"])] {
        // A device node of the test's own. Making one needs root.
        let made = Command::new("mknod")
            .arg(&path)
            .args(arguments)
            .stderr(std::process::Stdio::null())
            .status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: {word} cannot be made here");
            continue;
        }
        assert!(refusal(&path).contains(word));
        let kind = fs::symlink_metadata(&path).expect("it is there").file_type();
        assert!(kind.is_fifo() || kind.is_char_device());
        fs::remove_file(&path).expect("a node");
    }
}

#[test]
fn a_socket_without_a_listener_is_replaced_and_one_with_a_listener_is_not() {
    let place = Place::new("stale");
    let path = place.socket();
    drop(UnixListener::bind(&path).expect("a socket"));
    let daemon = start(&path).expect("the stale socket is replaced");
    let told = refusal(&path);
    assert!(told.contains("the program that listens there") && told.contains("[listen]"), "{told}");
    UnixStream::connect(&path).expect("the first daemon still listens");
    drop(daemon);
    assert!(!path.exists(), "the daemon removes its own socket");
}

#[test]
fn the_end_of_a_daemon_leaves_the_socket_of_another_one_that_has_taken_its_path() {
    let place = Place::new("taken");
    let path = place.socket();
    let first = start(&path).expect("a daemon");
    fs::remove_file(&path).expect("an operator removes it");
    let second = start(&path).expect("the path is free");
    let inode = fs::symlink_metadata(&path).expect("a socket").ino();
    drop(first);
    assert_eq!(fs::symlink_metadata(&path).map(|found| found.ino()).ok(), Some(inode));
    UnixStream::connect(&path).expect("the second daemon listens");
    drop(second);
    assert!(!path.exists());

    let daemon = start(&path).expect("a daemon");
    fs::remove_file(&path).expect("an operator removes it");
    fs::write(&path, "precious").expect("a file");
    drop(daemon);
    assert_eq!(fs::read_to_string(&path).expect("the file"), "precious");
}
