//! Consumers under attack by producers or by hosts that answer in a producer's place, and
//! forwarders that end.

use super::bench::{link, name};
use super::daemon::Running;
use narrows_forward::{Connection, Consumer, FetchError, Fetched, Object, Place, Producer};
use narrows_ndn::lp::{Header, LpPacket, Mircc};
use narrows_ndn::signature::Signer;
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use narrows_ndn::{DataDraft, Interest, MetaInfo, number};
use narrows_units::{Bytes, Span};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Answers of an attacker.
#[derive(Clone, Copy)]
struct Answers {
    last: u64,
    size: usize,
    /// Segment that never arrives.
    missing: Option<u64>,
    rate: Option<u64>,
}

const HONEST: Answers = Answers { last: 9, size: 1000, missing: None, rate: None };

/// Answers the Interests of one connection until it ends.
fn answer(mut stream: TcpStream, answers: Answers) {
    let (mut inbox, mut room) = (Vec::new(), vec![0; 1 << 18]);
    while let Ok(read @ 1..) = stream.read(&mut room) {
        inbox.extend_from_slice(&room[..read]);
        let (mut taken, mut out) = (0, Vec::new());
        while let Some(length) = frame_length(&inbox[taken..], MAX_PACKET)
            .expect("a packet")
            .filter(|length| *length <= inbox.len() - taken)
        {
            let packet = &inbox[taken..taken + length];
            taken += length;
            let fragment =
                LpPacket::decode(packet).expect("a packet").fragment.expect("a fragment");
            let asked = Interest::decode(fragment).expect("an Interest").name;
            let segment =
                asked.last().and_then(|last| last.nni_of(number::SEGMENT)).expect("a segment");
            if answers.missing == Some(segment) {
                continue;
            }
            let last = name("/film").segment(answers.last);
            let meta = MetaInfo { final_block: last.as_ref().last(), ..MetaInfo::default() };
            let mut data = Vec::new();
            DataDraft { name: asked, meta, content: Some(&vec![segment as u8; answers.size]) }
                .write(&Signer::DIGEST, &mut data);
            let mircc = Mircc {
                primary_bps: answers.rate,
                secondary_bps: answers.rate,
                ..Mircc::default()
            };
            out.extend(link(&Header { mircc, ..Header::default() }, &data));
        }
        inbox.drain(..taken);
        // A consumer that has received enough closes the connection.
        if stream.write_all(&out).is_err() {
            return;
        }
    }
}

/// Fetches an object from a host that sends these answers.
fn fetch(
    answers: Answers,
    prepare: impl FnOnce(&mut Consumer),
) -> (Result<Fetched, FetchError>, Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = Place::parse(&format!("tcp://{}", listener.local_addr().expect("an address")))
        .expect("a place");
    let forwarder =
        std::thread::spawn(move || answer(listener.accept().expect("a connection").0, answers));
    let mut consumer = Consumer::connect(&place).expect("a forwarder");
    prepare(&mut consumer);
    let mut content = Vec::new();
    let fetched = consumer.fetch(&name("/film/v=7"), &mut content, &mut |_| ());
    drop(consumer);
    forwarder.join().expect("no panic");
    (fetched, content)
}

#[test]
fn a_segment_that_never_comes_ends_the_fetch_though_others_do() {
    // 800 MB without the second segment: at most 64 MiB of it may wait.
    let answers = Answers { last: 100_000, size: 8000, missing: Some(1), ..HONEST };
    let began = Instant::now();
    let (fetched, content) = fetch(answers, |consumer| consumer.patience(Span::from_secs(3)));
    let error = fetched.expect_err("it cannot be complete");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(content.len(), 8000, "only the segments before it are written");
    match error {
        FetchError::Missing { segment: 1, arrived, of: 100_001, .. } => {
            let waiting = (arrived - 1) * 8000;
            assert!(waiting <= 64 << 20, "{waiting} octets wait");
        }
        // Late answers on a busy host count as silence.
        FetchError::Stalled(..) => {}
        other => panic!("{other}"),
    }
}

#[test]
fn an_object_that_is_said_to_be_absurdly_large_is_refused() {
    let (fetched, content) = fetch(Answers { last: u64::MAX, ..HONEST }, |_| ());
    let told = fetched.expect_err("too large").to_string();
    assert!(
        told.contains("18446744073709551616 segments") && told.contains("--max-size"),
        "{told}"
    );
    assert!(content.is_empty());
    let (fetched, _) =
        fetch(Answers { last: 9, ..HONEST }, |consumer| consumer.limit(Bytes::new(9_999)));
    assert!(matches!(fetched, Err(FetchError::TooLarge { segments: 10, .. })), "{fetched:?}");
    let (fetched, _) =
        fetch(Answers { last: 9, ..HONEST }, |consumer| consumer.limit(Bytes::new(10_000)));
    assert_eq!(fetched.expect("it fits").octets, 10_000);
}

#[test]
fn rates_of_nothing_slow_a_fetch_down_and_do_not_stop_it() {
    for rate in [0, 1] {
        let answers = Answers { last: 3, rate: Some(rate), ..HONEST };
        let (fetched, content) = fetch(answers, |consumer| consumer.patience(Span::from_secs(20)));
        let fetched = fetched.expect("a Data a second");
        assert_eq!((fetched.segments, content.len(), fetched.followed_rates), (4, 4000, true));
    }
}

#[test]
fn serving_and_fetching_go_on_when_the_forwarder_is_back() {
    let mut running = Running::only_unix("restart", "[tables]\ncontent_store = 0\n");
    let place = Place::Unix(running.socket());
    let content: Vec<u8> = (0..4_000_000u32).map(|number| (number >> 9) as u8).collect();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut producer = Producer::connect(&place).expect("a forwarder");
    producer.serve(Object::new(name("/film"), content.clone(), 1000, 1)).expect("registered");
    let hears = heard.clone();
    producer.on_connection(move |connection| hears.lock().expect("no panic").push(connection));
    let go_on = Arc::new(AtomicBool::new(true));
    let going = go_on.clone();
    let serving = std::thread::spawn(move || producer.run(&mut || going.load(Ordering::Relaxed)));
    let mut consumer = Consumer::connect(&place).expect("a forwarder");
    let (mut got, mut restarted) = (Vec::new(), 0);
    let fetched = consumer.fetch(&name("/film"), &mut got, &mut |progress| {
        if progress.segments > 1000 * (restarted + 1) && restarted < 2 {
            running.restart();
            restarted += 1;
        }
    });
    assert_eq!(fetched.expect("it goes on").segments, 4000);
    assert!(got == content && restarted == 2);
    go_on.store(false, Ordering::Relaxed);
    serving.join().expect("no panic").expect("an end in order");
    let heard = heard.lock().expect("no panic").clone();
    assert_eq!(
        heard[..4],
        [Connection::Lost, Connection::Back, Connection::Lost, Connection::Back]
    );
}

#[test]
fn a_forwarder_that_does_not_come_back_is_reported() {
    let running = Running::only_unix("gone", "");
    let mut consumer = Consumer::connect(&Place::Unix(running.socket())).expect("a forwarder");
    consumer.patience(Span::from_secs(1));
    drop(running);
    let told = consumer
        .fetch(&name("/film/v=1"), &mut Vec::new(), &mut |_| ())
        .expect_err("nobody")
        .to_string();
    assert!(
        told.contains("no forwarder answers") && told.contains("narrows ndn forward"),
        "{told}"
    );
}

#[test]
fn an_object_of_a_file_is_read_when_it_is_asked_for() {
    let running = Running::only_unix("file", "");
    let path = running.directory.join("film");
    let content: Vec<u8> = (0..100_001u32).map(|number| (number >> 7) as u8).collect();
    std::fs::write(&path, &content).expect("a file");
    let file = std::fs::File::open(&path).expect("a file");
    let object = Object::of_file(name("/film"), file, content.len() as u64, 8000, 1);
    assert_eq!(object.segments(), 13);
    let mut producer = Producer::connect(&Place::Unix(running.socket())).expect("a forwarder");
    producer.serve(object).expect("registered");
    let go_on = Arc::new(AtomicBool::new(true));
    let going = go_on.clone();
    let serving = std::thread::spawn(move || producer.run(&mut || going.load(Ordering::Relaxed)));
    let mut got = Vec::new();
    let mut consumer = Consumer::connect(&Place::Unix(running.socket())).expect("a forwarder");
    consumer.fetch(&name("/film"), &mut got, &mut |_| ()).expect("fetched");
    assert!(got == content);
    go_on.store(false, Ordering::Relaxed);
    serving.join().expect("no panic").expect("an end in order");
}
