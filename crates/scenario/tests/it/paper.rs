//! Figure files: their meaning, and the error messages for each kind of mistake.

use crate::common::rendered;
use narrows_scenario::paper::{
    By, Drawn, Figure, Judged, Mode, Over, Paper, Trace, World, is_named,
};
use narrows_units::{Span, Time};
use std::io;

const FIGURE: &str = r#"duration = "60 s"
seed = 7

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "100 Mbit/s"
delay = "15 ms"

[[flow]]
name = "long"
from = "left"
to = "right"
controller = "newreno"
count = 2

[sweep]
"link.bottleneck.buffer" = ["1 bdp", "2 bdp", "4 bdp"]
"flow.*.controller, link.bottleneck.queue" = [
    { label = "reno", value = ["newreno", "fifo"] },
    { label = "cubic", value = ["cubic", "fifo"] },
    { label = "red", value = ["newreno?ecn=true", "red"] },
]
seeds = 3

[figure]
title = "Delay against buffer"
source = "figure 1"
about = "All of it is ours."

[quick]
why = "Shorter runs: queues fill within a second."
duration = "10 s"
link.bottleneck.rate = "10 Mbit/s"
sweep."link.bottleneck.buffer" = ["1 bdp", "4 bdp"]
sweep.seeds = 1

[[plot]]
title = "Delay"
x = "link.bottleneck.buffer"
y = "rtt_p95"
lines = "flow.*.controller"
log = "x"

[[plot]]
title = "Windows"
trace = "cwnd"
at = { "link.bottleneck.buffer" = "4 bdp" }

[[claim]]
says = "Delay grows with the buffer"
published = "grows"
source = "section 3"
metric = "rtt_p95"
at = { "flow.*.controller" = ["reno", "cubic"], "link.bottleneck.buffer" = ["2 bdp", "4 bdp"] }
than = { "link.bottleneck.buffer" = "1 bdp" }
window = ["5 s", "60 s"]
flows = "long"
min = 1.2
tolerance = "an ordering"
judged = "ordering"
quick = { window = ["2 s", "10 s"], min = 1.1 }

[[claim]]
says = "The link is full"
published = "full"
source = "section 4"
metric = "utilisation"
over = "mean"
min = 95
tolerance = "ours"
known = "it is not"
"#;

const WHOLE: Mode = Mode { quick: false, live: false };
const QUICK: Mode = Mode { quick: true, live: false };
const LIVE: Mode = Mode { quick: false, live: true };

fn figure(text: &str) -> Figure {
    Figure::parse(text, "papers/test/delay.toml")
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

fn no_file(_: &std::path::Path) -> io::Result<String> {
    Err(io::Error::other("a figure of this test names no files"))
}

#[test]
fn claims_have_their_cells() {
    let figure = figure(FIGURE);
    let plan = figure.plan(WHOLE).unwrap();
    assert_eq!(
        (figure.name.as_str(), plan.cells(), plan.seeds(), plan.sweep.cells()),
        ("delay", 9, 3, 27)
    );
    // Buffers change slowest: cells 3, 4, 5 have 2 bdp, and cells 6, 7, 8 have 4 bdp.
    let claim = &plan.claims[0];
    let than = claim.than.as_ref().expect("a comparison");
    assert_eq!((&claim.cells[..], &than.cells[..]), (&[3, 4, 6, 7][..], &[0, 1, 0, 1][..]));
    assert_eq!(
        (than.by, claim.over, claim.judged, claim.min),
        (By::Ratio, Over::Worst, Judged::Ordering, Some(1.2))
    );
    let second = |s| Time::ZERO + Span::from_secs(s);
    assert_eq!(
        (claim.asked.window, &claim.asked.flows[..]),
        (Some((second(5), second(60))), &["long".to_owned()][..])
    );
    assert_eq!(than.asked, claim.asked);
    assert_eq!(plan.label(4), "2 bdp, cubic");
    assert_eq!(plan.claims[1].cells.len(), 9);
    assert_eq!(
        (plan.claims[1].over, plan.claims[1].known.as_deref()),
        (Over::Mean, Some("it is not"))
    );
    // The plot uses the delay of the whole run, and the claim does not.
    assert_eq!(plan.asked().len(), 3);
    plan.check(&no_file, |_| ()).unwrap_or_else(|error| panic!("{}", error.short()));
}

#[test]
fn a_claim_may_be_about_a_link() {
    let at = |link: &str| figure(&FIGURE.replace("over = \"mean\"", &format!("link = \"{link}\"")));
    let found = at("bottleneck.back");
    let plan = found.plan(WHOLE).unwrap();
    assert_eq!(plan.claims[1].asked.link.as_deref(), Some("bottleneck.back"));
    assert_ne!(plan.identity(), figure(FIGURE).plan(WHOLE).unwrap().identity());
    plan.check(&no_file, |_| ()).unwrap_or_else(|error| panic!("{}", error.short()));
    let error =
        at("bottelneck").plan(WHOLE).unwrap().check(&no_file, |_| ()).expect_err("no such link");
    assert!(error.short().contains("no link is called \"bottelneck\""), "{}", error.short());
    // The other side of a comparison uses the same link, or names its own.
    let links = |keys: &str| {
        let figure = figure(&FIGURE.replace("flows = \"long\"", keys));
        let claim = &figure.plan(WHOLE).unwrap().claims[0];
        (claim.asked.link.clone(), claim.than.as_ref().and_then(|than| than.asked.link.clone()))
    };
    let [forth, back] = ["bottleneck", "bottleneck.back"].map(|link| Some(link.to_owned()));
    assert_eq!(links("link = \"bottleneck\""), (forth.clone(), forth.clone()));
    let own = FIGURE.replace(
        "than = { \"link.bottleneck.buffer\" = \"1 bdp\" }",
        "than = { link = \"bottleneck.back\" }\nlink = \"bottleneck\"",
    );
    let own = figure(&own);
    let claim = &own.plan(WHOLE).unwrap().claims[0];
    assert_eq!(
        (&claim.asked.link, claim.than.as_ref().map(|than| &than.asked.link)),
        (&forth, Some(&back))
    );
}

#[test]
fn plots_have_their_lines() {
    let figure = figure(FIGURE);
    let plan = figure.plan(WHOLE).unwrap();
    let Drawn::Lines { along, series, .. } = &plan.plots[0].drawn else { panic!("lines") };
    assert_eq!(
        (&along.title[..], along.unit, along.numbers.as_deref()),
        ("buffer of bottleneck", "bdp", Some(&[1.0, 2.0, 4.0][..]))
    );
    let lines: Vec<(&str, &[usize])> =
        series.iter().map(|line| (line.label.as_str(), &line.cells[..])).collect();
    assert_eq!(
        lines,
        [("reno", &[0, 3, 6][..]), ("cubic", &[1, 4, 7][..]), ("red", &[2, 5, 8][..])]
    );
    let Drawn::Trace { trace, panels, .. } = &plan.plots[1].drawn else { panic!("a trace") };
    assert_eq!(*trace, Trace::Cwnd);
    assert_eq!(panels, &[("reno".to_owned(), 6), ("cubic".to_owned(), 7), ("red".to_owned(), 8)]);
}

#[test]
fn quick_is_laid_over_it() {
    let figure = figure(FIGURE);
    let plan = figure.plan(QUICK).unwrap();
    assert_eq!((plan.cells(), plan.seeds()), (6, 1));
    let mut seen = Vec::new();
    let rate = |scenario: &narrows_scenario::Scenario| {
        scenario.links[0].config.rate.mean().map(|rate| rate.as_mbps())
    };
    let look = |scenario: narrows_scenario::Scenario| {
        seen.push((scenario.duration, rate(&scenario), scenario.seed))
    };
    plan.check(&no_file, look).unwrap_or_else(|error| panic!("{}", error.short()));
    assert_eq!(seen, [(Span::from_secs(10), Some(10.0), 7); 6]);
    // "2 bdp" is left out.
    assert_eq!((&plan.claims[0].cells[..], plan.claims[0].min), (&[3, 4][..], Some(1.1)));
    assert_eq!(figure.scaled(QUICK), Some("Shorter runs: queues fill within a second."));
}

#[test]
fn on_the_kernel_worlds_are_an_axis_before_those_of_the_sweep() {
    let live = "[live]\nwhy = \"The kernel is slower.\"\nduration = \"20 s\"\nsweep.\"link.bottleneck.buffer\" = [\"1 bdp\", \"4 bdp\"]\n\n";
    let agree = "\n[[claim]]\nsays = \"both agree\"\npublished = \"ours\"\nsource = \"ours\"\nmetric = \"goodput\"\nat = { world = \"kernel\" }\n\
                 than = { world = \"simulator\" }\nmin = 0.9\ntolerance = \"ours\"\n";
    let text = FIGURE.replacen("[[plot]]", &format!("{live}[[plot]]"), 1).replacen(
        "known = \"it is not\"",
        "live = { min = 90 }",
        1,
    ) + agree;
    let figure = figure(&text);
    assert!(
        figure.plan(WHOLE).unwrap().claims.iter().all(|claim| claim.says != "both agree"),
        "it is of the kernel alone"
    );
    assert_eq!(figure.on_kernel(), Some("The kernel is slower."));
    let plan = figure.plan(LIVE).unwrap();
    // Two worlds, two buffers, three controllers, three seeds.
    assert_eq!((plan.cells(), plan.runs(), plan.sweep.cells()), (12, 36, 18));
    assert_eq!([plan.world(17), plan.world(18)], [World::Kernel, World::Simulator]);
    assert_eq!(
        (plan.label(4), plan.label(10)),
        ("kernel, 4 bdp, cubic".to_owned(), "simulator, 4 bdp, cubic".to_owned())
    );
    assert_eq!((plan.simulated(4), plan.simulated(10)), (Some(10), None));
    let claims: Vec<(&str, &[usize])> =
        plan.claims.iter().map(|claim| (claim.says.as_str(), &claim.cells[..])).collect();
    assert_eq!(
        claims,
        [("The link is full", &[0, 1, 2, 3, 4, 5][..]), ("both agree", &[0, 1, 2, 3, 4, 5])]
    );
    assert_eq!(
        (plan.claims[0].min, plan.claims[1].than.as_ref().map(|than| than.cells[0])),
        (Some(90.0), Some(6))
    );
    let runs = [14, 32].map(|run| {
        plan.scenario(run, &no_file).unwrap_or_else(|error| panic!("{}", error.short()))
    });
    assert_eq!(runs[0], runs[1], "both run the same scenario");
    assert_eq!(runs[0].duration, Span::from_secs(20));
    assert!(plan.describe(32).ends_with("world = \"simulator\""), "{}", plan.describe(32));
    assert_ne!(plan.identity(), figure.plan(WHOLE).unwrap().identity());
    assert!(self::figure(FIGURE).plan(LIVE).is_none());
}

#[test]
fn kept_runs_belong_to_what_is_run_and_asked_for() {
    let identity = |from: &str, to: &str| {
        figure(&FIGURE.replacen(from, to, 1)).plan(WHOLE).unwrap().identity()
    };
    let own = identity("", "");
    for (from, to) in [
        ("min = 95", "min = 90"),
        ("The link is full", "It is full"),
        ("title = \"Delay\"", "title = \"RTT\""),
    ] {
        assert_eq!(identity(from, to), own, "{to}");
    }
    for (from, to) in [
        ("rate = \"100 Mbit/s\"", "rate = \"99 Mbit/s\""),
        ("seeds = 3", "seeds = 4"),
        ("value = [\"cubic\", \"fifo\"]", "value = [\"bbr\", \"fifo\"]"),
        ("metric = \"utilisation\"", "metric = \"goodput\""),
        ("[\"5 s\", \"60 s\"]", "[\"6 s\", \"60 s\"]"),
        ("trace = \"cwnd\"", "trace = \"rtt\""),
    ] {
        assert_ne!(identity(from, to), own, "{to}");
    }
}

#[test]
fn a_figure_without_axes_or_quick_is_one_cell() {
    let (head, tail) = FIGURE.split_once("[sweep]").expect("a sweep");
    let text = format!(
        "{head}[figure]\ntitle = \"t\"\nsource = \"s\"\nabout = \"a\"\n[[claim]]{}",
        tail.rsplit_once("[[claim]]").expect("a claim").1
    );
    let figure = figure(&text);
    assert_eq!(figure.scaled(QUICK), None);
    for mode in [WHOLE, QUICK] {
        let plan = figure.plan(mode).unwrap();
        assert_eq!((plan.cells(), plan.seeds(), plan.claims[0].cells.len()), (1, 1, 1));
        plan.check(&no_file, |scenario| assert_eq!(scenario.seed, 7))
            .unwrap_or_else(|error| panic!("{}", error.short()));
    }
}

#[test]
fn other_readers_pass_over_it() {
    let (head, tail) = FIGURE.split_once("[sweep]").expect("a sweep");
    let text = format!("{head}[figure]{}", tail.split_once("[figure]").expect("a figure").1);
    let scenario = narrows_scenario::parse(&text, "delay.toml", &no_file)
        .unwrap_or_else(|error| panic!("{}", error.short()));
    assert_eq!(scenario.flows.len(), 2);
    let sweep =
        narrows_scenario::Sweep::parse(FIGURE, "delay.toml", &narrows_scenario::Changes::default());
    let sweep = sweep.unwrap_or_else(|error| panic!("{}", error.short()));
    sweep.check(&no_file).unwrap_or_else(|error| panic!("{}", error.short()));
}

#[test]
fn a_name_stands_for_its_copies() {
    for (flow, wanted, named) in [
        ("long", "long", true),
        ("long.12", "long", true),
        ("long.a", "long", false),
        ("longer", "long", false),
        ("long.", "long", false),
    ] {
        assert_eq!(is_named(flow, wanted), named, "{flow} by {wanted}");
    }
}

#[test]
fn figures_stand_in_their_order() {
    let of = |name: &str, order: i64| {
        Figure::parse(&FIGURE.replace("[figure]", &format!("[figure]\norder = {order}")), name)
            .expect("a figure")
    };
    let about = "title = \"t\"\nauthors = \"a\"\npublished = \"p\"\nabout = \"w\"";
    let paper = Paper::parse(
        "test",
        about,
        "paper.toml",
        vec![of("b.toml", 1), of("c.toml", 0), of("a.toml", 1)],
        Vec::new(),
    )
    .expect("a paper");
    assert_eq!(
        paper.figures.iter().map(|figure| figure.name.as_str()).collect::<Vec<_>>(),
        ["c", "a", "b"]
    );
}

/// Returns the error message for the figure after an edit, from its parser or from the check of its
/// cells.
fn refusal((from, to): (&str, &str)) -> String {
    assert!(FIGURE.contains(from), "{from} is not in the figure");
    let text = FIGURE.replacen(from, to, 1);
    let checked = Figure::parse(&text, "delay.toml").and_then(|figure| {
        figure.plan(WHOLE).unwrap().check(&no_file, |_| ())?;
        figure.plan(QUICK).unwrap().check(&no_file, |_| ())
    });
    let error = checked.err().unwrap_or_else(|| panic!("this should be refused: {to}"));
    assert!(error.line().is_some() && !error.remedy().is_empty());
    rendered(&error)
}

#[test]
fn what_is_wrong_is_shown_at_its_line() {
    let edits = [
        ("title = \"Delay against buffer\"\n", ""),
        ("why = \"Shorter runs: queues fill within a second.\"\n", ""),
        (
            "duration = \"10 s\"\nlink.bottleneck.rate = \"10 Mbit/s\"\nsweep.\"link.bottleneck.buffer\" = [\"1 bdp\", \"4 bdp\"]\nsweep.seeds = 1\n",
            "",
        ),
        ("duration = \"10 s\"", "druation = \"10 s\""),
        ("sweep.seeds = 1", "sweep.\"link.bottleneck.delay\" = [\"1 ms\", \"2 ms\"]"),
        ("x = \"link.bottleneck.buffer\"", "x = \"link.bottleneck.bufer\""),
        ("y = \"rtt_p95\"", "y = \"rtt_p59\""),
        ("lines = \"flow.*.controller\"\n", ""),
        ("trace = \"cwnd\"", "trace = \"window\""),
        ("trace = \"cwnd\"", "trace = \"cwnd\"\ncdf = \"jain\""),
        ("trace = \"cwnd\"", "trace = \"queue\"\nlink = \"bottelneck\""),
        ("trace = \"cwnd\"", "trace = \"shaper\""),
        ("log = \"x\"", "log = \"z\""),
        ("metric = \"utilisation\"", "metric = \"utilization\""),
        ("[\"reno\", \"cubic\"]", "[\"reno\", \"vegas\"]"),
        ("[\"2 bdp\", \"4 bdp\"]", "\"2 bdp\""),
        (
            "than = { \"link.bottleneck.buffer\" = \"1 bdp\" }",
            "than = { \"link.bottleneck.buffer\" = [\"1 bdp\", \"2 bdp\"] }",
        ),
        (
            "than = { \"link.bottleneck.buffer\" = \"1 bdp\" }",
            "than = { \"link.bottleneck.buffer\" = \"4 bdp\" }",
        ),
        ("than = { \"link.bottleneck.buffer\" = \"1 bdp\" }", "by = \"ratio\""),
        ("window = [\"5 s\", \"60 s\"]", "window = [\"5 s\", \"61 s\"]"),
        ("window = [\"5 s\", \"60 s\"]", "window = [\"60 s\", \"5 s\"]"),
        ("window = [\"5 s\", \"60 s\"]", "window = [\"5 s\"]"),
        ("window = [\"2 s\", \"10 s\"], ", ""),
        ("flows = \"long\"", "flows = [\"lnog\"]"),
        ("min = 95\n", ""),
        ("min = 95", "min = 95\nmax = 90"),
        ("min = 95", "min = nan"),
        ("over = \"mean\"", "over = \"best\""),
        ("over = \"mean\"", "tolerence = \"none\""),
        ("about = \"All of it is ours.\"", "about = \"ours\"\n[live]\nduration = \"10 s\""),
        ("over = \"mean\"", "at = { world = \"kernel\" }"),
        ("over = \"mean\"", "live = { min = 90 }"),
    ];
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(edits.map(refusal).join("\n")) });
}
