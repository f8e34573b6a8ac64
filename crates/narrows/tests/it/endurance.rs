//! The forwarder as a program, under floods, faults and signals.

use crate::forward::{Running, forwarder, producer, wait_for};
use crate::scratch::{PROGRAM, Scratch, code, stderr, stdout};
use std::fs;
use std::net::UdpSocket;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Duration of the flood. `NARROWS_FLOOD=60` makes it 60 s.
fn flood_span() -> Duration {
    let seconds =
        std::env::var("NARROWS_FLOOD").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    Duration::from_secs(seconds)
}

/// Returns the peak resident memory of a process in MB.
fn peak_mb(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("its peak");
    line.split_whitespace().nth(1).expect("kB").parse::<u64>().expect("a number") / 1000
}

fn status(place: &Scratch, at: &str) -> serde_json::Value {
    serde_json::from_str(&stdout(
        &place.narrows(["ndn", "forward", "status", "--json", "--at", at]),
    ))
    .expect("JSON")
}

/// Sends Interests for new names below /f as fast as this thread can, until it is told to stop.
/// Returns their number.
fn flood(port: u16, going: &AtomicBool) -> u64 {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    socket.connect(("127.0.0.1", port)).expect("an address");
    // Interest { Name /f/<8 octets>, Nonce, InterestLifetime 60 s }
    let mut packet = [
        5, 25, 7, 13, 8, 1, b'f', 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 10, 4, 0, 0, 0, 0, 12, 2, 0xea,
        0x60,
    ];
    let mut sent = 0u64;
    while going.load(Ordering::Relaxed) {
        for _ in 0..1000 {
            packet[9..17].copy_from_slice(&sent.to_be_bytes());
            packet[19..23].copy_from_slice(&(sent as u32).to_be_bytes());
            // Packets that do not fit into the forwarder's buffer are lost, as on any network.
            let _ = socket.send(&packet);
            sent += 1;
        }
    }
    sent
}

#[test]
fn a_flood_fills_no_more_than_the_tables_and_others_are_served() {
    const LIMIT: u64 = 20_000;
    let place = Scratch::new("endurance-flood");
    let config = format!("udp = [\"127.0.0.1:36411\"]\n[tables]\npending_per_face = {LIMIT}\n");
    let (daemon, at) = forwarder(&place, "n", &config);
    // The flood goes to an application that does not answer.
    fs::write(place.path("film"), [0; 100]).expect("a file");
    let _sink = producer(&place, &at, &["ndn", "serve", "/f", "film"]);
    let _server = ping_server(&place, &at, "/others");
    let going = AtomicBool::new(true);
    let (began, mut answered) = (Instant::now(), 0);
    let sent = std::thread::scope(|scope| {
        let flooding = scope.spawn(|| flood(36_411, &going));
        wait_for("the table is full", || status(&place, &at)["pending"].as_u64() >= Some(LIMIT));
        // Applications that send few Interests are served during the flood.
        while began.elapsed() < flood_span() || answered < 3 {
            wait_for("a ping is answered", || {
                let pinged = place.narrows(["ndn", "ping", "/others", "--count", "1", "--at", &at]);
                stdout(&pinged).contains("1 sent, 0 lost")
            });
            answered += 1;
        }
        going.store(false, Ordering::Relaxed);
        flooding.join().expect("no panic")
    });
    let (told, took, peak) = (status(&place, &at), began.elapsed(), peak_mb(daemon.pid()));
    let pending = told["pending"].as_u64().expect("a number");
    // Other faces have a few pending Interests of their own.
    assert!(pending <= LIMIT + 100, "{told}");
    // The peak includes 20,000 pending Interests, two million nonces in the dead nonce list, and 8
    // MB that wait for the application. A leak would need far more.
    assert!(peak < 250, "{peak} MB after {sent} Interests");
    eprintln!(
        "{sent} Interests in {took:?}, {} arrived, {pending} pending, peak {peak} MB, {answered} pings answered",
        told["interests_in"]
    );
    let ending = Instant::now();
    assert_eq!(daemon.end(), Some(0));
    assert!(ending.elapsed() < Duration::from_secs(5), "{:?}", ending.elapsed());
}

/// Starts a ping server, and waits until its route is there.
fn ping_server(place: &Scratch, at: &str, prefix: &str) -> Running {
    let running = Running::start(place, &["ndn", "ping", "--serve", prefix, "--at", at]);
    wait_for("the route is there", || {
        stdout(&place.narrows(["ndn", "forward", "routes", "--at", at]))
            .contains(&format!("{prefix}/ping"))
    });
    running
}

#[test]
fn after_kill_9_a_forwarder_starts_again_at_the_same_socket() {
    let place = Scratch::new("endurance-kill");
    let (daemon, at) = forwarder(&place, "n", "udp = []\n");
    let _server = ping_server(&place, &at, "/x");
    // Dropping kills it.
    drop(daemon);
    let socket = place.path("n.sock");
    assert!(socket.exists(), "kill -9 leaves the socket");
    assert!(UnixStream::connect(&socket).is_err());
    let refused = place.narrows(["ndn", "ping", "/x", "--count", "1", "--at", &at]);
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("start one with `narrows ndn forward`"),
        "{}",
        stderr(&refused)
    );
    let again = Running::start(&place, &["ndn", "forward", "--config", "n.toml"]);
    wait_for("it listens again", || UnixStream::connect(&socket).is_ok());
    let _server = ping_server(&place, &at, "/x");
    let pinged = place.narrows(["ndn", "ping", "/x", "--count", "1", "--at", &at]);
    assert!(stdout(&pinged).contains("1 sent, 0 lost"), "{}", stdout(&pinged));
    assert_eq!(again.end(), Some(0));
    assert!(!socket.exists());
}

#[test]
fn what_happens_is_logged_and_counted_and_a_full_disk_stops_nothing() {
    let place = Scratch::new("endurance-log");
    let log = place.path("log").display().to_string();
    let more = format!("udp = []\nmetrics = \"127.0.0.1:36412\"\n[log]\nfile = \"{log}\"\n");
    let (daemon, at) = forwarder(&place, "n", &more);
    let server = ping_server(&place, &at, "/x");
    drop(server);
    let events = || fs::read_to_string(&log).expect("a log");
    wait_for("the face of the server is gone", || {
        events().lines().filter(|line| line.contains("face-removed")).count() >= 2
    });
    for line in events().lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert!(event["time_ms"].is_u64() && event["event"].is_string(), "{line}");
    }
    let told = events();
    for expected in [
        r#""event":"started""#,
        r#""event":"face-created""#,
        r#""command":"rib/register","prefix":"/x/ping","code":200"#,
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let counters =
        stdout(&place.narrows(["ndn", "forward", "status", "--prometheus", "--at", &at]));
    assert!(well_formed(&counters), "{counters}");
    let scraped = get("127.0.0.1:36412", "/metrics");
    assert!(
        scraped.starts_with("HTTP/1.1 200 OK\r\n")
            && well_formed(scraped.split("\r\n\r\n").nth(1).expect("a body")),
        "{scraped}"
    );
    assert!(get("127.0.0.1:36412", "/").starts_with("HTTP/1.1 404"));
    assert_eq!(daemon.end(), Some(0));
    assert!(events().contains(r#""event":"stopped""#), "{}", events());

    let (daemon, at) = forwarder(&place, "full", "udp = []\n[log]\nfile = \"/dev/full\"\n");
    let _server = ping_server(&place, &at, "/x");
    let pinged = place.narrows(["ndn", "ping", "/x", "--count", "1", "--at", &at]);
    assert!(stdout(&pinged).contains("1 sent, 0 lost"), "{}", stdout(&pinged));
    assert_eq!(daemon.end(), Some(0));
    let refused = place
        .command(PROGRAM)
        .args(["ndn", "forward", "--unix", "x.sock", "--log", "missing/log"])
        .output()
        .expect("it runs");
    assert!(
        code(&refused) == 2 && stderr(&refused).contains("choose another file"),
        "{}",
        stderr(&refused)
    );
}

/// True if a text has Prometheus' text format 0.0.4: each line is a comment or `name{labels}
/// value`, and each family has its type before its samples.
fn well_formed(text: &str) -> bool {
    let mut families = std::collections::BTreeSet::new();
    let mut samples = 0;
    for line in text.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            let (name, kind) = family.split_once(' ').expect("a kind");
            assert!(
                matches!(kind, "counter" | "gauge") && families.insert(name.to_owned()),
                "{line}"
            );
        } else if !line.starts_with("# HELP ") {
            let (sample, value) = line.rsplit_once(' ').expect("a value");
            let name = sample.split('{').next().expect("a name");
            assert!(families.contains(name) && value.parse::<u64>().is_ok(), "{line}");
            samples += 1;
        }
    }
    samples > 10
        && families.contains("narrows_face_malformed_total")
        && families.contains("narrows_face_dropped_total")
}

fn get(address: &str, path: &str) -> String {
    use std::io::{Read, Write};
    let mut connection = std::net::TcpStream::connect(address).expect("it listens");
    write!(connection, "GET {path} HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("sent");
    let mut text = String::new();
    connection.read_to_string(&mut text).expect("an answer");
    text
}
