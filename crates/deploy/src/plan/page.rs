//! A plan as a page.

use super::outcome::{Outcome, Ramp, Verdict};
use super::text::{advice, ramp, rows, spillover, timings, words};
use narrows_figure::{Axis, Content, Figure, Scale, Series, Style};
use narrows_measure::sequential::Mean;
use narrows_report::{Document, capital, escape};

const CSS: &str = include_str!("plan.css");
const READING: &str = include_str!("reading.html");
/// Points on a line of the figure between shares of 0 and 100 %.
const PERCENT: f64 = 100.0;
/// Colour of what no design measures.
const GREY: usize = 6;

/// Returns the page. `setup` describes the network, `remake` the command that repeats the plan.
pub fn page(outcome: &Outcome, setup: &str, remake: &str, version: &str) -> String {
    let [control, treatment] = &outcome.arms;
    let mut main =
        format!("<p class=\"verdict {}\">{}</p>\n", class(outcome), escape(&headline(outcome)));
    main += &format!("<section>\n<h2>What each design would say</h2>\n{}", table(&rows(outcome)));
    if let Some(spill) = spillover(outcome) {
        main += &format!("<p>{}</p>\n", escape(&spill));
    }
    main += "</section>\n";
    if !outcome.ramp.is_empty() {
        main += &format!(
            "<section>\n<h2>While a share is treated</h2>\n<figure>{}<figcaption>{}</figcaption></figure>\n{}</section>\n",
            figure(outcome).svg(&Style { titled: false, in_page: true, ..Style::SCREEN }),
            escape(&figure(outcome).caption),
            table(&ramp(outcome))
        );
    }
    main += &format!(
        "<section>\n<h2>Which switchback</h2>\n{}<p><b>{}</b></p>\n</section>\n",
        table(&timings(outcome)),
        escape(advice(outcome).trim())
    );
    if let Some(times) = outcome.observed {
        main += &format!(
            "<p>Deviations are those of the host's observation: {times:.2} times the simulated ones.</p>\n"
        );
    }
    main += &format!(
        "<section>\n<h2>Make it again</h2>\n<div class=\"copy\"><pre>{}</pre></div>\n</section>\n",
        escape(remake)
    );
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
        main: &main,
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

/// Formats heads and rows as a table.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let (head, body) = rows.split_first().expect("a row of heads");
    let cells = |row: &[String], tag: &str| -> String {
        row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
    };
    let line = |row: &Vec<String>| {
        let (name, rest) = row.split_first().expect("a first column");
        let rest: String = rest
            .iter()
            .map(|cell| match cell.as_str() {
                "WRONG SIGN" | "wrong" | "ended it" => format!("<td class=\"wrong\">{cell}</td>"),
                other => format!("<td>{}</td>", escape(other)),
            })
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{rest}</tr>\n", escape(name))
    };
    format!(
        "<div class=\"wide\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        cells(head, "th"),
        body.iter().map(line).collect::<String>()
    )
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
