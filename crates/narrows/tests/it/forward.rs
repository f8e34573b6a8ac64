//! The forwarder and its applications as programs.

use crate::scratch::{Scratch, code, stderr, stdout};
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A program that is killed when the test ends.
pub struct Running(Child);

impl Running {
    pub fn start(place: &Scratch, arguments: &[&str]) -> Running {
        let mut command = place.command(env!("CARGO_BIN_EXE_narrows"));
        let child = command
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        Running(child)
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Sends SIGTERM. Returns the exit status.
    pub fn end(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.0);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
        self.0.wait().expect("it ends").code()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The program may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn wait_for(what: &str, mut there: impl FnMut() -> bool) {
    let began = Instant::now();
    while !there() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a forwarder on the UNIX socket `label`.sock of a scratch directory. Returns it with the
/// URI of the socket.
pub fn forwarder(place: &Scratch, label: &str, config: &str) -> (Running, String) {
    let socket = place.path(&format!("{label}.sock"));
    let file = format!("{label}.toml");
    place.write(&file, &format!("[listen]\nunix = \"{}\"\ntcp = []\n{config}", socket.display()));
    let running = Running::start(place, &["ndn", "forward", "--config", &file]);
    // The socket's name exists before the forwarder listens.
    wait_for("the forwarder listens", || UnixStream::connect(&socket).is_ok());
    (running, format!("unix://{}", socket.display()))
}

/// Starts a producer, and waits until the forwarder has its route.
pub fn producer(place: &Scratch, at: &str, arguments: &[&str]) -> Running {
    let running = Running::start(place, &[arguments, &["--at", at]].concat());
    wait_for("the route is there", || {
        stdout(&place.narrows(["ndn", "forward", "routes", "--at", at])).contains("child-inherit")
    });
    running
}

fn some_octets(count: usize) -> Vec<u8> {
    (0..count).map(|number| ((number * number) >> 7) as u8).collect()
}

#[test]
fn a_file_comes_through_a_forwarder_as_it_is() {
    let place = Scratch::new("forward");
    let (daemon, at) = forwarder(&place, "n", "udp = []\n");
    std::fs::write(place.path("film"), some_octets(3_000_001)).expect("a file");
    let serving = producer(&place, &at, &["ndn", "serve", "/example/film", "film"]);
    let got = place.narrows(["ndn", "get", "/example/film", "-o", "copy", "--at", &at]);
    assert_eq!(code(&got), 0, "{}", stderr(&got));
    assert!(std::fs::read(place.path("copy")).expect("a file") == some_octets(3_000_001));
    assert!(
        stderr(&got).contains("3.000 MB")
            && stderr(&got).contains("no link on the way writes rates"),
        "{}",
        stderr(&got)
    );
    let printed = place.narrows(["ndn", "get", "/example/film", "--quiet", "--at", &at]);
    assert!(printed.stdout == some_octets(3_000_001) && stderr(&printed).is_empty());
    let status = place.narrows(["ndn", "forward", "status", "--json", "--at", &at]);
    let status: serde_json::Value = serde_json::from_str(&stdout(&status)).expect("JSON");
    assert!(
        status["data_out"].as_u64() >= Some(376) && status["cached"].as_u64() >= Some(376),
        "{status}"
    );
    let faces = stdout(&place.narrows(["ndn", "forward", "faces", "--at", &at]));
    assert_eq!(faces.matches("fd://").count(), 2, "{faces}");
    assert_eq!(serving.end(), Some(0));
    assert_eq!(daemon.end(), Some(0));
    assert!(!place.path("n.sock").exists());
}

#[test]
fn the_rate_of_a_link_reaches_the_consumer_and_is_kept() {
    let place = Scratch::new("forward-rate");
    let (_far, far_at) = forwarder(&place, "far", "udp = [\"127.0.0.1:36363\"]\n");
    let near = "udp = []\n[[face]]\nremote = \"udp4://127.0.0.1:36363\"\nroutes = [\"/far\"]\nrate = \"20 Mbit/s\"\nmtu = 1400\n";
    let (_near, at) = forwarder(&place, "near", near);
    std::fs::write(place.path("film"), some_octets(2_000_000)).expect("a file");
    let _serving =
        producer(&place, &far_at, &["ndn", "serve", "/far/film", "film", "--segment", "1150"]);
    let began = Instant::now();
    let got = place.narrows(["ndn", "get", "/far/film", "-o", "copy", "--at", &at]);
    assert_eq!(code(&got), 0, "{}", stderr(&got));
    // 2 MB at 20 Mbit/s take 0.8 s. The shaper lets no more through on any machine.
    assert!(began.elapsed() > Duration::from_millis(800), "{:?}", began.elapsed());
    assert!(std::fs::read(place.path("copy")).expect("a file") == some_octets(2_000_000));
    assert!(
        stderr(&got).contains("path 1: ") && stderr(&got).contains("primary"),
        "{}",
        stderr(&got)
    );
}

#[test]
fn pings_are_answered_and_what_is_not_there_is_told() {
    let place = Scratch::new("forward-ping");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    let _serving = producer(&place, &at, &["ndn", "ping", "--serve", "/example"]);
    let answered = place.narrows(["ndn", "ping", "/example", "--count", "2", "--at", &at]);
    assert_eq!(code(&answered), 0, "{}", stderr(&answered));
    assert!(stdout(&answered).contains("2 sent, 0 lost; median"), "{}", stdout(&answered));
    let lost = place.narrows(["ndn", "ping", "/nobody", "--count", "1", "--at", &at]);
    assert_eq!(code(&lost), 1);
    assert!(stdout(&lost).contains("no route leads to it"), "{}", stdout(&lost));
    for (arguments, told) in [
        (vec!["ndn", "get", "/nobody/film", "--at", at.as_str()], "no producer answers"),
        (vec!["ndn", "get", "nobody", "--at", &at], "begin with a slash"),
        (vec!["ndn", "serve", "/x", "missing", "--at", &at], "missing cannot be read"),
        (
            vec!["ndn", "get", "/x", "--at", "unix:///nowhere/n.sock"],
            "start one with `narrows ndn forward`",
        ),
        (vec!["ndn", "get", "/x", "--at", "ether://x"], "faces over ether are not supported"),
        (vec!["ndn", "forward", "--config", "missing.toml"], "missing.toml cannot be read"),
        (vec!["ndn", "forward", "--udp", "6363"], "invalid"),
    ] {
        let refused = place.narrows(arguments.iter().copied());
        assert_eq!(code(&refused), 2, "{arguments:?}");
        assert!(stderr(&refused).contains(told), "{arguments:?}: {}", stderr(&refused));
    }
}

#[test]
fn objects_are_signed_by_a_key_and_checked_by_its_certificate() {
    let place = Scratch::new("forward-keys");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    std::fs::write(place.path("film"), some_octets(50_000)).expect("a file");
    for identity in ["/example", "/other"] {
        let made = place.narrows(["ndn", "key", identity]);
        assert!(
            code(&made) == 0 && stdout(&made).starts_with(&format!("{identity}/KEY/")),
            "{}",
            stderr(&made)
        );
    }
    let secret = std::fs::metadata(place.path("example.key")).expect("a file");
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&secret.permissions()) & 0o777,
        0o600,
        "others cannot read it"
    );
    let _serving =
        producer(&place, &at, &["ndn", "serve", "/example/film", "film", "--key", "example.key"]);
    wait_for("the object is registered", || {
        stdout(&place.narrows(["ndn", "forward", "routes", "--at", &at])).contains("/example/film")
    });
    let get = |trust: &[&str]| {
        place.narrows([&["ndn", "get", "/example/film", "--at", &at][..], trust].concat())
    };
    for (trust, told) in [
        (&[][..], ", not verified"),
        (&["--trust", "other.cert", "--trust", "example.cert"], ", verified"),
    ] {
        let got = get(trust);
        assert!(got.stdout == some_octets(50_000), "{}", stderr(&got));
        assert!(
            stderr(&got).contains("signed by /example/KEY/") && stderr(&got).contains(told),
            "{}",
            stderr(&got)
        );
    }
    let refused = get(&["--trust", "other.cert"]);
    assert!(
        code(&refused) == 2
            && stderr(&refused).contains("which is not one of the trusted keys: /other/KEY/"),
        "{}",
        stderr(&refused)
    );
    place.write("empty.cert", "");
    for (arguments, told) in [
        (vec!["ndn", "key", "/example"], "choose another file"),
        (vec!["ndn", "key", "example"], "begin with a slash"),
        (vec!["ndn", "key", "/x", "--key", "film"], "film"),
        (vec!["ndn", "get", "/x", "--trust", "missing.cert"], "missing.cert cannot be read"),
        (
            vec!["ndn", "get", "/x", "--trust", "empty.cert"],
            "empty.cert: the certificate cannot be read",
        ),
        (
            vec!["ndn", "serve", "/x", "film", "--key", "example.cert", "--cert", "example.cert"],
            "not a private key",
        ),
        (
            vec!["ndn", "serve", "/x", "film", "--key", "example.key", "--cert", "other.cert"],
            "belongs to another key",
        ),
        (
            vec!["ndn", "serve", "/x", "film", "--key", "example.key", "--cert", "none.cert"],
            "narrows ndn key NAME --key example.key",
        ),
    ] {
        let refused = place.narrows(arguments.iter().copied());
        assert_eq!(code(&refused), 2, "{arguments:?}");
        assert!(stderr(&refused).contains(told), "{arguments:?}: {}", stderr(&refused));
    }
}

/// Returns a field of /proc/PID/status in kB.
fn kilobytes(running: &Running, field: &str) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", running.pid())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with(field)).expect("the field");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}

#[test]
fn a_forwarder_under_nohup_outlives_its_terminal() {
    let place = Scratch::new("forward-nohup");
    let listen =
        ["ndn", "forward", "--unix", "n.sock", "--udp", "127.0.0.1:0", "--tcp", "127.0.0.1:0"];
    let start = |shell: &str| {
        let mut command = place.command("sh");
        command
            .args(["-c", &format!("{shell} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_narrows")])
            .args(listen);
        let running = Running(
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"),
        );
        wait_for("the forwarder listens", || UnixStream::connect(place.path("n.sock")).is_ok());
        running
    };
    let hang_up = |running: &Running| {
        let pid = rustix::process::Pid::from_child(&running.0);
        rustix::process::kill_process(pid, rustix::process::Signal::HUP).expect("it runs");
    };
    let ignoring = start("trap '' HUP;");
    hang_up(&ignoring);
    std::thread::sleep(Duration::from_millis(300));
    UnixStream::connect(place.path("n.sock")).expect("it still listens");
    assert_eq!(ignoring.end(), Some(0));
    let mut plain = start("");
    hang_up(&plain);
    assert_eq!(plain.0.wait().expect("it ends").code(), Some(0));
    assert!(!place.path("n.sock").exists());
}

#[test]
fn a_forwarder_raises_its_limit_of_descriptors_and_waits_where_there_are_none() {
    let place = Scratch::new("forward-descriptors");
    let start = |limits: &str| {
        let mut command = place.command("sh");
        let listen = [
            "ndn",
            "forward",
            "--unix",
            "n.sock",
            "--udp",
            "127.0.0.1:0",
            "--tcp",
            "127.0.0.1:0",
            "--log",
            "log",
        ];
        command
            .args(["-c", &format!("{limits} && exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_narrows")])
            .args(listen);
        let running = Running(
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts"),
        );
        wait_for("the forwarder listens", || UnixStream::connect(place.path("n.sock")).is_ok());
        running
    };
    let raised = start("ulimit -Sn 64");
    let limits =
        std::fs::read_to_string(format!("/proc/{}/limits", raised.pid())).expect("it runs");
    let files: Vec<&str> = limits
        .lines()
        .find(|line| line.starts_with("Max open files"))
        .expect("a limit")
        .split_whitespace()
        .collect();
    assert_eq!(files[3], files[4], "soft and hard: {limits}");
    assert_eq!(raised.end(), Some(0));
    let few = start("ulimit -n 40");
    let held: Vec<UnixStream> = (0..60)
        .map(|_| UnixStream::connect(place.path("n.sock")).expect("the kernel takes it"))
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let ticks = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", few.pid())).expect("it runs");
        let fields: Vec<u64> = stat
            .rsplit(')')
            .next()
            .expect("fields")
            .split_whitespace()
            .filter_map(|field| field.parse().ok())
            .collect();
        fields[10] + fields[11]
    };
    let before = ticks();
    std::thread::sleep(Duration::from_secs(1));
    // In hundredths of a second. A forwarder that spins would use all of the time.
    assert!(ticks() - before < 20, "{} hundredths of a second", ticks() - before);
    let told = std::fs::read_to_string(place.path("log")).expect("a log");
    assert_eq!(told.matches("accepting-paused").count(), 1, "{told}");
    drop(held);
    let at = format!("unix://{}", place.path("n.sock").display());
    assert_eq!(code(&place.narrows(["ndn", "forward", "status", "--at", &at])), 0);
    assert_eq!(few.end(), Some(0));
}

#[test]
fn a_large_file_is_served_from_the_disk_and_a_changed_one_no_longer() {
    let place = Scratch::new("forward-large");
    let (_daemon, at) = forwarder(&place, "n", "udp = []\n");
    let file = std::fs::File::create(place.path("film")).expect("a file");
    file.set_len(400_000_000).expect("a file with a hole");
    let mut serving = producer(&place, &at, &["ndn", "serve", "/film", "film"]);
    let asked =
        place.narrows(["ndn", "get", "/film", "-o", "copy", "--max-size", "10 MB", "--at", &at]);
    assert!(
        code(&asked) == 2 && stderr(&asked).contains("50000 segments, more than 10 MB"),
        "{}",
        stderr(&asked)
    );
    let peak = kilobytes(&serving, "VmHWM:");
    assert!(peak < 100_000, "{peak} kB for a file of 400 MB");
    assert!(serving.0.try_wait().expect("a state").is_none());
    file.set_len(300_000_000).expect("another length");
    assert_eq!(serving.0.wait().expect("it ends").code(), Some(2));
}

#[test]
fn counters_are_served_beside_a_reader_that_is_slow_and_to_no_foreign_page() {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    let place = Scratch::new("forward-metrics");
    let (daemon, _at) = forwarder(&place, "n", "udp = []\nmetrics = \"127.0.0.1:36413\"\n");
    let ask = |host: &str| {
        let mut connection = TcpStream::connect("127.0.0.1:36413").expect("it listens");
        write!(connection, "GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("sent");
        let mut text = String::new();
        connection.read_to_string(&mut text).expect("an answer");
        text
    };
    let began = Instant::now();
    let mut slow: Vec<TcpStream> =
        (0..8).map(|_| TcpStream::connect("127.0.0.1:36413").expect("it listens")).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET /met").expect("sent"));
    let told = ask("127.0.0.1:36413");
    assert!(
        told.starts_with("HTTP/1.1 200")
            && told.contains("narrows_table_limit_octets{table=\"pending\"} 256000000"),
        "{told}"
    );
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    assert!(
        ask("evil.example:36413").starts_with("HTTP/1.1 403"),
        "a name may be that of a page from elsewhere"
    );
    // Sending single octets does not extend the deadline of a request.
    let mut last = slow.remove(0);
    wait_for("the slow one is left", || {
        let sent = last.write_all(b"r");
        std::thread::sleep(Duration::from_millis(200));
        sent.is_err()
    });
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert_eq!(daemon.end(), Some(0));
}
