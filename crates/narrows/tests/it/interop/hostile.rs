//! A forwarder with hostile neighbours.

use super::*;
use std::net::UdpSocket;
use std::time::Duration;

/// Number of datagrams: random octets and damaged packets.
const RANDOM: u64 = 100_000;

fn face_of(site: &Site<'_>, remote: &str) -> Option<serde_json::Value> {
    let faces: serde_json::Value =
        serde_json::from_slice(&site.run(PROGRAM, &["ndn", "forward", "faces", "--json"]).stdout)
            .expect("JSON");
    faces
        .as_array()
        .expect("faces")
        .iter()
        .find(|face| face["remote"].as_str().is_some_and(|uri| uri.starts_with(remote)))
        .cloned()
}

fn count(site: &Site<'_>, remote: &str, counter: &str) -> u64 {
    face_of(site, remote).and_then(|face| face[counter].as_u64()).unwrap_or(0)
}

#[test]
fn what_neighbours_may_not_send_is_dropped_and_counted() {
    let (Some(here), Some(there)) = (Net::new("what_neighbours"), Net::new("what_neighbours"))
    else {
        return;
    };
    here.cable(&there, 1);
    let place = Scratch::new("interop-hostile");
    let site = Site::ours(&place, &here, "n", "");
    let socket = there.inside(|| UdpSocket::bind("10.9.1.2:7000").expect("a socket"));
    socket.connect(format!("10.9.1.1:{PORT}")).expect("an address");
    socket.set_read_timeout(Some(Duration::from_millis(300))).expect("a timeout");
    let send = |octets: &[u8]| assert_eq!(socket.send(octets).expect("sent"), octets.len());
    let neighbour = "udp4://10.9.1.2:7000";
    let wait =
        |counter: &str, least: u64| wait_for(counter, || count(&site, neighbour, counter) >= least);

    // An IDLE packet, which creates the face; then an Interest with a PIT token of 33 octets, half
    // a packet, and two packets in one datagram.
    send(&[0x64, 0x00]);
    let interest = |name: &[u8]| {
        let inner = [&[8, name.len() as u8], name].concat();
        let body = [&[7, inner.len() as u8][..], &inner, &[10, 4, 1, 2, 3, 4]].concat();
        [&[5, body.len() as u8][..], &body].concat()
    };
    let plain = interest(b"x");
    let token = [&[0x62, 33][..], &[7; 33], &[0x50, plain.len() as u8], &plain].concat();
    send(&[&[0x64, token.len() as u8][..], &token].concat());
    send(&plain[..plain.len() - 1]);
    send(&[&plain[..], &plain].concat());
    wait("malformed_in", 3);
    // A Nack with the reason Congestion for an Interest that was never sent.
    let nack =
        [&[0xfd, 0x03, 0x20, 5, 0xfd, 0x03, 0x21, 1, 50][..], &[0x50, plain.len() as u8], &plain]
            .concat();
    send(&[&[0x64, nack.len() as u8][..], &nack].concat());
    wait("nacks_in", 1);
    // A management command from another host.
    send(&interest(b"localhost"));
    wait("interests_in", 1);
    assert!(socket.recv(&mut [0; 100]).is_err(), "no answer to any of them");
    assert_eq!(
        (count(&site, neighbour, "malformed_in"), count(&site, neighbour, "interests_in")),
        (3, 1)
    );

    let mut state = 1u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for _ in 0..RANDOM {
        let octets: Vec<u8> = (0..draw() % 60).map(|_| draw() as u8).collect();
        // Packets that do not fit into the receiver's buffer are lost, as on any network.
        let _ = socket.send(&octets);
    }
    let server = site.producer(PROGRAM, &["ndn", "ping", "--serve", "/after"], "/after", None);
    let (_, text) = site.says(PROGRAM, &["ndn", "ping", "/after", "--count", "1"]);
    assert!(text.contains("1 sent, 0 lost"), "{text}");
    drop(server);
    assert!(count(&site, neighbour, "malformed_in") > 3);
}
