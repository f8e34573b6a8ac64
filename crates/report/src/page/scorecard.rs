//! The page of a scorecard.

use super::frame::{self, Frame, fill};
use super::scorecard_plot::panels;
use super::style::{capital, escape, key};
use crate::number::{or_dash, short};
use crate::scorecard::{Entry, Estimate, Network, Scorecard, Traffic, beside, heads, percent};

const MAIN: &str = include_str!("assets/scorecard.html");
const CSS: &str = include_str!("assets/scorecard.css");

/// The page: who was best, and for each traffic plots, all numbers, and in words what competitors lose. It needs no script.
pub(crate) fn scorecard_html(card: &Scorecard) -> String {
    let controllers: String = card
        .controllers
        .iter()
        .enumerate()
        .map(|(place, name)| format!("<span>{}{}</span>\n", key(place), escape(name)))
        .collect();
    let traffic: String = card.traffic.iter().map(|traffic| section(card, traffic)).collect();
    let networks: String = card.networks.iter().map(network).collect();
    let main = fill(
        MAIN,
        &[
            ("controllers", &controllers),
            ("verdicts", &verdicts(card)),
            ("traffic", &traffic),
            ("networks", &networks),
            ("meanings", &meanings(card)),
            ("remake", &escape(&card.remake)),
        ],
    );
    let names: Vec<&str> = card.networks.iter().map(|network| network.name.as_str()).collect();
    let frame = Frame {
        title: &card.title,
        css: CSS,
        above: frame::setup(&format!("On {}.", names.join(", "))) + &frame::notes(&card.notes),
        version: &card.narrows,
        reading: include_str!("assets/reading/scorecard.html"),
        plots: None,
    };
    frame.around(&main)
}

/// Who was best: a row for each network and traffic, a column for each competitor.
fn verdicts(card: &Scorecard) -> String {
    if card.verdicts.is_empty() {
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
            let own = |place: &Option<&str>| {
                let verdict = card.verdicts.iter().find(|verdict| {
                    (&verdict.network, &verdict.traffic, verdict.beside.as_deref())
                        == (&network.name, &traffic.name, *place)
                });
                let parts = verdict.map_or("", |verdict| verdict.says.as_str()).split("; ");
                parts.map(verdict_part).collect::<String>()
            };
            let cell = |place: &Option<&str>| {
                format!(
                    "<td data-place=\"{}\">{}</td>",
                    escape(&capital(&beside(*place))),
                    own(place)
                )
            };
            let cells: String = places.iter().map(cell).collect();
            rows += &format!(
                "<tr><th scope=\"row\">{}, {}</th>{cells}</tr>\n",
                escape(&network.name),
                escape(&traffic.name)
            );
        }
    }
    format!(
        "<section>\n<h2>Clear winners (intervals do not overlap)</h2>\n<div class=\"wide\"><table class=\"verdicts\"><thead><tr><th scope=\"col\">Network, \
         traffic</th>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n</section>\n"
    )
}

/// Who won, with the name before the rest; softly, where nobody did.
fn verdict_part(part: &str) -> String {
    match part.split_once(": ") {
        Some((none @ ("no difference seen" | "not defined"), rest)) => {
            format!("<span class=\"none\">{none}: {}</span>", escape(rest))
        }
        Some((who, rest)) => format!("<span><b>{}</b>: {}</span>", escape(who), escape(rest)),
        None => String::new(),
    }
}

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
        cells += &number(&own.estimate, or_dash, short, own.best, false);
    }
    for own in &entry.harm {
        cells +=
            &number(&own.estimate, percent, |share| percent(Some(share)), own.best, own.beyond_own);
        cells += &number(&own.own, percent, |share| percent(Some(share)), false, false);
    }
    if entry.harm.is_empty() && !card.beside.is_empty() {
        cells += "<td></td><td></td><td></td><td></td>";
    }
    cells
}

fn number(
    estimate: &Estimate,
    median: fn(Option<f64>) -> String,
    end: fn(f64) -> String,
    best: bool,
    beyond: bool,
) -> String {
    let ends = estimate
        .low
        .zip(estimate.high)
        .map(|(low, high)| (end(low), end(high)))
        .filter(|(low, high)| low != high);
    let range = ends.map_or_else(String::new, |(low, high)| format!("{low}–{high}"));
    let (class, mark) = (
        if best { " class=\"best\"" } else { "" },
        [if best { "*" } else { "" }, if beyond { "!" } else { "" }].concat(),
    );
    format!(
        "<td{class}>{}{mark}<small>{}</small></td>",
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
