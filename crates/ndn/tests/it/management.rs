//! Management messages.

use crate::captured::*;
use narrows_ndn::lp::LpPacket;
use narrows_ndn::management::*;
use narrows_ndn::*;

/// Content of an answer.
fn content(digits: &str) -> Vec<u8> {
    let wire = octets(digits);
    let fragment =
        LpPacket::decode(&wire).expect("a link's packet").fragment.expect("a fragment").to_vec();
    Data::decode(&fragment).expect("a Data").content.expect("content").to_vec()
}

fn name(uri: &str) -> Name {
    uri.parse().expect("a name")
}

fn rewritten<'a, T: Entry<'a>>(content: &'a [u8]) -> (Vec<T>, Vec<u8>) {
    let all: Vec<T> = entries(content).collect::<Result<_, _>>().expect("entries");
    let mut out = Vec::new();
    all.iter().for_each(|entry| entry.write(&mut out));
    (all, out)
}

#[test]
fn commands_are_read_and_written_again() {
    let up = name("/up");
    let python = name("/py/app");
    let python_v1 = name("/py/v1");
    let nts = name("/nts/p");
    let mc = name("/mc");
    let strategy = name("/localhost/nfd/strategy/multicast/v=1");
    let none = ControlParameters::default();
    let cases = [
        (
            CREATE,
            "faces",
            "create",
            ControlParameters {
                uri: Some("udp://127.0.0.1:17001"),
                persistency: Some(FacePersistency::Persistent),
                ..none
            },
            CommandForm::SignatureStatus,
        ),
        (
            ROUTE,
            "rib",
            "register",
            ControlParameters {
                name: Some(up.as_ref()),
                face_id: Some(4),
                origin: Some(255),
                cost: Some(0),
                ..none
            },
            CommandForm::SignatureStatus,
        ),
        (
            PYTHON_REGISTER,
            "rib",
            "register",
            ControlParameters { name: Some(python.as_ref()), ..none },
            CommandForm::SignatureStatus,
        ),
        (
            PYTHON_COMMAND,
            "rib",
            "register",
            ControlParameters { name: Some(python_v1.as_ref()), ..none },
            CommandForm::SignedInName,
        ),
        (
            NDNTS_REGISTER,
            "rib",
            "register",
            ControlParameters {
                name: Some(nts.as_ref()),
                origin: Some(65),
                cost: Some(0),
                flags: Some(route_flags::CAPTURE),
                expiration_ms: Some(1_200_000),
                ..none
            },
            CommandForm::SignatureStatus,
        ),
        (
            STRATEGY,
            "strategy-choice",
            "set",
            ControlParameters {
                name: Some(mc.as_ref()),
                strategy: Some(StrategyName(strategy.as_ref())),
                ..none
            },
            CommandForm::SignatureStatus,
        ),
    ];
    for (digits, module, verb, parameters, form) in cases {
        let wire = octets(digits);
        let interest = Interest::decode(
            LpPacket::decode(&wire).expect("a packet").fragment.expect("a fragment"),
        )
        .expect("an Interest");
        let command = ManagementName::parse(&interest.name).expect("a command");
        assert_eq!(
            (command.scope, command.module, command.verb),
            (Scope::Localhost, module.as_bytes(), verb.as_bytes())
        );
        assert_eq!(command.parameters(), Some(Ok(parameters)));
        assert_eq!(CommandForm::of(&interest), Ok(form));
        let again = ManagementName::command(Scope::Localhost, module, verb, &parameters);
        assert!(again.as_ref().is_prefix_of(&interest.name));
        assert_eq!(again.as_ref().len(), 5);
    }
}

#[test]
fn answers_are_read_and_written_again() {
    let up = name("/up");
    let route = ControlParameters {
        name: Some(up.as_ref()),
        face_id: Some(4),
        origin: Some(255),
        cost: Some(0),
        flags: Some(1),
        ..ControlParameters::default()
    };
    for (content, code, text, parameters) in [
        (content(CREATED), 200, "OK", None),
        (octets(CREATED_CONTENT), 200, "OK", None),
        (content(ROUTED), 200, "OK", Some(route)),
        (content(PYTHON_REGISTERED), 200, "OK", None),
        (content(STRATEGY_SET), 200, "OK", None),
        (content(NO_FACE), 410, "Face does not exist", Some(ControlParameters::default())),
    ] {
        let answer = ControlResponse::decode(&content).expect("an answer");
        assert_eq!((answer.code, answer.text), (code, text));
        assert!(
            parameters.is_none_or(|parameters| answer.parameters == Some(parameters)),
            "{answer:?}"
        );
        let mut out = Vec::new();
        answer.write(&mut out);
        assert_eq!(out, content);
    }
    let content = content(CREATED);
    let created =
        ControlResponse::decode(&content).expect("an answer").parameters.expect("parameters");
    assert_eq!(
        (created.face_id, created.uri, created.local_uri),
        (Some(4), Some("udp4://127.0.0.1:17001"), Some("udp4://127.0.0.1:16363"))
    );
    assert_eq!(
        (created.marking_interval_ns, created.marking_threshold, created.mtu),
        (Some(100_000_000), Some(65_536), Some(1420))
    );
    let bare =
        ControlResponse::decode(&[101, 7, 102, 1, 200, 103, 2, b'O', b'K']).expect("an answer");
    assert_eq!(bare.parameters, None);
    let mut out = Vec::new();
    bare.write(&mut out);
    assert_eq!(out, octets("65096601c867024f4b6800"));
}

#[test]
fn parameters_are_read_in_any_order_and_with_unknown_fields() {
    let wire = octets("68136a0107f10100690102fd03e701090703080161");
    let parameters = ControlParameters::decode(&wire)
        .map(|read| (read.cost, read.face_id, read.name.map(|name| name.to_string())));
    assert_eq!(parameters, Ok((Some(7), Some(2), Some("/a".to_owned()))));
    let capacity = ControlParameters {
        capacity_in_bps: Some(1000),
        capacity_out_bps: Some(255),
        ..ControlParameters::default()
    };
    let mut out = Vec::new();
    capacity.write(&mut out);
    assert_eq!(out, octets("680bfdf9000203e8fdf90201ff"));
    assert_eq!(ControlParameters::decode(&out), Ok(capacity));
    let error =
        ControlParameters::decode(&octets("68056903000000")).expect_err("a number of 3 octets");
    assert_eq!((error.offset, error.number), (2, 105));
    assert_eq!(
        ControlParameters::decode(&octets("6803850103")).expect_err("no such persistency").number,
        133
    );
}

#[test]
fn general_status_has_no_element_around_it() {
    let content = octets(GENERAL_STATUS);
    let status = GeneralStatus::decode(&content).expect("a status");
    assert_eq!((status.version, status.fib_entries, status.cs_entries), ("unknown", 3, 0));
    assert_eq!(
        (status.in_interests, status.in_data, status.out_interests, status.out_data),
        (1, 0, 1, 0)
    );
    assert_eq!(status.current_ms - status.start_ms, 3003);
    let mut out = Vec::new();
    status.write(&mut out);
    assert_eq!(out, content);
    assert_eq!(GeneralStatus::decode(&content[9..]).expect_err("no version").number, 128);
}

#[test]
fn datasets_are_read_and_written_again() {
    let content = octets(RIB);
    let (rib, out) = rewritten::<RibEntry>(&content);
    assert_eq!(out, content);
    assert_eq!(
        rib.iter().map(|entry| entry.name.to_string()).collect::<Vec<_>>(),
        ["/up", "/up/x"]
    );
    assert_eq!(
        rib[1].routes,
        [Route { face_id: 4, origin: 255, cost: 10, flags: 1, expiration_ms: Some(60_000) }]
    );

    let content = octets(FIB);
    let (fib, out) = rewritten::<FibEntry>(&content);
    assert_eq!(out, content);
    assert_eq!((fib.len(), fib[2].next_hops[0]), (3, NextHopRecord { face_id: 2, cost: 0 }));

    let content = octets(STRATEGIES);
    let (strategies, out) = rewritten::<StrategyChoice>(&content);
    assert_eq!(out, content);
    assert_eq!(
        (strategies[0].name.to_string(), strategies[0].strategy.0.to_string()),
        ("/".to_owned(), "/localhost/nfd/strategy/best-route/v=1".to_owned())
    );

    let content = octets(CS_INFO);
    let (cs, out) = rewritten::<CsInfo>(&content);
    assert_eq!(out, content);
    assert_eq!(cs, [CsInfo { capacity: 1024, flags: 3, entries: 18, hits: 3, misses: 19 }]);

    let content = octets(CHANNELS);
    let (channels, out) = rewritten::<ChannelStatus>(&content);
    assert_eq!(out, content);
    assert_eq!(channels.map_uris(), ["udp4://0.0.0.0:6363", "unix:///run/nfd/nfd.sock"]);

    let content = self::content(QUERIED);
    let (faces, out) = rewritten::<FaceStatus>(&content);
    assert_eq!(out, content);
    assert_eq!(
        faces.iter().map(|face| (face.face_id, face.uri)).collect::<Vec<_>>(),
        [(5, "udp4://127.0.0.1:17012"), (4, "udp4://127.0.0.1:17011")]
    );
    assert_eq!(
        (faces[0].scope, faces[0].persistency, faces[0].link_type, faces[0].mtu),
        (FaceScope::Local, FacePersistency::Persistent, LinkType::PointToPoint, Some(1420))
    );
    assert!(entries::<RibEntry>(&content).all(|entry| entry.is_err()));
}

trait Uris<'a> {
    fn map_uris(&self) -> Vec<&'a str>;
}

impl<'a> Uris<'a> for Vec<ChannelStatus<'a>> {
    fn map_uris(&self) -> Vec<&'a str> {
        self.iter().map(|channel| channel.local_uri).collect()
    }
}

#[test]
fn queries_and_events_are_read_and_written_again() {
    let wire = octets(QUERY);
    let interest = Interest::decode(&wire).expect("an Interest");
    let query = ManagementName::parse(&interest.name).expect("a query");
    assert_eq!(
        (query.module, query.verb, CommandForm::of(&interest)),
        (&b"faces"[..], &b"query"[..], Ok(CommandForm::Unsigned))
    );
    let component = query.rest.component(0).expect("a filter").value;
    let filter = FaceQueryFilter::decode(component).expect("a filter");
    assert_eq!(filter, FaceQueryFilter { uri_scheme: Some("udp4"), ..FaceQueryFilter::default() });
    let mut out = Vec::new();
    filter.write(&mut out);
    assert_eq!(out, component);

    let wire = octets(EVENT_NAME);
    let element = tlv::Element::only(&wire).expect("an element");
    let event_name = NameRef::decode(&element).expect("a name");
    assert_eq!(event_name.to_string(), "/localhost/nfd/faces/events/seq=0");
    assert_eq!(event_name, name("/localhost/nfd/faces/events").sequence(0).as_ref());
    let content = octets(EVENT);
    let event = FaceEvent::decode(&content).expect("an event");
    assert_eq!(
        (event.kind, event.face_id, event.uri),
        (FaceEventKind::Created, 4, "udp4://192.0.2.7:6363")
    );
    out.clear();
    event.write(&mut out);
    assert_eq!(out, content);
}

#[test]
fn other_names_are_none_of_management() {
    for uri in [
        "/",
        "/localhost/nfd/rib",
        "/localhost/other/rib/register",
        "/a/nfd/rib/register",
        "/localhost/nfd/v=1/register",
    ] {
        assert_eq!(ManagementName::parse(&name(uri).as_ref()), None, "{uri}");
    }
    let parsed = name("/localhop/nfd/rib/register");
    let parsed = ManagementName::parse(&parsed.as_ref())
        .map(|command| (command.scope, command.parameters()));
    assert_eq!(parsed, Some((Scope::Localhop, None)));
}
