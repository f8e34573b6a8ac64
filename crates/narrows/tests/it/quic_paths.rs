//! Paths that trouble a transport, for each controller of each QUIC stack: runs end, nothing
//! panics, and memory does not grow with the length of a run.

use crate::scratch::{PROGRAM, Scratch};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A path: its name, keys of its link, a table of its scenario, and the least and largest goodput
/// in Mbit/s over 120 s on 10 Mbit/s.
type Path = (&'static str, &'static str, &'static str, [f64; 2]);

const PATHS: [Path; 5] = [
    ("loss-free", "", "", [8.5, 9.7]),
    ("lossy", "loss = \"5 %\"", "", [1.0, 9.7]),
    ("reordering", "reorder = { share = \"5 %\", delay = \"15 ms\" }", "", [1.0, 9.7]),
    ("bleaching", "queue = \"codel\"\necn = \"bleach\"", "", [8.5, 9.7]),
    // 3 s after the warm-up, of 118 s.
    (
        "blackhole",
        "",
        "[[change]]\nat = \"5 s\"\nlink = \"bottleneck\"\nloss = \"100 %\"\n",
        [0.2, 0.26],
    ),
];

fn sweep(link: &str, change: &str, seconds: u32) -> String {
    format!(
        "duration = \"{seconds} s\"\nwarmup = \"2 s\"\n[[link]]\nname = \"bottleneck\"\nbetween = [\"left\", \"right\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\nbuffer = \"1 \
         bdp\"\n{link}\n[[flow]]\nname = \"quic\"\nfrom = \"left\"\nto = \"right\"\ncontroller = \"noq:cubic\"\n{change}[sweep]\n\"flow.quic.controller\" = [\"noq:newreno\", \
         \"noq:cubic\", \"noq:bbr3\", \"quinn:newreno\", \"quinn:cubic\", \"quinn:bbr\"]\n"
    )
}

/// The largest resident memory of a sweep in MB, which ends well within two minutes.
fn peak(place: &Scratch, name: &str) -> f64 {
    let file = format!("{name}.toml");
    let mut child = place
        .command(PROGRAM)
        .args(["sweep", &file, "--quiet", "--jobs", "1", "--out", name])
        .stdout(Stdio::null())
        .spawn()
        .expect("narrows runs");
    let (began, mut peak) = (Instant::now(), 0.0_f64);
    loop {
        // VmHWM never falls, so that the last reading before the end is the peak, or near to it.
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
        let line = status.iter().flat_map(|text| text.lines()).find(|own| own.starts_with("VmHWM"));
        let kilobytes = line.and_then(|own| own.split_whitespace().nth(1)?.parse::<f64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0.0) / 1024.0);
        if let Some(status) = child.try_wait().expect("it is ours") {
            assert!(status.success(), "{name}: {status}");
            return peak;
        }
        if began.elapsed() > Duration::from_secs(240) {
            child.kill().expect("it is ours");
            panic!("{name} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn stacks_live_through_troubled_paths_in_bounded_memory() {
    let place = Scratch::new("quic-paths");
    for (name, link, change, [least, most]) in PATHS {
        let [short, long] = [20, 120].map(|seconds| {
            let name = format!("{name}-{seconds}");
            place.write(&format!("{name}.toml"), &sweep(link, change, seconds));
            peak(&place, &name)
        });
        // 120 s at 10 Mbit/s carry 150 MB: a stack that kept what it has sent would show.
        println!("{name}: {short:.1} MB after 20 s, {long:.1} MB after 120 s");
        assert!(long < short + 20.0, "{name}: {short:.1} and {long:.1} MB");
        let summary: serde_json::Value =
            serde_json::from_slice(&place.read(&format!("{name}-120/summary.json"))).expect("JSON");
        let cells = summary["cells"].as_array().expect("cells");
        assert_eq!(cells.len(), 6);
        for cell in cells {
            let goodput = cell["metrics"]["goodput"]["median"].as_f64().expect("goodput");
            assert!((least..=most).contains(&goodput), "{name}, {}: {goodput}", cell["at"]);
        }
    }
}
