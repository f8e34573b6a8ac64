//! Error messages for each kind of mistake in an information-centric network: the line, the value,
//! the remedy.

use crate::common::shown;
use narrows_scenario::parse;
use std::io;

/// Two paths to one producer, a leaf that leads nowhere, and an island.
const VALID: &str = r#"
duration = "30 s"
[icn]
law = "mircc"
[[link]]
name = "near"
between = ["home", "fork"]
rate = "15 Mbit/s"
[[link]]
name = "left"
between = ["fork", "west"]
rate = "10 Mbit/s"
[[link]]
name = "right"
between = ["fork", "east"]
rate = "10 Mbit/s"
[[link]]
name = "across"
between = ["west", "east"]
rate = "10 Mbit/s"
[[link]]
name = "far"
between = ["sea", "island"]
rate = "10 Mbit/s"
[[prefix]]
name = "/film"
at = ["west", "east"]
[[prefix]]
name = "/news"
at = "east"
[[consumer]]
name = "first"
at = "home"
prefix = "/film"
[[request]]
name = "shop"
at = ["home", "fork"]
prefix = ["/film", "/news"]
every = "0.5 s"
segments = [[1000, 0.99], [50000, 0.01]]
"#;

/// Returns the error message for the valid scenario with `from` replaced by `to`.
fn refusal_of(from: &str, to: &str) -> String {
    assert!(VALID.contains(from), "{from} is not in the valid scenario");
    crate::common::refusal(&VALID.replacen(from, to, 1), &|_| {
        Err(io::Error::new(io::ErrorKind::NotFound, "no such file"))
    })
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
    parse(VALID, "test.toml", &|_| unreachable!("no files"))
        .unwrap_or_else(|error| panic!("{}", error.short()));
}

#[test]
fn what_is_not_information_centric() {
    let flow = "[[flow]]\nfrom = \"home\"\nto = \"east\"\ncontroller = \"cubic\"\n[[consumer]]";
    let change = "[[change]]\nat = \"1 s\"\nflow = \"first\"\nroute = [\"near\"]\n[[consumer]]";
    shown!(book(&[
        ("[icn]\nlaw = \"mircc\"\n", ""),
        ("[[consumer]]", flow),
        ("[[consumer]]", change),
        ("[[consumer]]", "[transport]\nmss = \"1000 B\"\n[[consumer]]"),
        ("between = [\"fork\", \"west\"]", "from = \"fork\"\nto = \"west\""),
        ("rate = \"15 Mbit/s\"", ""),
    ]));
}

#[test]
fn settings() {
    let law = |lines: &str| format!("law = \"mircc\"\n{lines}");
    let lines = [
        "law = \"mirc\"",
        "law = \"mircc?etta=0.9\"",
        "law = \"mircc?eta=2\"",
        "law = \"mircc\"\nstrategy = \"worst\"",
        "law = \"mircc\"\nsteering = \"map\"",
        "law = \"mircc\"\nshaper_queue = 0",
        "law = \"mircc\"\npending = 0",
        "law = \"mircc\"\ncache = -1",
        "law = \"mircc\"\nlifetime = \"0 s\"",
        "law = \"mircc\"\ninterest = \"0 B\"",
        "law = \"mircc\"\ndata = \"70 kB\"",
        "law = \"mircc\"\nshaper = false\nshaped_capacity = true",
        "law = \"none\"\ncontroller = \"cubic\"\nshaped_capacity = true",
        "law = \"none\"\ncontroller = \"cubic\"\npolice = true",
    ];
    let mut edits: Vec<(&str, &str)> =
        lines.iter().map(|line| ("law = \"mircc\"", *line)).collect();
    let table = law("cash = 1");
    edits.push(("law = \"mircc\"", &table));
    shown!(book(&edits));
}

#[test]
fn prefixes() {
    let news = "[[prefix]]\nname = \"/news\"\nat = \"east\"\n";
    let hops = |at: &str, lines: &str| format!("{at}\nnext_hops = {{ {lines} }}");
    let film = |lines: &str| hops("at = [\"west\", \"east\"]", lines);
    let edits = [
        ("at = [\"west\", \"east\"]", "at = [\"west\", \"eest\"]".to_owned()),
        ("at = [\"west\", \"east\"]", "at = []".to_owned()),
        ("at = [\"west\", \"east\"]", "at = [\"west\", \"west\"]".to_owned()),
        ("name = \"/film\"", "name = \"\"".to_owned()),
        ("name = \"/news\"", "name = \"/film\"".to_owned()),
        (news, format!("{news}data = \"0 B\"\n")),
        ("at = [\"west\", \"east\"]", film("frok = [\"west\"]")),
        ("at = [\"west\", \"east\"]", film("fork = [\"wst\"]")),
        ("at = [\"west\", \"east\"]", film("fork = []")),
        ("at = [\"west\", \"east\"]", film("fork = [\"west\", \"west\"]")),
        ("at = [\"west\", \"east\"]", film("fork = [\"west\", \"left\"]")),
        ("at = [\"west\", \"east\"]", film("home = [\"west\"]")),
        ("at = [\"west\", \"east\"]", film("west = [\"east\"]")),
        ("at = [\"west\", \"east\"]", film("fork = [\"home\"]")),
        ("at = \"east\"", hops("at = \"east\"", "fork = [\"west\"], west = [\"fork\", \"east\"]")),
    ];
    let edits: Vec<(&str, &str)> = edits.iter().map(|(from, to)| (*from, to.as_str())).collect();
    let parallel = VALID.replace("[[prefix]]\nname = \"/film\"", "[[link]]\nname = \"second\"\nbetween = [\"home\", \"fork\"]\nrate = \"1 Mbit/s\"\n[[prefix]]\nnext_hops = { home = [\"fork\"] }\nname = \"/film\"");
    let said = crate::common::refusal(&parallel, &|_| unreachable!("no files"));
    shown!(format!("{}## two links to one neighbour\n{said}", book(&edits)));
    let nothing: String = VALID
        .replace("[[prefix]]\nname = \"/film\"\nat = [\"west\", \"east\"]\n", "")
        .replace(news, "");
    shown!(crate::common::refusal(&nothing, &|_| unreachable!("no files")), as "nothing_to_ask_for");
}

#[test]
fn consumers() {
    let with = |lines: &str| format!("name = \"first\"\n{lines}");
    let lines = [
        "consumer = \"mirc\"",
        "consumer = \"single?probe=3\"",
        "controller = \"cubik\"",
        "controller = \"xcp\"",
        "controller = \"bbr3?headroom=2\"",
        "controller = \"cubic\"\nconsumer = \"mircc\"",
        "segments = 0",
        "segments = 4294967295",
        "content = \"\"",
        "count = 0",
        "count = 2000000",
        "stagger = \"1 s\"",
        "count = 4\nstagger = \"10 s\"",
        "count = 3\nstagger = \"10 s\"\nstop = \"20 s\"",
        "start = \"30 s\"",
        "start = \"10 s\"\nstop = \"10 s\"",
    ]
    .map(with);
    let mut edits: Vec<(&str, &str)> =
        lines.iter().map(|lines| ("name = \"first\"", lines.as_str())).collect();
    let second = "[[consumer]]\nat = \"home\"\nprefix = \"/film\"\n";
    let others = [
        "[[consumer]]\nname = \"first\"\nat = \"home\"\nprefix = \"/film\"\n[[consumer]]"
            .to_owned(),
        "[[consumer]]\nname = \"shop.home\"\nat = \"home\"\nprefix = \"/film\"\n[[consumer]]"
            .to_owned(),
        format!(
            "{second}content = \"a\"\nsegments = 10\n{second}content = \"a\"\nsegments = 20\n[[consumer]]"
        ),
        format!("{second}content = \"a\"\nsegments = 10\n{second}content = \"a\"\n[[consumer]]"),
    ];
    edits.extend(others.iter().map(|text| ("[[consumer]]", text.as_str())));
    edits.extend([
        ("at = \"home\"\nprefix = \"/film\"", "at = \"hoem\"\nprefix = \"/film\""),
        ("at = \"home\"\nprefix = \"/film\"", "at = \"home\"\nprefix = \"/flim\""),
        ("at = \"home\"\nprefix = \"/film\"", "at = \"island\"\nprefix = \"/film\""),
        ("at = \"home\"\nprefix = \"/film\"", "at = \"west\"\nprefix = \"/film\""),
        ("law = \"mircc\"", "law = \"rcp\"\nconsumer = \"mircc\""),
        ("law = \"mircc\"", "law = \"none\"\nconsumer = \"single\""),
        ("law = \"mircc\"", "law = \"none\""),
    ]);
    shown!(book(&edits));
    let nobody = &VALID[..VALID.find("[[consumer]]").unwrap()];
    shown!(crate::common::refusal(nobody, &|_| unreachable!("no files")), as "nobody_asks");
}

#[test]
fn requests() {
    let segments = "segments = [[1000, 0.99], [50000, 0.01]]";
    let with = |lines: &str| format!("{segments}\n{lines}");
    let lines = [
        "zipf = 0.8",
        "catalogue = 0",
        "catalogue = 2000000",
        "catalogue = 10\nzipf = -1",
        "catalogue = 10\nzipf = nan",
        "start = \"30 s\"",
        "consumer = \"mirc\"",
    ]
    .map(with);
    let mut edits: Vec<(&str, &str)> =
        lines.iter().map(|lines| (segments, lines.as_str())).collect();
    edits.extend([
        (segments, "segments = 0"),
        (segments, "segments = []"),
        (segments, "segments = [[1000, 0.5], [2000, 0.4]]"),
        (segments, "segments = [[1000, 1.5], [2000, -0.5]]"),
        (segments, "segments = [[1000, nan]]"),
        (segments, "segments = \"many\""),
        ("every = \"0.5 s\"", "every = \"0 s\""),
        ("at = [\"home\", \"fork\"]", "at = []"),
        ("at = [\"home\", \"fork\"]", "at = [\"home\", \"home\"]"),
        ("at = [\"home\", \"fork\"]", "at = [\"home\", \"island\"]"),
        ("at = [\"home\", \"fork\"]", "at = [\"home\", \"west\"]"),
        ("prefix = [\"/film\", \"/news\"]", "prefix = []"),
        ("prefix = [\"/film\", \"/news\"]", "prefix = [\"/film\", \"/film\"]"),
        ("prefix = [\"/film\", \"/news\"]", "prefix = [\"/film\", \"/new\"]"),
        ("name = \"shop\"", "name = \"\""),
    ]);
    shown!(book(&edits));
}
