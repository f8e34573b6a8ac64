//! Rules of links, scopes and malformed packets.

use super::bench::*;
use narrows_ndn::lp::{Header, NackReason, PitToken};
use narrows_ndn::tlv::put_element;
use narrows_units::Random;
use proptest::prelude::*;

#[test]
fn malformed_packets_are_dropped_and_the_forwarder_continues() {
    let mut bench = Bench::new();
    let app = bench.app();
    let neighbour = bench.neighbour("udp4://192.0.2.7:6363");
    let route = narrows_ndn::Name::new();
    bench.forwarder.add_route(&route, app, 0);
    let whole = interest("/a", 1);
    let mut long_token = vec![0x64];
    let mut body = Vec::new();
    put_element(&mut body, narrows_ndn::number::lp::PIT_TOKEN, &[7; 33]);
    put_element(&mut body, narrows_ndn::number::lp::FRAGMENT, &whole);
    long_token.push(body.len() as u8);
    long_token.extend(&body);
    let nack = link(
        &Header { nack: Some(NackReason::Congestion), ..Header::default() },
        &interest("/nothing", 4),
    );
    for octets in [
        &[0x64, 0x00][..],
        &[],
        &[0x05],
        &whole[..whole.len() - 1],
        &[&whole[..], &whole[..]].concat(),
        &long_token,
        &nack,
    ] {
        assert!(bench.receive(neighbour, octets).is_empty(), "{octets:02x?}");
    }
    assert_eq!(bench.receive(neighbour, &whole).len(), 1);
}

#[test]
fn random_octets_and_damaged_packets_break_nothing() {
    let mut bench = Bench::new();
    let app = bench.app();
    let neighbour = bench.neighbour("udp4://192.0.2.7:6363");
    bench.forwarder.add_route(&name("/a"), app, 0);
    let mut random = Random::stream(7, "octets");
    let packets = [
        interest("/a/b/c", 1),
        data("/a/b/c", &[3; 300]),
        link(
            &Header {
                pit_token: PitToken::new(&[1; 6]),
                congestion_mark: Some(1),
                ..Header::default()
            },
            &interest("/a/d", 2),
        ),
        link(
            &Header {
                sequence: Some(5),
                frag_index: Some(0),
                frag_count: Some(2),
                ..Header::default()
            },
            &[5, 3, 7, 1, 8],
        ),
    ];
    for round in 0..200_000u64 {
        let mut octets = packets[random.below(packets.len() as u64) as usize].clone();
        for _ in 0..random.below(4) {
            let at = random.below(octets.len() as u64) as usize;
            match random.below(3) {
                0 => octets[at] = random.bits() as u8,
                1 => octets.truncate(at.max(1)),
                _ => octets.insert(at, random.bits() as u8),
            }
        }
        let face = if random.below(2) == 0 { app } else { neighbour };
        bench.receive(face, &octets);
        if round % 1000 == 0 {
            let later = bench.now + narrows_units::Span::from_millis(300);
            bench.pass(later);
        }
    }
    let answered = interest("/a/last", 77);
    let sent = bench.receive(neighbour, &answered);
    assert_eq!(sent.len(), 1, "the forwarder still forwards");
}

#[test]
fn local_names_stay_on_this_host() {
    let mut bench = Bench::new();
    let app = bench.app();
    let far = bench.neighbour("udp4://192.0.2.7:6363");
    let near = bench.neighbour("udp4://127.0.0.1:7");
    for prefix in ["/localhost/x", "/localhop/x", "/x"] {
        bench.forwarder.add_route(&name(prefix), far, 0);
    }
    assert!(bench.receive(far, &interest("/localhost/x/1", 1)).is_empty());
    let refused = bench.receive(app, &interest("/localhost/x/1", 2));
    assert_eq!(
        header(&refused[0].1).nack,
        Some(NackReason::NoRoute),
        "the only next hop is another host"
    );
    assert_eq!(
        bench.receive(app, &interest("/localhop/x/1", 3))[0].0,
        far,
        "/localhop crosses one hop"
    );
    let other = bench.neighbour("udp4://192.0.2.8:6363");
    assert!(
        bench.receive(other, &interest("/localhop/x/2", 4)).is_empty(),
        "/localhop does not cross a second hop"
    );
    assert_eq!(bench.receive(near, &interest("/localhop/x/3", 5))[0].0, far);
}

#[test]
fn a_large_packet_goes_in_pieces_and_comes_out_whole() {
    let (mut here, mut there) = (Bench::new(), Bench::new());
    let (app, out) = (here.app(), here.neighbour("udp4://192.0.2.7:6363"));
    let (server, back) = (there.app(), there.neighbour("udp4://192.0.2.100:6363"));
    here.forwarder.add_route(&name("/big"), out, 0);
    there.forwarder.add_route(&name("/big"), server, 0);
    let asked = here.receive(app, &interest("/big/1", 1));
    let at_server = there.receive(back, &asked[0].1);
    assert_eq!(at_server[0].0, server);
    let answer = data("/big/1", &[9; 8000]);
    let pieces = there.receive(server, &answer);
    assert!(
        pieces.len() >= 6
            && pieces.iter().all(|(face, piece)| *face == back && piece.len() <= 1400)
    );
    assert!(
        pieces.windows(2).all(|pair| pair[0].1.len() == 1400),
        "all fragments except the last have the same size"
    );
    let mut came = Vec::new();
    for (_, piece) in &pieces {
        came.extend(here.receive(out, piece));
    }
    assert_eq!(came, [(app, answer)]);
}

#[test]
fn an_idle_face_that_a_packet_made_ends() {
    use narrows_forward::{FaceSetup, FaceUri, MirccSupport};
    use narrows_ndn::management::FacePersistency;
    let mut bench = Bench::new();
    let face = bench.face(FaceSetup {
        remote: FaceUri::Udp("192.0.2.9:5".parse().unwrap()),
        local: FaceUri::Udp("192.0.2.100:6363".parse().unwrap()),
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
    bench.pass(ms(300_000));
    bench.receive(face, &[0x64, 0x00]);
    bench.pass(ms(899_000));
    assert!(bench.asked.closed.is_empty(), "an idle packet keeps the face");
    bench.pass(ms(901_000));
    assert_eq!(bench.asked.closed, [face]);
}

proptest! {
    #[test]
    fn any_octets_are_taken(octets in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut bench = Bench::new();
        let app = bench.app();
        bench.receive(app, &octets);
    }
}
