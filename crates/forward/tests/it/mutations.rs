//! Damaged and random packets: the forwarder continues, and its tables stay bounded.

use super::bench::*;
use super::captured;
use narrows_forward::Config;
use narrows_ndn::lp::{Header, LpPacket, NackReason, PitToken};
use narrows_units::{Random, Span};

/// Number of packets. `NARROWS_MUTATIONS=10000000` sets another number, for example 10^7.
fn packets() -> u64 {
    std::env::var("NARROWS_MUTATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000_000)
}

/// Limits that mutated packets reach.
const TABLES: &str = "[tables]\ncontent_store = 500\ncontent_store_size = \"1 MB\"\npending = 2000\npending_per_face = 1000\nfaces = 40\nroutes = 50\n";

/// Packets that are mutated: packets of every kind, and commands of other programs.
fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = vec![
        interest("/a/b/c", 1),
        interest("/localhost/nfd/faces/list", 2),
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
            &Header { nack: Some(NackReason::Congestion), ..Header::default() },
            &interest("/a/b/c", 1),
        ),
        link(
            &Header {
                sequence: Some(5),
                frag_index: Some(0),
                frag_count: Some(2),
                ..Header::default()
            },
            &interest("/a/e", 3)[..10],
        ),
        link(
            &Header {
                sequence: Some(6),
                frag_index: Some(1),
                frag_count: Some(2),
                ..Header::default()
            },
            &interest("/a/e", 3)[10..],
        ),
    ];
    use captured::*;
    for digits in
        [CREATE, ROUTE, PYTHON_REGISTER, PYTHON_COMMAND, NDNTS_REGISTER, STRATEGY, QUERY, METADATA]
    {
        seeds.push(octets(digits));
    }
    seeds
}

/// Changes one to four places: an octet, a cut, an insertion, a part of another packet, or a number
/// raised or lowered.
fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let pick = |random: &mut Random| &seeds[random.below(seeds.len() as u64) as usize];
    let mut octets = pick(random).clone();
    for _ in 0..=random.below(4) {
        let at = random.below(octets.len() as u64) as usize;
        match random.below(6) {
            0 => octets[at] = random.bits() as u8,
            1 => {
                octets[at] = octets[at].wrapping_add(if random.below(2) == 0 { 1 } else { u8::MAX })
            }
            2 => octets.truncate(at.max(1)),
            3 => octets.insert(at, random.bits() as u8),
            4 => {
                let other = pick(random);
                let from = random.below(other.len() as u64) as usize;
                let piece = &other[from..other.len().min(from + 1 + random.below(40) as usize)];
                octets.splice(at..at, piece.iter().copied());
            }
            _ => {
                octets.remove(at);
                if octets.is_empty() {
                    octets.push(0);
                }
            }
        }
    }
    octets.truncate(9000);
    octets
}

#[test]
fn mutated_packets_break_nothing_and_tables_stay_bounded() {
    survives(TABLES, packets());
}

#[test]
fn mutated_packets_break_nothing_between_threads() {
    survives(&format!("{TABLES}threads = 4\n"), packets() / 10);
}

/// Passes mutated packets to a forwarder with this configuration.
fn survives(config: &str, packets: u64) {
    let mut bench = Bench::with(&Config::parse(config, "test").expect("a configuration"));
    let (app, near, far) = (
        bench.app(),
        bench.neighbour("udp4://127.0.0.1:7"),
        bench.neighbour("udp4://192.0.2.7:6363"),
    );
    bench.forwarder.add_route(&name("/a"), app, 0);
    let (seeds, mut random) = (seeds(), Random::stream(7, "mutations"));
    let began = std::time::Instant::now();
    for round in 0..packets {
        let octets = mutate(&seeds, &mut random);
        let face = [app, near, far][random.below(3) as usize];
        for (_, sent) in bench.receive(face, &octets) {
            assert!(
                LpPacket::decode(&sent).is_ok(),
                "the forwarder must send packets: {sent:02x?} after {octets:02x?}"
            );
        }
        if round % 1000 == 0 {
            let later = bench.now + Span::from_millis(300);
            bench.pass(later);
        }
    }
    eprintln!("{packets} packets in {:?}", began.elapsed());
    // The tables keep to the limits that `narrows ndn forward status` shows. A second after the
    // last packet, the forwarder forwards as before.
    let status = bench.status(app);
    assert!(
        status.pit_entries <= 2000 && status.cs_entries <= 500 && status.fib_entries <= 50,
        "{status:?}"
    );
    let later = bench.now + Span::from_secs(60);
    bench.pass(later);
    assert_eq!(
        bench.status(app).pit_entries,
        1,
        "all have expired except the Interest for the status"
    );
    bench.forwarder.add_route(&name("/after"), app, 0);
    assert_eq!(
        bench.receive(far, &interest("/after/all", 77)).len(),
        1,
        "the forwarder still forwards"
    );
}

#[test]
fn routes_that_flap_and_faces_that_die_leave_nothing_behind() {
    let mut bench = Bench::new();
    let app = bench.app();
    let before = bench.status(app);
    for round in 0..2000u32 {
        let face = bench.neighbour(&format!("udp4://192.0.2.{}:6363", 1 + round % 200));
        bench.forwarder.add_route(&name("/flap"), face, 0);
        let asked = interest(&format!("/flap/{round}"), round);
        assert_eq!(bench.receive(app, &asked)[0].0, face, "the route leads to the present face");
        // The answer arrives in every second round. In the other rounds the face is removed first.
        if round % 2 == 0 {
            let answer = bench.receive(face, &data(&format!("/flap/{round}"), b"x"));
            assert!(answer.iter().any(|(to, _)| *to == app), "round {round}");
        }
        bench.forwarder.remove_face(bench.now, face, &mut bench.asked);
        bench.asked.sent.clear();
        assert_eq!(bench.asked.closed.pop(), Some(face));
        let later = bench.now + Span::from_millis(100);
        bench.pass(later);
    }
    let later = bench.now + Span::from_secs(60);
    bench.pass(later);
    let after = bench.status(app);
    assert_eq!((after.pit_entries, after.fib_entries), (before.pit_entries, before.fib_entries));
    let refused = bench.receive(app, &interest("/flap/gone", 9_999_999));
    assert_eq!(header(&refused[0].1).nack, Some(NackReason::NoRoute), "no route is left");
}
