//! The page of a scorecard.

use super::frame::{self, Frame, fill};
use super::style::{self, capital, escape, key};
use crate::baseline::Standing;
use crate::figures::of_traffic;
use crate::scorecard::{
    Against, Entry, Estimate, NO_WINNER, Network, Scorecard, Traffic, beside, heads, percent,
};
use narrows_figure::number::{or_dash, short};
use narrows_figure::{Figure, Style};

const MAIN: &str = include_str!("assets/scorecard.html");
const CSS: &str = include_str!("assets/scorecard.css");

/// Returns the page: the standings against the baseline or the clear winners; for each traffic
/// plots, all numbers, and the harm to competitors in words. It needs no script.
pub(crate) fn scorecard_html(card: &Scorecard) -> String {
    let controllers: String = card
        .controllers
        .iter()
        .enumerate()
        .map(|(place, name)| format!("<span>{}{}</span>\n", key(place), escape(name)))
        .collect();
    let traffic: String = card.traffic.iter().map(|traffic| section(card, traffic)).collect();
    let networks: String = card.networks.iter().map(network).collect();
    // The answer comes before what one must know about it, but for the meaning of its marks.
    let first = card.notes.len().min(1);
    let main = fill(
        MAIN,
        &[
            ("controllers", &controllers),
            ("verdicts", &verdicts(card)),
            ("traffic", &traffic),
            ("notes", &frame::notes(&card.notes[first..])),
            ("networks", &networks),
            ("meanings", &meanings(card)),
            ("remake", &escape(&card.remake)),
        ],
    );
    let names: Vec<&str> = card.networks.iter().map(|network| network.name.as_str()).collect();
    let frame = Frame {
        title: &card.title,
        css: CSS,
        above: frame::setup(&format!("On {}.", names.join(", ")))
            + &frame::notes(&card.notes[..first]),
        version: &card.narrows,
        reading: include_str!("assets/reading/scorecard.html"),
        plots: None,
    };
    frame.around(&main)
}

/// Returns the summary: a row for each network and traffic, a column for each competitor. The cells
/// show the controllers against the baseline, or without a baseline the winners.
fn verdicts(card: &Scorecard) -> String {
    if card.verdicts.is_empty() && card.against.is_empty() {
        return String::new();
    }
    let places: Vec<Option<&str>> =
        std::iter::once(None).chain(card.beside.iter().map(|own| Some(own.as_str()))).collect();
    let head: String = places
        .iter()
        .map(|place| format!("<th scope=\"col\">{}</th>", escape(&capital(&beside(*place)))))
        .collect();
    let mut rows = String::new();
    for network in &card.networks {
        for traffic in &card.traffic {
            let against = |place: &Option<&str>| -> String {
                let rows = card.against.iter().filter(|own| {
                    (&own.network, &own.traffic, own.beside.as_deref())
                        == (&network.name, &traffic.name, *place)
                });
                let row = |own: &Against| {
                    let standings = style::standings(&own.standings);
                    format!("<p><b>{}</b>{standings}</p>", escape(&own.controller))
                };
                rows.map(row).collect()
            };
            let winners = |place: &Option<&str>| {
                let verdict = card.verdicts.iter().find(|verdict| {
                    (&verdict.network, &verdict.traffic, verdict.beside.as_deref())
                        == (&network.name, &traffic.name, *place)
                });
                let parts = verdict.map_or("", |verdict| verdict.says.as_str()).split("; ");
                parts.map(verdict_part).collect::<String>()
            };
            let cell = |place: &Option<&str>| {
                let content = if card.baseline.is_some() { against(place) } else { winners(place) };
                format!("<td data-place=\"{}\">{content}</td>", escape(&capital(&beside(*place))))
            };
            let cells: String = places.iter().map(cell).collect();
            rows += &format!(
                "<tr><th scope=\"row\">{}, {}</th>{cells}</tr>\n",
                escape(&network.name),
                escape(&traffic.name)
            );
        }
    }
    let title = match &card.baseline {
        Some(baseline) => format!("Against {}", escape(baseline)),
        None => "Clear winners".to_owned(),
    };
    format!(
        "<section>\n<h2>{title} (intervals do not overlap)</h2>\n<div class=\"wide\"><table class=\"verdicts\"><thead><tr><th scope=\"col\">Network, \
         traffic</th>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n</section>\n"
    )
}

/// Formats a part of a verdict: a controller and its columns. Columns without a winner are shown
/// less prominently.
fn verdict_part(part: &str) -> String {
    match part.split_once(": ") {
        Some((none @ (NO_WINNER | "not defined"), rest)) => {
            format!("<span class=\"none\">{none}: {}</span>", escape(rest))
        }
        Some((who, rest)) => format!("<span><b>{}</b>: {}</span>", escape(who), escape(rest)),
        None => String::new(),
    }
}

/// The plots of a traffic's numbers.
fn panels(card: &Scorecard, traffic: &Traffic) -> String {
    let style = Style { width: PANEL, titled: false, in_page: true, ..Style::SCREEN };
    let panel = |figure: Figure| {
        let title = figure.title.split_once(": ").map_or("", |(_, number)| number);
        format!(
            "<div class=\"panel\"><h3>{}</h3>\n{}</div>\n",
            escape(&capital(title)),
            figure.svg(&style)
        )
    };
    let all: String = of_traffic(card, traffic).into_iter().map(panel).collect();
    format!("<div class=\"panels\">\n{all}</div>\n")
}

/// Width of a plot in pixels.
const PANEL: f64 = 440.0;

fn section(card: &Scorecard, traffic: &Traffic) -> String {
    let sentences: String = card
        .entries
        .iter()
        .filter(|entry| entry.traffic == traffic.name)
        .filter_map(|entry| entry.sentence.as_deref())
        .map(|sentence| format!("<li>{}</li>\n", escape(sentence)))
        .collect();
    let words = match sentences.is_empty() {
        true => String::new(),
        false => format!(
            "<details><summary>Harm to competitors in words</summary><ul>\n{sentences}</ul></details>\n"
        ),
    };
    format!(
        "<section>\n<h2>{}</h2>\n<p class=\"hint\">{}.</p>\n{}{}{words}</section>\n",
        escape(&capital(&traffic.name)),
        escape(&capital(&traffic.summary)),
        panels(card, traffic),
        table(card, traffic)
    )
}

fn table(card: &Scorecard, traffic: &Traffic) -> String {
    let cell = |name: &str, unit: &str| {
        format!("<th scope=\"col\">{}<small>{}</small></th>", escape(name), escape(unit))
    };
    let mut head = cell("Network", "") + &cell("Controller", "");
    head.extend(heads(&traffic.name).iter().map(|(name, metric)| {
        cell(name, if metric.unit.is_empty() { "× ideal" } else { metric.unit })
    }));
    if !card.beside.is_empty() {
        head += &[
            cell("Harm to goodput", "%"),
            cell("its own", "%"),
            cell("Harm to RTT p95", "%"),
            cell("its own", "%"),
        ]
        .concat();
    }
    let mut rows = String::new();
    let mut before: Option<(&str, Option<&str>)> = None;
    for entry in card.entries.iter().filter(|entry| entry.traffic == traffic.name) {
        let place = (entry.network.as_str(), entry.beside.as_deref());
        let first = before.replace(place) != Some(place);
        let label = if first {
            format!("{} <small>{}</small>", escape(place.0), escape(&beside(place.1)))
        } else {
            String::new()
        };
        let class =
            [if first { "first" } else { "" }, if entry.tested { "" } else { " other" }].concat();
        rows += &format!(
            "<tr class=\"{class}\"><th scope=\"row\">{label}</th>{}</tr>\n",
            cells(card, entry)
        );
    }
    format!(
        "<div class=\"wide\"><table class=\"scores\"><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn cells(card: &Scorecard, entry: &Entry) -> String {
    let mut cells = format!("<td class=\"who\">{}</td>", escape(&entry.controller));
    for own in &entry.metrics {
        let sign = sign(card, own.best, own.standing);
        cells += &number(&own.estimate, or_dash, short, sign, false);
    }
    for own in &entry.harm {
        let (end, sign) = (|share| percent(Some(share)), sign(card, own.best, own.standing));
        cells += &number(&own.estimate, percent, end, sign, own.beyond_own);
        cells += &number(&own.own, percent, end, None, false);
    }
    if entry.harm.is_empty() && !card.beside.is_empty() {
        cells += "<td></td><td></td><td></td><td></td>";
    }
    cells
}

/// Returns the class of a number's cell and the sign after the number.
fn sign(
    card: &Scorecard,
    best: bool,
    standing: Option<Standing>,
) -> Option<(&'static str, &'static str)> {
    match (&card.baseline, standing) {
        (Some(_), standing) => standing.map(|standing| (standing.class(), standing.sign())),
        (None, _) => best.then_some(("best", "*")),
    }
}

fn number(
    estimate: &Estimate,
    median: fn(Option<f64>) -> String,
    end: fn(f64) -> String,
    sign: Option<(&str, &str)>,
    beyond: bool,
) -> String {
    let ends = estimate
        .low
        .zip(estimate.high)
        .map(|(low, high)| (end(low), end(high)))
        .filter(|(low, high)| low != high);
    let range = ends.map_or_else(String::new, |(low, high)| format!("{low}–{high}"));
    let (class, mark) = sign.unwrap_or_default();
    let mark = [mark, if beyond { "!" } else { "" }].concat();
    format!(
        "<td class=\"{class}\">{}{mark}<small>{}</small></td>",
        escape(&median(estimate.median)),
        escape(&range)
    )
}

fn network(network: &Network) -> String {
    let source = if network.source.is_empty() {
        String::new()
    } else {
        format!(" <span>Source: {}</span>", escape(&network.source))
    };
    format!(
        "<dt>{}</dt><dd>{} Runs of {}, statistics after {}.{source}</dd>\n",
        escape(&network.name),
        escape(&(network.summary.trim_end_matches('.').to_owned() + ".")),
        escape(&network.duration),
        escape(&network.warmup)
    )
}

fn meanings(card: &Scorecard) -> String {
    let mut text = String::new();
    for traffic in &card.traffic {
        text += &format!(
            "<dt>{}</dt><dd>{}. <span>Source: {}.</span></dd>\n",
            escape(&capital(&traffic.name)),
            escape(&capital(&traffic.summary)),
            escape(&traffic.source)
        );
        for (head, metric) in heads(&traffic.name) {
            let formula = metric.formula.trim_end_matches('.');
            text += &format!(
                "<dt>{}</dt><dd>{} <span>Computed as: {}. Source: {}.</span></dd>\n",
                escape(head),
                escape(metric.summary),
                escape(formula),
                escape(metric.source)
            );
        }
    }
    if !card.beside.is_empty() {
        text += "<dt>Harm</dt><dd>What the competitor loses beside the traffic. <span>Computed as: (alone - beside) / alone of its goodput, (beside - alone) \
                 / beside of the 95th percentile of its round trips, seed by seed; improvements count as 0. Its own: the same beside traffic of its own \
                 controller. Source: Ware, Mukerjee, Seshan and Sherry, Beyond Jain's Fairness Index, HotNets 2019.</span></dd>\n";
    }
    text
}
