//! Claims and their verdicts as a terminal shows them, and what is drawn of a run over time.

use narrows_report::{
    FigureResult, JudgedClaim, PaperResult, Reproduction, Traced, Verdict, reproduction_json,
    reproduction_table,
};
use narrows_scenario::paper::{Figure, Mode, Trace};

const FIGURE: &str = r#"duration = "1 s"
[[link]]
name = "l"
between = ["a", "b"]
rate = "1 Mbit/s"
[[flow]]
from = "a"
to = "b"
controller = "cubic"
[figure]
title = "Goodput and delay"
source = "figure 4"
about = "Ours."
[[claim]]
says = "Goodput stays above four fifths of the link however long the round trip"
published = "at least 80 %"
source = "section 4"
metric = "utilisation"
min = 80
tolerance = "the number"
[[claim]]
says = "Delay is low"
published = "a picture"
source = "figure 4"
metric = "rtt_p95"
max = 40
tolerance = "ours"
known = "the document's buffer is not ours"
[[claim]]
says = "It shares"
published = "fair"
source = "figure 5"
metric = "jain"
min = 0.9
max = 1
tolerance = "ours"
"#;

fn reproduction() -> Reproduction {
    let figure = Figure::parse(FIGURE, "goodput.toml").expect("a figure");
    let measured = [Some(83.3), Some(61.0), None];
    let claims = figure.plan(Mode::default()).expect("it is simulated").claims.iter().zip(measured);
    let claims = claims.map(|(claim, measured)| JudgedClaim {
        claim: claim.clone(),
        measured,
        simulated: None,
        cell: None,
        sides: None,
    });
    Reproduction {
        remake: "narrows reproduce".to_owned(),
        version: "0".to_owned(),
        quick: false,
        papers: vec![PaperResult {
            name: "test".to_owned(),
            title: "A Paper".to_owned(),
            authors: "Somebody".to_owned(),
            published: "Somewhere 2001".to_owned(),
            about: "Something.".to_owned(),
            statements: Vec::new(),
            figures: vec![FigureResult {
                name: figure.name.clone(),
                title: figure.title.clone(),
                source: figure.source.clone(),
                about: figure.about.clone(),
                scaled: Some("Half as long.".to_owned()),
                validity_issues: Vec::new(),
                claims: claims.collect(),
                plots: Vec::new(),
            }],
        }],
    }
}

#[test]
fn the_table_says_claim_by_claim_what_holds() {
    insta::with_settings!({ omit_expression => true }, { insta::assert_snapshot!(reproduction_table(&reproduction())) });
}

#[test]
fn the_json_is_an_array_of_claims() {
    let claims: serde_json::Value =
        serde_json::from_str(&reproduction_json(&reproduction())).expect("JSON");
    let second = &claims[1];
    for (key, value) in [
        ("paper", "test"),
        ("claim", "Delay is low"),
        ("published", "a picture"),
        ("tolerance", "ours"),
        ("source", "figure 4"),
        ("unit", "ms"),
        ("verdict", "does not hold (explained)"),
        ("judged", "number"),
    ] {
        assert_eq!(second[key].as_str(), Some(value), "{key}");
    }
    assert_eq!((second["measured"].as_f64(), second["holds"].as_bool()), (Some(61.0), Some(false)));
    assert!(claims[2]["measured"].is_null() && claims[2]["holds"] == false);
}

#[test]
fn one_miss_without_a_reason_is_not_as_expected() {
    let mut reproduction = reproduction();
    assert!(!reproduction.as_expected());
    assert_eq!(
        reproduction.claims().map(JudgedClaim::verdict).collect::<Vec<_>>(),
        [Verdict::Holds, Verdict::Explained, Verdict::Fails]
    );
    reproduction.papers[0].figures[0].claims[2].measured = Some(0.95);
    assert!(reproduction.as_expected());
}

/// The curves of the two consumers: each with its name, its first value and its last.
fn ends(trace: Trace, flows: &[&str]) -> Vec<(String, f64, f64)> {
    let flows: Vec<String> = flows.iter().map(|name| (*name).to_owned()).collect();
    let traced = Traced::of(&crate::common::icn::record(), trace, &flows, None);
    let lines = serde_json::to_value(traced).expect("curves are numbers");
    let line = |line: &serde_json::Value| {
        let y: Vec<f64> = line["y"]
            .as_array()
            .expect("values")
            .iter()
            .filter_map(serde_json::Value::as_f64)
            .collect();
        (line["name"].as_str().expect("a name").to_owned(), y[0], y[y.len() - 1])
    };
    lines.as_array().expect("lines").iter().map(line).collect()
}

#[test]
fn an_information_centric_network_over_time() {
    let all = |lines: &[(&str, f64, f64)]| {
        lines
            .iter()
            .map(|(name, first, last)| ((*name).to_owned(), *first, *last))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ends(Trace::Rate, &[]),
        all(&[("bottleneck, primary", 8.0, 5.0), ("bottleneck, secondary", 2.0, 0.0)])
    );
    assert_eq!(ends(Trace::Shaper, &[]), all(&[("bottleneck", 0.0, 0.0)]));
    assert_eq!(
        ends(Trace::Class, &[]),
        all(&[("first, primary", 8.0, 5.0), ("first, secondary", 2.0, 0.0), ("second", 4.0, 4.0)])
    );
    assert_eq!(
        ends(Trace::Subflow, &["first"]),
        all(&[("first, path 1", 7.0, 3.75), ("first, path 2", 3.0, 1.25)])
    );
    assert_eq!(ends(Trace::Throughput, &["second"]), all(&[("second", 4.0, 4.0)]));
}
