//! A scorecard as a terminal and a browser show it.

use narrows_measure::metrics::Metric;
use narrows_report::{Lineup, Network, Scorecard, TrafficRun, scorecard_json, scorecard_table};

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn lineup() -> Lineup {
    let network = |name: &str| Network {
        name: name.to_owned(),
        summary: format!("The {name} line."),
        duration: "60 s".to_owned(),
        warmup: "10 s".to_owned(),
        ..Network::default()
    };
    Lineup {
        networks: vec![network("near"), network("far")],
        traffic: texts(&["web", "bulk"]),
        controllers: texts(&["cubic", "bbr3"]),
        beside: texts(&["newreno"]),
        flows: 1,
        baseline: None,
    }
}

/// Numbers that differ by controller, by what is beside it, by network and by seed; transfers of
/// medium size are rare on the far network.
fn card() -> Scorecard {
    let lineup = lineup();
    let runs: Vec<TrafficRun> = lineup.runs();
    let values =
        |network: usize, run: usize, group: Option<&str>, metric: &Metric| -> Vec<Option<f64>> {
            let run = &runs[run];
            let own = ["cubic", "bbr3", "newreno"]
                .iter()
                .position(|name| *name == run.controller)
                .unwrap_or(0) as f64;
            let beside = if run.beside.is_some() { 1.0 } else { 0.0 };
            let of_competitor = group == Some("competitor");
            let value = |seed: f64| match metric.name {
                "goodput" if of_competitor => Some(10.0 - beside * (5.0 + own + 0.1 * seed)),
                "goodput" => Some(9.0 - 4.0 * beside + own + 0.1 * seed),
                "rtt_p95" => Some(40.0 + 20.0 * beside - 5.0 * own + seed),
                "standing_queue" => Some(12.0 + 3.0 * seed),
                "loss" => Some(0.0),
                "medium_slowdown_p99" if network == 1 && seed > 1.5 => None,
                name if name.contains("slowdown") => Some(2.0 + own + beside + 0.05 * seed),
                _ => Some(0.1 + 0.02 * own + 0.1 * beside + 0.001 * seed),
            };
            [1.0, 2.0, 3.0].map(value).to_vec()
        };
    Scorecard::of(
        &lineup,
        ("Scorecard of cubic and bbr3", "narrows compare cubic bbr3", "0.1.0"),
        &[1, 2, 3],
        &values,
    )
}

#[test]
fn a_terminal_shows_who_was_best() {
    let text = scorecard_table(&card());
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn all_numbers_are_in_the_json() {
    let text = scorecard_json(&card());
    let read: Scorecard = serde_json::from_str(&text).expect("a scorecard");
    assert_eq!(read, card());
}
