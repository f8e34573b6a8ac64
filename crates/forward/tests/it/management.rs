//! Commands and datasets, with requests captured from ndnd, python-ndn and NDNts.

use super::bench::*;
use super::captured;
use narrows_forward::Config;
use narrows_icn::FaceId;
use narrows_ndn::lp::{Header, LpPacket, PitToken};
use narrows_ndn::management::*;
use narrows_ndn::signature::Signer;
use narrows_ndn::{Data, InterestDraft, NameRef, SigningFields};

fn octets(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits
        .chunks(2)
        .map(|pair| {
            u8::from_str_radix(std::str::from_utf8(pair).expect("digits"), 16).expect("hex")
        })
        .collect()
}

/// A command, signed by the rules of version 0.3.
pub fn signed(module: &str, verb: &str, parameters: &ControlParameters<'_>) -> Vec<u8> {
    let name = ManagementName::command(Scope::Localhost, module, verb, parameters);
    let mut octets = Vec::new();
    let fields = SigningFields {
        nonce: Some(&[1, 2, 3, 4, 5, 6, 7, 8]),
        time_ms: Some(WALL_MS),
        sequence: None,
    };
    InterestDraft { nonce: Some(9), ..InterestDraft::new(name.as_ref()) }.write_signed(
        &Signer::DIGEST,
        &fields,
        &mut octets,
    );
    octets
}

pub fn parameters(content: &[u8]) -> ControlParameters<'_> {
    ControlResponse::decode(content).expect("a response").parameters.expect("parameters")
}

/// Content of a dataset, fetched as clients do: discovery, then every segment by its exact name.
pub fn dataset(bench: &mut Bench, face: FaceId, uri: &str) -> Vec<u8> {
    let mut octets = Vec::new();
    let wanted = name(uri);
    // Each nonce may be used only once.
    let nonce = bench.nonce();
    InterestDraft {
        nonce: Some(nonce),
        can_be_prefix: true,
        must_be_fresh: true,
        ..InterestDraft::new(wanted.as_ref())
    }
    .write(&mut octets);
    let sent = bench.receive(face, &octets);
    assert_eq!(sent.len(), 1, "one segment is the answer");
    let (base, last) = with_data(&sent[0].1, |data| {
        let last = data
            .meta
            .final_block
            .expect("a last segment on the first one")
            .nni_of(narrows_ndn::number::SEGMENT)
            .expect("a segment");
        assert_eq!(
            data.name.last().expect("a segment").nni_of(narrows_ndn::number::SEGMENT),
            Some(0)
        );
        (data.name.without_last(1).to_string(), last)
    });
    let mut content = Vec::new();
    for segment in 0..=last {
        let exact = interest(&format!("{base}/seg={segment}"), bench.nonce());
        let sent = bench.receive(face, &exact);
        content.extend(with_data(&sent[0].1, |data| data.content.expect("content").to_vec()));
    }
    assert!(
        bench.receive(face, &interest(&format!("{base}/seg={}", last + 1), 99)).is_empty(),
        "no answer after the last segment"
    );
    content
}

#[test]
fn a_face_is_made_once_and_known_then() {
    let mut bench = Bench::new();
    let app = bench.app();
    let (code, content) = bench.command(app, &octets(captured::CREATE));
    let made = parameters(&content);
    assert_eq!(
        (code, made.uri, made.flags, made.persistency),
        (200, Some("udp4://127.0.0.1:17001"), Some(0), Some(FacePersistency::Persistent))
    );
    assert!(
        made.local_uri.is_some() && made.mtu.is_none() && made.marking_interval_ns.is_none(),
        "only the fields that clients expect"
    );
    let id = made.face_id;
    assert!(id >= Some(256));
    bench.pass(ms(10_000));
    let (code, content) = bench.command(app, &octets(captured::CREATE));
    assert_eq!(
        (code, parameters(&content).face_id, parameters(&content).uri),
        (409, id, Some("udp4://127.0.0.1:17001"))
    );
}

#[test]
fn faces_that_cannot_be_made_are_refused_by_their_reason() {
    let mut bench = Bench::new();
    let app = bench.app();
    let create = |uri| ControlParameters { uri: Some(uri), ..ControlParameters::default() };
    let face = ControlParameters {
        mtu: Some(1200),
        persistency: Some(FacePersistency::Permanent),
        ..create("udp4://127.0.0.1:17002")
    };
    assert_eq!(bench.command(app, &signed("faces", "create", &face)).0, 200);
    let list = dataset(&mut bench, app, "/localhost/nfd/faces/list");
    let listed: Vec<FaceStatus<'_>> = entries(&list).collect::<Result<_, _>>().expect("faces");
    let made = listed.iter().find(|face| face.uri == "udp4://127.0.0.1:17002").expect("the face");
    assert_eq!((made.mtu, made.persistency), (Some(1200), FacePersistency::Permanent));
    for (refused, code) in [
        (ControlParameters::default(), 400),
        (create("udp4:/x"), 400),
        (create("udp4://224.0.0.1:6363"), 406),
        (create("ether://[01:00:5e:00:17:aa]"), 406),
        (create("udp://no.such.host"), 504),
        (ControlParameters { mtu: Some(20), ..create("udp4://192.0.2.1") }, 406),
        (
            ControlParameters {
                persistency: Some(FacePersistency::OnDemand),
                ..create("udp4://192.0.2.1")
            },
            406,
        ),
        (
            ControlParameters {
                local_uri: Some("udp4://192.0.2.9:1"),
                ..create("udp4://192.0.2.1")
            },
            406,
        ),
        (ControlParameters { flags: Some(1), ..create("udp4://192.0.2.1") }, 409),
        (ControlParameters { flags: Some(1), mask: Some(1), ..create("udp4://192.0.2.1") }, 406),
        (ControlParameters { flags: Some(2), mask: Some(2), ..create("udp4://192.0.2.1") }, 409),
    ] {
        assert_eq!(bench.command(app, &signed("faces", "create", &refused)).0, code, "{refused:?}");
    }
}

#[test]
fn routes_of_all_three_clients_are_registered() {
    let mut bench = Bench::new();
    let app = bench.app();
    let list = |bench: &mut Bench| {
        let content = dataset(bench, app, "/localhost/nfd/rib/list");
        let listed: Vec<RibEntry<'_>> =
            entries(&content).collect::<Result<_, _>>().expect("routes");
        listed
            .iter()
            .flat_map(|entry| {
                entry.routes.iter().map(|route| {
                    (
                        entry.name.to_string(),
                        route.origin,
                        route.flags,
                        route.expiration_ms.is_some(),
                    )
                })
            })
            .collect::<Vec<_>>()
    };
    let (code, content) = bench.command(app, &octets(captured::PYTHON_REGISTER));
    let made = parameters(&content);
    assert_eq!((code, made.origin, made.cost, made.flags), (200, Some(0), Some(0), Some(1)));
    assert_eq!(made.face_id, Some(256), "the face of the application itself");
    assert_eq!(bench.command(app, &octets(captured::PYTHON_COMMAND)).0, 200);
    let sent = bench.receive(app, &octets(captured::NDNTS_REGISTER));
    assert_eq!(
        header(&sent[0].1).pit_token.map(|token| token.as_slice().to_vec()),
        Some(octets("3d9dffffffff"))
    );
    assert_eq!(
        list(&mut bench),
        [
            ("/py/v1".to_owned(), 0, 1, false),
            ("/py/app".to_owned(), 0, 1, false),
            ("/nts/p".to_owned(), 65, 2, true),
        ]
    );
    let (code, content) = bench.command(app, &octets(captured::ROUTE));
    assert_eq!(
        (code, ControlResponse::decode(&content).expect("a response").text),
        (410, "there is no face 4")
    );
    let app_prefix = name("/py/app");
    let gone =
        ControlParameters { name: Some(app_prefix.as_ref()), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("rib", "unregister", &gone)).0, 200);
    bench.pass(ms(1_300_000));
    assert_eq!(list(&mut bench).len(), 1, "the route of NDNts has expired");
}

#[test]
fn routes_forward_and_go_with_their_face() {
    let mut bench = Bench::new();
    let (app, other) = (bench.app(), bench.app());
    bench.command(app, &octets(captured::PYTHON_REGISTER));
    let sent = bench.receive(other, &interest("/py/app/x", 5));
    assert_eq!(sent[0].0, app);
    let answer = data("/py/app/x", b"hello");
    let sent = bench.receive(app, &answer);
    assert_eq!(sent, [(other, answer)], "the Data is unchanged and without a link header");
    let destroy = ControlParameters { face_id: Some(256), ..ControlParameters::default() };
    assert_eq!(bench.command(other, &signed("faces", "destroy", &destroy)).0, 200);
    assert_eq!(bench.asked.closed, [app]);
    let sent = bench.receive(other, &interest("/py/app/y", 6));
    assert_eq!(header(&sent[0].1).nack, Some(narrows_ndn::lp::NackReason::NoRoute));
    assert_eq!(
        bench
            .command(
                other,
                &signed("faces", "destroy", &ControlParameters { face_id: Some(99), ..destroy })
            )
            .0,
        200
    );
}

#[test]
fn strategies_are_set_by_name_with_and_without_a_version() {
    let mut bench = Bench::new();
    let app = bench.app();
    let (code, content) = bench.command(app, &octets(captured::STRATEGY));
    let told = parameters(&content).strategy.expect("a strategy").0.to_string();
    assert_eq!((code, told.as_str()), (200, "/localhost/nfd/strategy/multicast/v=1"));
    let list = |bench: &mut Bench| {
        let content = dataset(bench, app, "/localhost/nfd/strategy-choice/list");
        let listed: Vec<StrategyChoice<'_>> =
            entries(&content).collect::<Result<_, _>>().expect("choices");
        listed
            .iter()
            .map(|choice| (choice.name.to_string(), choice.strategy.0.to_string()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        list(&mut bench),
        [
            ("/".to_owned(), "/localhost/nfd/strategy/best-route/v=1".to_owned()),
            ("/mc".to_owned(), "/localhost/nfd/strategy/multicast/v=1".to_owned()),
        ]
    );
    let prefix = name("/mc");
    for (strategy, code) in [
        ("/localhost/nfd/strategy/weighted", 200),
        ("/localhost/nfd/strategy/best-route/v=5", 200),
        ("/localhost/nfd/strategy/best-route/v=9", 404),
        ("/localhost/nfd/strategy/asf", 404),
        ("/x/nfd/strategy/multicast", 404),
    ] {
        let strategy = name(strategy);
        let set = ControlParameters {
            name: Some(prefix.as_ref()),
            strategy: Some(StrategyName(strategy.as_ref())),
            ..ControlParameters::default()
        };
        assert_eq!(
            bench.command(app, &signed("strategy-choice", "set", &set)).0,
            code,
            "{strategy:?}"
        );
    }
    let unset = |prefix: NameRef<'_>| {
        signed(
            "strategy-choice",
            "unset",
            &ControlParameters { name: Some(prefix), ..ControlParameters::default() },
        )
    };
    assert_eq!(bench.command(app, &unset(prefix.as_ref())).0, 200);
    assert_eq!(bench.command(app, &unset(NameRef::ROOT)).0, 400, "the root keeps its strategy");
    assert_eq!(list(&mut bench).len(), 1);
}

#[test]
fn faces_are_found_by_filter() {
    let mut bench = Bench::new();
    let app = bench.app();
    bench.neighbour("udp4://127.0.0.1:1");
    bench.neighbour("udp4://192.0.2.7:6363");
    let query = |bench: &mut Bench, filter: FaceQueryFilter<'_>| {
        let mut octets = Vec::new();
        filter.write(&mut octets);
        let name = name("/localhost/nfd/faces/query").generic(&octets);
        let content = dataset(bench, app, &name.as_ref().to_string());
        entries::<FaceStatus<'_>>(&content)
            .map(|face| face.expect("a face").face_id)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        query(
            &mut bench,
            FaceQueryFilter { uri_scheme: Some("udp4"), ..FaceQueryFilter::default() }
        ),
        [257, 258]
    );
    assert_eq!(
        query(
            &mut bench,
            FaceQueryFilter { uri: Some("udp://127.0.0.1:1"), ..FaceQueryFilter::default() }
        ),
        [257]
    );
    assert_eq!(
        query(
            &mut bench,
            FaceQueryFilter { scope: Some(FaceScope::Local), ..FaceQueryFilter::default() }
        ),
        [256, 257]
    );
    assert_eq!(
        query(
            &mut bench,
            FaceQueryFilter { uri_scheme: Some("ether"), ..FaceQueryFilter::default() }
        ),
        Vec::<u64>::new()
    );
    let bad = interest("/localhost/nfd/faces/query/nonsense", 4);
    let sent = bench.receive(app, &bad);
    with_data(&sent[0].1, |data| {
        assert_eq!(data.meta.content_type, Some(narrows_ndn::ContentType::Nack));
        assert_eq!(
            ControlResponse::decode(data.content.expect("content")).expect("a response").code,
            400
        );
    });
}

#[test]
fn a_long_dataset_comes_in_segments() {
    let mut bench = Bench::with(&Config::default());
    let app = bench.app();
    for port in 1..=200 {
        bench.neighbour(&format!("udp4://192.0.2.7:{port}"));
    }
    let content = dataset(&mut bench, app, "/localhost/nfd/faces/list");
    assert!(content.len() > 16_000);
    assert_eq!(entries::<FaceStatus<'_>>(&content).filter(Result::is_ok).count(), 201);
    let empty = dataset(&mut bench, app, "/localhost/nfd/rib/list");
    assert!(empty.is_empty());
}

#[test]
fn status_has_counters_and_the_content_store_can_be_configured() {
    let mut bench = Bench::new();
    let (app, other) = (bench.app(), bench.app());
    bench.command(app, &octets(captured::PYTHON_REGISTER));
    bench.receive(other, &interest("/py/app/x", 5));
    bench.receive(app, &data("/py/app/x", b"hello"));
    let sent = bench.receive(other, &interest("/py/app/x", 6));
    assert_eq!(sent[0].0, other, "the content store answers");
    bench.now = ms(3000);
    let content = dataset(&mut bench, app, "/localhost/nfd/status/general");
    let status = GeneralStatus::decode(&content).expect("a status");
    assert_eq!((status.start_ms, status.current_ms), (WALL_MS, WALL_MS + 3000));
    assert_eq!((status.cs_entries, status.satisfied_interests >= 1), (1, true));
    let info = |bench: &mut Bench| {
        let content = dataset(bench, app, "/localhost/nfd/cs/info");
        entries::<CsInfo>(&content).next().expect("an entry").expect("an entry")
    };
    let store = info(&mut bench);
    assert_eq!((store.capacity, store.flags, store.entries, store.hits), (65_536, 3, 1, 1));
    let half = ControlParameters { flags: Some(0), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("cs", "config", &half)).0, 409);
    let off = ControlParameters {
        flags: Some(0),
        mask: Some(2),
        capacity: Some(7),
        ..ControlParameters::default()
    };
    let (_, content) = bench.command(app, &signed("cs", "config", &off));
    assert_eq!((parameters(&content).capacity, parameters(&content).flags), (Some(7), Some(1)));
    let prefix = name("/py");
    let erase = ControlParameters { name: Some(prefix.as_ref()), ..ControlParameters::default() };
    let (_, content) = bench.command(app, &signed("cs", "erase", &erase));
    assert_eq!(parameters(&content).count, Some(1));
    assert_eq!(info(&mut bench).entries, 0);
}

#[test]
fn commands_need_a_local_face_a_right_digest_and_a_known_name() {
    let mut bench = Bench::new();
    let app = bench.app();
    let far = bench.neighbour("udp4://192.0.2.7:6363");
    assert!(
        bench.receive(far, &octets(captured::PYTHON_REGISTER)).is_empty(),
        "names under /localhost must not come from other hosts"
    );
    let mut damaged = octets(captured::PYTHON_REGISTER);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert_eq!(bench.command(app, &damaged).0, 403);
    assert_eq!(bench.command(app, &signed("rib", "burn", &ControlParameters::default())).0, 501);
    assert_eq!(bench.command(app, &interest("/localhost/nfd/rib/register/nonsense", 3)).0, 400);
    assert_eq!(
        bench.command(app, &signed("rib", "register", &ControlParameters::default())).0,
        400
    );
    let long = (0..33).fold(narrows_ndn::Name::new(), |name, _| name.generic(b"a"));
    let route = ControlParameters { name: Some(long.as_ref()), ..ControlParameters::default() };
    assert_eq!(bench.command(app, &signed("rib", "register", &route)).0, 414);
}

#[test]
fn subscribers_get_face_events_in_order() {
    let mut bench = Bench::new();
    let app = bench.app();
    let mut first = Vec::new();
    let stream = name("/localhost/nfd/faces/events");
    InterestDraft {
        nonce: Some(1),
        can_be_prefix: true,
        must_be_fresh: true,
        ..InterestDraft::new(stream.as_ref())
    }
    .write(&mut first);
    assert!(bench.receive(app, &first).is_empty(), "nothing has happened since");
    bench.neighbour("udp4://192.0.2.7:6363");
    let sent = std::mem::take(&mut bench.asked.sent);
    let number = with_data(&sent[0].1, |data| {
        let event = FaceEvent::decode(data.content.expect("content")).expect("an event");
        assert_eq!((event.kind, event.uri), (FaceEventKind::Created, "udp4://192.0.2.7:6363"));
        data.name
            .last()
            .expect("a number")
            .nni_of(narrows_ndn::number::SEQUENCE_NUM)
            .expect("a number")
    });
    assert!(
        bench
            .receive(app, &interest(&format!("/localhost/nfd/faces/events/seq={}", number + 1), 2))
            .is_empty()
    );
    let id = 257;
    let destroy = ControlParameters { face_id: Some(id), ..ControlParameters::default() };
    let sent = bench.receive(app, &signed("faces", "destroy", &destroy));
    let kinds: Vec<FaceEventKind> = sent
        .iter()
        .filter_map(|(_, packet)| {
            let packet = LpPacket::decode(packet).expect("a packet");
            FaceEvent::decode(Data::decode(packet.fragment?).ok()?.content?)
                .ok()
                .map(|event| event.kind)
        })
        .collect();
    assert_eq!(kinds, [FaceEventKind::Destroyed]);
}

#[test]
fn a_token_comes_back_with_the_answer() {
    let mut bench = Bench::new();
    let app = bench.app();
    let token = PitToken::new(&[1, 2, 3, 4, 5]);
    let request =
        link(&Header { pit_token: token, ..Header::default() }, &octets(captured::PYTHON_REGISTER));
    let sent = bench.receive(app, &request);
    assert_eq!(
        header(&sent[0].1).pit_token.map(|token| token.as_slice().to_vec()),
        Some(vec![1, 2, 3, 4, 5])
    );
}

#[test]
fn refusals_by_policing_are_reported_for_policed_faces_only() {
    use narrows_forward::{FaceSetup, FaceUri, MirccSupport};
    use narrows_ndn::lp::Mircc;
    let mut bench = Bench::new();
    let (app, up) = (bench.app(), bench.neighbour("udp4://192.0.2.7:6363"));
    let remote = FaceUri::Udp("192.0.2.9:6363".parse().expect("an address"));
    let setup = FaceSetup::on_demand(remote.clone(), remote, false, 1400);
    let down = bench.face(FaceSetup { police: true, understands: MirccSupport::On, ..setup });
    bench.forwarder.add_route(&name("/a"), up, 0);
    bench.receive(down, &of_follower("/a/0", 1));
    let mircc = Mircc { primary_bps: Some(100_000), ..Mircc::default() };
    bench.receive(up, &link(&Header { mircc, ..Header::default() }, &data("/a/0", &[7; 1000])));
    // 125 kbit/s are 15,625 octets per second: 14 Data packets of more than 1000 octets, and one
    // more.
    let ask = |bench: &mut Bench, number| {
        bench.receive(down, &of_follower(&format!("/a/{number}"), number))
    };
    let passed =
        (2..102).flat_map(|number| ask(&mut bench, number)).filter(|(to, _)| *to == up).count()
            as u64;
    assert!((10..=16).contains(&passed), "{passed}");
    let content = dataset(&mut bench, app, "/localhost/nfd/faces/list");
    let faces: Vec<FaceStatus<'_>> = entries(&content).collect::<Result<_, _>>().expect("faces");
    let policed: Vec<Option<u64>> = faces.iter().map(|face| face.in_policed).collect();
    assert_eq!(policed, [None, None, Some(100 - passed)]);
}
