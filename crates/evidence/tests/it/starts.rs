//! Starts of connections: their measures on runs whose numbers are known, and the suite's maps.
//!
//! The base: 50 Mbit/s and 100 ms, so that a bandwidth-delay product (BDP) is 416.7 packets.

use narrows_evidence::check::{Check, Options, report};
use narrows_evidence::measures::MEASURES;
use narrows_evidence::number::Number;
use narrows_evidence::report::{Checked, check_figures};
use narrows_evidence::suite::{Players, Scope, startup};
use narrows_measure::Record;
use narrows_sim::Progress;
use narrows_transport::{Observer, Seen, Sender};
use narrows_units::Time;

fn text(controller: &str, buffer: f64, seconds: u32, flow: &str) -> String {
    format!(
        "duration = \"{seconds} s\"\nwarmup = \"0 s\"\nsample = \"2 ms\"\nsend_overhead = false\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"50 \
         Mbit/s\"\ndelay = \"50 ms\"\nbuffer = \"{buffer} bdp\"\n[[flow]]\nname = \"self\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{controller}\"\n{flow}"
    )
}

fn scenario(text: &str) -> narrows_scenario::Scenario {
    narrows_scenario::parse(text, "t.toml", &|_| Err(std::io::Error::other("no file")))
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

fn run(text: &str) -> Record {
    narrows_sim::run(&scenario(text)).unwrap_or_else(|error| panic!("{error}"))
}

fn value(name: &str, record: &Record) -> Option<f64> {
    let metric = MEASURES.iter().find(|metric| metric.name == name).unwrap();
    Number { metric, of: String::new(), window: None }.value(record)
}

#[track_caller]
fn near(value: Option<f64>, expected: f64, part: f64) {
    let value = value.expect("it is defined");
    assert!((value - expected).abs() <= part * expected.max(0.01), "{value}, not {expected}");
}

/// Window at the end, class, share that ended by itself, loss and queue in BDP. Without loss a queue
/// is the window less what the path holds; SEARCH with 2 BDP loses the window less path and
/// buffer.
const KNOWN: [(&str, f64, [f64; 5]); 9] = [
    ("newreno?start=classic", 1.0, [4.0, 3.0, 0.0, 2.0, 1.0]),
    ("newreno?start=classic", 4.0, [10.0, 3.0, 0.0, 5.0, 4.0]),
    ("newreno?start=classic&profile=rfc5681", 10.0, [22.0, 3.0, 0.0, 11.0, 10.0]),
    ("cubic?start=hystart", 1.0, [1.28, 2.0, 100.0, 0.0, 0.52]),
    ("cubic?start=hystart", 4.0, [1.28, 2.0, 100.0, 0.0, 0.52]),
    ("cubic?profile=rfc9438&start=hystart++", 10.0, [9.43, 2.0, 100.0, 0.0, 8.43]),
    ("newreno?start=search", 8.0, [5.69, 2.0, 100.0, 0.0, 4.69]),
    ("newreno?start=search", 2.0, [5.69, 3.0, 100.0, 2.69, 2.0]),
    ("newreno?start=search&search_threshold=0.35", 8.0, [6.74, 2.0, 100.0, 0.0, 5.74]),
];

#[test]
fn starts_end_where_they_are_known_to_end() {
    for (controller, buffer, [exit, class, cause, loss, queue]) in KNOWN {
        let record = run(&text(controller, buffer, 8, ""));
        println!("{controller}, {buffer} BDP");
        near(value("start_exit_bdp", &record), exit, 0.03);
        assert_eq!(value("start_class", &record), Some(class));
        assert_eq!(value("start_cause", &record), Some(cause));
        assert_eq!(value("start_left", &record), Some(100.0));
        near(value("start_loss", &record), loss, 0.03);
        near(value("start_queue", &record), queue, 0.05);
        near(value("start_t80", &record), 0.835, 0.05);
        assert_eq!(value("start_false", &record), Some(0.0), "the path was filled");
    }
}

/// The code `start_exit` that a controller gives for the end of its start.
#[derive(Default)]
struct Watch(f64);

impl Observer for Watch {
    fn on_packet(&mut self, _seen: &Seen) {}

    fn on_sender(&mut self, _at: Time, _flow: usize, sender: &Sender) {
        sender.controller().inspect(&mut |name, value| {
            if name == "start_exit" && self.0 == 0.0 {
                self.0 = value;
            }
        });
    }
}

/// Samples of windows and drops tell the cause that the controller itself knows.
#[test]
fn causes_are_those_that_controllers_tell() {
    let starts = [
        "start=classic",
        "start=hystart",
        "start=hystart++",
        "start=search",
        "start=search&drain=sixteenth",
        "start=rapid",
    ];
    let (mut by_itself, mut by_congestion) = (0, 0);
    for (controller, buffer) in
        ["newreno", "cubic"].into_iter().flat_map(|own| [0.1, 1.0, 8.0].map(|buffer| (own, buffer)))
    {
        for start in starts {
            let text = text(&format!("{controller}?{start}"), buffer, 5, "");
            let mut watch = Watch::default();
            let record = narrows_sim::run_observed(
                &scenario(&text),
                Progress::heard_by(&mut |_| true),
                &mut watch,
            )
            .unwrap_or_else(|error| panic!("{error}"));
            let expected = (watch.0 != 0.0).then_some(if watch.0 == 1.0 { 100.0 } else { 0.0 });
            assert_eq!(value("start_cause", &record), expected, "{controller}?{start}, {buffer}");
            by_itself += u32::from(expected == Some(100.0));
            by_congestion += u32::from(expected == Some(0.0));
        }
    }
    assert!(by_itself >= 8 && by_congestion >= 16, "{by_itself}, {by_congestion}");
}

#[test]
fn a_controller_without_a_threshold_has_no_start_to_measure() {
    let record = run(&text("bbr", 1.0, 4, ""));
    for name in
        ["start_exit_bdp", "start_class", "start_cause", "start_left", "start_false", "start_queue"]
    {
        assert_eq!(value(name, &record), None, "{name}");
    }
    assert!(value("start_t80", &record).is_some());
}

/// 1 MB: 690.6 segments of 1500 B with headers at 50 Mbit/s take 0.166 s; propagation and handshake
/// 0.15 s.
#[test]
fn a_transfer_has_an_ideal_time() {
    let record = run(&text("newreno", 1.0, 4, "workload = { size = \"1 MB\" }"));
    near(value("start_ideal", &record), 0.05 + 0.1 + 1e6 / 1448.0 * 1500.0 * 8.0 / 50e6, 0.01);
    assert_eq!(value("start_left", &record), Some(0.0), "it ends in slow start");
}

/// A flow that has the link, and one that takes a part of it from 10 s on; alone nobody loses.
#[test]
fn harm_is_the_goodput_that_others_lose() {
    let late = "[[flow]]\nname = \"late\"\nfrom = \"a\"\nto = \"b\"\nstart = \"10 s\"\ncontroller = \"newreno\"\n";
    let record = run(&text("newreno", 1.0, 16, late));
    let harm = value("start_harm", &record).unwrap();
    let goodput = |from: u64, to: u64| {
        let at = |s: u64| {
            let at = record.flows[0]
                .samples
                .iter()
                .rfind(|own| own.at <= Time::from_nanos(s * 1_000_000_000));
            at.unwrap().goodput.get() as f64
        };
        at(to) - at(from)
    };
    near(Some(harm), 100.0 * (1.0 - goodput(10, 15) / goodput(5, 10)), 1e-9);
    assert!((0.5..60.0).contains(&harm), "{harm}");
    assert_eq!(
        value("start_harm", &run(&text("newreno", 1.0, 16, ""))),
        None,
        "nobody is there before"
    );
}

/// The share of ten seeds in which bursts of ten segments over 50 ms end a start within 5 s.
fn ended_by_bursts(controller: &str, period: u32, jitter: u32) -> f64 {
    let rate = 115_840 / period;
    let ended = (1..=10).filter(|seed| {
        let text = format!(
            "seed = {seed}\nduration = \"5 s\"\nwarmup = \"0 s\"\nsample = \"5 ms\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"50 Mbit/s\"\ndelay = \
             \"25 ms\"\nbuffer = \"8 bdp\"\njitter = \"{jitter} ms\"\n[[flow]]\nname = \"self\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{controller}\"\nworkload = {{ \
             rate = \"{rate} kbit/s\", frame = \"{period} ms\" }}\n"
        );
        value("start_false", &run(&text)) == Some(100.0)
    });
    ended.count() as f64 / 10.0
}

/// Neqo looks only at segments that the application did not limit; the Linux module evaluates all,
/// so that SEARCH ends on an idle path. HyStart ends there if times vary.
#[test]
fn bursts_of_an_application_end_starts_on_an_idle_path() {
    for (period, jitter) in [(60, 0), (60, 10), (200, 10), (500, 10)] {
        assert_eq!(
            ended_by_bursts("newreno?start=search", period, jitter),
            0.0,
            "{period}, {jitter}"
        );
    }
    let linux = "newreno?start=search&search_limited=evaluate";
    assert!(ended_by_bursts(linux, 60, 0) >= 0.5, "a period of 3.4 bins");
    assert!(ended_by_bursts(linux, 200, 10) >= 0.2);
    assert_eq!(ended_by_bursts(linux, 200, 0), 0.0);
    assert_eq!(ended_by_bursts(linux, 500, 10), 0.0, "more than ten bins: it begins anew");
    assert!(ended_by_bursts("newreno?start=hystart", 60, 10) >= 0.5);
    assert_eq!(ended_by_bursts("newreno?start=hystart", 60, 0), 0.0);
}

/// Frames of 10 segments, and each 92nd of 90, for 20 s; then 10 MB.
fn bulk_after_frames(controller: &str) -> Record {
    let workload = "workload = { rate = \"1259130 bit/s\", frame = \"100 ms\", key_every = 92, key_factor = 9.0, until = \"20 s\", then = \"10 MB\" }";
    run(&text(controller, 1.0, 30, workload))
}

/// 91 % of the segments before the bulk data are in frames that the initial window holds.
#[test]
fn bulk_data_find_the_window_that_growth_left() {
    let record = bulk_after_frames("newreno?growth=rate-limited");
    let list = &record.flows[0].transfers.as_ref().unwrap().list;
    let (frames, bulk) = list.split_at(200);
    let segments = |size: u64| frames.iter().filter(|own| own.size.get() == size * 1448).count();
    assert_eq!((segments(10), segments(90), bulk.len()), (197, 3, 1));
    assert_eq!((bulk[0].start, bulk[0].size.get()), (Time::from_nanos(20_000_000_000), 10_000_000));
    near(value("last_slowdown", &record), bulk[0].slowdown(), 1e-9);
    let dropped = |record: &Record| {
        let before = record.flows[0].samples.iter().rfind(|own| own.at <= bulk[0].start).unwrap();
        (record.flows[0].total.dropped - before.dropped) as f64
    };
    assert_eq!(value("last_dropped", &record), Some(dropped(&record)));
    let window = |record: &Record| {
        let before = record.flows[0].samples.iter().rfind(|own| own.at < bulk[0].start);
        before.unwrap().cwnd
    };
    let found = |growth: &str| {
        let record = bulk_after_frames(&format!("newreno?growth={growth}"));
        (window(&record), value("last_dropped", &record).unwrap())
    };
    let (used, free, limited) = (found("used"), found("free"), found("rate-limited"));
    // Twice the largest flight, a frame of 90 and the next of 10.
    assert_eq!((used.0, limited.0), (200.0, 200.0));
    // Ten, and each segment that was acknowledged: all but the last frame.
    assert_eq!(free.0, 10.0 + 2230.0);
    assert!(free.1 > 1.1 * used.1 && limited.1 == used.1, "{used:?} {free:?} {limited:?}");
}

#[test]
fn bulk_data_that_are_not_complete_have_no_slowdown() {
    let workload = "workload = { rate = \"1 Mbit/s\", frame = \"100 ms\", until = \"2 s\", then = \"100 MB\" }";
    let record = run(&text("newreno", 1.0, 4, workload));
    assert_eq!((value("last_slowdown", &record), value("last_dropped", &record)), (None, None));
}

#[test]
fn the_map_of_exits_has_every_player_and_the_known_lines() {
    let players = Players {
        subject: "newreno?start=search".to_owned(),
        baselines: vec!["newreno".to_owned(), "cubic".to_owned()],
        program: false,
    };
    let options = Options {
        quick: true,
        scope: Scope::Internet,
        only: vec!["exit".to_owned()],
        seeds: Some(5),
        first_seed: 1,
        signals: false,
    };
    let check = Check::new(startup().unwrap(), players, options).unwrap();
    let runs: std::collections::BTreeMap<_, _> = check
        .first()
        .into_iter()
        .map(|run| {
            let record = narrows_sim::run(&check.scenario(run).unwrap()).unwrap();
            (run, check.keep(run, &record))
        })
        .collect();
    let verdicts = report(&check, &|run| runs.get(&run).cloned());
    let checked = Checked::of(&check, &verdicts, "1", "", runs.len());
    let maps: Vec<_> = check_figures(&checked)
        .into_iter()
        .filter(|figure| figure.name().starts_with("exit-map"))
        .collect();
    let names: Vec<String> = maps.iter().map(|figure| figure.name()).collect();
    assert_eq!(names, ["exit-map-newreno-start-search", "exit-map-newreno", "exit-map-cubic"]);
    for map in &maps {
        let narrows_figure::Content::Curves { series, rules } = &map.content else {
            panic!("curves")
        };
        assert_eq!(rules.iter().map(|rule| rule.at).collect::<Vec<_>>(), [9.4, 5.5, 1.28]);
        let of = |name: &str| series.iter().find(|own| own.name == name).unwrap().points.clone();
        let count = |name: &str| of(name).iter().flatten().count();
        // Quantiles over the seeds are on both sides of the median.
        let ranges = series.iter().flat_map(|own| own.points.iter().flatten().zip(&own.ranges));
        let around = ranges.map(|((b, w), range)| {
            assert!(range.0 == *b && range.1 <= *w && *w <= range.2, "{range:?} {w}");
        });
        assert_eq!(around.count(), 8, "{}", map.title);
        assert_eq!(count("early") + count("right") + count("late"), 8, "{}", map.title);
        // At 1 BDP classic slow start ends at 4.
        if map.name() == "exit-map-newreno" {
            let late = of("late");
            assert!(
                late.iter().flatten().any(|(b, w)| *b == 1.0 && (w - 4.0).abs() < 0.1),
                "{late:?}"
            );
        }
    }
}
