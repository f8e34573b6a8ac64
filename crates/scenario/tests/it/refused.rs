//! Error messages for each kind of mistake: the line, the value, the remedy.

use crate::common::shown;
use narrows_scenario::parse;
use std::io;
use std::path::Path;

const LINK: &str = r#"
[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "100 Mbit/s"
delay = "15 ms"
buffer = "750 kB"
"#;

const FLOW: &str = r#"
[[flow]]
from = "left"
to = "right"
controller = "newreno"
"#;

fn valid() -> String {
    format!("duration = \"60 s\"\n{LINK}{FLOW}")
}

fn files(path: &Path) -> io::Result<String> {
    match path.to_str() {
        Some("good.trace") => Ok("1\n2\n3\n".to_owned()),
        Some("empty.trace") => Ok(String::new()),
        Some("bad.trace") => Ok("1\n2\ntwo\n".to_owned()),
        Some("bad.csv") => Ok("time,rate\n0,10\n5,-3\n".to_owned()),
        _ => Err(io::Error::new(io::ErrorKind::NotFound, "no such file")),
    }
}

/// Returns the error message for `text`.
fn refusal(text: &str) -> String {
    crate::common::refusal(text, &files)
}

/// Returns the error message for the valid scenario with `from` replaced by `to`.
fn refusal_of(from: &str, to: &str) -> String {
    let text = valid();
    assert!(text.contains(from), "{from} is not in the valid scenario");
    refusal(&text.replacen(from, to, 1))
}

/// Returns one snapshot for all mistakes of a kind, each headed by the change.
fn book(cases: &[(&str, &str)]) -> String {
    cases
        .iter()
        .map(|(from, to)| format!("## {from:?} -> {to:?}\n{}\n", refusal_of(from, to)))
        .collect()
}

#[test]
fn the_valid_one_is_not_refused() {
    parse(&valid(), "test.toml", &files).expect("valid");
}

#[test]
fn toml_syntax() {
    shown!(book(&[
        ("duration = \"60 s\"", "duration = 60 s"),
        ("duration = \"60 s\"", "duration = \"60 s"),
        ("duration = \"60 s\"", "duration \"60 s\""),
        ("[\"left\", \"right\"]", "[\"left\", \"right\""),
        ("delay = \"15 ms\"", "delay = \"15 ms\"\ndelay = \"16 ms\""),
    ]));
}

#[test]
fn keys() {
    shown!(book(&[
        ("delay =", "dealy ="),
        ("delay =", "colour ="),
        ("duration =", "length ="),
        ("from = \"left\"\nto", "to"),
        ("name = \"bottleneck\"\n", ""),
        ("[[link]]", "[link]"),
        ("[[flow]]", "[[flows]]"),
        ("controller = \"newreno\"", "controller = \"newreno\"\nworkload = { sice = \"1 MB\" }"),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\n[flow.transport]\nmin_rtt = \"1 s\""
        ),
    ]));
}

#[test]
fn types() {
    shown!(book(&[
        ("duration = \"60 s\"", "duration = true"),
        ("duration = \"60 s\"", "duration = \"60 s\"\nseed = -1"),
        ("duration = \"60 s\"", "duration = \"60 s\"\nseed = \"one\""),
        ("duration = \"60 s\"", "duration = \"60 s\"\nsend_overhead = \"yes\""),
        ("\"newreno\"", "5"),
        ("[\"left\", \"right\"]", "\"left\""),
        ("buffer = \"750 kB\"", "queue = \"fiffo\""),
        ("buffer = \"750 kB\"", "loss = true"),
        ("controller = \"newreno\"", "workload = \"bulky\""),
    ]));
}

#[test]
fn units() {
    shown!(book(&[
        ("\"60 s\"", "60"),
        ("\"60 s\"", "\"60\""),
        ("\"60 s\"", "\"60 seconds\""),
        ("\"60 s\"", "nan"),
        ("\"100 Mbit/s\"", "\"-100 Mbit/s\""),
        ("\"100 Mbit/s\"", "-100"),
        ("\"100 Mbit/s\"", "\"NaN Mbit/s\""),
        ("\"100 Mbit/s\"", "\"100 mbit/s\""),
        ("\"15 ms\"", "\"-15 ms\""),
        ("\"15 ms\"", "\"0.0000001 ms\""),
        ("\"750 kB\"", "\"750\""),
        ("\"750 kB\"", "\"750 things\""),
        ("\"750 kB\"", "\"99999999999999999999 GB\""),
        ("buffer = \"750 kB\"", "loss = \"1\""),
        ("buffer = \"750 kB\"", "loss = \"200 %\""),
    ]));
}

#[test]
fn times() {
    shown!(book(&[
        ("\"60 s\"", "\"0 s\""),
        ("duration = \"60 s\"", "duration = \"60 s\"\nwarmup = \"60 s\""),
        ("duration = \"60 s\"", "duration = \"60 s\"\nsample = \"0 s\""),
        ("duration = \"60 s\"", "duration = \"60 s\"\nsample = \"61 s\""),
        ("controller = \"newreno\"", "controller = \"newreno\"\nstart = \"10 s\"\nstop = \"5 s\""),
        ("controller = \"newreno\"", "controller = \"newreno\"\nstart = \"60 s\""),
        ("controller = \"newreno\"", "controller = \"newreno\"\ncount = 10\nstagger = \"10 s\""),
        ("controller = \"newreno\"", "controller = \"newreno\"\nstagger = \"10 s\""),
        ("delay = \"15 ms\"", "delay = \"15 min\""),
        ("delay = \"15 ms\"", "jitter = \"1 h\""),
    ]));
}

#[test]
fn links() {
    shown!(book(&[
        (LINK, ""),
        ("100 Mbit/s", "0 Mbit/s"),
        ("[\"left\", \"right\"]", "[\"left\"]"),
        ("[\"left\", \"right\"]", "[\"left\", \"left\"]"),
        ("between = [\"left\", \"right\"]", "from = \"left\""),
        ("between = [\"left\", \"right\"]", "between = [\"left\", \"right\"]\nto = \"right\""),
        (
            "between = [\"left\", \"right\"]\n",
            "from = \"left\"\nto = \"right\"\nback = { delay = \"1 ms\" }\n"
        ),
        ("name = \"bottleneck\"", "name = \"\""),
        ("[[flow]]", "[[link]]\nname = \"bottleneck\"\nbetween = [\"right\", \"far\"]\n[[flow]]"),
        (
            "[[flow]]",
            "[[link]]\nname = \"bottleneck.back\"\nbetween = [\"right\", \"far\"]\n[[flow]]"
        ),
        ("[[link]]", "[[node]]\nname = \"left\"\n[[node]]\nname = \"rihgt\"\n[[link]]"),
        ("[[link]]", "[[node]]\nname = \"left\"\n[[node]]\nname = \"left\"\n[[link]]"),
    ]));
}

#[test]
fn changes() {
    let change =
        |keys: &str| format!("[[change]]\nat = \"20 s\"\nlink = \"bottleneck\"\n{keys}\n[[flow]]");
    let texts = [
        "[[change]]\nlink = \"bottleneck\"\nrate = \"1 Mbit/s\"\n[[flow]]".to_owned(),
        "[[change]]\nat = \"60 s\"\nlink = \"bottleneck\"\nrate = \"1 Mbit/s\"\n[[flow]]".to_owned(),
        "[[change]]\nat = \"20 s\"\nlink = \"bottelneck\"\nrate = \"1 Mbit/s\"\n[[flow]]".to_owned(),
        "[[change]]\nat = \"20 s\"\nrate = \"1 Mbit/s\"\n[[flow]]".to_owned(),
        "[[change]]\nat = \"20 s\"\nflow = \"reno\"\nroute = [\"bottleneck\"]\n[[flow]]".to_owned(),
        "[[change]]\nat = \"20 s\"\nflow = \"newreno\"\nroute = [\"bottleneck.back\"]\n[[flow]]".to_owned(),
        "[[change]]\nat = \"20 s\"\nflow = \"newreno\"\nroute = [\"bottleneck\"]\ndelay = \"1 ms\"\n[[flow]]".to_owned(),
        "[[change]]\nat = \"20 s\"\nflow = \"newreno\"\n[[flow]]".to_owned(),
        change(""),
        change("flow = \"newreno\""),
        change("route = [\"bottleneck\"]\ndelay = \"1 ms\""),
        change("delay = \"1 min\""),
        change("buffer = \"100 B\""),
        change("down_for = \"0 s\""),
        change("down_for = \"3 s\"\nevery = \"2 s\""),
        change("down_for = \"3 s\"\n[[change]]\nat = \"22 s\"\nlink = \"bottleneck\"\ndown_for = \"1 s\""),
        change("rate = \"1 Mbit/s\"\nover = \"0 s\""),
        change("rate = \"1 Mbit/s\"\nover = \"50 s\""),
        change("rate = \"1 Mbit/s\"\nover = \"5 s\"\nevery = \"2 s\""),
        change("rate = \"1 Mbit/s\"\nover = \"5 s\"\n[[change]]\nat = \"22 s\"\nlink = \"bottleneck\"\nrate = \"2 Mbit/s\""),
        change("down_for = \"1 s\"\nover = \"5 s\""),
        change("jitter = \"1 ms\"\nover = \"5 s\""),
        change("aggregate = \"10 ms\"\nover = \"5 s\""),
        change("aggregate = \"60 s\""),
        change("ecn = \"bleach\"\nover = \"5 s\""),
        change("ecn = \"clear\""),
        change("loss = { every = 10 }\nover = \"5 s\""),
        change("buffer = \"unlimited\"\nover = \"5 s\""),
        change("rate = \"1 Mbit/s\"\nevery = \"0 s\""),
        change("rate = \"1 Mbit/s\"\nevery = \"1 us\""),
        change("rate = \"1 Mbit/s\"\ntimes = 3"),
        change("rate = \"1 Mbit/s\"\nevery = \"1 s\"\ntimes = 0"),
        change("rate = \"1 Mbit/s\"\nevery = \"1 s\"\nuntil = \"10 s\""),
        change("rate = \"1 Mbit/s\"\nevery = \"1 s\"\nuntil = \"30 s\"\ntimes = 3"),
        change("reorder = { share = 2, delay = \"1 ms\" }"),
        change("jitter = { reorders = true }"),
        change("jitter = { wifi = \"5 ms\", normal = \"5 ms\" }"),
        change("jitter = { wifi = \"91001 us\" }"),
    ];
    let mut edits: Vec<(&str, &str)> =
        texts.iter().map(|text| ("[[flow]]", text.as_str())).collect();
    let step = change("rate = \"1 Mbit/s\"");
    let traced = format!("trace = \"good.trace\"\n{}", &LINK[LINK.find("delay").unwrap()..]);
    let traced_step = format!("{traced}\n{}", step.trim_end_matches("[[flow]]"));
    let traced_outage = traced_step.replace("rate = \"1 Mbit/s\"", "down_for = \"1 s\"");
    let plain_step = format!("delay = \"15 ms\"\n{}", step.trim_end_matches("[[flow]]"));
    let rest = &LINK[LINK.find("rate").unwrap()..];
    edits.extend([
        (rest, traced_step.as_str()),
        (rest, traced_outage.as_str()),
        (rest, plain_step.as_str()),
    ]);
    shown!(book(&edits));
}

#[test]
fn segments_less_than_a_nanosecond_apart() {
    let udp = |workload: &str| {
        (String::from("controller = \"newreno\""), format!("workload = {workload}"))
    };
    let edits = [
        udp("{ rate = \"12000 Gbit/s\" }"),
        udp("{ rate = \"9 Gbit/s\" }\ntransport = { mss = \"1 B\" }"),
        udp("{ rate = \"12000 Gbit/s\", on = \"1 s\", off = \"1 s\" }"),
    ];
    shown!(book(&edits.each_ref().map(|(from, to)| (from.as_str(), to.as_str()))));
}

#[test]
fn losses() {
    shown!(book(&[
        ("buffer = \"750 kB\"", "loss = 1"),
        ("buffer = \"750 kB\"", "loss = 2.5"),
        ("buffer = \"750 kB\"", "loss = -0.1"),
        ("buffer = \"750 kB\"", "loss = \"101 %\""),
        ("buffer = \"750 kB\"", "loss = \"some\""),
        ("buffer = \"750 kB\"", "loss = { probability = 1.5 }"),
        ("buffer = \"750 kB\"", "loss = { probability = nan }"),
        ("buffer = \"750 kB\"", "loss = { every = 0 }"),
        ("buffer = \"750 kB\"", "loss = { every = 10, probability = 0.1 }"),
        ("buffer = \"750 kB\"", "loss = { to_bad = 0.1 }"),
        ("buffer = \"750 kB\"", "loss = { good_for = \"1 s\" }"),
        ("buffer = \"750 kB\"", "loss = { good_for = \"1 s\", bad_for = \"0 s\" }"),
        ("buffer = \"750 kB\"", "loss = { good_for = \"1 s\", bad_for = \"1 s\", to_bad = 0.1 }"),
    ]));
}

#[test]
fn buffers() {
    shown!(book(&[
        ("\"750 kB\"", "\"0 kB\""),
        ("\"750 kB\"", "\"0 packets\""),
        ("\"750 kB\"", "\"1 kB\""),
        ("\"750 kB\"", "\"1 us\""),
        ("\"750 kB\"", "\"0.001 bdp\""),
        ("rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"750 kB\"", "buffer = \"60 ms\""),
        ("delay = \"15 ms\"\nbuffer = \"750 kB\"", "buffer = \"1 bdp\""),
        ("buffer = \"750 kB\"", "buffer = true"),
        ("[[link]]", "path = \"lte\"\n[[link]]"),
        ("rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"750 kB\"", "buffer = \"1 bdp\""),
        (
            "[[flow]]",
            "[[link]]\nname = \"idle\"\nbetween = [\"right\", \"far\"]\nrate = \"1 Mbit/s\"\nbuffer = \"1 bdp\"\n[[flow]]"
        ),
    ]));
}

#[test]
fn queues() {
    shown!(book(&[
        ("buffer = \"750 kB\"", "queue = \"coddel\""),
        ("buffer = \"750 kB\"", "queue = 5"),
        ("buffer = \"750 kB\"", "queue = \"codel?traget=5\""),
        ("buffer = \"750 kB\"", "queue = \"codel?target=0\""),
        ("buffer = \"750 kB\"", "queue = \"codel?target=5ms\""),
        ("buffer = \"750 kB\"", "queue = \"codel?target=5&target=6\""),
        ("buffer = \"750 kB\"", "queue = \"fifo?limit=3\""),
        ("rate = \"100 Mbit/s\"\ndelay = \"15 ms\"\nbuffer = \"750 kB\"", "queue = \"xcp\""),
        ("buffer = \"750 kB\"", "queue = \"policer?rate=0\""),
        ("buffer = \"750 kB\"", "queue = \"policer?rate=10 Mbit/s\""),
    ]));
}

#[test]
fn traces() {
    shown!(book(&[
        ("rate = \"100 Mbit/s\"", "trace = \"missing.trace\""),
        ("rate = \"100 Mbit/s\"", "trace = \"empty.trace\""),
        ("rate = \"100 Mbit/s\"", "trace = \"bad.trace\""),
        ("rate = \"100 Mbit/s\"", "trace = \"bad.csv\""),
        ("rate = \"100 Mbit/s\"", "rate = \"100 Mbit/s\"\ntrace = \"good.trace\""),
    ]));
}

#[test]
fn flows() {
    shown!(book(&[
        (FLOW, ""),
        ("controller = \"newreno\"", "controller = \"newreno\"\ncount = 0"),
        ("controller = \"newreno\"", "controller = \"newreno\"\ncount = 2000000"),
        ("controller = \"newreno\"", "controller = \"newrneo\""),
        ("controller = \"newreno\"", "controller = \"newreno?speed=3\""),
        ("controller = \"newreno\"", ""),
        ("controller = \"newreno\"", "workload = { size = \"1 MB\" }"),
        ("controller = \"newreno\"", "workload = { rate = \"0 Mbit/s\" }"),
        ("controller = \"newreno\"", "workload = { rate = \"1 Mbit/s\", size = \"1 MB\" }"),
        ("controller = \"newreno\"", "controller = \"newreno\"\nworkload = { size = \"0 B\" }"),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\nworkload = { size = \"1 MB\" }\ntransport = { ack_ahead = 5, receive_window = \"1 MB\" }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\nworkload = { size = \"1 MB\" }\npauses = [[\"1 s\", \"2 s\"]]"
        ),
        ("controller = \"newreno\"", "controller = \"newreno\"\npauses = [[\"2 s\", \"2 s\"]]"),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\npauses = [[\"1 s\", \"2 s\"], [\"2 s\", \"3 s\"]]"
        ),
        ("controller = \"newreno\"", "controller = \"newreno\"\npauses = [[\"60 s\", \"70 s\"]]"),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\nstart = \"5 s\"\npauses = [[\"1 s\", \"5 s\"]]"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\nstop = \"5 s\"\npauses = [[\"5 s\", \"6 s\"]]"
        ),
        ("controller = \"newreno\"", "controller = \"newreno\"\npauses = [[\"5 s\"]]"),
        ("controller = \"newreno\"", "controller = \"newreno\"\npauses = [[5, 6]]"),
        (
            "controller = \"newreno\"",
            "workload = { rate = \"1 Mbit/s\" }\nsaved = { rtt = \"600 ms\", window = 2500 }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno?resume\"\nsaved = { rtt = \"0 ms\", window = 2500 }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno?resume\"\nsaved = { rtt = \"600 ms\", window = 0 }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno?resume\"\nsaved = { rtt = \"600 ms\" }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno?resume\"\nworkload = { size = \"1 MB\", reconnect = \"saved\" }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\nworkload = { on = \"1 s\", off = \"1 s\", connections = \"new\" }"
        ),
        (
            "controller = \"newreno\"",
            "controller = \"newreno\"\nworkload = { arrivals = \"5/s\", sizes = \"1 kB\", connections = \"new\" }"
        ),
        ("controller = \"newreno\"", "controller = \"bbr?start=search\""),
        (FLOW, &format!("{FLOW}name = \"a\"\n{FLOW}name = \"a\"\n")),
        (FLOW, &format!("{FLOW}name = \"a\"\ncount = 2\n{FLOW}name = \"a.2\"\n")),
    ]));
}

#[test]
fn frames_that_follow_a_controller() {
    let said = |controller: &str, keys: &str| {
        refusal_of(
            "controller = \"newreno\"",
            &format!("{controller}workload = {{ rate = \"1 Mbit/s\", {keys} }}"),
        )
    };
    let (tcp, udp) = ("controller = \"newreno\"\n", "");
    for (controller, keys, problem) in [
        (
            tcp,
            "frame = \"33 ms\", min_rate = \"150 kbit/s\"",
            "min_rate and max_rate say something together only",
        ),
        (
            tcp,
            "frame = \"33 ms\", max_rate = \"150 kbit/s\"",
            "min_rate and max_rate say something together only",
        ),
        (
            tcp,
            "frame = \"33 ms\", min_rate = \"3 Mbit/s\", max_rate = \"2 Mbit/s\"",
            "3 Mbit/s is more than max_rate",
        ),
        (
            tcp,
            "frame = \"33 ms\", min_rate = \"2 Mbit/s\", max_rate = \"3 Mbit/s\"",
            "the first frames are not between min_rate and max_rate",
        ),
        (
            tcp,
            "frame = \"33 ms\", min_rate = \"1 bit/s\", max_rate = \"3 Mbit/s\"",
            "the frames would be empty",
        ),
        (tcp, "frame = \"33 ms\", until = \"2 s\"", "until and then say something together only"),
        (tcp, "frame = \"33 ms\", then = \"1 MB\"", "until and then say something together only"),
        (
            tcp,
            "frame = \"33 ms\", until = \"0 s\", then = \"1 MB\"",
            "there would be no frame before the transfer",
        ),
        (
            tcp,
            "frame = \"33 ms\", until = \"2 s\", then = \"0 B\"",
            "a transfer of 0 B sends nothing",
        ),
        (tcp, "until = \"2 s\", then = \"1 MB\"", "until does not go with rate"),
        (
            tcp,
            "min_rate = \"150 kbit/s\", max_rate = \"3 Mbit/s\"",
            "min_rate does not go with rate",
        ),
        (
            udp,
            "frame = \"33 ms\", min_rate = \"150 kbit/s\", max_rate = \"3 Mbit/s\"",
            "these frames follow a controller, and the flow has none",
        ),
    ] {
        assert!(said(controller, keys).contains(problem), "{}", said(controller, keys));
    }
}

#[test]
fn transports() {
    let with = |line: &str| {
        refusal_of(
            "controller = \"newreno\"",
            &format!("controller = \"newreno\"\n[flow.transport]\n{line}"),
        )
    };
    let lines = [
        "preset = \"windows\"",
        "mss = \"0 B\"",
        "mss = \"1 MB\"",
        "mss = 1448",
        "initial_window = 0",
        "ack_every = 0",
        "loss_detection = \"sack\"",
        "dupthresh = 0",
        "dupthresh = 128",
        "recovery = false",
        "recovery = \"reno\"",
        "acks = \"numbered\"\nloss_detection = \"fack\"",
        "acks = \"numbered\"\nsack = false",
        "gro = \"1 s\"",
        "tso = \"100 B\"",
        "tso = \"big\"",
        "min_rto = \"0 s\"",
        "min_rto = \"10 s\"\nmax_rto = \"5 s\"",
        "initial_rto = \"10 min\"",
        "receive_window = \"1 kB\"",
        "ack_pieces = 0",
        "ack_pieces = 101",
        "acks = \"numbered\"\nack_ahead = 3",
        "ack_ahead = 3",
    ];
    shown!(lines.map(|line| format!("## {line:?}\n{}\n", with(line))).concat());
}

#[test]
fn routes() {
    let square = format!(
        "duration = \"60 s\"\n{}",
        [("ab", "a", "b"), ("bc", "b", "c"), ("ca", "c", "a"), ("cd", "c", "d")]
            .map(|(name, from, to)| format!(
                "[[link]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n"
            ))
            .concat()
    );
    let two_way = "[[link]]\nname = \"far\"\nbetween = [\"e\", \"f\"]\n[[link]]\nname = \"tail\"\nbetween = [\"d\", \"c\"]\n";
    let with = |lines: &str| {
        refusal(&format!("{square}{two_way}[[flow]]\ncontroller = \"newreno\"\n{lines}\n"))
    };
    let cases = [
        "from = \"a\"\nto = \"z\"",
        "from = \"a\"\nto = \"a\"",
        "from = \"a\"\nto = \"e\"",
        "from = \"a\"\nto = \"d\"\nroute = [\"ab\", \"cd\"]",
        "from = \"a\"\nto = \"d\"\nroute = [\"ab\", \"bd\"]",
        "from = \"a\"\nto = \"d\"\nroute = [\"ab\", \"bc\"]",
        "from = \"a\"\nto = \"d\"\nroute = [\"ab\", \"bc\", \"ca\", \"ab\", \"bc\", \"cd\"]",
        "from = \"a\"\nto = \"d\"\nroute = []",
        "from = \"a\"\nto = \"d\"\nroute = [\"ab\", \"bc\", \"tail\"]",
        "from = \"a\"\nto = \"d\"\nback = [\"tail\"]",
        "from = \"a\"\nto = \"d\"\nroute = \"ab\"",
    ];
    shown!(cases.map(|lines| format!("## {lines:?}\n{}\n", with(lines))).concat());
    let one_way = "duration = \"60 s\"\n[[link]]\nname = \"ab\"\nfrom = \"a\"\nto = \"b\"\n[[flow]]\nfrom = \"a\"\nto = \"b\"\n";
    shown!(refusal(&format!("{one_way}controller = \"newreno\"\n")), as "no_way_back");
    shown!(refusal(&format!("{one_way}workload = {{ rate = \"1 Mbit/s\" }}\nback = [\"ab\"]\n")), as "back_without_controller");
}

#[test]
fn expectations() {
    let with = |lines: &str| refusal(&format!("{}\n[expect]\n{lines}\n", valid()));
    let cases = [
        "utilization = { min = 90 }",
        "utilisation = {}",
        "utilisation = 90",
        "utilisation = { min = 95, max = 90 }",
        "utilisation = { min = nan }",
    ];
    shown!(cases.map(|lines| format!("## {lines:?}\n{}\n", with(lines))).concat());
}

#[test]
fn a_name_like_no_other_is_answered_with_all_that_are_known() {
    let said = refusal(&format!("{}\n[expect]\nhappiness = {{ min = 90 }}\n", valid()));
    assert!(said.contains("known metrics: utilisation, "), "{said}");
}

#[test]
fn one_line_form() {
    let error =
        parse(&valid().replace("15 ms", "15"), "dir/test.toml", &files).expect_err("no unit");
    assert_eq!(
        error.short(),
        "dir/test.toml:7: \"15\" is not a duration: it has no unit; write for example \"30 ms\""
    );
    let error = narrows_scenario::load(Path::new("no/such.toml")).expect_err("no such file");
    assert_eq!(error.line(), None);
    assert!(error.short().contains("no/such.toml"), "{}", error.short());
}

#[test]
fn keys_in_the_wrong_table_and_values_of_another_kind() {
    insta::assert_snapshot!(book(&[
        ("controller = \"newreno\"", "controller = \"newreno\"\nduration = \"5 s\""),
        ("controller = \"newreno\"", "controller = \"newreno\"\n[expect]\nduration = \"5 s\""),
        ("duration = \"60 s\"", "duration = \"60 s\"\nseeds = 3"),
        ("buffer = \"750 kB\"", "ecn = true"),
        ("buffer = \"750 kB\"", "ecn = {}"),
        ("buffer = \"750 kB\"", "loss = 2024-01-01"),
        ("duration = \"60 s\"", "duration = 2024-01-01"),
        ("buffer = \"750 kB\"", "back = []"),
        ("duration = \"60 s\"", "duration = \"60 s\"\nseed = 99999999999999999999"),
    ]));
}
