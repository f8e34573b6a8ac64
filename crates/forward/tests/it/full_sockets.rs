//! Full sockets: queues are bounded, dropped packets are counted, and other faces do not wait.

use super::bench::{HELLO, data, interest, with_data};
use super::daemon::{Client, PATIENCE, Running, drops};
use narrows_forward::{Client as Manager, Place};
use narrows_ndn::management::{ChannelStatus, FaceStatus, entries};
use rustix::process::geteuid;
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::Command;
use std::time::{Duration, Instant};

/// Octets of an answer's content.
const LARGE: usize = 8000;
/// Most octets that wait for a stream whose peer does not read.
const MOST_WAITING: usize = 8 << 20;

/// Data sent and packets dropped on each face, as the daemon reports them.
fn faces(running: &Running) -> Vec<(u64, u64)> {
    let mut manager = Manager::connect(&Place::Unix(running.socket())).expect("a connection");
    let content = manager.dataset("/localhost/nfd/faces/list").expect("faces");
    let faces = entries::<FaceStatus<'_>>(&content).map(|face| face.expect("a face"));
    faces.map(|face| (face.out_data, face.out_dropped.expect("a counter"))).collect()
}

/// Data sent and packets dropped on the one face to which at least `data` Data packets were sent.
fn face_with(running: &Running, data: u64) -> Option<(u64, u64)> {
    faces(running).into_iter().find(|(sent, _)| *sent >= data)
}

/// One application fetches from another through the daemon.
fn others_are_served(running: &Running, round: u32) {
    let (mut producer, mut consumer) = (running.connect(), running.connect());
    producer.register("/other");
    for number in 0..20 {
        let uri = format!("/other/{round}/{number}");
        consumer.send(&interest(&uri, number));
        producer.receive();
        producer.send(&data(&uri, &[1; LARGE]));
        with_data(&consumer.receive(), |data| assert_eq!(data.name.to_string(), uri));
    }
}

/// An application requests `count` Data packets and reads none of them until all have been
/// answered. The kernel holds at most `kernel` octets for it.
fn a_peer_that_does_not_read<S: Read + Write>(
    running: &Running,
    mut stopped: Client<S>,
    kernel: usize,
    count: u32,
) {
    let mut producer = running.connect();
    producer.register("/p");
    for number in 0..count {
        let uri = format!("/p/{number}");
        stopped.send(&interest(&uri, number));
        producer.receive();
        producer.send(&data(&uri, &[7; LARGE]));
    }
    others_are_served(running, 0);
    let (sent, _) = face_with(running, u64::from(count))
        .expect("the face of the application that does not read");
    assert_eq!(sent, u64::from(count));
    // The daemon reads the counters of its sockets every 100 ms. If it is late, it reads them
    // before it answers.
    std::thread::sleep(Duration::from_millis(150));
    let (_, dropped) = face_with(running, u64::from(count)).expect("the face");
    let least = count as usize * LARGE - MOST_WAITING - kernel;
    assert!(dropped as usize * LARGE >= least, "{dropped} of {count} dropped");
    // The packets that waited arrive whole and in order. All others were counted.
    let mut latest = None;
    for _ in 0..u64::from(count) - dropped {
        let number = with_data(&stopped.receive(), |data| {
            assert_eq!(data.content.map(<[u8]>::len), Some(LARGE));
            data.name.to_string().rsplit('/').next().and_then(|number| number.parse::<u32>().ok())
        });
        assert!(number > latest, "{number:?} after {latest:?}");
        latest = number;
    }
    // The stream still works.
    stopped.send(&interest("/p/later", count));
    producer.receive();
    producer.send(&data("/p/later", &[7; 10]));
    with_data(&stopped.receive(), |data| assert_eq!(data.content, Some(&[7; 10][..])));
    assert_eq!(
        face_with(running, u64::from(count)).map(|(_, after)| after),
        Some(dropped),
        "no further packet is lost"
    );
}

#[test]
fn an_application_that_does_not_read_its_unix_socket_loses_what_is_too_much() {
    let running = Running::start("full-unix", "");
    a_peer_that_does_not_read(&running, running.connect(), 1_000_000, 1500);
}

#[test]
fn an_application_that_does_not_read_its_tcp_socket_loses_what_is_too_much() {
    let running = Running::start("full-tcp", "");
    let mut manager = Manager::connect(&Place::Unix(running.socket())).expect("a connection");
    let content = manager.dataset("/localhost/nfd/faces/channels").expect("channels");
    let uris = entries::<ChannelStatus<'_>>(&content)
        .map(|channel| channel.expect("a channel").local_uri.to_owned());
    let address = uris
        .filter_map(|uri| uri.strip_prefix("tcp4://").map(str::to_owned))
        .next()
        .expect("a TCP address");
    let stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(PATIENCE).expect("a timeout");
    // The last of the three values is the largest buffer that the kernel grants.
    let most = |of: &str| {
        let told =
            std::fs::read_to_string(format!("/proc/sys/net/ipv4/tcp_{of}mem")).expect("a limit");
        told.split_whitespace()
            .last()
            .and_then(|most| most.parse::<usize>().ok())
            .expect("a number")
    };
    let kernel = most("r") + most("w");
    let count = (MOST_WAITING + kernel) / LARGE + 500;
    a_peer_that_does_not_read(&running, Client::new(stream), kernel, count as u32);
}

/// Environment variable that marks the process inside a namespace.
const INSIDE: &str = "NARROWS_TEST_INSIDE";
/// Data packets that are sent at once.
const READY: u32 = 1000;

fn tc(rate: &str) {
    let words = format!("qdisc replace dev lo root tbf rate {rate} burst 4kb limit 4mb");
    assert!(Command::new("tc").args(words.split(' ')).status().expect("tc").success(), "{words}");
}

/// The daemon and a neighbour on one device that is slow for a while: the socket is full, a queue
/// forms before it, and further packets are dropped.
#[test]
#[ignore = "another test starts it in a namespace"]
fn a_full_udp_socket_inside() {
    assert!(std::env::var_os(INSIDE).is_some(), "in a namespace of its own");
    for words in ["link set lo up", "addr add 10.9.0.1/32 dev lo", "addr add 10.9.0.2/32 dev lo"] {
        assert!(
            Command::new("ip").args(words.split(' ')).status().expect("ip").success(),
            "{words}"
        );
    }
    let neighbour = UdpSocket::bind("10.9.0.2:0").expect("a socket");
    neighbour.set_read_timeout(PATIENCE).expect("a timeout");
    let remote = neighbour.local_addr().expect("an address");
    // This is ten thousand times the rate of the device while it is slow.
    let face = format!("[[face]]\nremote = \"udp4://{remote}\"\nlink_rate = \"100 Mbit/s\"\n");
    let running = Running::only_unix("full-udp", &face);
    let (mut room, mut consumer) = ([0; 9000], running.connect());
    let (length, daemon) = neighbour.recv_from(&mut room).expect("a hello");
    assert_eq!(room[..length], *HELLO);
    let mut producer = running.connect();
    producer.register("/p");
    let mut answers = Vec::new();
    for number in 0..READY {
        let uri = format!("/p/{number}");
        neighbour.send_to(&interest(&uri, number), daemon).expect("sent");
        producer.receive();
        answers.extend(data(&uri, &[7; 1000]));
    }
    tc("10kbit");
    producer.send(&answers);
    // When this exchange is over, the answers have been handled.
    consumer.send(&interest("/p/last", READY));
    producer.receive();
    producer.send(&data("/p/last", &[7; 10]));
    with_data(&consumer.receive(), |data| assert_eq!(data.content, Some(&[7; 10][..])));
    others_are_served(&running, 1);
    let patience = Instant::now();
    let dropped = loop {
        // 32 datagrams leave at once, 20 ms at 100 Mbit/s are held back by pacing, and 64 wait for
        // the socket. The socket holds between 125,000 octets and twice that.
        match face_with(&running, u64::from(READY)) {
            Some((_, dropped)) if dropped > u64::from(READY) / 2 => break dropped,
            counted => assert!(Some(patience.elapsed()) < PATIENCE, "{counted:?}"),
        }
    };
    neighbour.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout");
    let mut came = 0;
    while neighbour.recv(&mut room).is_ok() {
        came += u64::from(room[..HELLO.len()] != *HELLO);
    }
    println!("{dropped} dropped so far, {came} have come at 10 kbit/s");
    assert!(came < 100, "the socket is full");
    tc("10mbit");
    neighbour.set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    let patience = Instant::now();
    let dropped = loop {
        while neighbour.recv(&mut room).is_ok() {
            came += u64::from(room[..HELLO.len()] != *HELLO);
        }
        // A neighbour whose process does not run in time may lose datagrams too.
        let ((_, dropped), lost) =
            (face_with(&running, u64::from(READY)).expect("the face"), drops(&neighbour));
        if came + lost + dropped == u64::from(READY) {
            break dropped;
        }
        assert!(
            Some(patience.elapsed()) < PATIENCE,
            "{came} have come, {lost} were lost and {dropped} dropped of {READY}"
        );
    };
    println!("{dropped} of {READY} were dropped, {came} have come");
    // The face still works.
    neighbour.set_read_timeout(PATIENCE).expect("a timeout");
    neighbour.send_to(&interest("/p/later", READY + 1), daemon).expect("sent");
    producer.receive();
    producer.send(&data("/p/later", &[3; 10]));
    let length = neighbour.recv(&mut room).expect("an answer");
    with_data(&room[..length], |data| assert_eq!(data.content, Some(&[3; 10][..])));
}

#[test]
fn every_datagram_for_a_full_udp_socket_arrives_or_is_counted() {
    if !geteuid().is_root() {
        return println!("skipped: making network namespaces needs root");
    }
    let name = format!("nrf-{}", std::process::id());
    let ip = |words: &[&str]| {
        Command::new("ip").args(words).status().is_ok_and(|status| status.success())
    };
    if !ip(&["netns", "add", &name]) {
        return println!("skipped: this host makes no network namespaces");
    }
    let program = std::env::current_exe().expect("this program");
    let inside = Command::new("ip")
        .args(["netns", "exec", &name])
        .arg(program)
        .args(["--exact", "full_sockets::a_full_udp_socket_inside", "--ignored", "--nocapture"])
        .env(INSIDE, "1")
        .output();
    ip(&["netns", "del", &name]);
    let inside = inside.expect("a process");
    let told = String::from_utf8_lossy(&inside.stdout).into_owned()
        + &String::from_utf8_lossy(&inside.stderr);
    println!("{told}");
    assert!(inside.status.success() && told.contains("1 passed"), "{told}");
}
