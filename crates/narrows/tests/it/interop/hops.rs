//! Our forwarder and ndnd's as neighbours, over cables between namespaces.

use super::*;
use std::time::{Duration, Instant};

/// Connects our forwarder at 10.9.1.1 to ndnd's at 10.9.1.2. Names below `/a` are served on our
/// side, names below `/b` on ndnd's.
fn two_hops(transport: &str, octets: usize) {
    let Some(ndnd) = peer("ndnd") else { return };
    let (Some(here), Some(there)) = (Net::new("two_hops"), Net::new("two_hops")) else { return };
    here.cable(&there, 1);
    let place = Scratch::new(&format!("interop-hops-{transport}"));
    // ndnd's forwarder must listen before a stream can connect to it.
    let theirs = Site::ndnd(&place, &there, "theirs", &ndnd);
    let face =
        format!("[[face]]\nremote = \"{transport}4://10.9.1.2:{PORT}\"\nroutes = [\"/b\"]\n");
    let ours = Site::ours(&place, &here, "ours", &face);
    let (_, text) = theirs.says(
        &ndnd,
        &["fw", "route-add", "prefix=/a", &format!("face={transport}://10.9.1.1:{PORT}")],
    );
    assert!(text.contains("Status=200"), "{text}");

    let film = content(octets);
    std::fs::write(place.path("film"), &film).expect("a file");
    let _servers = [
        ours.producer(&ndnd, &["pingserver", "/a/ps"], "/a/ps", None),
        theirs.producer(&ndnd, &["pingserver", "/b/ps"], "/b/ps", None),
        ours.producer(&ndnd, &["put", "/a/film"], "/a/film", Some("film")),
        theirs.producer(&ndnd, &["put", "/b/film"], "/b/film", Some("film")),
    ];
    for (site, prefix) in [(&ours, "/b"), (&theirs, "/a")] {
        let (status, text) = site
            .says(&ndnd, &["ping", &format!("{prefix}/ps"), "-c", "3", "-i", "100", "-t", "4000"]);
        assert!(status == 0 && text.contains("0% lost"), "{text}");
        site.gets(&format!("{prefix}/film"), &film);
        site.ndnd_gets(&ndnd, &format!("{prefix}/film"), &film);
    }
}

#[test]
fn ndnd_is_a_neighbour_over_udp() {
    two_hops("udp", 1_000_000);
}

#[test]
fn ndnd_is_a_neighbour_over_tcp() {
    two_hops("tcp", 4_000_000);
}

#[test]
fn rates_from_beyond_ndnd_do_not_arrive_and_ours_still_hold() {
    let Some(ndnd) = peer("ndnd") else { return };
    let (Some(below), Some(middle), Some(above)) =
        (Net::new("beyond"), Net::new("beyond"), Net::new("beyond"))
    else {
        return;
    };
    below.cable(&middle, 1);
    middle.cable(&above, 2);
    let place = Scratch::new("interop-between");
    // Above ndnd's forwarder, a link with a rate connects two of our forwarders in one namespace.
    let socket = place.path("source.sock");
    place.write(
        "source.toml",
        &format!(
            "[listen]\nunix = \"{}\"\nudp = [\"127.0.0.1:26363\"]\ntcp = []\n",
            socket.display()
        ),
    );
    let _source = above.start(above.command(&place, PROGRAM).args([
        "ndn",
        "forward",
        "--config",
        "source.toml",
    ]));
    wait_for("the source listens", || std::os::unix::net::UnixStream::connect(&socket).is_ok());
    let high = Site::ours(
        &place,
        &above,
        "high",
        "[[face]]\nremote = \"udp4://127.0.0.1:26363\"\nroutes = [\"/x\"]\nrate = \"4 Mbit/s\"\nmircc = \"on\"\nmtu = 1400\n",
    );
    let ndnds = Site::ndnd(&place, &middle, "middle", &ndnd);
    let (_, text) = ndnds
        .says(&ndnd, &["fw", "route-add", "prefix=/x", &format!("face=udp://10.9.2.2:{PORT}")]);
    assert!(text.contains("Status=200"), "{text}");
    let face = format!(
        "[[face]]\nremote = \"udp4://10.9.1.2:{PORT}\"\nroutes = [\"/x\"]\nrate = \"20 Mbit/s\"\n"
    );
    let low = Site::ours(&place, &below, "low", &face);
    let film = content(400_000);
    std::fs::write(place.path("film"), &film).expect("a file");
    let at = format!("unix://{}", socket.display());
    let arguments = ["ndn", "serve", "/x/film", "film", "--segment", "1150", "--at", &at];
    let _serving = above.start(above.command(&place, PROGRAM).args(arguments));
    let listed = || {
        stdout(&place.narrows(["ndn", "forward", "routes", "--json", "--at", &at]))
            .contains("/x/film")
    };
    wait_for("the route is there", listed);

    let direct = high.gets("/x/film", &film);
    assert!(primary(&direct) <= 4.0, "{}", stderr(&direct));
    // The upper forwarder's status counts the Data in its cache.
    let (_, text) = high.says(PROGRAM, &["ndn", "forward", "status"]);
    assert!(text.contains("cached"), "{text}");
    let began = Instant::now();
    let got = low.gets("/x/film", &film);
    // 400 kB at 20 Mbit/s take 0.16 s on any machine.
    assert!(began.elapsed() > Duration::from_millis(160), "{:?}", began.elapsed());
    let rate = primary(&got);
    assert!(rate > 4.0 && rate <= 20.0, "{}", stderr(&got));
}

/// Returns the primary rate of the path in Mbit/s, which `get` prints at the end.
fn primary(got: &Output) -> f64 {
    let text = stderr(got);
    let rate = text.split("primary ").nth(1).unwrap_or_else(|| panic!("no rates: {text}"));
    let (number, unit) = rate
        .split(',')
        .next()
        .expect("a rate")
        .trim()
        .split_once(' ')
        .expect("a number and a unit");
    let scale = match unit {
        "Mbit/s" => 1.0,
        "kbit/s" => 1e-3,
        "bit/s" => 1e-6,
        _ => panic!("{unit}"),
    };
    number.parse::<f64>().expect("a number") * scale
}
