//! Sweeps: the cells of a file, and the error messages for cells that are not possible.

use crate::common::rendered;
use narrows_path::{Limit, RateSource};
use narrows_scenario::{Changes, Sweep, parse};
use narrows_units::{Bytes, Rate, Span};
use std::io;
use std::path::Path;

const BASE: &str = r#"duration = "60 s"
seed = 7

[[link]]
name = "bottleneck"
between = ["left", "right"]
rate = "100 Mbit/s"
delay = "15 ms" # one way
buffer = "750 kB"

[[flow]]
name = "a"
from = "left"
to = "right"
controller = "newreno"

[[flow]]
name = "b"
from = "left"
to = "right"
controller = "newreno"
"#;

fn none(_: &Path) -> io::Result<String> {
    Err(io::Error::new(io::ErrorKind::NotFound, "no such file"))
}

fn text(axes: &str) -> String {
    format!("{BASE}\n[sweep]\n{axes}\n")
}

fn sweep(axes: &str) -> Sweep {
    Sweep::parse(&text(axes), "test.toml", &Changes::default())
        .unwrap_or_else(|error| panic!("{}", error.short()))
}

#[test]
fn cells_are_all_combinations_the_last_axis_first() {
    let sweep = sweep(
        "seeds = 2\n\"link.bottleneck.rate\" = [\"10 Mbit/s\", \"20 Mbit/s\"]\n\"flow.*.controller\" = [\"cubic\", \"bbr\"]",
    );
    assert_eq!(sweep.cells(), 8);
    assert_eq!(
        sweep.axes().iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>(),
        ["link.bottleneck.rate", "flow.*.controller", "seed"]
    );
    let cells: Vec<_> = (0..8)
        .map(|cell| {
            let scenario = sweep.cell(cell, &none).unwrap();
            let RateSource::Constant(rate) = scenario.links[0].config.rate else {
                panic!("a rate")
            };
            let controllers: Vec<String> = scenario
                .flows
                .iter()
                .map(|flow| flow.controller.as_ref().unwrap().text().to_owned())
                .collect();
            (rate.as_mbps(), controllers.join(" "), scenario.seed)
        })
        .collect();
    let all = |rate: f64, controllers: &str, seed| (rate, controllers.to_owned(), seed);
    assert_eq!(
        cells,
        [
            all(10.0, "cubic cubic", 7),
            all(10.0, "cubic cubic", 8),
            all(10.0, "bbr bbr", 7),
            all(10.0, "bbr bbr", 8),
            all(20.0, "cubic cubic", 7),
            all(20.0, "cubic cubic", 8),
            all(20.0, "bbr bbr", 7),
            all(20.0, "bbr bbr", 8),
        ]
    );
    assert_eq!(
        sweep.describe(5),
        "link.bottleneck.rate = \"20 Mbit/s\", flow.*.controller = \"cubic\", seed = 8"
    );
}

#[test]
fn paths_in_every_form_reach_their_values() {
    for (axes, reached) in [
        ("\"duration\" = [\"9 s\"]", "duration = \"9 s\""),
        ("link.bottleneck.delay = [\"9 ms\"]", "delay = \"9 ms\""),
        ("[sweep.link.bottleneck]\ndelay = [\"9 ms\"]", "delay = \"9 ms\""),
        ("\"link.1.delay\" = [\"9 ms\"]", "delay = \"9 ms\""),
        ("\"link.bottleneck.back.delay\" = [\"9 ms\"]", "delay = \"9 ms\""),
        ("\"flow.b.transport.min_rto\" = [\"9 s\"]", "min_rto = \"9 s\""),
        ("\"flow.2.workload\" = [{ size = \"9000 kB\" }]", "workload = { size = \"9000 kB\" }"),
        ("\"link.bottleneck.loss\" = [{ every = 9 }]", "loss = { every = 9 }"),
    ] {
        let sweep = sweep(axes);
        let written = sweep
            .cell(0, &none)
            .unwrap_or_else(|error| panic!("{axes}: {}", error.short()))
            .to_toml();
        assert!(written.contains(reached), "{axes}:\n{written}");
    }
}

#[test]
fn values_of_one_place_change_together_and_may_have_a_label() {
    let sweep = sweep(
        "\"link.bottleneck.rate, link.bottleneck.delay\" = [[\"10 Mbit/s\", \"5 ms\"], { label = \"far\", value = [\"1 Gbit/s\", \"99 ms\"] }]",
    );
    assert_eq!(
        sweep.axes()[0].values.iter().map(|value| value.label.as_str()).collect::<Vec<_>>(),
        ["10 Mbit/s, 5 ms", "far"]
    );
    let far = sweep.cell(1, &none).unwrap();
    assert_eq!(
        (&far.links[0].config.rate, far.links[0].config.delay),
        (&RateSource::Constant(Rate::from_mbps(1000)), Span::from_millis(99))
    );
}

#[test]
fn a_whole_list_can_be_an_axis() {
    let flow = "{ from = \"left\", to = \"right\", controller = \"bbr\" }";
    let sweep = sweep(&format!(
        "flow = [{{ label = \"one\", value = [{flow}] }}, {{ label = \"two\", value = [{flow}, {flow}] }}]"
    ));
    assert_eq!(
        (sweep.cell(0, &none).unwrap().flows.len(), sweep.cell(1, &none).unwrap().flows.len()),
        (1, 2)
    );
}

#[test]
fn a_cell_is_the_scenario_that_has_its_values() {
    let sweep = sweep("\"link.bottleneck.buffer\" = [\"10 kB\", \"20 kB\"]\nseed = [1, 9]");
    let same =
        parse(&BASE.replace("750 kB", "20 kB").replace("seed = 7", "seed = 9"), "test.toml", &none)
            .unwrap();
    assert_eq!(sweep.cell(3, &none).unwrap(), same);
    assert_eq!(same.links[0].config.limit, Limit::Bytes(Bytes::new(20_000)));
}

#[test]
fn axes_know_their_numbers() {
    let numbers = |axes: &str| sweep(axes).axes()[0].numbers();
    assert_eq!(
        numbers("link.bottleneck.rate = [\"500 kbit/s\", \"1 Gbit/s\"]"),
        Some(("Mbit/s", vec![0.5, 1000.0]))
    );
    assert_eq!(
        numbers("link.bottleneck.delay = { from = \"10 ms\", to = \"30 ms\", step = \"10 ms\" }"),
        Some(("ms", vec![10.0, 20.0, 30.0]))
    );
    assert_eq!(
        numbers("link.bottleneck.buffer = [\"1 bdp\", \"0.5 bdp\"]"),
        Some(("bdp", vec![1.0, 0.5]))
    );
    assert_eq!(numbers("link.bottleneck.buffer = [\"1 bdp\", \"20 ms\"]"), None);
    assert_eq!(numbers("link.bottleneck.loss = [\"1 %\", \"0.1 %\"]"), Some(("%", vec![1.0, 0.1])));
    assert_eq!(numbers("flow.a.count = [1, 4]"), Some(("", vec![1.0, 4.0])));
    assert_eq!(numbers("flow.a.controller = [\"cubic\", \"bbr\"]"), None);
}

#[test]
fn the_command_line_adds_and_replaces_axes() {
    let changes = Changes {
        set: vec![
            ("link.bottleneck.rate".to_owned(), "1 Mbit/s,2 Mbit/s".to_owned()),
            ("flow.a.count".to_owned(), "1,2,3".to_owned()),
        ],
        seeds: Some(4),
        ..Changes::default()
    };
    let sweep = Sweep::parse(
        &text("\"link.bottleneck.rate\" = [\"9 Mbit/s\"]\nseed = [5]"),
        "test.toml",
        &changes,
    )
    .unwrap();
    let lengths: Vec<_> =
        sweep.axes().iter().map(|axis| (axis.name.as_str(), axis.values.len())).collect();
    assert_eq!(lengths, [("link.bottleneck.rate", 2), ("flow.a.count", 3), ("seed", 4)]);
    // The resulting text gives the same sweep, and a file without [sweep] becomes a sweep.
    let again = Sweep::parse(sweep.text(), "test.toml", &Changes::default()).unwrap();
    assert_eq!(
        (0..24).map(|cell| again.describe(cell)).collect::<Vec<_>>(),
        (0..24).map(|cell| sweep.describe(cell)).collect::<Vec<_>>()
    );
    assert_eq!(Sweep::parse(BASE, "test.toml", &changes).unwrap().cells(), 24);
}

#[test]
fn errors_of_a_changed_text_say_that_its_lines_are_not_those_of_the_file() {
    let changes = |set: &[(&str, &str)], seeds| Changes {
        set: set.iter().map(|(path, values)| (path.to_string(), values.to_string())).collect(),
        seeds,
        ..Changes::default()
    };
    let sweep =
        Sweep::parse(BASE, "test.toml", &changes(&[("link.bottleneck.rate", "1 Mbit/s,x")], None))
            .unwrap();
    let error = sweep.check(&none).unwrap_err().short();
    assert!(error.starts_with("test.toml as changed by options:"), "{error}");
    let error =
        Sweep::parse(BASE, "test.toml", &changes(&[("seed", "7,8")], Some(3))).unwrap_err().short();
    assert_eq!(
        error,
        "the seeds are given twice, as an axis and as their number; leave out --seeds, or the axis seed"
    );
    // Each option alone replaces the seeds in the file.
    for changes in [changes(&[("seed", "7,8,9")], None), changes(&[], Some(3))] {
        assert_eq!(Sweep::parse(&text("seed = [5]"), "test.toml", &changes).unwrap().cells(), 3);
    }
}

/// A snapshot without the expression that made it, which is in this file.
macro_rules! shown {
    ($text:expr) => {
        insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!($text) })
    };
}

/// An axis over a parameter changes the controller that the scenario or another axis gives.
#[test]
fn a_parameter_of_a_controller_is_an_axis_of_numbers() {
    let axes = "\"flow.a.controller?hz\" = [250, 1000]\n\"flow.a.controller\" = [\"cubic?ecn=true\", \"newreno\"]";
    let sweep = Sweep::parse(&text(axes), "test.toml", &Changes::default())
        .unwrap_or_else(|error| panic!("{}", error.short()));
    assert_eq!(sweep.axes()[0].numbers(), Some(("", vec![250.0, 1000.0])));
    let toml = |cell: u64| sweep.cell(cell, &none).map(|scenario| scenario.to_toml());
    for (cell, controller) in [(0, "cubic?ecn=true&hz=250"), (2, "cubic?ecn=true&hz=1000")] {
        let toml = toml(cell).unwrap_or_else(|error| panic!("{}", error.short()));
        assert!(toml.contains(controller), "{toml}");
    }
    let refused = toml(1).expect_err("NewReno has no hz").short();
    assert!(refused.contains("hz"), "{refused}");
}

#[test]
fn what_is_no_axis_is_refused() {
    let mut book = String::new();
    for axes in [
        "",
        "\"link.bottleneck.rate\" = \"10 Mbit/s\"",
        "\"link.bottleneck.rate\" = []",
        "\"link.bottleneck.rate\" = [\"1 Mbit/s\", \"1 Mbit/s\"]",
        "\"link.bottleneck.rate\" = { from = \"1 Mbit/s\", to = \"9 Mbit/s\" }",
        "\"link.bottleneck.rate\" = { from = \"1 Mbit/s\", to = \"9 Mbit/s\", steps = 3 }",
        "\"link.bottleneck.rate, link.bottleneck.delay\" = [[\"1 Mbit/s\"]]",
        "\"link..rate\" = [1]",
        "seeds = 0",
        "seeds = 2\nseed = [1, 2]",
        "link.bottleneck.rate = [\"1 Mbit/s\"]\n\"link.bottleneck.rate\" = [\"2 Mbit/s\"]",
        "seeds = 100000\n\"link.bottleneck.rate\" = { from = \"1 Mbit/s\", to = \"9 Mbit/s\", count = 1000 }",
    ] {
        let error = Sweep::parse(&text(axes), "test.toml", &Changes::default()).expect_err(axes);
        book += &format!("## {axes:?}\n{}\n", rendered(&error));
    }
    shown!(book);
}

#[test]
fn cells_that_cannot_be_are_refused() {
    let mut book = String::new();
    for axes in [
        "\"link.bottleneck.rate\" = [\"10 Mbit/s\", \"0 Mbit/s\"]\n\"flow.a.controller\" = [\"cubic\", \"bbr\"]\nseeds = 2",
        "\"link.bottleneck.rate\" = [10, 100]",
        "\"link.bottelneck.rate\" = [\"10 Mbit/s\"]",
        "\"link.bottleneck.reat\" = [\"10 Mbit/s\"]",
        "\"flow.c.controller\" = [\"cubic\"]",
        "\"flow.a.controller.profile\" = [\"rfc9438\"]",
        "\"flow.a\" = [1]",
        "\"flow.*.controller\" = [\"cubic\", \"cubik\"]",
        "\"duration\" = [\"20 s\", \"10 s\"]\n\"warmup\" = [\"0 s\", \"15 s\"]",
    ] {
        let error = sweep(axes).check(&none).expect_err(axes);
        book += &format!("## {axes:?}\n{}\n", rendered(&error));
    }
    shown!(book);
}

/// A mistake that no axis touches is reported at its own line.
#[test]
fn mistakes_beside_the_axes_are_told_at_their_own_place() {
    let axes = text("\"link.bottleneck.rate\" = [\"10 Mbit/s\", \"20 Mbit/s\"]");
    let line =
        axes.lines().position(|line| line.contains("controller")).expect("a flow has one") + 1;
    let controller = axes.lines().nth(line - 1).expect("the line").to_owned();
    let misspelt = axes.replacen(&controller, "controller = \"cubc\"", 1);
    let error = Sweep::parse(&misspelt, "test.toml", &Changes::default())
        .expect("a sweep")
        .check(&none)
        .unwrap_err();
    assert_eq!(
        error.short(),
        format!("test.toml:{line}: there is no controller \"cubc\"; did you mean \"cubic\"?")
    );
}

#[test]
fn a_scenario_with_axes_is_no_single_run() {
    let error = parse(&text("seeds = 2"), "test.toml", &none).expect_err("a sweep");
    assert_eq!(
        error.short(),
        "test.toml:23: this file describes many runs; run it with: narrows sweep test.toml"
    );
}

const ON_A_PATH: &str = "duration = \"10 s\"\n[[flow]]\nname = \"a\"\nfrom = \"sender\"\nto = \"receiver\"\ncontroller = \"cubic\"\n[sweep]\n";

#[test]
fn a_named_path_can_be_an_axis() {
    let text = format!("{ON_A_PATH}path = [\"broadband\", \"leo\"]\n");
    let sweep = Sweep::parse(&text, "test.toml", &Changes::default()).unwrap();
    sweep.check(&none).unwrap_or_else(|error| panic!("{}", error.short()));
    for (cell, name) in [(0, "broadband"), (1, "leo")] {
        let path = narrows_scenario::PathProfile::named(name).unwrap().scenario();
        assert_eq!(sweep.cell(cell, &none).unwrap().links, path.links, "{name}");
    }
}

#[test]
fn other_values_can_be_axes_beside_a_named_path() {
    let text = format!("path = \"dsl\"\n{ON_A_PATH}\"flow.a.controller\" = [\"cubic\", \"bbr\"]\n");
    Sweep::parse(&text, "test.toml", &Changes::default())
        .unwrap()
        .check(&none)
        .unwrap_or_else(|error| panic!("{}", error.short()));
}

#[test]
fn a_path_that_is_not_known_and_a_link_that_the_file_does_not_have_are_refused() {
    let error = |text: String| {
        Sweep::parse(&text, "test.toml", &Changes::default())
            .unwrap()
            .check(&none)
            .unwrap_err()
            .short()
    };
    assert_eq!(
        error(format!("{ON_A_PATH}path = [\"leo\", \"wifii\"]\n")),
        "test.toml:8: in the cell with path = \"wifii\": there is no path \"wifii\"; did you mean \"wifi\"?"
    );
    assert_eq!(
        error(format!("path = \"leo\"\n{ON_A_PATH}\"link.satellite.rate\" = [\"1 Mbit/s\"]\n")),
        "test.toml:9: this is no value of a [[link]] in this file, and links of the path leo cannot be axes; \
         save the path with `narrows path leo > FILE`, and sweep that"
    );
    assert_eq!(
        error(format!("{ON_A_PATH}\"link.satellite.rate\" = [\"1 Mbit/s\"]\n")),
        "test.toml:8: there is no link called \"satellite\"; add a [[link]]"
    );
}
