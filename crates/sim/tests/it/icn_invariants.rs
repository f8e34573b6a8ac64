//! Invariants of every information-centric network, whatever happens in it.

use crate::common::{run, scenario};
use narrows_measure::{FlowRecord, IcnRecord, LinkRecord, Record};
use narrows_units::{Bytes, Span, Time};

/// Consumers and processes stop at 20 s; the run lasts for a lifetime of 4 s and twice the longest
/// wait of a consumer more.
const DURATION: u64 = 30;

/// Three ways from home to far (over a, b and c), one of which also leads to near.
pub fn network(link: &str) -> String {
    let links = [
        ("home", "fork", 30),
        ("fork", "a", 10),
        ("fork", "b", 8),
        ("fork", "c", 12),
        ("a", "join", 20),
        ("b", "join", 20),
        ("c", "join", 20),
        ("join", "far", 25),
    ];
    let link = |(from, to, rate): (&str, &str, u32)| {
        format!(
            "[[link]]\nname = \"{from}-{to}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"{rate} Mbit/s\"\ndelay = \"4 ms\"\n{link}\n"
        )
    };
    let prefixes = "[[prefix]]\nname = \"/far\"\nat = \"far\"\n[[prefix]]\nname = \"/home\"\nat = \"home\"\ndata = \"1300 B\"\n";
    format!(
        "duration = \"{DURATION} s\"\nwarmup = \"5 s\"\nsample = \"100 ms\"\n{}{prefixes}",
        links.map(link).concat()
    )
}

/// Consumers that stop at 20 s: endless and finite ones, with a content in common, and contents at
/// random from a catalogue.
pub const CONSUMERS: &str = r#"
[[consumer]]
name = "endless"
at = "home"
prefix = "/far"
stop = "20 s"
[[consumer]]
name = "film"
at = "home"
prefix = "/far"
content = "film"
segments = 3000
count = 3
stagger = "300 ms"
stop = "20 s"
[[consumer]]
name = "finite"
at = "fork"
prefix = "/far"
segments = 2000
start = "2 s"
stop = "20 s"
[[request]]
name = "shop"
at = ["home", "fork", "a"]
prefix = "/far"
every = "200 ms"
segments = [[20, 0.9], [200, 0.1]]
catalogue = 50
stop = "18 s"
"#;

/// Data the other way.
const BOTH_WAYS: &str =
    "[[consumer]]\nname = \"back\"\nat = \"far\"\nprefix = \"/home\"\nstop = \"20 s\"\n";

/// Of consumers with a window.
const CONTROLLERS: [&str; 4] = ["cubic", "bbr", "newreno", "dctcp"];

fn icn(record: &Record) -> &IcnRecord {
    record.icn.as_deref().expect("an information-centric network")
}

fn link<'a>(record: &'a Record, name: &str) -> &'a LinkRecord {
    record.links.iter().find(|link| link.name == name).expect("a link")
}

fn flow<'a>(record: &'a Record, name: &str) -> &'a FlowRecord {
    record.flows.iter().find(|flow| flow.name == name).expect("a flow")
}

/// The other direction of each link.
fn twin(record: &Record, index: usize) -> usize {
    let name = &record.links[index].name;
    let other = name.strip_suffix(".back").map_or_else(|| format!("{name}.back"), str::to_owned);
    record.links.iter().position(|link| link.name == other).expect("a two-way link")
}

/// Mean goodput in Mbit/s between two times in seconds.
fn goodput(flow: &FlowRecord, from: f64, to: f64) -> f64 {
    let at = |seconds: f64| {
        flow.samples
            .iter()
            .find(|sample| sample.at >= Time::ZERO + Span::from_secs_f64(seconds))
            .expect("a sample")
            .goodput
    };
    (at(to) - at(from)).bits() as f64 / (to - from) / 1e6
}

/// Runs it twice at the same time, and asserts what always holds.
fn checked(text: &str) -> Record {
    let plan = scenario(text);
    let (record, again) = std::thread::scope(|scope| {
        let other = scope.spawn(|| narrows_sim::run(&plan).expect("a run"));
        (narrows_sim::run(&plan).expect("a run"), other.join().expect("no panic"))
    });
    assert!(format!("{record:?}") == format!("{again:?}"), "two runs differ:\n{text}");
    for (index, one) in record.links.iter().enumerate() {
        let back = &record.links[twin(&record, index)];
        let ours = icn(&record).rates[twin(&record, index)].total.sent;
        let theirs = icn(&record).rates[index].total.sent;
        assert!(
            one.total.offered >= ours,
            "{}: {} packets, {ours} Interests among them",
            one.name,
            one.total.offered
        );
        let answers = one.total.offered - ours;
        assert!(
            answers <= theirs.min(back.total.delivered),
            "{}: {answers} Data packets and Nacks for {theirs} Interests\n{text}",
            one.name
        );
        let LinkRecord { total, left_queued, left_in_flight, .. } = one;
        assert_eq!(
            total.offered,
            total.delivered
                + total.lost
                + total.overflowed
                + total.dropped_early
                + left_queued
                + left_in_flight,
            "{}",
            one.name
        );
    }
    for (flow, consumer) in record.flows.iter().zip(&icn(&record).consumers) {
        let total = &flow.total;
        let in_flight = flow.samples.last().map_or(0, |sample| u64::from(sample.in_flight));
        assert_eq!(total.sent, consumer.total.interests);
        assert!(
            total.arrived <= total.sent,
            "{}: {} of {} arrived",
            flow.name,
            total.arrived,
            total.sent
        );
        assert_eq!(total.declared_lost, consumer.total.nacks + total.timeouts, "{}", flow.name);
        // Windows find out by themselves what is lost.
        if CONTROLLERS.contains(&flow.controller.as_str()) {
            continue;
        }
        assert!(total.retransmitted <= total.declared_lost, "{}: {total:?}", flow.name);
        let ended = flow
            .samples
            .last()
            .is_some_and(|sample| sample.at.since(Time::ZERO) == record.duration);
        // Data of an Interest that was given up may come after all.
        let spurious = if total.timeouts > 0 || flow.completed { total.declared_lost } else { 0 };
        let known = total.arrived + total.declared_lost + in_flight;
        let process = !icn(&record).consumers.is_empty() && flow.transfers.is_some();
        if ended && !process {
            assert!(
                (total.sent..=total.sent + spurious).contains(&known),
                "{}: {known} of {} in {total:?}, {in_flight} in flight\n{text}",
                flow.name,
                total.sent
            );
        }
    }
    record
}

/// Nobody asks any more, and nobody waits.
fn assert_empty(record: &Record, text: &str) {
    assert_eq!(icn(record).pending, 0, "Interests are left over:\n{text}");
}

fn dropped(record: &Record) -> u64 {
    record.links.iter().map(|link| link.total.overflowed + link.total.dropped_early).sum()
}

#[test]
fn nothing_is_left_over_in_any_form_of_steering_with_and_without_caches() {
    for steering in ["labels", "hashes", "random", "bloom"] {
        for (law, cache) in [("mircc", 0), ("mircc", 500), ("mircc-single", 0), ("rcp", 20)] {
            let text = format!(
                "{}[icn]\nsteering = \"{steering}\"\nlaw = \"{law}\"\ncache = {cache}\n{CONSUMERS}",
                network("buffer = \"60 packets\"")
            );
            let record = checked(&text);
            assert_empty(&record, &text);
            if law == "mircc" {
                assert_eq!(dropped(&record), 0, "{text}");
            }
            assert_eq!(icn(&record).cached > 0, cache > 0);
            assert!(
                goodput(flow(&record, "endless"), 5.0, 20.0) > 3.0,
                "{steering}, {law}: {}",
                goodput(flow(&record, "endless"), 5.0, 20.0)
            );
            assert!(flow(&record, "finite").completed && flow(&record, "film.3").completed);
        }
    }
}

#[test]
fn both_ways_and_without_limits_nothing_is_dropped() {
    // Data of a burst that shapers let through late: up to 40 packets wait.
    for buffer in ["", "buffer = \"60 packets\""] {
        for icn in [
            "",
            "shaper_form = \"published\"",
            "multipath = false",
            "consumer = \"best-subflow\"",
            "consumer = \"total-per-subflow\"",
        ] {
            let text = format!("{}[icn]\n{icn}\n{CONSUMERS}{BOTH_WAYS}", network(buffer));
            let record = checked(&text);
            assert_empty(&record, &text);
            assert_eq!(dropped(&record), 0, "{text}");
        }
    }
}

#[test]
fn losses_outages_and_steps_of_the_rate_leave_nothing_over() {
    let outage = "[[change]]\nlink = \"fork-a\"\nat = \"6 s\"\ndown_for = \"2 s\"\n[[change]]\nlink = \"join-far\"\nat = \"10 s\"\ndown_for = \"1 s\"\n";
    let steps = "[[change]]\nlink = \"fork-b\"\nboth = true\nat = \"6 s\"\nrate = \"2 Mbit/s\"\n[[change]]\nlink = \"fork-b\"\nboth = true\nat = \"10 s\"\nrate = \"8 Mbit/s\"\n";
    let silence = "[[change]]\nlink = \"join-far\"\nboth = true\nat = \"6 s\"\nrate = \"0 Mbit/s\"\n[[change]]\nlink = \"join-far\"\nboth = true\nat = \"9 s\"\nrate = \"25 Mbit/s\"\n";
    let links = [
        "",
        "loss = \"2 %\"",
        "loss = { every = 50 }\njitter = \"2 ms\"",
        "queue = \"codel\"",
        "reorder = { share = \"5 %\", delay = \"3 ms\" }",
        "buffer = \"5 packets\"",
    ];
    for (number, link) in links.into_iter().enumerate() {
        // Each kind of change with half of the links.
        for changes in [["", outage], [steps, silence]][number % 2] {
            let text = format!("{}[icn]\n{CONSUMERS}{BOTH_WAYS}{changes}", network(link));
            assert_empty(&checked(&text), &text);
        }
    }
}

#[test]
fn windows_leave_nothing_over() {
    for controller in CONTROLLERS {
        for (link, all) in [
            ("buffer = \"40 packets\"", ["", "shaper = false"]),
            ("queue = \"codel?ecn=true\"", ["", "shaper = false"]),
            ("loss = \"1 %\"", ["", "cache = 100"]),
        ] {
            for icn in all {
                let text = format!(
                    "{}[icn]\nlaw = \"none\"\ncontroller = \"{controller}\"\n{icn}\n{CONSUMERS}{BOTH_WAYS}",
                    network(link)
                );
                let record = checked(&text);
                assert_empty(&record, &text);
                assert!(
                    goodput(flow(&record, "endless"), 5.0, 20.0) > 0.5,
                    "{controller}, {link}, {icn}"
                );
                if link.contains("ecn") && icn == "shaper = false" {
                    assert!(
                        record.links.iter().map(|link| link.total.marked).sum::<u64>() > 0,
                        "{controller}"
                    );
                }
            }
        }
    }
}

/// One link of 10 Mbit/s behind one of 100, and `consumers`.
fn bottleneck(icn: &str, link: &str, consumers: &str) -> String {
    format!(
        "duration = \"20 s\"\nwarmup = \"5 s\"\nsample = \"50 ms\"\n[icn]\n{icn}\n\
         [[link]]\nname = \"wide\"\nbetween = [\"home\", \"middle\"]\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n\
         [[link]]\nname = \"narrow\"\nbetween = [\"middle\", \"far\"]\nrate = \"10 Mbit/s\"\ndelay = \"10 ms\"\n{link}\n\
         [[prefix]]\nname = \"/far\"\nat = \"far\"\n[[prefix]]\nname = \"/home\"\nat = \"home\"\n{consumers}"
    )
}

fn consumers(name: &str, at: &str, prefix: &str, more: &str) -> String {
    format!("[[consumer]]\nname = \"{name}\"\nat = \"{at}\"\nprefix = \"{prefix}\"\n{more}\n")
}

#[test]
fn the_shaper_never_books_more_than_the_way_back_carries() {
    let forth = consumers("forth", "home", "/far", "count = 4");
    let back = consumers("back", "far", "/home", "count = 4");
    for (consumers, expected) in
        [(forth.clone(), 0.98), (format!("{forth}{back}"), 0.98 * 10.0 / 11.0)]
    {
        let record = checked(&bottleneck(
            "law = \"none\"\ncontroller = \"cubic\"\nshaper_queue = 50",
            "",
            &consumers,
        ));
        let data = link(&record, "narrow.back");
        // Of 10 Mbit/s for 15 s: Data of 1000 B for what the shaper lets through, 98 %, or both
        // ways 98 % of 10/11.
        let interests = icn(&record).rates
            [record.links.iter().position(|link| link.name == "narrow.back").unwrap()]
        .steady
        .sent;
        let booked = interests as f64 * 8000.0 / 15.0 / 10e6;
        assert!(
            (expected * 0.99..=expected * 1.001).contains(&booked),
            "{booked} of the link is booked"
        );
        assert_eq!(data.total.overflowed, 0);
        // At most a packet in transmission and an Interest of the other side wait there.
        let longest = data.queueing.quantile(1.0).expect("packets");
        assert!(longest < Span::from_millis(3), "Data waited for {longest}");
    }
}

/// Data of six times the size of Interests both ways, as in Abilene: 84 % of the link each way,
/// which is less than the law aims at on a whole link.
#[test]
fn where_data_goes_both_ways_no_queue_stands() {
    let flows = consumers("forth", "home", "/far", "count = 3")
        + &consumers("back", "far", "/home", "count = 3");
    let median = |settings: &str| {
        let record = checked(&bottleneck(
            &format!("interest = \"300 B\"\ndata = \"1800 B\"\n{settings}"),
            "",
            &flows,
        ));
        let refused: u64 =
            icn(&record).consumers.iter().map(|consumer| consumer.steady.nacks).sum();
        let goodput: f64 = record.flows.iter().map(|flow| goodput(flow, 5.0, 20.0)).sum();
        (flow(&record, "forth.1").rtt.quantile(0.5).expect("round trips"), refused, goodput)
    };
    // 30 ms of delays, and less than 4 ms of transmissions.
    let (rtt, refused, goodput) = median("");
    assert!(rtt < Span::from_millis(40) && refused == 0, "{rtt}, {refused} refused");
    // 0.95 (10 - x/6) = x each way.
    assert!((goodput / (2.0 * 9.5 / (1.0 + 0.95 / 6.0)) - 1.0).abs() < 0.03, "{goodput} Mbit/s");
    let (whole, ..) = median("shaped_capacity = false");
    assert!(whole > rtt * 3, "with whole links one does: {whole}");
}

/// NewReno's window keeps the shaper full, so that the law, which aims lower, takes all from those
/// who follow its rates: unless a proxy asks for it.
#[test]
fn a_window_and_a_consumer_that_follows_rates_share_a_link_by_a_proxy() {
    let both = consumers("window", "home", "/far", "controller = \"newreno\"")
        + &consumers("rates", "home", "/far", "");
    let shares = |icn: &str| {
        let record = checked(&bottleneck(icn, "", &both));
        // Its consumers stand in the order of the scenario.
        let nacks = record.icn.as_ref().expect("nodes").consumers[0].total.nacks;
        (["window", "rates"].map(|name| goodput(flow(&record, name), 5.0, 20.0) / 10.0), nacks)
    };
    let ([window, rates], nacks) = shares("proxy = false");
    assert!(window > 0.8 && rates < 0.1 && nacks > 0, "{window} {rates}");
    let ([window, rates], nacks) = shares("");
    assert!(
        (0.4..0.6).contains(&window) && (0.4..0.6).contains(&rates) && nacks == 0,
        "{window} {rates}"
    );
}

/// A consumer with a window that its node takes for one that follows rates, beside two that do.
#[test]
fn police_leaves_their_share_to_those_who_follow_rates() {
    let both = consumers("window", "home", "/far", "controller = \"cubic\"")
        + &consumers("rates", "home", "/far", "count = 2");
    let shares = |icn: &str| {
        let record = checked(&bottleneck(icn, "", &both));
        let of = |name| goodput(flow(&record, name), 5.0, 20.0) / 10.0;
        let shares = ["window", "rates.1", "rates.2"].map(of);
        println!("{icn:?}: {shares:?}");
        shares
    };
    let [window, ..] = shares("proxy = false");
    assert!(window > 0.8, "{window}");
    let [window, first, second] = shares("proxy = false\npolice = true");
    // 1.25 R + R + R is what the law shares out.
    assert!(
        window < 1.25 * first.max(second) + 0.01 && first.min(second) > 0.25,
        "{window} {first} {second}"
    );
    let [.., first, second] =
        shares("proxy = false\npolice = true\nlaw = \"mircc-single\"\nconsumer = \"single\"");
    assert!(first.min(second) > 0.25, "{first} {second}");
    // A consumer that follows rates is not touched.
    let obedient = |icn: &str| {
        let record =
            checked(&bottleneck(icn, "", &consumers("rates", "home", "/far", "count = 3")));
        (0..3).map(|flow| goodput(&record.flows[flow], 5.0, 20.0)).collect::<Vec<_>>()
    };
    assert_eq!(obedient(""), obedient("police = true"));
}

#[test]
fn a_flood_is_refused_and_what_is_kept_of_it_is_bounded() {
    const PENDING: u64 = 40;
    for shaper in [true, false] {
        let flood = consumers("flood", "home", "/far", "count = 200");
        let record = checked(&bottleneck(
            &format!(
                "law = \"none\"\ncontroller = \"cubic\"\npending = {PENDING}\nshaper = {shaper}\nshaper_queue = 5000"
            ),
            "",
            &flood,
        ));
        let nacks: u64 = icn(&record).consumers.iter().map(|consumer| consumer.total.nacks).sum();
        assert!(nacks > 200, "{nacks} Nacks");
        // At the second node PENDING for its one face; at the first those and what is on the link
        // between, or waits for it.
        let between: u64 = ["wide", "wide.back"]
            .iter()
            .map(|name| link(&record, name))
            .map(|link| link.left_queued + link.left_in_flight)
            .sum();
        let waiting = u64::from(icn(&record).rates[1].samples.last().unwrap().queue);
        let pending = icn(&record).pending;
        assert!(
            pending <= 2 * PENDING + between + waiting,
            "{pending} pending, {between} between, {waiting} wait"
        );
    }
}

#[test]
fn rates_recover_after_an_outage_and_follow_the_link() {
    for icn in ["", "law = \"mircc-single\"", "law = \"rcp\""] {
        let consumer = consumers("one", "home", "/far", "");
        let outage = checked(&bottleneck(
            icn,
            "",
            &format!(
                "{consumer}[[change]]\nlink = \"narrow\"\nboth = true\nat = \"8 s\"\ndown_for = \"2 s\"\n"
            ),
        ));
        let one = flow(&outage, "one");
        let before = goodput(one, 5.0, 8.0);
        let during = goodput(one, 8.2, 10.0);
        let after = goodput(one, 14.0, 20.0);
        assert!(
            before > 9.0 && during < 0.2 && after > 0.98 * before,
            "{icn}: {before}, {during}, {after} Mbit/s"
        );
        let steps = "[[change]]\nlink = \"narrow\"\nboth = true\nat = \"8 s\"\nrate = \"2 Mbit/s\"\n[[change]]\nlink = \"narrow\"\nboth = true\nat = \"14 s\"\nrate = \"20 Mbit/s\"\n";
        let steps = checked(&bottleneck(icn, "", &format!("{consumer}{steps}")));
        let one = flow(&steps, "one");
        let before = goodput(one, 5.0, 8.0);
        let low = goodput(one, 10.0, 14.0);
        let high = goodput(one, 16.0, 20.0);
        assert!(
            before > 9.0 && (low / 1.9 - 1.0).abs() < 0.05 && (high / 19.0 - 1.0).abs() < 0.05,
            "{icn}: {before}, {low}, {high} Mbit/s"
        );
        assert_eq!(dropped(&steps) + dropped(&outage), 0);
    }
}

/// The measurements of flows with these names.
fn told(record: &Record, names: &[&str]) -> String {
    let flows = record
        .flows
        .iter()
        .zip(&icn(record).consumers)
        .filter(|(flow, _)| names.iter().any(|name| flow.name.starts_with(name)));
    flows
        .map(|(flow, consumer)| {
            format!(
                "{} {:?} {:?} {:?} {:?} {consumer:?}\n",
                flow.name, flow.total, flow.rtt, flow.transfers, flow.samples
            )
        })
        .collect()
}

#[test]
fn whoever_asks_elsewhere_changes_nobody_s_draws() {
    let here = format!("{}[icn]\nlaw = \"mircc\"\n{CONSUMERS}", network("loss = \"0.5 %\""));
    // In a network of its own, whose tables come first.
    let elsewhere = "[[prefix]]\nname = \"/elsewhere\"\nat = \"sea\"\n\
        [[link]]\nname = \"strait\"\nbetween = [\"island\", \"sea\"]\nrate = \"5 Mbit/s\"\ndelay = \"3 ms\"\nloss = \"1 %\"\n\
        [[request]]\nname = \"letters\"\nat = \"island\"\nprefix = \"/elsewhere\"\nevery = \"50 ms\"\nsegments = 5\n";
    let start = here.find("[[link]]").expect("a link");
    let both = format!("{}{elsewhere}{}", &here[..start], &here[start..]);
    let names = ["endless", "film", "finite", "shop"];
    let alone = run(&here);
    let beside = run(&both);
    assert_eq!(beside.flows.len(), alone.flows.len() + 1);
    assert!(told(&alone, &names) == told(&beside, &names));
}

#[test]
fn what_its_own_node_has_cached_comes_no_faster_than_links_bring() {
    let film = |name: &str, start: &str| {
        consumers(
            name,
            "home",
            "/far",
            &format!("content = \"film\"\nsegments = 5000\nstart = \"{start}\""),
        )
    };
    let record = checked(&bottleneck(
        "cache = 3000",
        "",
        &format!("{}{}", film("first", "0 s"), film("second", "10 s")),
    ));
    // The cache holds the last 3000 when the second begins with the first ones: each it asks for
    // pushes one out that it would have found later.
    let second = flow(&record, "second");
    assert!(second.completed);
    let record = checked(&bottleneck(
        "cache = 5000",
        "",
        &format!("{}{}", film("first", "0 s"), film("second", "10 s")),
    ));
    let second = flow(&record, "second");
    // All of it is here: 5000 packets of 1000 B at the 100 Mbit/s of the node's only link take 0.4
    // s, at each of two classes.
    let took = second.end.expect("an end").since(second.start);
    assert!((Span::from_millis(195)..Span::from_millis(400)).contains(&took), "{took}");
    assert_eq!(icn(&record).cached, 5000);
    assert_eq!(second.total.goodput, Bytes::new(5_000_000));
}
