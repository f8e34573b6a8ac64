//! Output files are written completely or not at all, and only through links that the user names.

use crate::forward::{forwarder, producer};
use crate::scratch::{PROGRAM, SHORT, Scratch, code, stderr, stdout};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

/// Makes a result in `out`.
fn result(name: &str) -> Scratch {
    let place = Scratch::new(name);
    place.write("short.toml", SHORT);
    let output = place.narrows(["run", "short.toml", "--quiet", "--out", "out"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    place
}

/// Commands that write one file. Its path is the last argument.
const WRITERS: [&[&str]; 4] = [
    &["report", "out", "--out"],
    &["figure", "out", "throughput", "--svg"],
    &["figure", "out", "throughput", "--png"],
    &["export", "out", "--format", "perfetto", "--out"],
];

/// Runs a command with a limit on the size of files, in blocks of 512 bytes. Writing more fails.
fn with_room(place: &Scratch, blocks: u32, arguments: &[&str]) -> Output {
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    place
        .command("sh")
        .args(["-c", &limited, PROGRAM])
        .args(arguments)
        .output()
        .expect("a shell runs")
}

#[test]
fn a_link_in_a_result_leads_no_command_elsewhere() {
    let place = result("written-hostile");
    let own: Vec<String> = place.files_of("out");
    for (link, to, command) in [
        (".report.html.partial", "../precious", &["report", "out"][..]),
        ("report.html", "../precious", &["report", "out"]),
        ("csv", "..", &["export", "out"]),
        ("csv/changes.csv", "../../precious", &["export", "out"]),
        ("run.perfetto-trace", "../precious", &["export", "out", "--format", "perfetto"]),
        ("extra", "/dev/zero", &["diff", "out", "out"]),
    ] {
        let precious = place.write("precious", "kept");
        let path = place.path("out").join(link);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let replaced = fs::read(&path).ok();
        let _ = fs::remove_file(&path);
        symlink(to, &path).expect("a link");
        let output = place.narrows(command.iter().copied());
        let told = stderr(&output);
        assert!(
            code(&output) == 2 && told.contains("symbolic link") && told.contains("; remove it"),
            "{link}: {told}"
        );
        assert_eq!(place.read(&precious), b"kept", "{link}");
        assert_eq!(place.listing(), ["out", "precious", "short.toml"], "{link}");
        fs::remove_file(&path).expect("the link");
        let _ = fs::remove_dir(place.path("out/csv"));
        if let Some(bytes) = replaced {
            fs::write(&path, bytes).expect("a file");
        }
        assert_eq!(place.files_of("out"), own);
    }
    // Without links, all files are written as regular files.
    for command in
        [&["report", "out"][..], &["export", "out"], &["export", "out", "--format", "perfetto"]]
    {
        assert_eq!(code(&place.narrows(command.iter().copied())), 0, "{command:?}");
    }
    assert!(
        place.path("out/csv/changes.csv").is_file()
            && place.path("out/run.perfetto-trace").is_file()
    );
}

#[test]
fn what_the_user_names_is_followed_written_into_and_keeps_its_permissions() {
    let place = result("written-named");
    for (number, command) in WRITERS.iter().enumerate() {
        let write = |path: &str| {
            let output = place.narrows([command, &[path][..]].concat());
            assert_eq!(code(&output), 0, "{command:?} {path}: {}", stderr(&output));
        };
        let name = |what: &str| format!("{what}-{number}");
        write(&name("new"));
        let wanted = place.read(&name("new"));
        place.write(&name("old"), "old");
        fs::set_permissions(place.path(&name("old")), Permissions::from_mode(0o600))
            .expect("permissions");
        symlink(name("old"), place.path(&name("link"))).expect("a link");
        symlink(name("absent"), place.path(&name("dangling"))).expect("a link");
        write(&name("link"));
        write(&name("dangling"));
        for file in ["old", "absent"] {
            assert!(place.read(&name(file)) == wanted, "{command:?} {file}");
        }
        assert!(
            place.path(&name("link")).is_symlink() && place.path(&name("dangling")).is_symlink()
        );
        assert_eq!(
            place.path(&name("old")).metadata().expect("a file").permissions().mode() & 0o777,
            0o600
        );
        let pipe = place.path(&name("pipe"));
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("its bytes")
        });
        write(&name("pipe"));
        assert!(
            reader.join().expect("a thread") == wanted
                && pipe.metadata().expect("a pipe").file_type().is_fifo()
        );
        // Only root can create devices. This one accepts all data, like /dev/null.
        let device = place.path(&name("device"));
        if Command::new("mknod")
            .arg(&device)
            .args(["c", "1", "3"])
            .output()
            .is_ok_and(|made| made.status.success())
        {
            write(&name("device"));
            assert!(device.metadata().expect("a device").file_type().is_char_device());
        }
        // /dev/stdout is the output that the shell opened, not a file to be replaced.
        let command = format!("exec \"$0\" {} /dev/stdout >> appended-{number}", command.join(" "));
        place.write(&name("appended"), "before");
        assert!(
            place
                .command("sh")
                .args(["-c", &command, PROGRAM])
                .status()
                .expect("a shell runs")
                .success()
        );
        let appended = place.read(&name("appended"));
        assert!(
            appended.starts_with(b"before")
                && appended.windows(wanted.len()).any(|part| part == wanted),
            "{command}"
        );
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let place = result("written-full");
    for command in WRITERS {
        for there in [false, true] {
            if there {
                place.write("file", "old");
            }
            let output = with_room(&place, 1, &[command, &["file"]].concat());
            let told = stderr(&output);
            assert!(
                code(&output) == 2 && told.contains("File too large") && told.contains("; "),
                "{command:?}: {told}"
            );
            let wanted = there.then(|| b"old".to_vec());
            assert_eq!(fs::read(place.path("file")).ok(), wanted, "{command:?}");
            let _ = fs::remove_file(place.path("file"));
        }
    }
    let output = with_room(&place, 1, &["export", "out", "--out", "csv"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("File too large"),
        "{}",
        stderr(&output)
    );
    let whole = place.narrows(["export", "out", "--out", "whole"]);
    assert_eq!(code(&whole), 0, "{}", stderr(&whole));
    for file in place.files_of("csv") {
        assert_eq!(
            place.read(&format!("csv/{file}")),
            place.read(&format!("whole/{file}")),
            "{file} is cut off"
        );
    }
    // A key is not written without its certificate, and a certificate not without its key.
    let output = with_room(&place, 0, &["ndn", "key", "/example", "-o", "own.key"]);
    assert!(
        code(&output) == 2 && stderr(&output).contains("File too large"),
        "{}",
        stderr(&output)
    );
    assert_eq!(place.listing(), ["csv", "out", "short.toml", "whole"]);
}

#[test]
fn a_key_without_its_certificate_gets_one_and_no_file_is_overwritten() {
    let place = Scratch::new("written-key");
    let key =
        |arguments: &[&str]| place.narrows([&["ndn", "key", "/example"][..], arguments].concat());
    assert_eq!(code(&key(&["-o", "own.key"])), 0);
    let secret = place.read("own.key");
    assert_eq!(
        place.path("own.key").metadata().expect("a key").permissions().mode() & 0o777,
        0o600
    );
    assert_eq!(code(&key(&["-o", "own.key"])), 2);
    // A kill between the two writes leaves a key without a certificate.
    fs::remove_file(place.path("own.cert")).expect("a certificate");
    let again = key(&["-o", "own.key"]);
    assert!(
        code(&again) == 0 && stdout(&again).contains("the key that was in own.key"),
        "{}",
        stderr(&again)
    );
    assert_eq!(place.read("own.key"), secret);
    assert!(place.path("own.cert").is_file());
    let notes = place.write("notes", "not a key");
    let refused = key(&["-o", &notes]);
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("; give a private key"),
        "{}",
        stderr(&refused)
    );
    assert_eq!(place.read("notes"), b"not a key");
    symlink("nowhere", place.path("link.key")).expect("a link");
    assert_eq!(code(&key(&["-o", "link.key"])), 2);
    assert_eq!(place.listing(), ["link.key", "notes", "own.cert", "own.key"]);
}

#[test]
fn an_object_replaces_no_device_and_leaves_nothing_when_it_is_stopped() {
    let place = Scratch::new("written-get");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    let octets: Vec<u8> = (0..3_000_000_u64).map(|number| ((number * number) >> 7) as u8).collect();
    fs::write(place.path("film"), &octets).expect("a file");
    let _serving = producer(&place, &at, &["ndn", "serve", "/film", "film"]);
    let get = |path: &str| {
        let output = place.narrows(["ndn", "get", "/film", "-o", path, "--at", &at]);
        assert_eq!(code(&output), 0, "{path}: {}", stderr(&output));
    };
    place.write("private", "old");
    fs::set_permissions(place.path("private"), Permissions::from_mode(0o600)).expect("permissions");
    symlink("private", place.path("link")).expect("a link");
    get("link");
    assert!(place.path("link").is_symlink() && place.read("private") == octets);
    assert_eq!(
        place.path("private").metadata().expect("a file").permissions().mode() & 0o777,
        0o600
    );
    if Command::new("mknod")
        .arg(place.path("device"))
        .args(["c", "1", "3"])
        .output()
        .is_ok_and(|made| made.status.success())
    {
        get("device");
        assert!(place.path("device").metadata().expect("a device").file_type().is_char_device());
    }
    let files = place.listing();
    for signal in ["TERM", "HUP", "KILL"] {
        let arguments = ["ndn", "get", "/film", "-o", "stopped", "--at", &at];
        let mut child = place
            .command(PROGRAM)
            .args(arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        thread::sleep(Duration::from_millis(40));
        Command::new("kill")
            .arg(format!("-{signal}"))
            .arg(child.id().to_string())
            .status()
            .expect("kill runs");
        child.wait().expect("an end");
        // The result may have been complete before the signal.
        if place.path("stopped").exists() {
            assert!(place.read("stopped") == octets, "{signal}");
            fs::remove_file(place.path("stopped")).expect("a file");
        }
        assert_eq!(place.listing(), files, "{signal}");
    }
}

#[test]
fn without_proc_a_file_is_written_as_well() {
    let place = result("written-no-proc");
    let apart = "mount -t tmpfs none /proc && exec \"$0\" report out --out page.html";
    let output = place
        .command("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", apart, PROGRAM])
        .output();
    let Ok(output) = output else { return eprintln!("left out: there is no unshare") };
    if stderr(&output).contains("unshare") || stderr(&output).contains("mount") {
        return eprintln!("left out: {}", stderr(&output));
    }
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(String::from_utf8(place.read("page.html")).expect("text").ends_with("</html>\n"));
    assert_eq!(place.listing(), ["out", "page.html", "short.toml"]);
}

#[test]
fn refusals_have_remedies_and_no_control_characters() {
    let place = Scratch::new("written-refused");
    place.write("bad.toml", "key = \n");
    place.write("bad", "nothing");
    let escape = "a\u{1b}[31mb.toml";
    for arguments in [
        &["ndn", "forward", "--config", "bad.toml"][..],
        &["ndn", "forward", "--config", escape],
        &["check", "cubic", "--about", "bad.toml"],
        &["check", "cubic", "--about", escape],
        &["ndn", "get", "/x", "--trust", "bad"],
        &["ndn", "serve", "/x", "bad", "--key", "bad"],
        &["ndn", "key", "/x", "--key", "bad"],
        &["run", escape],
        &["sweep", escape],
        &["report", escape],
    ] {
        let output = place.narrows(arguments.iter().copied());
        let told = stderr(&output);
        assert_eq!(code(&output), 2, "{arguments:?}: {told}");
        assert!(
            told.contains("; ") || told.contains("help: "),
            "no remedy for {arguments:?}: {told}"
        );
        assert!(!told.contains('\u{1b}'), "{arguments:?}: {told:?}");
    }
    File::open(place.path("bad")).expect("it stays");
}
