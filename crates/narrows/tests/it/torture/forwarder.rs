//! A forwarder whose tables, faces or file descriptors are filled. Its memory keeps its limits, it
//! does not spin, and applications are still served.

use crate::scratch::{Scratch, code, stdout};
use crate::torture::campaign::{Case, Class, End, Verdict, campaign};
use crate::torture::draw::Draw;
use crate::torture::program::{Program, signal, used};
use narrows_ndn::lp::{Fragmenter, Header};
use narrows_ndn::{InterestDraft, Name};
use narrows_units::Random;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::{Duration, Instant};

const CLASS: Class = Class {
    name: "forwarder",
    title: "A forwarder whose tables, faces or descriptors are filled",
    full: 60,
};

/// Limits of the tables. [`MEMORY_MB`] is about twice their sum.
const TABLES: &str = "content_store_size = \"8 MB\"\npending_size = \"8 MB\"\npieces_size = \"4 MB\"\nqueues_size = \"16 MB\"\ndatasets_size = \"4 MB\"\nfaces = 512\n";
const MEMORY_MB: u64 = 120;
/// Limit of file descriptors for the forwarder.
const DESCRIPTORS: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Attack {
    /// Interests of 8.5 kB that nobody answers.
    Pending,
    /// First fragments of packets.
    Pieces,
    /// Applications that send Interests and do not read.
    Deaf,
    /// Datagrams from many addresses.
    Faces,
    /// Names of 100 components.
    Names,
    /// More connections than file descriptors.
    Descriptors,
    /// Many applications that fetch datasets.
    Datasets,
}

const ALL: [Attack; 7] = [
    Attack::Pending,
    Attack::Pieces,
    Attack::Deaf,
    Attack::Faces,
    Attack::Names,
    Attack::Descriptors,
    Attack::Datasets,
];

#[test]
fn forwarder() {
    campaign(&CLASS, |case| {
        let attack = case.random.pick(&ALL);
        one(case, attack).map_err(|problem| format!("{attack:?}: {problem}"))
    });
}

/// Returns an Interest under `/f`.
fn interest(number: u32, component: &[u8], components: usize) -> Vec<u8> {
    let mut name = Name::new().generic(b"f");
    for _ in 0..components {
        name = name.generic(component);
    }
    name = name.segment(u64::from(number));
    let mut octets = Vec::new();
    let lifetime_ms = Some(60_000);
    InterestDraft { nonce: Some(number), lifetime_ms, ..InterestDraft::new(name.as_ref()) }
        .write(&mut octets);
    octets
}

/// Sends as much as the forwarder accepts within some time, and reads nothing.
fn send(stream: &mut UnixStream, octets: &[u8]) {
    // The forwarder may close the connection.
    let _ = stream
        .set_write_timeout(Some(Duration::from_secs(2)))
        .and_then(|()| stream.write_all(octets));
}

fn one(case: &mut Case, attack: Attack) -> Verdict {
    let mut random = case.random.clone();
    let place = &case.place;
    let socket = place.path("n.sock");
    let port = 20_000 + random.below(10_000);
    fs::create_dir_all(place.path("work")).expect("a directory");
    let listen = format!(
        "[listen]\nunix = \"{}\"\nudp = [\"127.0.0.1:{port}\"]\ntcp = []\n[tables]\n{TABLES}",
        socket.display()
    );
    place.write("work/n.toml", &listen);
    place.write("work/film", "x");
    let shell = if attack == Attack::Descriptors {
        format!("ulimit -n {DESCRIPTORS} && exec")
    } else {
        "exec".to_owned()
    };
    let mut program = Program::under(place, &shell, &["ndn", "forward", "--config", "n.toml"]);
    let mut child = program.spawn();
    let began = Instant::now();
    while UnixStream::connect(&socket).is_err() {
        if began.elapsed() > Duration::from_secs(20) || child.try_wait().expect("a state").is_some()
        {
            let _ = child.kill();
            return Err("it does not start".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let at = format!("unix://{}", socket.display());
    let mut server =
        Program::new(place, &["ndn", "serve", "/f", "film", "--at", &at]).told("-server");
    let serving = server.spawn();
    let attacked =
        hurt(&mut random, attack, &child, &socket.display().to_string(), &at, port as u16);
    let judged = attacked.and_then(|()| judge(&case.place, &child, &at));
    signal(serving.id(), "TERM");
    let served = server.finish(serving);
    signal(child.id(), "TERM");
    let ended = program.finish(child)?;
    judged?;
    served?.decent()?;
    ended.decent()?;
    if ended.code() == 0 {
        Ok(End::Accepted)
    } else {
        Err(format!("it does not end in order: {}", ended.told()))
    }
}

fn hurt(
    random: &mut Random,
    attack: Attack,
    child: &Child,
    socket: &str,
    at: &str,
    port: u16,
) -> Result<(), String> {
    let connect = || UnixStream::connect(socket).map_err(|error| format!("no connection: {error}"));
    match attack {
        Attack::Pending => {
            for face in 0..random.between(1, 6) as u32 {
                let mut stream = connect()?;
                (0..2000).for_each(|number| {
                    send(&mut stream, &interest(10_000 * face + number, &[7; 8400], 1))
                });
            }
        }
        Attack::Names => {
            let mut stream = connect()?;
            (0..2000).for_each(|number| send(&mut stream, &interest(number, b"x", 100)));
        }
        Attack::Deaf => {
            let mut streams = Vec::new();
            for face in 0..random.between(5, 60) as u32 {
                let mut stream = connect()?;
                let content = interest(1_000_000 + face, &[3; 3000], 1);
                // A Nack carries its Interest, so refused Interests fill the face's queue.
                (0..200).for_each(|_| send(&mut stream, &content));
                let name: Name = "/localhost/nfd/faces/list".parse().expect("a name");
                for number in 0..50 {
                    let mut asked = Vec::new();
                    let draft = InterestDraft {
                        nonce: Some(1000 * face + number),
                        can_be_prefix: true,
                        must_be_fresh: true,
                        ..InterestDraft::new(name.as_ref())
                    };
                    draft.write(&mut asked);
                    send(&mut stream, &asked);
                }
                streams.push(stream);
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        Attack::Pieces => {
            let (whole, header) = (vec![5; 8000], Header::default());
            for number in 0..random.between(50, 300) as u16 {
                let source = UdpSocket::bind(SocketAddr::from((
                    [127, 9, (number >> 8) as u8, number as u8],
                    0,
                )))
                .expect("an address");
                for packet in 0..64u64 {
                    let mut fragmenter = Fragmenter::new(1000 * packet);
                    let mut pieces = fragmenter.pieces(&header, &whole, 1300).expect("pieces");
                    let mut piece = Vec::new();
                    for _ in 0..4 {
                        piece.clear();
                        pieces.write_next(&mut piece);
                        let _ = source.send_to(&piece, ("127.0.0.1", port));
                    }
                }
            }
        }
        Attack::Faces => {
            for number in 0..3000u16 {
                let source = UdpSocket::bind(SocketAddr::from((
                    [127, 8, (number >> 8) as u8, number as u8],
                    0,
                )))
                .expect("an address");
                let _ = source.send_to(&interest(u32::from(number), b"x", 1), ("127.0.0.1", port));
            }
        }
        Attack::Datasets => {
            for number in 0..random.between(20, 200) as u32 {
                let mut stream = connect()?;
                let name: Name = random
                    .pick(&["/localhost/nfd/fib/list", "/localhost/nfd/faces/list"])
                    .parse()
                    .expect("a name");
                let mut asked = Vec::new();
                InterestDraft {
                    nonce: Some(number),
                    can_be_prefix: true,
                    must_be_fresh: true,
                    ..InterestDraft::new(name.as_ref())
                }
                .write(&mut asked);
                send(&mut stream, &asked);
                let mut room = [0; 9000];
                let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
                stream.read(&mut room).map_err(|error| format!("no answer: {error}"))?;
            }
        }
        Attack::Descriptors => {
            let held: Vec<_> =
                (0..3 * DESCRIPTORS).filter_map(|_| UnixStream::connect(socket).ok()).collect();
            std::thread::sleep(Duration::from_millis(200));
            let before = used(child);
            std::thread::sleep(Duration::from_secs(1));
            let spent = used(child) - before;
            if spent > Duration::from_millis(200) {
                return Err(format!(
                    "{spent:?} of processor time in a second without descriptors, {} connections, {at}",
                    held.len()
                ));
            }
        }
    }
    Ok(())
}

fn judge(place: &Scratch, child: &Child, at: &str) -> Result<(), String> {
    // Idle faces are closed after a second.
    let began = Instant::now();
    let told = loop {
        let told = place.narrows(["ndn", "forward", "status", "--json", "--at", at]);
        if code(&told) == 0 {
            break stdout(&told);
        }
        if began.elapsed() > Duration::from_secs(15) {
            return Err("applications find no room".to_owned());
        }
    };
    let told: serde_json::Value =
        serde_json::from_str(&told).map_err(|error| format!("its status is no JSON: {error}"))?;
    for (name, table) in told["tables"].as_object().ok_or("it tells of no tables")? {
        if table["bytes"].as_u64() > table["limit_bytes"].as_u64() {
            return Err(format!("{name} holds more than it may: {table}"));
        }
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|rest| rest.trim().split(' ').next()?.parse::<u64>().ok());
    match peak {
        Some(kib) if kib / 1000 > MEMORY_MB => Err(format!("{} MB: {told}", kib / 1000)),
        _ => Ok(()),
    }
}
