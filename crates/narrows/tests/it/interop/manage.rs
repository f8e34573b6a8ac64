//! Faces, routes, strategies and tables, managed by other programs' tools.

use super::*;

#[test]
fn ndnd_manages_faces_routes_and_strategies() {
    let Some(ndnd) = peer("ndnd") else { return };
    let Some(net) = Net::new("ndnd_manages") else { return };
    let place = Scratch::new("interop-manage");
    let site = Site::ours(&place, &net, "n", "");
    for (dataset, told) in [
        ("status", "version=narrows-"),
        ("face-list", "remote=fd://"),
        ("route-list", ""),
        ("fib-list", "/localhost/nfd nexthops={faceid=1"),
        ("strategy-list", "prefix=/ strategy=/localhost/nfd/strategy/best-route/v=1"),
        ("cs-info", "capacity=65536"),
    ] {
        let (status, text) = site.says(&ndnd, &["fw", dataset]);
        assert!(status == 0 && text.contains(told), "{dataset}: {text}");
    }
    let strategy = |name: &str| format!("strategy=/localhost/nfd/strategy/{name}");
    let (multicast, versioned, unknown) =
        (strategy("multicast"), strategy("multicast/v=1"), strategy("asf"));
    for (command, expected) in [
        (vec!["face-create", "remote=udp://127.0.0.1:17001"], "Status=200"),
        (vec!["face-create", "remote=udp://127.0.0.1:17001"], "Status=409"),
        (
            vec![
                "face-create",
                "remote=udp4://127.0.0.1:17002",
                "mtu=1200",
                "persistency=permanent",
            ],
            "Status=200",
        ),
        (vec!["face-create", "remote=udp4://224.0.0.1:6363"], "Status=406"),
        (vec!["face-create", "remote=ether://[01:00:5e:00:17:aa]"], "Status=406"),
        (vec!["route-add", "prefix=/up", "face=udp://127.0.0.1:17001"], "Origin=static"),
        (vec!["route-add", "prefix=/no", "face=99"], "Status=410"),
        (vec!["strategy-set", "prefix=/mc", &multicast], "multicast/v=1"),
        (vec!["strategy-set", "prefix=/mc", &versioned], "Status=200"),
        (vec!["strategy-set", "prefix=/mc", &unknown], "Status=404"),
        (vec!["strategy-unset", "prefix=/mc"], "Status=200"),
        (vec!["route-remove", "prefix=/up", "face=udp://127.0.0.1:17001"], "Status=200"),
        (vec!["face-destroy", "face=udp://127.0.0.1:17001"], "Status=200"),
        (vec!["face-destroy", "face=99"], "Status=200"),
    ] {
        let (_, text) = site.says(&ndnd, &[&["fw"], &command[..]].concat());
        assert!(text.contains(expected), "{command:?}: {text}");
    }
    let (_, faces) = site.says(&ndnd, &["fw", "face-list"]);
    assert!(
        faces.contains("udp4://127.0.0.1:17002")
            && faces.contains("mtu=1200B")
            && !faces.contains("17001"),
        "{faces}"
    );
}

#[test]
fn pynfdc_lists_and_changes_everything() {
    let Some(pynfdc) = peer("python/bin/pynfdc") else { return };
    let Some(net) = Net::new("pynfdc_lists") else { return };
    let place = Scratch::new("interop-pynfdc");
    let site = Site::ours(&place, &net, "n", "");
    let says = |arguments: &[&str]| {
        let (status, text) = site.says(&pynfdc, arguments);
        assert!(status == 0 && !text.contains("Traceback"), "{arguments:?}: {status} {text}");
        text
    };
    let expect = |arguments: &[&str], told: &str| {
        let text = says(arguments);
        assert!(text.contains(told), "{arguments:?}: {text}");
    };
    expect(&["status"], "narrows-");
    expect(&["New-Face", "udp4://127.0.0.1:17003"], "200");
    expect(&["face"], "udp4://127.0.0.1:17003");
    let faces: serde_json::Value =
        serde_json::from_slice(&site.run(PROGRAM, &["ndn", "forward", "faces", "--json"]).stdout)
            .expect("JSON");
    let created = faces
        .as_array()
        .expect("faces")
        .iter()
        .find(|face| face["remote"] == "udp4://127.0.0.1:17003")
        .expect("the face");
    let id = created["id"].to_string();
    expect(&["face", &id], "17003");
    expect(&["New-Route", "/py", &id], "200");
    expect(&["route"], "/py");
    expect(&["Set-Strategy", "/py", "/localhost/nfd/strategy/multicast"], "200");
    expect(&["strategy"], "multicast");
    expect(&["Remove-Strategy", "/py"], "200");
    expect(&["Remove-Route", "/py", &id], "200");
    expect(&["Remove-Face", &id], "200");
    assert!(
        !says(&["strategy"]).contains("multicast")
            && !says(&["route"]).contains("/py")
            && !says(&["face"]).contains("17003")
    );
}

#[test]
fn ndnts_creates_faces_and_reads_datasets() {
    let Some(net) = Net::new("ndnts_creates") else { return };
    let place = Scratch::new("interop-ndnts");
    let Some(script) = ndnts(&place) else { return };
    let site = Site::ours(&place, &net, "n", "");
    for (at, created) in [(site.over("unix"), 200), (site.over("udp"), 409)] {
        let (status, text) = site.says("node", &[&script, &at, "manage"]);
        let expected = [
            format!("created {created}"),
            "faces true".to_owned(),
            "best-route".to_owned(),
            "capacity 65536".to_owned(),
            "version narrows-".to_owned(),
        ];
        assert!(status == 0 && expected.iter().all(|told| text.contains(told)), "{at}: {text}");
    }
}

#[test]
fn nfdc_manages_where_it_is_installed() {
    if Command::new("nfdc").arg("--version").output().is_err() {
        eprintln!("nfdc_manages: left out, nfdc is not installed");
        return;
    }
    let Some(net) = Net::new("nfdc_manages") else { return };
    let place = Scratch::new("interop-nfdc");
    let site = Site::ours(&place, &net, "n", "");
    for command in [
        "status report",
        "face create udp4://127.0.0.1:17006",
        "face list",
        "route add /n udp4://127.0.0.1:17006",
        "strategy set /n /localhost/nfd/strategy/multicast",
        "cs config capacity 100",
    ] {
        let (status, text) = site.says("nfdc", &command.split(' ').collect::<Vec<_>>());
        assert_eq!(status, 0, "{command}: {text}");
    }
}
