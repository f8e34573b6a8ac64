//! Applications register their names over each transport.

use super::*;

#[test]
fn python_registers_over_every_transport_and_in_both_forms() {
    let Some(python) = peer("python/bin/python") else { return };
    let Some(net) = Net::new("python_registers") else { return };
    let place = Scratch::new("interop-python");
    let site = Site::ours(&place, &net, "n", "");
    place.write(
        "register.py",
        "from ndn.appv2 import NDNApp\nfrom ndn.client_conf import default_face\nimport sys\n\
         app = NDNApp(face=default_face(sys.argv[1]))\n\
         async def main():\n    print(await app.register('/py/app'), await app.unregister('/py/app'))\n    app.shutdown()\n\
         app.run_forever(after_start=main())\n",
    );
    for scheme in ["unix", "udp", "tcp"] {
        let (status, text) = site.says(&python, &["register.py", &site.over(scheme)]);
        assert!(status == 0 && text.contains("True True"), "{scheme}: {text}");
    }
    // The older application signs its commands in components of the name (signed Interest format
    // 0.2).
    place.write(
        "older.py",
        "from ndn.app import NDNApp\nfrom ndn.client_conf import default_face\nfrom ndn.security import KeychainDigest\nimport sys\n\
         app = NDNApp(face=default_face(sys.argv[1]), keychain=KeychainDigest())\n\
         async def main():\n    print(await app.register('/py/older', lambda *given: None))\n    app.shutdown()\n\
         app.run_forever(after_start=main())\n",
    );
    let (status, text) = site.says(&python, &["older.py", &site.at]);
    assert!(status == 0 && text.contains("True"), "{text}");
    wait_for("routes end with their faces", || !site.routes().contains("/py/"));
}

#[test]
fn ndnts_registers_with_flags_and_expiry() {
    let Some(net) = Net::new("ndnts_registers") else { return };
    let place = Scratch::new("interop-ndnts-register");
    let Some(script) = ndnts(&place) else { return };
    let site = Site::ours(&place, &net, "n", "");
    for scheme in ["unix", "udp"] {
        let prefix = format!("/nts/{scheme}");
        let _producer = site.producer(
            "node",
            &[&script, &site.over(scheme), "produce", &prefix],
            &prefix,
            None,
        );
        let routes: serde_json::Value = serde_json::from_str(&site.routes()).expect("JSON");
        let route = routes["routes"]
            .as_array()
            .expect("routes")
            .iter()
            .find(|route| route["prefix"] == prefix)
            .expect("the route");
        assert_eq!(
            (route["origin"].as_u64(), route["flags"].as_u64()),
            (Some(65), Some(2)),
            "{route}"
        );
        let left = route["ends_in_ms"].as_u64().expect("an end");
        assert!((1..=1_200_000).contains(&left), "{left}");
    }
}

#[test]
fn ndnd_put_registers_over_tcp() {
    let Some(ndnd) = peer("ndnd") else { return };
    let Some(net) = Net::new("ndnd_put") else { return };
    let place = Scratch::new("interop-tcp");
    let site = Site::ours(&place, &net, "n", "");
    let film = content(100_000);
    std::fs::write(place.path("film"), &film).expect("a file");
    let mut put = site.command(&ndnd, &["put", "/t"]);
    put.env("NDN_CLIENT_TRANSPORT", site.over("tcp"))
        .stdin(std::fs::File::open(place.path("film")).expect("a file"));
    let _put = net.start(&mut put);
    wait_for("the route is there", || site.routes().contains("/t"));
    site.gets("/t", &film);
}
