//! The page of a run that goes on, fed with made-up measurements.

use crate::common;
use narrows_measure::{Follower, Record};
use narrows_report::Underway;
use narrows_units::{Span, Time};
use serde_json::{Value, json};

/// Feeds a run's samples up to a time.
fn feed(underway: &mut Underway, run: &Record, until: Span) {
    let flows = run
        .flows
        .iter()
        .map(|flow| narrows_measure::FlowRecord { samples: Vec::new(), ..flow.clone() });
    let links = run
        .links
        .iter()
        .map(|link| narrows_measure::LinkRecord { samples: Vec::new(), ..link.clone() });
    underway.begun(Record { flows: flows.collect(), links: links.collect(), ..run.clone() });
    for index in 0..run.flows[0].samples.len() {
        let flows: Vec<_> = run.flows.iter().map(|flow| flow.samples[index]).enumerate().collect();
        // Some links of the made-up run were not sampled.
        let links = run
            .links
            .iter()
            .enumerate()
            .filter_map(|(number, link)| Some((number, *link.samples.get(index)?)));
        let links: Vec<_> = links.collect();
        if flows[0].1.at.since(Time::ZERO) <= until {
            underway.sampled(&flows, &links);
        }
    }
}

fn state(underway: &Underway) -> Value {
    serde_json::from_str(&underway.json()).expect("JSON")
}

#[test]
fn the_page_has_what_is_known_so_far() {
    let run = &common::single().cases[0].runs[0];
    let mut underway = Underway::new("Two <flows>", vec!["seed 7".to_owned(), "seed 8".to_owned()]);
    assert_eq!(state(&underway), Value::Null);
    assert!(underway.html().contains("<h1>Two &lt;flows&gt;</h1>"));
    feed(&mut underway, run, Span::from_secs(20));
    let heard = underway.heard();
    let third = state(&underway);
    assert_eq!(
        (&third["run"], &third["runs"], &third["name"]),
        (&json!(1), &json!(2), &json!("seed 7"))
    );
    assert_eq!(
        (&third["at"], &third["end"], &third["links"]),
        (&json!(20.0), &json!(60), &json!(["bottleneck"]))
    );
    assert!(
        third["setup"]
            .as_str()
            .is_some_and(|setup| setup.contains("bottleneck") && setup.contains("60 s")),
        "{}",
        third["setup"]
    );
    // No curve goes beyond what has come by more than half the width of its last interval, and some
    // have come as far.
    let ends = third["lines"].as_array().expect("lines").iter().map(|line| {
        let values = line["y"].as_array().expect("values").len() as f64;
        line["x0"].as_f64().expect("a place")
            + (values - 1.0) * line["dx"].as_f64().expect("a width")
    });
    let last = ends.fold(0.0, f64::max);
    assert!((19.0..=20.05).contains(&last), "{last}");
    feed(&mut underway, run, Span::from_secs(60));
    assert!(underway.heard() > heard);
    let (whole, report) = (state(&underway), crate::page::data(&common::single()));
    assert_eq!((&whole["run"], &whole["name"]), (&json!(2), &json!("seed 8")));
    let titles = |data: &Value| {
        data["panels"]
            .as_array()
            .expect("panels")
            .iter()
            .map(|panel| panel["title"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(titles(&whole), titles(&report));
}

#[test]
fn long_runs_are_told_in_few_words() {
    let mut run = common::single().cases[0].runs[0].clone();
    (run.interval, run.duration) = (Span::from_millis(1), Span::from_secs(1000));
    let at = |index: u64| Time::ZERO + Span::from_millis(1) * (index + 1);
    for flow in &mut run.flows {
        flow.samples = (0..1_000_000)
            .map(|index| narrows_measure::FlowSample { at: at(index), ..flow.samples[600] })
            .collect();
    }
    for link in run.links.iter_mut().filter(|link| !link.samples.is_empty()) {
        link.samples = (0..1_000_000)
            .map(|index| narrows_measure::LinkSample { at: at(index), ..link.samples[600] })
            .collect();
    }
    let mut underway = Underway::new("Long", vec!["seed 7".to_owned()]);
    feed(&mut underway, &run, run.duration);
    assert!(underway.heard() < 200_000, "{}", underway.heard());
    let text = underway.json();
    assert!(text.len() < 200_000, "{} bytes", text.len());
    assert!(state(&underway)["at"].as_f64().is_some_and(|at| at > 999.0));
}
