//! Senders that send all they can: every table has a limit in octets or in entries, packets that do
//! not fit are counted, and other users still have room.

use super::bench::*;
use super::daemon::{Client as App, PATIENCE, Running};
use super::management::{dataset, signed};
use narrows_forward::{Client, Config, FaceSetup, FaceUri, Place};
use narrows_icn::FaceId;
use narrows_ndn::lp::Fragmenter;
use narrows_ndn::management::{
    ControlParameters, GeneralStatus, StrategyName, TableStatus, entries,
};
use narrows_ndn::{InterestDraft, Name};
use narrows_units::Span;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;

fn bench(tables: &str) -> Bench {
    Bench::with(&Config::parse(&format!("[tables]\n{tables}"), "test").expect("a configuration"))
}

/// Octets in a table, its limit, and the number of refusals.
fn table(content: &[u8], wanted: &str) -> (u64, u64, u64) {
    let mut tables = entries::<TableStatus<'_>>(content).map(|table| table.expect("a table"));
    let table = tables.find(|table| table.name == wanted).expect("the table");
    (table.used, table.limit, table.refused)
}

/// Octets in a table, its limit, and the number of refusals, as the management reports them to an
/// application.
fn told(bench: &mut Bench, app: FaceId, wanted: &str) -> (u64, u64, u64) {
    table(&dataset(bench, app, "/localhost/nfd/tables/list"), wanted)
}

/// Numbers of refused and of evicted faces.
fn faces_told(bench: &mut Bench, app: FaceId) -> (u64, u64) {
    let content = dataset(bench, app, "/localhost/nfd/status/general");
    let status = GeneralStatus::decode(&content).expect("a status");
    (status.faces_refused.expect("a count"), status.faces_evicted.expect("a count"))
}

/// Face of a datagram from an address on another host.
fn stranger(number: u32) -> FaceSetup {
    let address: SocketAddr =
        ([198, 18 + (number >> 16) as u8, (number >> 8) as u8, number as u8], 6363).into();
    FaceSetup::on_demand(
        FaceUri::Udp(address),
        FaceUri::Udp(([0, 0, 0, 0], 6363).into()),
        false,
        1400,
    )
}

#[test]
fn idle_faces_are_evicted_and_applications_find_room() {
    let mut bench = bench("faces = 80\n");
    let app = bench.app();
    // Neighbours whose packets have arrived for more than a second stay for 30 s.
    let known: Vec<FaceId> = (0..5)
        .map(|number| {
            bench.forwarder.add_face(bench.now, stranger(number), &mut bench.asked).expect("room")
        })
        .collect();
    bench.pass(ms(1500));
    known.iter().for_each(|face| drop(bench.receive(*face, HELLO)));
    let made = (100..5000)
        .filter(|number| {
            bench.forwarder.add_face(bench.now, stranger(*number), &mut bench.asked).is_ok()
        })
        .count();
    assert_eq!(made, 70 - 5, "an eighth is reserved for this host");
    let (refused, evicted) = faces_told(&mut bench, app);
    assert_eq!((refused, evicted), (4900 - 65, 0));
    // Applications on this host and configured faces may use the rest.
    for _ in 0..9 {
        bench.app();
    }
    bench.pass(ms(1700));
    assert_eq!(faces_told(&mut bench, app).1, 0, "they have not been idle for a second");
    bench.pass(ms(3000));
    assert!(bench.forwarder.add_face(bench.now, stranger(6000), &mut bench.asked).is_err());
    bench.pass(ms(3200));
    let (_, evicted) = faces_told(&mut bench, app);
    assert!((5..=10).contains(&evicted), "a sixteenth of all at a time: {evicted}");
    bench.forwarder.add_face(bench.now, stranger(6001), &mut bench.asked).expect("room");
    for round in 0..200 {
        let _ = (0..100)
            .map(|number| {
                bench.forwarder.add_face(bench.now, stranger(10_000 + number), &mut bench.asked)
            })
            .count();
        bench.pass(ms(3300 + 100 * round));
    }
    for number in 0..5 {
        let FaceSetup { remote, .. } = stranger(number);
        assert!(
            bench.forwarder.face_to(&remote).is_some(),
            "neighbour {number} has been silent for 20 s only"
        );
    }
    bench.pass(ms(40_000));
    for round in 0..20 {
        let _ = (0..100)
            .map(|number| {
                bench.forwarder.add_face(bench.now, stranger(20_000 + number), &mut bench.asked)
            })
            .count();
        bench.pass(ms(40_000 + 100 * round));
    }
    let stay = (0..5).all(|number| bench.forwarder.face_to(&stranger(number).remote).is_some());
    assert!(stay, "faces that were heard for longer are evicted last");
}

/// An Interest of 8.5 kB.
fn large_interest(prefix: &str, number: u32) -> Vec<u8> {
    let name: Name =
        prefix.parse::<Name>().expect("a name").generic(&[7; 8400]).segment(u64::from(number));
    let mut octets = Vec::new();
    InterestDraft { nonce: Some(number), ..InterestDraft::new(name.as_ref()) }.write(&mut octets);
    octets
}

#[test]
fn pending_interests_are_limited_in_octets_and_end_with_their_time() {
    let mut bench = bench("pending_size = \"2 MB\"\ncontent_store = 0\n");
    let (app, up) = (bench.app(), bench.app());
    let prefix = name("/p");
    bench.forwarder.add_route(&prefix, up, 0);
    let hogs: Vec<FaceId> = (0..3).map(|_| bench.app()).collect();
    let mut most = 0;
    for number in 0..400 {
        for (place, hog) in hogs.iter().enumerate() {
            bench.receive(*hog, &large_interest("/p", 1000 * (place as u32 + 1) + number));
        }
        most = most.max(bench.forwarder.node().pending_octets().used());
    }
    let (used, limit, refused) = told(&mut bench, app, "pending");
    assert!(used <= limit && most <= limit && limit == 2_000_000, "{used} of {limit}");
    // Each of the three may hold as much as is free, which is a quarter.
    assert!(used > limit / 2 && used <= 3 * limit / 4 + 10_000, "{used}");
    assert!(refused > 900, "{refused}");
    let other = bench.app();
    assert_eq!(
        bench.receive(other, &interest("/p/other", 1)).len(),
        1,
        "an application with few pending Interests still has room"
    );
    bench.pass(ms(5000));
    assert_eq!(bench.forwarder.node().pending_octets().used(), 0, "expired Interests take no room");
}

#[test]
fn faces_and_answers_release_what_pending_interests_took() {
    let mut bench = bench("pending_size = \"2 MB\"\ncontent_store = 0\n");
    let up = bench.neighbour("udp4://192.0.2.1:6363");
    let prefix = name("/p");
    bench.forwarder.add_route(&prefix, up, 0);
    let (first, second) = (bench.app(), bench.app());
    for number in 0..20 {
        bench.receive(first, &interest(&format!("/p/{number:02}"), number));
        bench.receive(second, &interest(&format!("/p/{number:02}"), 100 + number));
        bench.receive(second, &interest(&format!("/p/{number:02}"), 200 + number));
    }
    let both = bench.forwarder.node().pending_octets().used();
    for number in 0..10 {
        bench.receive(up, &data(&format!("/p/{number:02}"), &[1; 10]));
    }
    assert_eq!(bench.forwarder.node().pending_octets().used(), both / 2);
    bench.forwarder.remove_face(bench.now, first, &mut bench.asked);
    assert_eq!(bench.forwarder.node().pending_octets().used(), both / 4);
    bench.forwarder.remove_face(bench.now, up, &mut bench.asked);
    bench.forwarder.remove_face(bench.now, second, &mut bench.asked);
    assert_eq!(bench.forwarder.node().pending_octets().used(), 0);
}

/// The first fragments of a Data of 8 kB, in fragments of 600 octets.
fn first_pieces(sequence: u64, count: usize) -> Vec<Vec<u8>> {
    let whole = data("/p/x", &[5; 8000]);
    let (mut fragmenter, header) = (Fragmenter::new(sequence), Default::default());
    let mut pieces = fragmenter.pieces(&header, &whole, 600).expect("pieces");
    let next = |_| {
        let mut piece = Vec::new();
        pieces.write_next(&mut piece);
        piece
    };
    (0..count).map(next).collect()
}

#[test]
fn pieces_are_limited_in_octets_over_all_faces_and_go_when_their_time_is_over() {
    let mut bench = bench("pieces_size = \"200 kB\"\n");
    let app = bench.app();
    let strangers: Vec<FaceId> = (0..300)
        .map(|number| {
            bench.forwarder.add_face(bench.now, stranger(number), &mut bench.asked).expect("room")
        })
        .collect();
    for face in &strangers {
        for piece in first_pieces(100, 10) {
            bench.receive(*face, &piece);
        }
    }
    bench.pass(ms(120));
    let (used, limit, refused) = told(&mut bench, app, "pieces");
    assert!(
        used > limit / 2 && used <= limit && limit == 200_000 && refused > 0,
        "{used} of {limit}, {refused} refused"
    );
    // No more packets arrive from anybody.
    bench.pass(ms(800));
    assert_eq!(told(&mut bench, app, "pieces").0, 0);
    // Packets whose fragments all arrive are reassembled again.
    let near = bench.app();
    bench.receive(near, &interest("/p/x", 5));
    first_pieces(300, 14).iter().for_each(|piece| drop(bench.receive(strangers[0], piece)));
    assert_eq!(told(&mut bench, app, "pieces").0, 0);
    bench.receive(strangers[1], &first_pieces(300, 1)[0]);
    bench.forwarder.remove_face(bench.now, strangers[1], &mut bench.asked);
    bench.pass(ms(1000));
    assert_eq!(told(&mut bench, app, "pieces").0, 0, "removing a face releases its fragments");
}

#[test]
fn routes_and_strategies_are_limited_in_number_and_octets() {
    let mut bench = bench("strategies = 3\nnames_size = \"40 kB\"\n");
    let app = bench.app();
    let strategy = name("/localhost/nfd/strategy/multicast");
    let set = |bench: &mut Bench, prefix: &str| {
        let prefix = name(prefix);
        let parameters = ControlParameters {
            name: Some(prefix.as_ref()),
            strategy: Some(StrategyName(strategy.as_ref())),
            ..ControlParameters::default()
        };
        bench.command(app, &signed("strategy-choice", "set", &parameters)).0
    };
    let codes: Vec<u64> =
        ["/a", "/b", "/c", "/d", "/a"].iter().map(|prefix| set(&mut bench, prefix)).collect();
    assert_eq!(codes, [200, 200, 200, 503, 200], "an existing strategy may be changed");
    let register = |bench: &mut Bench, prefix: &Name, verb: &str| {
        let parameters =
            ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
        bench.command(app, &signed("rib", verb, &parameters)).0
    };
    let long = |number: u64| name("/long").generic(&[7; 3000]).segment(number);
    let codes: Vec<u64> =
        (0..20).map(|number| register(&mut bench, &long(number), "register")).collect();
    let added = codes.iter().filter(|code| **code == 200).count();
    assert!(
        (10..12).contains(&added) && codes[added..].iter().all(|code| *code == 503),
        "{codes:?}"
    );
    assert_eq!(register(&mut bench, &long(0), "register"), 200, "an existing route may be changed");
    let (used, limit, refused) = told(&mut bench, app, "names");
    assert!(
        used <= limit && limit == 40_000 && refused == 20 - added as u64,
        "{used} of {limit}, {refused} refused"
    );
    for number in 0..added as u64 {
        assert_eq!(register(&mut bench, &long(number), "unregister"), 200);
    }
    assert!(told(&mut bench, app, "names").0 < 2000, "only the strategies are left");
}

#[test]
fn many_requests_for_a_large_dataset_share_its_content() {
    let mut bench = bench("datasets_size = \"2 MB\"\n");
    let app = bench.app();
    for number in 0..3000 {
        let prefix = name(&format!("/p/{number}"));
        bench.forwarder.add_route(&prefix, app, 0);
    }
    let whole = dataset(&mut bench, app, "/localhost/nfd/fib/list");
    let before = told(&mut bench, app, "datasets").0;
    assert!(before > whole.len() as u64);
    for _ in 0..200 {
        assert!(dataset(&mut bench, app, "/localhost/nfd/fib/list") == whole);
    }
    let (after, limit, refused) = told(&mut bench, app, "datasets");
    assert!(
        after < before + 200 * 1000 && after <= limit && refused == 0,
        "{before}, then {after}"
    );
    // A change is visible at once.
    bench.forwarder.add_route(&name("/new"), app, 0);
    let changed = dataset(&mut bench, app, "/localhost/nfd/fib/list");
    assert!(changed.len() > whole.len());
    // Datasets that differ each time replace each other.
    for _ in 0..60 {
        bench.now += Span::from_millis(1);
        dataset(&mut bench, app, "/localhost/nfd/rib/list");
        bench.forwarder.add_route(&name("/other"), app, bench.now.since(ms(0)).as_micros());
    }
    let (used, limit, refused) = told(&mut bench, app, "datasets");
    assert!(used <= limit && refused > 0, "{used} of {limit}");
    bench.pass(ms(20_000));
    assert!(told(&mut bench, app, "datasets").0 < 20_000);
}

#[test]
fn peers_that_do_not_read_share_the_limit_of_socket_queues() {
    let running = Running::start("queues", "[tables]\nqueues_size = \"8 MB\"\ncontent_store = 0\n");
    let connect = || {
        let stream = UnixStream::connect(running.socket()).expect("a connection");
        stream.set_read_timeout(PATIENCE).expect("a timeout");
        App::new(stream)
    };
    let mut producer = connect();
    producer.register("/p");
    let mut deaf: Vec<_> = (0..12).map(|_| connect()).collect();
    for number in 0..250 {
        for (place, app) in deaf.iter_mut().enumerate() {
            let uri = format!("/p/{place}/{number}");
            app.send(&interest(&uri, number));
            producer.receive();
            producer.send(&data(&uri, &[7; 8000]));
        }
    }
    let mut consumer = connect();
    for number in 0..50 {
        let uri = format!("/p/other/{number}");
        consumer.send(&interest(&uri, number));
        producer.receive();
        producer.send(&data(&uri, &[7; 8000]));
        assert!(
            with_data(&consumer.receive(), |data| data.name.to_string()) == uri,
            "applications that read are served"
        );
    }
    std::thread::sleep(std::time::Duration::from_millis(250));
    let told = || {
        Client::connect(&Place::Unix(running.socket()))
            .expect("a connection")
            .dataset("/localhost/nfd/tables/list")
            .expect("tables")
    };
    let (used, limit, refused) = table(&told(), "queues");
    assert!(
        used > limit / 2 && used <= limit && limit == 4_000_000 && refused > 0,
        "{used} of {limit}, {refused} refused"
    );
    drop(deaf);
    let began = std::time::Instant::now();
    while table(&told(), "queues").0 > 100_000 {
        assert!(began.elapsed().as_secs() < 20, "closed connections hold no room");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}
