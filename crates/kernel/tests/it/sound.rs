//! Loading and unloading controllers does not harm their connections.
#![cfg(feature = "bpf")]

use crate::common::{is_root, name};
use narrows_control::Choice;
use narrows_control::TWINS;
use narrows_control::cores::Twin;
use narrows_kernel::{Loaded, Replayer};
use rustix::fs::{Mode, OFlags};
use rustix::net::sockopt::{set_tcp_congestion, tcp_congestion};
use rustix::process::{Pid, Signal};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes of one transfer.
const BYTES: usize = 600_000;

fn constants(twin: &Twin) -> Vec<u8> {
    twin.constants_of(&twin.choice.parse::<Choice>().unwrap()).unwrap()
}

fn load(twin: &'static Twin, name: &str) -> Loaded {
    Loaded::new(twin, &constants(twin), name)
        .unwrap_or_else(|error| panic!("{}: {error}", twin.kernel))
}

fn is_available(name: &str) -> bool {
    fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")
        .unwrap()
        .split_whitespace()
        .any(|one| one == name)
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(5), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the expected byte at a position of a transfer.
fn byte(at: usize) -> u8 {
    (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0]
}

/// Both ends of a connection. The reader returns the number of bytes that arrived unchanged.
struct Transfer {
    stream: TcpStream,
    sent: usize,
    reader: JoinHandle<usize>,
}

impl Transfer {
    fn new(controller: &str) -> Transfer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        set_tcp_congestion(&stream, controller).unwrap();
        let (mut other, _) = listener.accept().unwrap();
        let reader = thread::spawn(move || {
            let mut whole = Vec::new();
            other.read_to_end(&mut whole).unwrap();
            whole.iter().enumerate().take_while(|(at, one)| **one == byte(*at)).count()
        });
        Transfer { stream, sent: 0, reader }
    }

    /// Sends the bytes up to this position.
    fn send(&mut self, to: usize) {
        let some: Vec<u8> = (self.sent..to).map(byte).collect();
        self.stream.write_all(&some).unwrap();
        self.sent = to;
    }

    /// Sends the remaining bytes, and asserts that all of them arrive.
    fn end(mut self) {
        self.send(BYTES);
        drop(self.stream);
        assert_eq!(self.reader.join().unwrap(), BYTES);
    }
}

/// The kernel's log from now on.
struct Complaints(OwnedFd);

impl Complaints {
    fn new() -> Complaints {
        let log = rustix::fs::open("/dev/kmsg", OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty())
            .unwrap();
        rustix::fs::seek(&log, rustix::fs::SeekFrom::End(0)).unwrap();
        Complaints(log)
    }

    fn none(self) {
        let mut line = [0; 8192];
        while let Ok(length) = rustix::io::read(&self.0, &mut line) {
            let text = String::from_utf8_lossy(&line[..length]);
            let found = ["BUG", "WARNING", "Oops", "refcount", "rcu: INFO", "Call Trace"]
                .iter()
                .find(|word| text.contains(**word));
            assert!(found.is_none(), "{text}");
        }
    }
}

#[test]
fn a_thousand_connections_leave_nothing() {
    if !is_root() {
        return;
    }
    let complaints = Complaints::new();
    for twin in TWINS {
        let name = name("many");
        let loaded = load(twin, &name);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        for round in 0..10 {
            // In every other round, the accepting ends also have the controller from their first
            // segment on.
            let both = round % 2 == 0;
            let count = if both { 50 } else { 100 };
            set_tcp_congestion(&listener, if both { &name[..] } else { "cubic" }).unwrap();
            let mut ends = Vec::new();
            for _ in 0..count {
                let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
                set_tcp_congestion(&one, &name).unwrap();
                let (mut other, _) = listener.accept().unwrap();
                one.write_all(b"request").unwrap();
                other.read_exact(&mut [0; 7]).unwrap();
                other.write_all(b"response").unwrap();
                one.read_exact(&mut [0; 8]).unwrap();
                ends.push((one, other));
            }
        }
        until("all are closed", || loaded.stats().closed >= 1000);
        let stats = loaded.stats();
        assert_eq!(
            (stats.opened, stats.closed, stats.without_memory),
            (1000, 1000, 0),
            "{}: {stats:?}",
            twin.kernel
        );
    }
    complaints.none();
}

#[test]
fn connections_outlive_their_controller() {
    if !is_root() {
        return;
    }
    let complaints = Complaints::new();
    for twin in TWINS {
        let name = name("gone");
        let loaded = load(twin, &name);
        let mut transfers: Vec<Transfer> = (0..4).map(|_| Transfer::new(&name)).collect();
        transfers.iter_mut().for_each(|transfer| transfer.send(BYTES / 4));
        drop(loaded);
        assert!(!is_available(&name), "{name}");
        assert!(transfers.iter().all(|transfer| tcp_congestion(&transfer.stream).unwrap() == name));
        // The name is free again while connections still use the unloaded controller.
        let again = load(twin, &name);
        drop(again);
        transfers.into_iter().for_each(Transfer::end);
    }
    complaints.none();
}

#[test]
fn controllers_change_on_a_live_connection() {
    if !is_root() {
        return;
    }
    let complaints = Complaints::new();
    for twin in TWINS {
        let name = name("live");
        let loaded = load(twin, &name);
        loaded.record(true);
        let mut transfer = Transfer::new("cubic");
        for round in 1..=2 {
            set_tcp_congestion(&transfer.stream, &name).unwrap();
            assert_eq!(tcp_congestion(&transfer.stream).unwrap(), name);
            let before = loaded.stats().acknowledgements;
            transfer.send(BYTES / 5 * round);
            until("it is told of acknowledgements", || loaded.stats().acknowledgements > before);
            set_tcp_congestion(&transfer.stream, "cubic").unwrap();
        }
        transfer.end();
        let stats = loaded.stats();
        assert_eq!((stats.opened, stats.closed), (2, 2), "{}: {stats:?}", twin.kernel);
        // The second selection starts with fresh state.
        let mut replayer = Replayer::new(twin, &constants(twin));
        loaded.records(Duration::from_millis(20), |record| replayer.feed(record));
        let tally = replayer.tally();
        assert!(
            tally.connections == 2
                && tally.replayed >= 4
                && tally.missed == 0
                && tally.unequal == 0,
            "{}: {tally}",
            twin.kernel
        );
    }
    complaints.none();
}

/// Not a test of its own, but the process that is killed. It loads the controller in its
/// environment, reports that, and waits.
#[test]
#[ignore = "run by a_killed_process_takes_its_controller_along"]
fn the_process_that_is_killed() {
    let Ok(name) = std::env::var("NARROWS_TEST_LOADS") else { return };
    let _loaded = load(TWINS[0], &name);
    println!("\nloaded");
    thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_killed_process_takes_its_controller_along() {
    if !is_root() {
        return;
    }
    let complaints = Complaints::new();
    let name = name("killed");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "sound::the_process_that_is_killed", "--ignored", "--nocapture"])
        .env("NARROWS_TEST_LOADS", &name)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "loaded"));
    let mut transfer = Transfer::new(&name);
    transfer.send(BYTES / 4);
    rustix::process::kill_process(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    until("it is gone", || !is_available(&name));
    transfer.end();
    complaints.none();
}
