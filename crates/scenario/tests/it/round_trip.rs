//! Writing a scenario and reading it again gives the same scenario, and no text makes the parser
//! panic.

use narrows_scenario::{Scenario, ScenarioError, parse};
use narrows_transport::Transport;
use proptest::prelude::*;
use std::io;
use std::path::Path;

fn files(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some("a trace") => Ok("0\n1\n1\n5\n".to_owned()),
        Some("steps \"1\"") => Ok("0,1.5\n3,0.25\n".to_owned()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
    }
}

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    parse(text, "test.toml", &files)
}

/// Draws a line of a table, or an empty text.
fn maybe(line: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    proptest::option::of(line)
        .prop_map(|line| line.map_or(String::new(), |line| format!("{line}\n")))
}

fn span(key: &'static str, limit: u64) -> impl Strategy<Value = String> {
    (1..limit).prop_map(move |ns| format!("{key} = \"{ns} ns\""))
}

fn loss() -> impl Strategy<Value = String> {
    prop_oneof![
        (0.0..=100.0).prop_map(|percent| format!("loss = \"{percent} %\"")),
        (0.0..=1.0).prop_map(|p| format!("loss = {{ probability = {p:?} }}")),
        (1u64..).prop_map(|every| format!("loss = {{ every = {every} }}")),
        (1u64..10_000, 1u64..10_000, 0.0..=1.0).prop_map(|(g, b, l)| format!(
            "loss = {{ good_for = \"{g} ms\", bad_for = \"{b} us\", loss_good = {l:?} }}"
        )),
        (0.0..=1.0, 0.0..=1.0, 0.0..=1.0).prop_map(|(b, g, l)| format!(
            "loss = {{ to_bad = {b:?}, to_good = {g:?}, loss_bad = {l:?} }}"
        )),
    ]
}

fn buffer() -> impl Strategy<Value = String> {
    let whole = |unit: &'static str, least: u64| {
        (least..1_000_000u64).prop_map(move |n| format!("buffer = \"{n} {unit}\""))
    };
    prop_oneof![
        whole("B", 70_000),
        whole("packets", 1),
        whole("s", 600),
        whole("bdp", 999_000),
        Just("buffer = \"unlimited\"".to_owned())
    ]
}

fn queue() -> impl Strategy<Value = String> {
    let codel = (1u32..100, any::<bool>())
        .prop_map(|(target, ecn)| format!("queue = \"codel?target={target}&ecn={ecn}\""));
    prop_oneof![Just("queue = \"fifo\"".to_owned()), codel]
}

fn rate() -> impl Strategy<Value = String> {
    prop_oneof![
        (1_000u64..10_000_000_000).prop_map(|bps| format!("rate = \"{bps} bit/s\"")),
        Just("trace = \"a trace\"".to_owned()),
        Just("trace = \"steps \\\"1\\\"\"".to_owned()),
    ]
}

fn jitter() -> impl Strategy<Value = String> {
    prop_oneof![
        span("jitter", 1_000_000_000),
        (0u64..1_000_000_000, any::<bool>())
            .prop_map(|(ns, on)| format!("jitter = {{ uniform = \"{ns} ns\", reorders = {on} }}")),
        (0u64..1_000_000_000, any::<bool>())
            .prop_map(|(ns, on)| format!("jitter = {{ normal = \"{ns} ns\", reorders = {on} }}")),
        (0u64..=91_000_000, any::<bool>())
            .prop_map(|(ns, on)| format!("jitter = {{ wifi = \"{ns} ns\", reorders = {on} }}")),
    ]
}

fn ecn() -> impl Strategy<Value = String> {
    proptest::sample::select(vec!["ecn = \"keep\"", "ecn = \"bleach\"", "ecn = \"unmark\""])
        .prop_map(str::to_owned)
}

fn reorder() -> impl Strategy<Value = String> {
    (0.0..=100.0, 0u64..1_000_000_000).prop_map(|(share, ns)| {
        format!("reorder = {{ share = \"{share} %\", delay = \"{ns} ns\" }}")
    })
}

/// Draws a change of any link; more kinds of changes for a link whose rate and buffer are known.
fn change() -> impl Strategy<Value = String> {
    let of_any = prop_oneof![
        (0u64..20_000_000_000).prop_map(|ns| format!("delay = \"{ns} ns\"")),
        jitter(),
        reorder(),
        span("aggregate", 20_000_000_000),
        ecn(),
        loss(),
        buffer()
    ];
    let of_steady = prop_oneof![
        (0u64..10_000_000_000).prop_map(|bps| format!("rate = \"{bps} bit/s\"")),
        (0u64..10_000_000_000).prop_map(|bps| format!("rate = \"{bps} bit/s\"\nover = \"1 ns\"")),
        (70_000u64..10_000_000)
            .prop_map(|bytes| format!("buffer = \"{bytes} B\"\nover = \"3 ms\"\nloss = \"3 %\"")),
        span("down_for", 100_000_000),
    ];
    let repeat = prop_oneof![
        Just(""),
        Just("every = \"10 s\""),
        Just("every = \"2 s\"\ntimes = 3"),
        Just("every = \"1500 ms\"\nuntil = \"60 s\""),
    ];
    let at = 0u64..60_000_000_000;
    prop_oneof![
        (at.clone(), any::<bool>(), of_any, repeat.clone()).prop_map(
            |(at, both, keys, repeat)| format!(
                "at = \"{at} ns\"\nlink = \"link 0\"\nboth = {both}\n{keys}\n{repeat}\n"
            )
        ),
        (at.clone(), of_steady, repeat.clone()).prop_map(|(at, keys, repeat)| format!(
            "at = \"{at} ns\"\nlink = \"steady\"\n{keys}\n{repeat}\n"
        )),
        (at, repeat).prop_map(|(at, repeat)| format!(
            "at = \"{at} ns\"\nflow = \"steady\"\nroute = [\"steady\"]\n{repeat}\n"
        )),
    ]
}

fn burst_rate() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("burst_rate = \"unlimited\"".to_owned()),
        Just("burst_rate = \"400 Gbit/s\"".to_owned())
    ]
}

fn link() -> impl Strategy<Value = String> {
    let ns = 20_000_000_000u64;
    (
        rate(),
        (1_000_000..ns).prop_map(|ns| format!("delay = \"{ns} ns\"\n")),
        (maybe(jitter()), maybe(reorder()), maybe(span("aggregate", ns)), maybe(burst_rate()), maybe(ecn())),
        maybe(loss()),
        maybe(buffer()),
        maybe(queue()),
        proptest::option::of((rate(), maybe(loss()), maybe(queue()))),
    )
        .prop_map(|(rate, delay, (jitter, reorder, aggregate, burst_rate, ecn), loss, buffer, queue, back)| {
            let back = back.map_or(String::new(), |(rate, loss, queue)| format!("[link.back]\n{rate}\n{loss}{queue}"));
            format!("{rate}\n{delay}{jitter}{reorder}{aggregate}{burst_rate}{ecn}{loss}{buffer}{queue}{back}")
        })
}

fn transport() -> impl Strategy<Value = String> {
    let mss = (900u32..60_000).prop_map(|mss| format!("mss = \"{mss} B\""));
    let window = (1u32..1_000).prop_map(|window| format!("initial_window = {window}"));
    let receive = (60_000u64..).prop_map(|window| format!("receive_window = \"{window} B\""));
    let recovery = proptest::sample::select(vec![
        "recovery = \"prr\"",
        "recovery = \"rfc9937\"\nsack = false",
        "recovery = \"rate-halving\"\ntso = \"auto\"",
        "recovery = \"pipe\"\npreset = \"ns2-2005\"",
        "preset = \"linux-2.4\"\nacks = \"numbered\"",
    ]);
    (maybe(mss), maybe(window), maybe(receive), maybe(span("min_rto", 900_000_000)), recovery)
        .prop_map(|(mss, window, receive, rto, recovery)| {
            format!("[flow.transport]\n{mss}{window}{receive}{rto}{recovery}\n")
        })
}

fn flow() -> impl Strategy<Value = String> {
    let pauses = |workload: String| {
        (0u64..1_000, 0u64..8_000).prop_map(move |(from, to)| {
            format!(
                "{workload}\npauses = [[\"{} ms\", \"{} ms\"], [\"29 s\", \"9 min\"]]",
                20_000 + from,
                21_001 + to - 1
            )
        })
    };
    let workload = prop_oneof![
        pauses("workload = \"bulk\"".to_owned()),
        pauses("workload = { rate = \"1 Mbit/s\", frame = \"40 ms\" }".to_owned()),
        Just("workload = \"bulk\"".to_owned()),
        (1u64..).prop_map(|size| format!("workload = {{ size = \"{size} B\" }}")),
        (1u64..10_000_000_000, 1u32.., 0u64..10_000_000_000).prop_map(
            |(rtt, window, age)| format!(
                "saved = {{ rtt = \"{rtt} ns\", window = {window}, age = \"{age} ns\" }}"
            )
        ),
        (1u64.., 1u64..10_000_000_000).prop_map(|(size, until)| format!(
            "workload = {{ rate = \"1 Mbit/s\", frame = \"33 ms\", until = \"{until} ns\", then = \"{size} B\" }}"
        )),
        (1u64.., 1u64..10_000_000_000).prop_map(|(size, off)| format!(
            "workload = {{ on = \"{size} B\", off = \"{off} ns\", connections = \"new\" }}"
        )),
        (1u64.., 0u64..10_000_000_000, any::<bool>()).prop_map(|(size, think, new)| {
            let connections = if new { "new" } else { "one" };
            format!(
                "workload = {{ response = \"{size} B\", think = \"{think} ns\", connections = \"{connections}\" }}"
            )
        }),
        Just(
            "workload = { arrivals = \"5/s\", sizes = \"50 kB\", reconnect = \"saved\" }"
                .to_owned()
        ),
        // At most 900 bytes per nanosecond.
        (1u64..7_200_000_000_000)
            .prop_map(|rate| format!("workload = {{ rate = \"{rate} bit/s\" }}")),
        (0u64..1_000_000, 1_000u64..10_000_000, 0u64..1_000_000, any::<bool>()).prop_map(
            |(below, rate, above, follows)| {
                let (least, most) = (rate - below.min(rate - 1_000), rate + above);
                let rates = if follows {
                    format!(", min_rate = \"{least} bit/s\", max_rate = \"{most} bit/s\"")
                } else {
                    String::new()
                };
                format!("workload = {{ rate = \"{rate} bit/s\", frame = \"33 ms\"{rates} }}")
            }
        ),
    ];
    (
        maybe(workload),
        maybe(span("start", 20_000_000_000)),
        maybe((30u32..90).prop_map(|s| format!("stop = \"{s} s\""))),
        1..4u32,
        proptest::option::of(transport()),
    )
        .prop_map(|(workload, start, stop, count, transport)| {
            format!(
                "controller = \"newreno\"\n{workload}{start}{stop}count = {count}\n{}",
                transport.unwrap_or_default()
            )
        })
}

/// Draws a chain of routers with flows along it in both directions.
fn scenario() -> impl Strategy<Value = String> {
    let links = proptest::collection::vec(link(), 1..5);
    let flows = proptest::collection::vec((any::<u8>(), any::<u8>(), flow()), 1..6);
    let head = (
        any::<u64>(),
        any::<bool>(),
        "[^\\p{C}]{0,8}",
        1u64..1_000_000_000,
        100_000u64..1_000_000_000,
    );
    let expect = proptest::option::of(proptest::num::f64::NORMAL);
    let changes = proptest::collection::vec(change(), 0..4);
    (head, links, flows, expect, changes).prop_map(|((seed, overhead, name, warmup, sample), links, flows, expect, changes)| {
        let nodes = links.len() + 1;
        let quote = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut text = format!(
            "name = \"x{}\"\nduration = \"61 s\"\nseed = {seed}\nsend_overhead = {overhead}\nwarmup = \"{warmup} ns\"\nsample = \"{sample} ns\"\n",
            quote(&name)
        );
        for (index, keys) in links.iter().enumerate() {
            text += &format!("[[link]]\nname = \"link {index}\"\nbetween = [\"{index}\", \"{}\"]\n{keys}\n", index + 1);
        }
        text += "[[link]]\nname = \"steady\"\nbetween = [\"0\", \"aside\"]\nrate = \"9 Mbit/s\"\nbuffer = \"90 kB\"\n";
        text += "[[flow]]\nname = \"steady\"\nfrom = \"0\"\nto = \"aside\"\ncontroller = \"newreno\"\n";
        for keys in &changes {
            text += &format!("[[change]]\n{keys}");
        }
        // One flow crosses every link, so that buffers in bandwidth-delay products have a round
        // trip.
        text += &format!("[[flow]]\nname = \"all\"\nfrom = \"0\"\nto = \"{}\"\ncontroller = \"newreno\"\n", nodes - 1);
        for (from, to, keys) in &flows {
            let (from, step) = (*from as usize % nodes, 1 + *to as usize % (nodes - 1));
            text += &format!("[[flow]]\nfrom = \"{from}\"\nto = \"{}\"\n{keys}\n", (from + step) % nodes);
        }
        text + &expect.map_or(String::new(), |end| format!("[expect]\nutilisation = {{ min = {end:?} }}\n"))
    })
}

/// Returns all valid scenarios from which mutations start.
fn valid_texts() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let entries = std::fs::read_dir(folder).expect("scenarios/");
    entries
        .filter_map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).ok())
        .collect()
}

/// Texts that mutations insert: extreme quantities and pieces of syntax.
const PIECES: &[&str] = &[
    "",
    "\"",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\n",
    "\n\n",
    ".",
    "#",
    "-1",
    "0",
    "nan",
    "1e309",
    "18446744073709551615",
    "\"0 s\"",
    "\"18446744073 s\"",
    "\"1 ns\"",
    "\"18446744073709551615 bit/s\"",
    "\"1 bit/s\"",
    "\"18446744073709551615 B\"",
    "\"1 B\"",
    "\"18446744073709551 bdp\"",
    "\"4294967295 packets\"",
    "\"100 %\"",
    "\"unlimited\"",
    "\"bulk\"",
    "queue = \"codel?target=1\"",
    "\"a trace\"",
    "count = 3",
    "[[link]]",
    "[[flow]]",
    "[[node]]",
    "[[change]]",
    "every = \"1 s\"",
    "[flow.transport]",
    "[link.back]",
    "[expect]",
    "trace",
    "back",
    "route",
    "true",
    "\u{feff}",
    "é",
    "\u{0}",
];

proptest! {
    #[test]
    fn written_out_it_is_the_same(text in scenario()) {
        let scenario = match read(&text) {
            // Two drawn changes may exclude each other.
            Err(error) if error.message().contains("already down") || error.message().contains("on a ramp") => return Ok(()),
            read => read.map_err(|error| TestCaseError::fail(format!("{}\n{text}", error.short())))?,
        };
        let written = scenario.to_toml();
        let again = read(&written).map_err(|error| TestCaseError::fail(format!("{}\n{written}", error.short())))?;
        prop_assert_eq!(&again, &scenario);
        prop_assert_eq!(again.to_toml(), written);
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,200}") {
        let _ = read(&text).map_err(|error| error.short());
    }

    #[test]
    fn no_mutation_makes_it_panic(base in proptest::sample::select(valid_texts()), edits in proptest::collection::vec((any::<u32>(), 0usize..12, proptest::sample::select(PIECES)), 1..6)) {
        let mut text: Vec<char> = base.chars().collect();
        for (place, length, piece) in edits {
            let start = place as usize % (text.len() + 1);
            let end = (start + length).min(text.len());
            text.splice(start..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        match read(&text) {
            Ok(scenario) => prop_assert_eq!(read(&scenario.to_toml()).map_err(|error| error.short()), Ok(scenario)),
            Err(error) => prop_assert!(!error.short().is_empty()),
        }
    }
}

/// Fails if the transport gets a setting without a key in the scenario.
#[test]
fn every_transport_setting_is_known() {
    let Transport {
        mss: _,
        headers: _,
        initial_window: _,
        min_rto: _,
        initial_rto: _,
        max_rto: _,
        acks: _,
        ack_every: _,
        ack_delay: _,
        quick_acks: _,
        receive_autotuning: _,
        receive_window: _,
        gro: _,
        tso: _,
        unpaced_start: _,
        sack: _,
        timestamps: _,
        rto: _,
        rtt_samples: _,
        tick: _,
        loss_detection: _,
        dupthresh: _,
        recovery: _,
        tail_loss_probe: _,
        handshake: _,
        frto: _,
        undo: _,
        ack_pieces: _,
        ack_ahead: _,
    } = Transport::default();
    let keys = "mss = \"1000 B\"\nheaders = \"40 B\"\ninitial_window = 3\nmin_rto = \"1 s\"\ninitial_rto = \"3 s\"\nmax_rto = \"60 s\"\nacks = \"cumulative\"\nack_every = 1\n\
                ack_delay = \"100 ms\"\nquick_acks = 0\nreceive_autotuning = false\nreceive_window = \"64 KiB\"\nloss_detection = \"dupack\"\n\
                dupthresh = 5\nrecovery = \"reno\"\ngro = \"50 us\"\ntso = \"auto\"\nunpaced_start = 4\n\
                sack = false\ntimestamps = false\nhandshake = false\nrto = \"rfc6298\"\nrtt_samples = \"once-per-window\"\ntick = \"10 ms\"\ntail_loss_probe = false\nfrto = false\nundo = false\n\
                ack_pieces = 3\nack_ahead = 7\n";
    let text = format!(
        "duration = \"1 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\n[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"newreno\"\n[flow.transport]\n{keys}"
    );
    let scenario = read(&text).unwrap_or_else(|error| panic!("{}", error.short()));
    let written = scenario.to_toml();
    // Cumulative acknowledgements are not written, because the controller implies them.
    for line in keys.lines().filter(|line| !line.contains("KiB") && !line.starts_with("acks")) {
        assert!(written.contains(line), "{line} is lost in\n{written}");
    }
    assert_eq!(read(&written).map_err(|error| error.short()), Ok(scenario));
}
