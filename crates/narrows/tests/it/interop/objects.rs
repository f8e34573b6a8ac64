//! Objects and pings between every producer and every consumer.

use super::*;

#[test]
fn every_consumer_fetches_from_every_producer() {
    let (Some(ndnd), Some(python)) = (peer("ndnd"), peer("python/bin/pyndntools")) else { return };
    let Some(net) = Net::new("every_consumer") else { return };
    let place = Scratch::new("interop-objects");
    let Some(script) = ndnts(&place) else { return };
    let site = Site::ours(&place, &net, "n", "");
    let film = content(200_000);
    std::fs::write(place.path("film"), &film).expect("a file");
    let _producers = [
        site.producer(&ndnd, &["put", "/ndnd/film"], "/ndnd/film", Some("film")),
        site.producer(&python, &["putchunks", "/python/film", "film"], "/python/film", None),
        site.producer(
            "node",
            &[&script, &site.over("udp"), "serve", "/ndnts/film", "film"],
            "/ndnts/film",
            None,
        ),
        site.producer(PROGRAM, &["ndn", "serve", "/ours/film", "film"], "/ours/film", None),
    ];
    for name in ["/ndnd/film", "/python/film", "/ndnts/film", "/ours/film"] {
        site.gets(name, &film);
        site.ndnd_gets(&ndnd, name, &film);
        // python-ndn's catchunks finds the version in metadata only if it is asked for the
        // metadata's name.
        let (_, text) =
            site.says(&python, &["catchunks", "-o", "by-python", &format!("{name}/32=metadata")]);
        assert!(place.read("by-python") == film, "python-ndn from {name}: {text}");
        let (status, text) =
            site.says("node", &[&script, &site.over("udp"), "fetch", name, "by-ndnts"]);
        assert!(status == 0 && place.read("by-ndnts") == film, "NDNts from {name}: {text}");
        ["by-python", "by-ndnts"]
            .iter()
            .for_each(|file| std::fs::remove_file(place.path(file)).expect("a file"));
    }
}

#[test]
fn large_files_and_pings_go_between_ndnd_and_narrows_both_ways() {
    let Some(ndnd) = peer("ndnd") else { return };
    let Some(net) = Net::new("large_files") else { return };
    let place = Scratch::new("interop-files");
    let site = Site::ours(&place, &net, "n", "");
    exchanges(&site, &ndnd, 10_000_000);
}

#[test]
fn narrows_applications_work_at_ndnds_forwarder() {
    let Some(ndnd) = peer("ndnd") else { return };
    let Some(net) = Net::new("narrows_applications") else { return };
    let place = Scratch::new("interop-foreign");
    let site = Site::ndnd(&place, &net, "n", &ndnd);
    exchanges(&site, &ndnd, 2_000_000);
}

/// Exchanges objects of `octets` octets, and pings, between applications of ndnd and ours at one
/// forwarder.
fn exchanges(site: &Site<'_>, ndnd: &Path, octets: usize) {
    let film = content(octets);
    std::fs::write(site.place.path("film"), &film).expect("a file");
    let _ours = site.producer(PROGRAM, &["ndn", "serve", "/ours", "film"], "/ours", None);
    site.ndnd_gets(ndnd, "/ours", &film);
    let _theirs = site.producer(ndnd, &["put", "/theirs"], "/theirs", Some("film"));
    for name in ["/theirs", "/ours"] {
        let got = site.gets(name, &film);
        assert!(stderr(&got).contains("no link on the way writes rates"), "{}", stderr(&got));
    }
    let _server = site.producer(ndnd, &["pingserver", "/ps"], "/ps", None);
    let (status, text) = site.says(ndnd, &["ping", "/ps", "-c", "3", "-i", "100", "-t", "4000"]);
    assert!(status == 0 && text.contains("0% lost"), "{text}");
    let _own_server = site.producer(PROGRAM, &["ndn", "ping", "--serve", "/own"], "/own", None);
    for prefix in ["/ps", "/own"] {
        let (_, text) = site.says(PROGRAM, &["ndn", "ping", prefix, "--count", "1"]);
        assert!(text.contains("1 sent, 0 lost"), "{text}");
    }
    let (status, text) = site.says(ndnd, &["ping", "/own", "-c", "3", "-i", "100", "-t", "4000"]);
    assert!(status == 0 && text.contains("0% lost"), "{text}");
}
