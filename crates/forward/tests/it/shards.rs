//! Several forwarding threads: each has a shard of the tables, and together they behave like one
//! thread.

use super::bench::*;
use super::daemon::{PATIENCE, Running};
use super::management::{dataset, parameters, signed};
use narrows_forward::{Config, Handovers};
use narrows_icn::FaceId;
use narrows_ndn::InterestDraft;
use narrows_ndn::lp::{Header, Mircc, NackReason, PitToken};
use narrows_ndn::management::*;
use narrows_units::{Random, Span};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::net::UdpSocket;

/// One step of a test on a forwarder.
enum Step {
    /// The octets arrive on the face with this index in the test.
    Comes(usize, Vec<u8>),
    /// This number of milliseconds passes.
    Passes(u64),
}

/// An Interest of an application or a neighbour: its octets and its name.
fn asked(random: &mut Random, face: usize, uri: &str, nonce: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    let wanted = name(uri);
    let draft = InterestDraft {
        nonce: Some(nonce),
        can_be_prefix: wanted.as_ref().len() > 2 && random.below(4) == 0,
        must_be_fresh: random.below(4) == 0,
        lifetime_ms: Some(200 + random.below(2000)),
        hop_limit: (random.below(3) == 0).then_some(random.below(3) as u8),
        ..InterestDraft::new(wanted.as_ref())
    };
    draft.write(&mut octets);
    // A face has one token for all Interests. Data for two Interests of a face, one of which
    // requires fresh Data, may carry the token of either.
    let token = [face as u8; 6];
    let pit_token = PitToken::new(&token).filter(|_| face > 0);
    let mircc = match random.below(3) {
        0 => Mircc {
            class: Some(random.below(2) as u8),
            round_trip_us: Some(20_000),
            ..Mircc::default()
        },
        _ => Mircc::default(),
    };
    link(&Header { mircc, pit_token, ..Header::default() }, &octets)
}

/// Random steps: Interests of every form, Data in time, late and unsolicited, unknown tokens,
/// Nacks, and time.
fn steps(seed: u64, count: u32) -> Vec<Step> {
    let mut random = Random::stream(seed, "steps");
    let mut steps = Vec::new();
    for nonce in 0..count {
        let (prefix, content, segment) = (random.below(4), random.below(4), random.below(12));
        let uri = match random.below(12) {
            0 => format!("/p{prefix}"),
            1 => format!("/p{prefix}/c{content}"),
            2 => format!("/p{prefix}/c{content}/{segment}/more"),
            _ => format!("/p{prefix}/c{content}/{segment}"),
        };
        let face = random.below(6) as usize;
        let octets = data(&uri, &[segment as u8; 200]);
        steps.push(match random.below(10) {
            0..=4 => Step::Comes(face, asked(&mut random, face, &uri, nonce)),
            5 => {
                let full = format!("{uri}/sha256digest={}", hex(&Sha256::digest(&octets)));
                Step::Comes(face, asked(&mut random, face, &full, nonce))
            }
            6 | 7 => Step::Comes(3 + face % 3, octets),
            8 if random.below(2) == 0 => {
                let mircc = Mircc {
                    primary_bps: Some(1_000_000 + segment),
                    path_id: Some(7),
                    ..Mircc::default()
                };
                Step::Comes(
                    3 + face % 3,
                    link(
                        &Header {
                            mircc,
                            pit_token: PitToken::new(&[0xab; 6]),
                            ..Header::default()
                        },
                        &octets,
                    ),
                )
            }
            8 => {
                let nack = Header { nack: Some(NackReason::NoRoute), ..Header::default() };
                Step::Comes(
                    3 + face % 3,
                    link(&nack, &interest(&uri, nonce.saturating_sub(random.below(8) as u32))),
                )
            }
            _ => Step::Passes(random.below(80)),
        });
    }
    steps
}

fn hex(octets: &[u8]) -> String {
    octets.iter().map(|octet| format!("{octet:02x}")).collect()
}

/// Three applications and three neighbours, with routes of several lengths and a prefix with routes
/// to two neighbours.
fn world(threads: usize) -> (Bench, Vec<FaceId>) {
    let mut bench = Bench::threads(threads);
    let mut faces = vec![bench.app(), bench.app(), bench.app()];
    faces.extend((7..10).map(|host| bench.neighbour(&format!("udp4://192.0.2.{host}:6363"))));
    for (prefix, face) in
        [("/p0", 3), ("/p1", 4), ("/p2", 5), ("/p3", 3), ("/p3", 4), ("/p1/c2", 5), ("/p0/c1/3", 0)]
    {
        bench.forwarder.add_route(&name(prefix), faces[face], 0);
    }
    let choice = name("/localhost/nfd/strategy/multicast");
    let prefix = name("/p3");
    let set = ControlParameters {
        name: Some(prefix.as_ref()),
        strategy: Some(StrategyName(choice.as_ref())),
        ..ControlParameters::default()
    };
    assert_eq!(bench.command(faces[0], &signed("strategy-choice", "set", &set)).0, 200);
    (bench, faces)
}

/// Counters of the forwarder: of each face, and in total.
fn counted(bench: &mut Bench, app: FaceId) -> (Vec<[u64; 10]>, [u64; 12]) {
    let faces = dataset(bench, app, "/localhost/nfd/faces/list");
    let faces = entries::<FaceStatus<'_>>(&faces).map(|face| {
        let face = face.expect("a face");
        let dropped = face.in_malformed.unwrap_or(0) + face.out_dropped.unwrap_or(0);
        let packets = [
            face.in_interests,
            face.in_data,
            face.in_nacks,
            face.out_interests,
            face.out_data,
            face.out_nacks,
        ];
        let [a, b, c, d, e, f] = packets;
        [face.face_id, a, b, c, d, e, f, face.in_bytes, face.out_bytes, dropped]
    });
    let faces = faces.collect();
    let content = dataset(bench, app, "/localhost/nfd/status/general");
    let status = GeneralStatus::decode(&content).expect("a status");
    assert_eq!(status.lost_between_threads.unwrap_or(0), 0);
    let store = dataset(bench, app, "/localhost/nfd/cs/info");
    let store = entries::<CsInfo>(&store).next().expect("an entry").expect("an entry");
    let GeneralStatus {
        in_interests, in_data, in_nacks, out_interests, out_data, out_nacks, ..
    } = status;
    let tables = [
        status.satisfied_interests,
        status.unsatisfied_interests,
        status.pit_entries,
        store.entries,
        store.hits,
        store.misses,
    ];
    let [a, b, c, d, e, f] = tables;
    (faces, [in_interests, in_data, in_nacks, out_interests, out_data, out_nacks, a, b, c, d, e, f])
}

#[test]
fn four_threads_send_and_count_what_one_does() {
    for seed in 1..=3 {
        let ((mut one, faces), (mut four, same)) = (world(1), world(4));
        assert_eq!(faces, same, "faces have the same slots");
        let (mut answered, mut forwarded) = (0, 0);
        for (number, step) in steps(seed, 6000).iter().enumerate() {
            let act = |bench: &mut Bench| {
                let mut sent = match step {
                    Step::Comes(face, octets) => bench.receive(faces[*face], octets),
                    Step::Passes(ms) => bench.pass(bench.now + Span::from_millis(*ms)),
                };
                sent.sort();
                sent
            };
            let (sent, by_four) = (act(&mut one), act(&mut four));
            assert_eq!(sent, by_four, "seed {seed}, step {number}");
            answered += sent.iter().filter(|(face, _)| faces[..3].contains(face)).count();
            forwarded += sent.iter().filter(|(face, _)| faces[3..].contains(face)).count();
        }
        assert!(answered > 500 && forwarded > 1000, "{answered} {forwarded}");
        assert_eq!(counted(&mut one, faces[0]), counted(&mut four, faces[0]), "seed {seed}");
    }
}

/// A prefix of each thread, found from the handovers of the first thread.
fn prefixes_by_thread(bench: &mut Bench, app: FaceId) -> BTreeMap<usize, String> {
    let mut found = BTreeMap::new();
    for number in 0..200 {
        let prefix = format!("/x/{number}");
        bench.arrive(app, &interest(&prefix, 5_000_000 + number));
        let thread =
            bench.forwarder.handed_over().iter().position(|outbox| !outbox.is_empty()).unwrap_or(0);
        found.entry(thread).or_insert(prefix);
        bench.settle();
    }
    bench.asked.sent.clear();
    assert_eq!(found.len(), bench.others.len() + 1, "200 names fall on all threads");
    found
}

#[test]
fn a_wide_interest_gets_data_of_any_thread_and_others_get_it_too() {
    let mut bench = Bench::threads(4);
    let (first, second, up) = (bench.app(), bench.app(), bench.neighbour("udp4://192.0.2.7:6363"));
    let prefixes = prefixes_by_thread(&mut bench, first);
    bench.forwarder.add_route(&name("/x"), up, 0);
    for (nonce, prefix) in (1..).zip(prefixes.values()) {
        let mut wide = Vec::new();
        let root = name("/x");
        InterestDraft {
            nonce: Some(nonce),
            can_be_prefix: true,
            ..InterestDraft::new(root.as_ref())
        }
        .write(&mut wide);
        let asked =
            |sent: Vec<(FaceId, Vec<u8>)>| sent.iter().map(|(face, _)| *face).collect::<Vec<_>>();
        assert_eq!(asked(bench.receive(first, &wide)), [up]);
        let uri = format!("{prefix}/1");
        assert_eq!(asked(bench.receive(second, &interest(&uri, 100 + nonce))), [up]);
        let answer = data(&uri, b"for both");
        let mut sent = bench.receive(up, &answer);
        sent.sort();
        assert_eq!(sent, [(first, answer.clone()), (second, answer.clone())], "{prefix}");
        assert_eq!(
            bench.receive(second, &interest(&uri, 200 + nonce)),
            [(second, answer.clone())],
            "the Data is stored under its name"
        );
        assert!(bench.receive(up, &answer).is_empty(), "no Interest is pending any more");
        // The first thread stores the Data too. It must not answer the next wide Interest from
        // there.
        let erase = ControlParameters { name: Some(root.as_ref()), ..ControlParameters::default() };
        assert_eq!(bench.command(first, &signed("cs", "erase", &erase)).0, 200);
        bench.pass(bench.now + Span::from_secs(7));
    }
}

#[test]
fn packets_that_find_a_full_queue_are_dropped_and_counted() {
    let mut bench = Bench::threads(2);
    let app = bench.app();
    let prefixes = prefixes_by_thread(&mut bench, app);
    bench.forwarder.add_route(&name("/x"), app, 0);
    for number in 0..5000 {
        bench.arrive(app, &interest(&format!("{}/{number}", prefixes[&1]), number));
    }
    bench.settle();
    bench.asked.sent.clear();
    let content = dataset(&mut bench, app, "/localhost/nfd/status/general");
    assert_eq!(
        GeneralStatus::decode(&content).expect("a status").lost_between_threads,
        Some(5000 - 4096)
    );
    let other = bench.neighbour("udp4://127.0.0.1:7");
    bench.forwarder.add_route(&name(&prefixes[&1]), other, 0);
    let sent = bench.receive(app, &interest(&format!("{}/after", prefixes[&1]), 77));
    assert_eq!(
        sent.iter().map(|(face, _)| *face).collect::<Vec<_>>(),
        [other],
        "the forwarder still forwards"
    );
    let mut queue = Handovers::default();
    assert_eq!((queue.append(&mut Vec::new()), queue.is_empty()), (0, true));
}

#[test]
fn commands_act_on_all_threads() {
    let mut bench = Bench::threads(4);
    let (app, other, up) = (bench.app(), bench.app(), bench.neighbour("udp4://192.0.2.7:6363"));
    let prefixes: Vec<String> = prefixes_by_thread(&mut bench, app).into_values().collect();
    // The command comes from an application on another thread, which gets the answer.
    let prefix = name("/x");
    let id = |bench: &mut Bench, uri: &str| {
        let list = dataset(bench, app, "/localhost/nfd/faces/list");
        let face = entries::<FaceStatus<'_>>(&list)
            .map(|face| face.expect("a face"))
            .find(|face| face.uri == uri);
        face.map(|face| (face.face_id, face.mtu))
    };
    let up_id = id(&mut bench, "udp4://192.0.2.7:6363").expect("the face").0;
    let route = ControlParameters {
        name: Some(prefix.as_ref()),
        face_id: Some(up_id),
        ..ControlParameters::default()
    };
    assert_eq!(bench.command(other, &signed("rib", "register", &route)).0, 200);
    let mut nonce = 10;
    let mut ask_all = |bench: &mut Bench| {
        nonce += 10;
        let ask = |(number, prefix): (u32, &String)| {
            bench.receive(app, &interest(&format!("{prefix}/{nonce}"), nonce + number))
        };
        let sent: Vec<Vec<(FaceId, Vec<u8>)>> = (0..).zip(&prefixes).map(ask).collect();
        (nonce, sent)
    };
    let (asked, sent) = ask_all(&mut bench);
    assert!(
        sent.iter().all(|sent| sent.iter().map(|(face, _)| *face).eq([up])),
        "all threads have the route"
    );
    for prefix in &prefixes {
        assert_eq!(bench.receive(up, &data(&format!("{prefix}/{asked}"), b"x")).len(), 1);
    }
    bench.pass(bench.now + Span::from_secs(5));
    let status = bench.status(other);
    assert_eq!(
        (status.cs_entries, status.pit_entries),
        (4, 1),
        "one of each thread, and the Interest for the status"
    );
    // The content store stops serving, then it serves again, then it is empty.
    let serve = |flags| ControlParameters {
        flags: Some(flags),
        mask: Some(2),
        ..ControlParameters::default()
    };
    let again = |bench: &mut Bench, nonce| {
        bench.receive(other, &interest(&format!("{}/{asked}", prefixes[3]), nonce))[0].0
    };
    assert_eq!(bench.command(app, &signed("cs", "config", &serve(0))).0, 200);
    assert_eq!(again(&mut bench, 1), up);
    bench.pass(bench.now + Span::from_secs(5));
    let (_, content) = bench.command(app, &signed("cs", "config", &serve(2)));
    assert_eq!(
        parameters(&content).capacity,
        Some(65_536),
        "the capacity is the sum of all threads"
    );
    assert_eq!(again(&mut bench, 2), other);
    let erase = |count| ControlParameters {
        name: Some(prefix.as_ref()),
        count,
        ..ControlParameters::default()
    };
    let (_, content) = bench.command(app, &signed("cs", "erase", &erase(Some(3))));
    assert_eq!(parameters(&content).count, Some(3));
    let (_, content) = bench.command(app, &signed("cs", "erase", &erase(None)));
    assert_eq!((parameters(&content).count, bench.status(app).cs_entries), (Some(1), 0));
    // A face of another thread is changed and then removed.
    let update =
        ControlParameters { face_id: Some(up_id), mtu: Some(1000), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("faces", "update", &update)).0, 200);
    assert_eq!(id(&mut bench, "udp4://192.0.2.7:6363"), Some((up_id, Some(1000))));
    bench.forwarder.add_route(&name("/big"), other, 0);
    bench.receive(up, &interest("/big/1", 3));
    let pieces = bench.receive(other, &data("/big/1", &[1; 3000]));
    assert!(
        pieces.len() == 4 && pieces.iter().all(|(face, piece)| *face == up && piece.len() <= 1000),
        "the thread of the face fragments"
    );
    bench.pass(bench.now + Span::from_secs(5));
    let (_, sent) = ask_all(&mut bench);
    assert_eq!(sent.len(), 4);
    let close = ControlParameters { face_id: Some(up_id), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("faces", "destroy", &close)).0, 200);
    assert_eq!(id(&mut bench, "udp4://192.0.2.7:6363"), None);
    bench.receive(up, &interest("/big/2", 4));
    let (_, sent) = ask_all(&mut bench);
    let refused = |sent: &Vec<(FaceId, Vec<u8>)>| {
        sent.len() == 1 && header(&sent[0].1).nack == Some(NackReason::NoRoute)
    };
    assert!(sent.iter().all(refused), "no thread has the route any more");
    let unset = ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("strategy-choice", "unset", &unset)).0, 200);
}

#[test]
fn handovers_for_a_removed_face_do_not_reach_the_next_face_in_its_slot() {
    let mut bench = Bench::threads(2);
    let (app, gone, _) = (bench.app(), bench.app(), bench.app());
    let prefixes = prefixes_by_thread(&mut bench, app);
    bench.forwarder.add_route(&name("/x"), app, 0);
    bench.receive(gone, &interest(&format!("{}/1", prefixes[&0]), 1));
    // The answer is on its way to the thread of the face, and an Interest from the face is on its
    // way to the first thread.
    bench.arrive(app, &data(&format!("{}/1", prefixes[&0]), b"x"));
    bench.arrive(gone, &interest(&format!("{}/2", prefixes[&0]), 2));
    bench.forwarder.remove_face(bench.now, gone, &mut bench.asked);
    assert_eq!(bench.app(), gone, "a new face has its slot, on the same thread");
    bench.settle();
    assert!(bench.asked.sent.is_empty(), "{:?}", bench.asked.sent);
}

#[test]
fn a_neighbour_that_shows_mircc_is_known_to_all_threads() {
    let mut bench = Bench::threads(4);
    let (app, peer) = (bench.app(), bench.neighbour("udp4://192.0.2.7:6363"));
    let prefixes = prefixes_by_thread(&mut bench, app);
    // Other neighbours get no Nacks.
    for (nonce, prefix) in (1..).zip(prefixes.values()) {
        assert!(bench.receive(peer, &interest(&format!("{prefix}/1"), nonce)).is_empty());
    }
    bench.receive(peer, HELLO);
    for (nonce, prefix) in (10..).zip(prefixes.values()) {
        bench.receive(peer, &of_follower("/nowhere", 100 + nonce));
        let sent = bench.receive(peer, &interest(&format!("{prefix}/1"), nonce));
        assert_eq!(header(&sent[0].1).nack, Some(NackReason::NoRoute), "{prefix}");
    }
}

#[test]
fn a_face_with_a_rate_or_police_needs_one_thread() {
    let face = "[[face]]\nremote = \"udp://192.0.2.1\"\n";
    for more in [
        "link_rate = \"10 Mbit/s\"\n",
        "rate = \"10 Mbit/s\"\n",
        "link_rate = \"auto\"\n",
        "police = true\n",
    ] {
        let text = format!("[tables]\nthreads = 2\n{face}{more}");
        let error = Config::parse(&text, "narrows.toml").expect_err("refused").to_string();
        assert!(
            error.contains("[[face]] number 1") && error.contains("set threads = 1 in [tables]"),
            "{error}"
        );
        assert!(Config::parse(&text.replace("threads = 2", "threads = 1"), "narrows.toml").is_ok());
    }
    assert!(Config::parse(&format!("[tables]\nthreads = 2\n{face}"), "narrows.toml").is_ok());
    for threads in ["0", "65"] {
        let error = Config::parse(&format!("[tables]\nthreads = {threads}\n"), "narrows.toml")
            .expect_err("refused")
            .to_string();
        assert!(error.contains("from 1 to 64"), "{error}");
    }
    let mut bench = Bench::threads(2);
    let app = bench.app();
    let create = ControlParameters {
        uri: Some("udp4://192.0.2.7:6363"),
        capacity_in_bps: Some(1_000_000),
        capacity_out_bps: Some(1_000_000),
        ..ControlParameters::default()
    };
    assert_eq!(bench.command(app, &signed("faces", "create", &create)).0, 406);
    let without =
        ControlParameters { uri: Some("udp4://192.0.2.7:6363"), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("faces", "create", &without)).0, 200);
}

#[test]
fn a_daemon_of_three_threads_serves_applications_and_neighbours() {
    let running = Running::start("threads", "[tables]\nthreads = 3\n");
    let peer = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    peer.set_read_timeout(PATIENCE).expect("a timeout");
    peer.connect(running.udp()).expect("connected");
    let mut producers: Vec<_> = (0..4).map(|_| running.connect()).collect();
    for (number, producer) in producers.iter_mut().enumerate() {
        producer.register(&format!("/p{number}"));
    }
    let mut consumers: Vec<_> = (0..4).map(|_| running.connect()).collect();
    for round in 0..400u32 {
        for (number, producer) in producers.iter_mut().enumerate() {
            let uri = format!("/p{number}/c{}/{round}", round % 7);
            let asked = interest(&uri, round * 8 + number as u32);
            consumers[(round as usize + number) % 4].send(&asked);
            assert_eq!(producer.receive(), asked);
            let answer = data(&uri, &[7; 1200]);
            producer.send(&answer);
            assert_eq!(consumers[(round as usize + number) % 4].receive(), answer);
            let asked = interest(&uri, 1_000_000 + round * 8 + number as u32);
            peer.send(&asked).expect("sent");
            let mut room = [0; 9000];
            let length = peer.recv(&mut room).expect("an answer");
            assert_eq!(room[..length], answer, "the content store answers");
        }
    }
    // An application ends, and its route is removed with it.
    drop(producers.remove(1));
    for nonce in 9_000_000.. {
        assert!(nonce < 9_001_000, "the route goes with the application");
        consumers[0].send(&interest("/p1/c1/gone", nonce));
        let told = consumers[0].receive_within(std::time::Duration::from_millis(100));
        if told.is_some_and(|told| header(&told).nack == Some(NackReason::NoRoute)) {
            break;
        }
    }
}
