//! Links between hosts, without sockets: hellos, pacing of Data, congestion marks, and neighbours
//! that follow no rates.

use super::bench::*;
use narrows_forward::{Config, FaceSetup, FaceUri, LinkRates, MirccSupport};
use narrows_icn::FaceId;
use narrows_ndn::lp::NackReason;
use narrows_ndn::management::{
    ControlParameters, ControlResponse, FacePersistency, ManagementName, Scope, face_flags,
};
use narrows_ndn::signature::Signer;
use narrows_ndn::{InterestDraft, SigningFields};
use narrows_units::{Rate, Span};

const REMOTE: &str = "udp4://192.0.2.7:6363";

fn rates(mbps: u64) -> Option<LinkRates> {
    Some(LinkRates::known(Rate::from_mbps(mbps), Rate::from_mbps(mbps), false))
}

/// Times in seconds at which hellos are sent on `face`, until `until`.
fn hellos(bench: &mut Bench, face: FaceId, until: u64) -> Vec<u64> {
    let mut found = Vec::new();
    while bench.now < ms(until * 1000) {
        let sent = bench.pass(bench.now + Span::from_millis(500));
        let second = bench.now.since(ms(0)).as_micros() / 1_000_000;
        found.extend(
            sent.iter().filter(|(to, octets)| *to == face && octets == HELLO).map(|_| second),
        );
    }
    found
}

#[test]
fn hellos_go_to_configured_neighbours_often_until_they_answer() {
    let mut bench = Bench::new();
    let (far, near) = (bench.neighbour(REMOTE), bench.neighbour("udp4://127.0.0.1:7"));
    assert_eq!(hellos(&mut bench, far, 35), [0, 10, 20, 30]);
    assert!(hellos(&mut bench, near, 36).is_empty(), "neighbours on this host get no hellos");
    bench.receive(far, HELLO);
    assert_eq!(
        hellos(&mut bench, far, 90),
        [40, 60, 80],
        "the hello that was due, and then one in 20 s"
    );
}

#[test]
fn a_neighbour_that_shows_mircc_on_an_on_demand_face_gets_hellos_too() {
    let mut bench = Bench::new();
    let face = bench.face(FaceSetup {
        remote: FaceUri::Udp("192.0.2.9:5".parse().expect("an address")),
        local: FaceUri::Udp("192.0.2.100:6363".parse().expect("an address")),
        persistency: FacePersistency::OnDemand,
        is_local: false,
        mtu: 1400,
        follows_path: false,
        ends_idle: true,
        rates: None,
        headers: None,
        understands: MirccSupport::Auto,
        nacks: false,
        police: false,
    });
    assert!(hellos(&mut bench, face, 5).is_empty());
    bench.receive(face, HELLO);
    assert_eq!(hellos(&mut bench, face, 6), [5]);
}

/// The next face event: the octets of its kind.
fn next_event(bench: &mut Bench, app: FaceId) -> Vec<u8> {
    let stream = name("/localhost/nfd/faces/events");
    let mut asked = Vec::new();
    let nonce = Some(bench.nonce());
    let draft = InterestDraft {
        nonce,
        can_be_prefix: true,
        must_be_fresh: true,
        lifetime_ms: Some(60_000),
        ..InterestDraft::new(stream.as_ref())
    };
    draft.write(&mut asked);
    let sent = bench.receive(app, &asked);
    assert!(sent.iter().all(|(to, _)| *to != app), "old events are not sent");
    asked
}

#[test]
fn a_neighbour_that_shows_mircc_by_a_hello_is_told_of_what_fails() {
    let mut bench = Bench::new();
    let far = bench.neighbour("udp4://192.0.2.7:6363");
    assert!(
        bench.receive(far, &interest("/nowhere/1", 1)).is_empty(),
        "other neighbours get no Nacks"
    );
    bench.receive(far, HELLO);
    let sent = bench.receive(far, &interest("/nowhere/2", 2));
    assert_eq!(header(&sent[0].1).nack, Some(NackReason::NoRoute));
}

#[test]
fn a_neighbour_that_misses_three_hellos_is_down_until_it_is_heard() {
    let mut bench = Bench::new();
    let app = bench.app();
    let far = bench.neighbour_with(REMOTE, rates(10));
    bench.forwarder.add_route(&name("/a"), far, 0);
    bench.pass(ms(1000));
    bench.receive(far, HELLO);
    let kind = |sent: &[(FaceId, Vec<u8>)]| {
        let (_, octets) =
            sent.iter().find(|(to, octets)| *to == app && octets.len() > 50).expect("an event");
        with_data(octets, |data| {
            data.content
                .expect("content")
                .windows(3)
                .find(|window| window[..2] == [0xc1, 1])
                .expect("a kind")[2]
        })
    };
    bench.pass(ms(30_000));
    next_event(&mut bench, app);
    assert_eq!(kind(&bench.pass(ms(62_000))), 4, "down");
    next_event(&mut bench, app);
    bench.receive(far, HELLO);
    assert_eq!(kind(&bench.pass(ms(63_000))), 3, "up");
}

#[test]
fn data_for_a_link_of_known_rate_leaves_at_this_rate_after_a_burst() {
    let mut bench = Bench::new();
    let app = bench.app();
    let far = bench.neighbour_with(REMOTE, rates(8));
    bench.forwarder.add_route(&name("/p"), app, 0);
    bench.pass(ms(1000));
    for number in 0..100 {
        bench.receive(far, &interest(&format!("/p/{number}"), number));
    }
    let mut at_once = 0;
    for number in 0..100 {
        let sent = bench.receive(app, &data(&format!("/p/{number}"), &[7; 1000]));
        at_once +=
            sent.iter().filter(|(to, _)| *to == far).map(|(_, octets)| octets.len()).sum::<usize>();
    }
    // 32 datagrams of 1400 octets, and the datagram that uses up the room.
    assert!((32 * 1400..32 * 1400 + 1400).contains(&at_once), "{at_once}");
    let later: usize = bench
        .pass(ms(1010))
        .iter()
        .filter(|(to, _)| *to == far)
        .map(|(_, octets)| octets.len())
        .sum();
    // 10 ms at 1 octet per microsecond, minus the overdraft of the last datagram.
    assert!((10_000 - 2800..=10_000 + 1400).contains(&later), "{later}");
    let rest: usize = bench
        .pass(ms(1900))
        .iter()
        .filter(|(to, octets)| *to == far && octets != HELLO)
        .map(|(_, octets)| octets.len())
        .sum();
    assert!(
        (20_000..20_000 + 2 * 1400).contains(&(later + rest)),
        "20 ms of Data waited, the rest was dropped: {later} and {rest}"
    );
}

#[test]
fn packets_to_a_link_of_unknown_rate_leave_in_bursts_of_32() {
    let mut bench = Bench::new();
    let app = bench.app();
    let far = bench.neighbour(REMOTE);
    bench.forwarder.add_route(&name("/p"), app, 0);
    bench.forwarder.add_route(&name("/far"), far, 0);
    bench.pass(ms(1000));
    let count = |sent: Vec<(FaceId, Vec<u8>)>| {
        sent.iter().filter(|(to, octets)| *to == far && octets != HELLO).count()
    };
    for number in 0..1000 {
        bench.receive(far, &interest(&format!("/p/{number}"), number));
    }
    let at_once: usize = (0..100)
        .map(|number| count(bench.receive(app, &data(&format!("/p/{number}"), &[7; 1000]))))
        .sum();
    assert_eq!(at_once, 32);
    bench.now += Span::from_micros(10);
    assert_eq!(count(bench.receive(far, HELLO)), 0, "the hello arrives before anything is sent");
    assert_eq!(
        count(bench.pass(bench.now)),
        32,
        "the neighbour's process runs, so a burst may follow"
    );
    assert_eq!(
        count(bench.receive(app, &interest("/far/1", 5000))),
        0,
        "Interests stay behind the Data"
    );
    assert_eq!(count(bench.pass(bench.now + Span::from_micros(999))), 0);
    assert_eq!(count(bench.pass(bench.now + Span::from_micros(1))), 32);
    assert_eq!(count(bench.pass(bench.now + Span::from_millis(1))), 5);
    bench.pass(bench.now + Span::from_millis(1));
    // 32 datagrams leave, and 640 wait for at most 20 ms.
    let at_once: usize = (100..1000)
        .map(|number| count(bench.receive(app, &data(&format!("/p/{number}"), &[7; 1000]))))
        .sum();
    assert_eq!((at_once, count(bench.pass(bench.now + Span::from_millis(30)))), (32, 640));
}

/// True if a link packet has a congestion mark.
fn is_marked(octets: &[u8]) -> bool {
    header(octets).is_marked()
}

#[test]
fn data_is_marked_where_the_queue_before_it_stays_long_if_the_neighbour_wants_it() {
    let mut bench = Bench::new();
    let (producer, consumer) = (bench.app(), bench.app());
    bench.forwarder.add_route(&name("/p"), producer, 0);
    let mut number = 0;
    let mut fetched = |bench: &mut Bench| {
        number += 1;
        let uri = format!("/p/{number}");
        let nonce = bench.nonce();
        bench.receive(consumer, &interest(&uri, nonce));
        let sent = bench.receive(producer, &data(&uri, &[1; 10]));
        sent.iter().any(|(to, octets)| *to == consumer && is_marked(octets))
    };
    bench.asked.queued = 70_000;
    for _ in 0..10 {
        assert!(!fetched(&mut bench), "the neighbour has not asked for marks");
        bench.pass(bench.now + Span::from_millis(50));
    }
    let parameters = ControlParameters {
        flags: Some(face_flags::CONGESTION_MARKING),
        mask: Some(face_flags::CONGESTION_MARKING),
        marking_interval_ns: Some(200_000_000),
        ..ControlParameters::default()
    };
    let command = ManagementName::command(Scope::Localhost, "faces", "update", &parameters);
    let mut octets = Vec::new();
    let fields = SigningFields { nonce: Some(&[1; 8]), time_ms: Some(WALL_MS), sequence: None };
    InterestDraft { nonce: Some(9), ..InterestDraft::new(command.as_ref()) }.write_signed(
        &Signer::DIGEST,
        &fields,
        &mut octets,
    );
    let (code, content) = bench.command(consumer, &octets);
    let told = ControlResponse::decode(&content)
        .expect("a response")
        .parameters
        .expect("parameters")
        .flags;
    assert_eq!((code, told), (200, Some(face_flags::CONGESTION_MARKING)));
    let mut marked = Vec::new();
    for _ in 0..6 {
        marked.push(fetched(&mut bench));
        bench.pass(bench.now + Span::from_millis(100));
    }
    // Marks come after 200 ms, then with the next packet after 141 ms more, which is 200 ms after
    // the first mark, then after 115 ms more.
    assert_eq!(marked, [false, false, true, false, true, false]);
    bench.asked.queued = 65_536;
    assert!(!fetched(&mut bench));
}

#[test]
fn interests_of_an_application_without_mircc_are_paced_and_never_refused() {
    let mut bench = Bench::with(&Config::default());
    let (app, follower) = (bench.app(), bench.app());
    let far = bench.neighbour_with(REMOTE, rates(10));
    bench.forwarder.add_route(&name("/p"), far, 0);
    bench.pass(ms(500));
    let out = |sent: Vec<(FaceId, Vec<u8>)>| sent.iter().filter(|(to, _)| *to == far).count();
    let mut left = 0;
    for number in 0..1500 {
        let sent = bench.receive(app, &interest(&format!("/p/{number}"), number));
        assert!(sent.iter().all(|(to, _)| *to == far), "nothing returns");
        left += out(sent);
    }
    assert_eq!(left, 1);
    // Data of 1100 octets is assumed, since none has arrived: one in 0.88 ms at the proxy, one in
    // 0.898 ms at the shaper.
    let left = out(bench.pass(ms(600)));
    assert!((105..=113).contains(&left), "{left}");
    let refused = (0..150).map(|number| {
        bench.receive(follower, &of_follower(&format!("/p/f/{number}"), 5000 + number))
    });
    let is_refusal = |(to, octets): &(FaceId, Vec<u8>)| {
        *to == follower && header(octets).nack == Some(NackReason::Congestion)
    };
    let nacks = refused.flatten().filter(is_refusal).count();
    // The shaper holds 100, including the one or two by which the proxy was ahead.
    assert!((50..55).contains(&nacks), "{nacks}");
}

#[test]
fn only_a_permanent_face_over_tcp_is_connected_again() {
    let mut bench = Bench::new();
    let mut face = |uri: FaceUri, persistency| {
        bench.face(FaceSetup {
            remote: uri,
            local: FaceUri::Tcp("192.0.2.100:6363".parse().expect("an address")),
            persistency,
            is_local: false,
            mtu: 8800,
            follows_path: false,
            ends_idle: true,
            rates: None,
            headers: None,
            understands: MirccSupport::Auto,
            nacks: false,
            police: false,
        })
    };
    let peer = "192.0.2.1:6363".parse().expect("an address");
    let permanent = face(FaceUri::Tcp(peer), FacePersistency::Permanent);
    let persistent = face(
        FaceUri::Tcp("192.0.2.2:6363".parse().expect("an address")),
        FacePersistency::Persistent,
    );
    let udp = face(FaceUri::Udp(peer), FacePersistency::Permanent);
    let again = [permanent, persistent, udp].map(|face| bench.forwarder.reconnects(face));
    assert_eq!(again, [Some(peer), None, None]);
    bench.forwarder.set_broken(ms(0), permanent, true, &mut bench.asked);
    assert!(hellos(&mut bench, permanent, 15).is_empty(), "nothing is sent while the face is down");
    let now = bench.now;
    bench.forwarder.set_broken(now, permanent, false, &mut bench.asked);
    assert_eq!(hellos(&mut bench, permanent, 20).len(), 1);
}
