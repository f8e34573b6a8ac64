//! MIRCC fields between forwarders, and the view of neighbours without MIRCC.

use super::bench::*;
use narrows_forward::LinkRates;
use narrows_icn::FaceId;
use narrows_ndn::lp::{Header, LabelFlags, Mircc, NackReason, PathLabel, PitToken};
use narrows_units::{Rate, Span};

const RATES: Option<LinkRates> =
    Some(LinkRates::known(Rate::from_mbps(10), Rate::from_mbps(10), false));

/// A forwarder with an application, and a link of 10 Mbit/s to a neighbour with /a.
fn bench() -> (Bench, FaceId, FaceId) {
    let mut bench = Bench::new();
    let (app, up) = (bench.app(), bench.neighbour_with("udp4://192.0.2.7:6363", RATES));
    bench.forwarder.add_route(&name("/a"), up, 0);
    (bench, app, up)
}

/// True if the header has a MIRCC field.
fn shows(header: Header<'_>) -> bool {
    header.mircc.any()
}

#[test]
fn data_carries_the_rate_of_its_link_to_an_application_that_asks_for_rates() {
    let (mut bench, app, up) = bench();
    let mircc = Mircc { class: Some(0), ..Mircc::default() };
    let asked = link(
        &Header { mircc, pit_token: PitToken::new(&[5; 6]), ..Header::default() },
        &interest("/a/1", 1),
    );
    let sent = bench.receive(app, &asked);
    assert_eq!(sent[0].0, up);
    assert!(shows(header(&sent[0].1)), "the neighbour gets MIRCC fields");
    assert_eq!(header(&sent[0].1).pit_token, None, "a token is between two neighbours");
    let sent = bench.receive(up, &data("/a/1", b"x"));
    let answered = header(&sent[0].1);
    assert_eq!(answered.pit_token, PitToken::new(&[5; 6]));
    let primary = answered.mircc.primary_bps.expect("a rate");
    assert!((1..=10_000_000).contains(&primary), "{primary}");
    assert!(
        answered.mircc.path_id.is_some()
            && answered.mircc.path_label.is_some_and(|label| label.labels.hops() == 1)
    );
}

#[test]
fn an_application_without_fields_gets_none() {
    let (mut bench, app, up) = bench();
    let asked = interest("/a/1", 1);
    bench.receive(app, &asked);
    let answer = data("/a/1", b"x");
    assert_eq!(bench.receive(up, &answer), [(app, answer)]);
}

#[test]
fn a_path_is_learned_and_followed() {
    let (mut bench, app, up) = bench();
    let other = bench.neighbour_with("udp4://192.0.2.8:6363", RATES);
    bench.forwarder.add_route(&name("/a"), other, 5);
    let ask = |bench: &mut Bench, uri: &str, nonce, label: Option<PathLabel>| {
        let mircc = Mircc { class: Some(0), path_label: label, ..Mircc::default() };
        let later = bench.now + Span::from_millis(10);
        bench.pass(later);
        bench.receive(app, &link(&Header { mircc, ..Header::default() }, &interest(uri, nonce)))
    };
    assert_eq!(ask(&mut bench, "/a/1", 1, None)[0].0, up, "the cheaper one");
    bench.receive(up, &data("/a/1", b"x"));
    // The path over the other neighbour becomes known from Data that arrives over it.
    bench.forwarder.add_route(&name("/a/b"), other, 0);
    ask(&mut bench, "/a/b/1", 2, None);
    let sent = bench.receive(other, &data("/a/b/1", b"x"));
    let label = header(&sent[0].1).mircc.path_label.expect("a label");
    let sent = ask(&mut bench, "/a/2", 3, Some(PathLabel { flags: LabelFlags::Fallback, ..label }));
    assert_eq!(sent[0].0, other, "the label decides, not the cost");
    assert_eq!(
        header(&sent[0].1).mircc.path_label.map(|label| label.labels.hops()),
        Some(0),
        "the rest of the path is empty"
    );
    let mut strange = PathLabel::new(LabelFlags::Strict);
    let unused = (1..4096).find(|hop| Some(*hop) != label.labels.top()).expect("a label");
    assert!(strange.labels.push(unused));
    let sent = ask(&mut bench, "/a/3", 4, Some(strange));
    assert!(matches!(header(&sent[0].1).nack, Some(NackReason::InvalidLabel)) || sent[0].0 == up);
}

#[test]
fn a_neighbour_that_never_sends_fields_rarely_gets_them() {
    let (mut bench, app, up) = bench();
    let (mut with_fields, count) = (0, 2000);
    for number in 0..count {
        let uri = format!("/a/{number}");
        let at = bench.now + Span::from_millis(10);
        bench.pass(at);
        let sent = bench.receive(app, &interest(&uri, number));
        with_fields +=
            sent.iter().filter(|(face, packet)| *face == up && shows(header(packet))).count();
        bench.receive(up, &data(&uri, b"x"));
    }
    assert!(
        (1000..1030).contains(&with_fields),
        "{with_fields}: the first thousand, and then one of 64"
    );
}

#[test]
fn fields_shown_are_remembered_for_a_minute() {
    let mut bench = Bench::new();
    let app = bench.app();
    let peer = bench.neighbour("udp4://192.0.2.7:6363");
    let mircc = Mircc { class: Some(1), ..Mircc::default() };
    let shown = link(&Header { mircc, ..Header::default() }, &interest("/nowhere", 1));
    let sent = bench.receive(peer, &shown);
    assert_eq!(
        header(&sent[0].1).nack,
        Some(NackReason::NoRoute),
        "the neighbour understands refusals then"
    );
    bench.pass(ms(61_000));
    assert!(
        bench.receive(peer, &interest("/nowhere", 2)).is_empty(),
        "other neighbours get no Nack"
    );
    assert_eq!(
        header(&bench.receive(app, &interest("/nowhere", 3))[0].1).nack,
        Some(NackReason::NoRoute),
        "applications get one"
    );
}

#[test]
fn interests_are_held_back_so_that_data_fits_the_link() {
    let (mut bench, app, up) = bench();
    let mut left = Vec::new();
    for number in 0..50 {
        let sent = bench.receive(app, &of_follower(&format!("/a/{number}"), number));
        left.extend(sent.iter().filter(|(face, _)| *face == up).map(|_| bench.now));
    }
    assert_eq!(left.len(), 1, "the other Interests wait");
    for step in 1..=200 {
        let sent = bench.pass(ms(step));
        left.extend(
            sent.iter().filter(|(face, octets)| *face == up && octets != HELLO).map(|_| ms(step)),
        );
    }
    assert_eq!(left.len(), 50);
    // Data of 1100 octets is assumed. At 10 Mbit/s and the shaper's 0.98, an Interest of 18 octets
    // leaves every 0.9 ms.
    let mean = left[49].since(left[0]).as_secs_f64() / 49.0;
    assert!((0.0008..0.0011).contains(&mean), "{mean}");
}

#[test]
fn an_interest_keeps_its_octets_but_for_the_hop_limit() {
    use narrows_ndn::InterestDraft;
    let (mut bench, app, up) = bench();
    let wanted = name("/a/1");
    let mut asked = Vec::new();
    InterestDraft {
        nonce: Some(1),
        hop_limit: Some(9),
        lifetime_ms: Some(1234),
        ..InterestDraft::new(wanted.as_ref())
    }
    .write(&mut asked);
    let sent = bench.receive(app, &asked);
    assert_eq!(sent[0].0, up);
    let lower = with_interest(&sent[0].1, |interest| {
        let mut octets = interest.wire.to_vec();
        let limit = interest.hop_limit.expect("a limit");
        octets[limit.position] += 1;
        (octets, limit.value)
    });
    assert_eq!(lower, (asked, 8));
    let mut last = Vec::new();
    InterestDraft {
        nonce: Some(2),
        hop_limit: Some(1),
        ..InterestDraft::new(name("/a/2").as_ref())
    }
    .write(&mut last);
    assert!(bench.receive(app, &last).is_empty(), "its hop limit is used up");
    let mut bare = Vec::new();
    InterestDraft { nonce: None, ..InterestDraft::new(name("/a/3").as_ref()) }.write(&mut bare);
    let sent = bench.pass(ms(100));
    assert!(sent.iter().all(|(_, octets)| octets == HELLO));
    let sent = bench.receive(app, &bare);
    let with_nonce = with_interest(&sent[0].1, |interest| {
        interest.nonce.is_some() && interest.hop_limit.is_none()
    });
    assert!(with_nonce, "a nonce is added, a limit is not");
}
