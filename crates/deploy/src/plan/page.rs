//! A plan as a page.

use super::outcome::{Outcome, Ramp, Verdict};
use super::text::{advice, ramp, rows, spillover, timings, words};
use crate::sections::{CSS, EXPLAINED, drawn, section, table, verdict};
use maud::html;
use narrows_figure::{Axis, Content, Figure, Scale, Series};
use narrows_measure::sequential::Mean;
use narrows_report::{Document, capital};

const READING: &str = include_str!("reading.html");
/// Points on a line of the figure between shares of 0 and 100 %.
const PERCENT: f64 = 100.0;
/// Colour of what no design measures.
const GREY: usize = 6;

/// Returns the page. `setup` describes the network, `remake` the command that repeats the plan.
pub fn page(outcome: &Outcome, setup: &str, remake: &str, version: &str) -> String {
    let [control, treatment] = &outcome.arms;
    let designs = html! {
        (table(&rows(outcome)))
        @if let Some(spill) = spillover(outcome) { p { (spill) } }
    };
    let treated = |outcome| html!((drawn(&figure(outcome)))(table(&ramp(outcome))));
    let switchbacks = html! {
        (table(&timings(outcome)))
        p { b { (advice(outcome).trim()) } }
    };
    let main = html! {
        (verdict(class(outcome), &headline(outcome)))
        (section("What each design would say", &designs))
        @if !outcome.ramp.is_empty() {
            (section("While a share is treated", &treated(outcome)))
        }
        (section("Which switchback", &switchbacks))
        @if let Some(times) = outcome.observed {
            p {
                "Deviations are those of the host's observation: " (format!("{times:.2}"))
                " times the simulated ones."
            }
        }
        (section("Make it again", &html!(div.copy { pre { (remake) } })))
    };
    let title = format!("Plan of {}: {control} to {treatment}", outcome.name);
    let notes = [
        "The network and the traffic are those of the file: how wrong a test is follows from them, and a real path may differ. Where queues are shared the direction of the error is robust, its size is not."
            .to_owned(),
    ];
    Document {
        title: &title,
        setup,
        notes: &notes,
        css: CSS,
        reading: READING,
        explained: EXPLAINED,
        main,
        version,
    }
    .html()
}

/// Says in one sentence what the A/B test is worth.
fn headline(outcome: &Outcome) -> String {
    let first = &outcome.metrics[0];
    let metric = words(first.metric);
    match first.verdict {
        Verdict::WrongSign => format!("An A/B test of this change has the wrong sign in {metric}."),
        Verdict::Wrong => format!("An A/B test of this change is wrong in {metric}."),
        Verdict::Right => format!("An A/B test of this change agrees with the truth in {metric}."),
        Verdict::Unknown => format!("There is too little traffic to tell the effect on {metric}."),
    }
}

fn class(outcome: &Outcome) -> &'static str {
    match outcome.metrics[0].verdict {
        Verdict::WrongSign | Verdict::Wrong => "wrong",
        Verdict::Right => "right",
        Verdict::Unknown => "unknown",
    }
}

/// Returns the figure of the ramp-up: the first metric over the share of treated connections.
pub(super) fn figure(outcome: &Outcome) -> Figure {
    let metric = outcome.metrics[0].metric;
    let change = |own: &Mean| PERCENT * (libm::exp(own.mean) - 1.0);
    let series = |place: usize, name: &str, of: &dyn Fn(&Ramp) -> Option<Mean>| {
        let there = outcome.ramp.iter().filter_map(|own| Some((PERCENT * own.share, of(own)?)));
        let points: Vec<(f64, Mean)> = there.collect();
        let ends = |(x, own): &(f64, Mean)| {
            let (low, high) = own.ends();
            let turned = |value: f64| PERCENT * (libm::exp(value) - 1.0);
            (*x, turned(low), turned(high))
        };
        Series {
            name: name.to_owned(),
            colour: place,
            points: points.iter().map(|(x, own)| Some((*x, change(own)))).collect(),
            joined: true,
            ranges: points.iter().map(ends).collect(),
            ..Series::default()
        }
    };
    // A line over all shares, named in the legend: a name beside it would lie on the points.
    let truth = outcome.metrics[0].truth.as_ref().map(change).map(|at| Series {
        name: "all treated".to_owned(),
        colour: GREY,
        dash: 1,
        points: [0.0, PERCENT].map(|share| Some((share, at))).to_vec(),
        joined: true,
        ..Series::default()
    });
    Figure {
        name: Some("ramp-up".to_owned()),
        title: format!("{} while a share is treated", capital(&words(metric))),
        caption: format!(
            "Change of {} against a network without treatment, and what an A/B test says; bars are 95 % intervals.",
            words(metric)
        ),
        x: Axis {
            title: "Share of treated connections, %".to_owned(),
            scale: Scale::Linear { zero: true },
        },
        y: Axis { title: "Change, %".to_owned(), scale: Scale::Linear { zero: true } },
        content: Content::Curves {
            series: [
                series(0, "A/B test says", &|own| own.test),
                series(1, "treated", &|own| own.treated),
                series(2, "untreated", &|own| own.control),
            ]
            .into_iter()
            .chain(truth)
            .collect(),
            rules: Vec::new(),
        },
    }
}
