//! The page of a scorecard.

use super::frame::{self, Frame, fill, joined, raw};
use super::style::{self, capital, key};
use super::tables::meaning;
use crate::baseline::Standing;
use crate::figures::of_traffic;
use crate::scorecard::{
    Entry, Estimate, NO_WINNER, Network, Scorecard, Traffic, beside, heads, percent,
};
use maud::{Markup, html};
use narrows_figure::number::{or_dash, short};
use narrows_figure::{Figure, Style};

const MAIN: &str = include_str!("assets/scorecard.html");
const CSS: &str = include_str!("assets/scorecard.css");

/// Returns the page: the standings against the baseline or the clear winners; for each traffic
/// plots, all numbers, and the harm to competitors in words. It needs no script.
pub(crate) fn scorecard_html(card: &Scorecard) -> String {
    let controllers = html! {
        @for (place, name) in card.controllers.iter().enumerate() { span { (key(place)) (name) } }
    };
    // The answer comes before what one must know about it, but for the meaning of its marks.
    let first = card.notes.len().min(1);
    let main = fill(
        MAIN,
        &[
            ("controllers", controllers),
            ("verdicts", verdicts(card)),
            ("traffic", joined(card.traffic.iter().map(|traffic| section(card, traffic)))),
            ("notes", frame::notes(&card.notes[first..])),
            ("networks", joined(card.networks.iter().map(network))),
            ("meanings", meanings(card)),
            ("remake", html!((card.remake))),
        ],
    );
    let names: Vec<&str> = card.networks.iter().map(|network| network.name.as_str()).collect();
    let setup = frame::setup(&format!("On {}.", names.join(", ")));
    let frame = Frame {
        title: &card.title,
        css: CSS,
        above: joined([setup, frame::notes(&card.notes[..first])]),
        version: &card.narrows,
        reading: include_str!("assets/reading/scorecard.html"),
        explained: frame::PLOTS_AND_METRICS,
        plots: None,
    };
    frame.around(main)
}

/// Returns the summary: a row for each network and traffic, a column for each competitor. The cells
/// show the controllers against the baseline, or without a baseline the winners.
fn verdicts(card: &Scorecard) -> Markup {
    if card.verdicts.is_empty() && card.against.is_empty() {
        return Markup::default();
    }
    let places: Vec<Option<&str>> =
        std::iter::once(None).chain(card.beside.iter().map(|own| Some(own.as_str()))).collect();
    let cell = |network: &Network, traffic: &Traffic, place: Option<&str>| {
        let here = (&network.name, &traffic.name, place);
        let against = card
            .against
            .iter()
            .filter(|own| (&own.network, &own.traffic, own.beside.as_deref()) == here);
        let verdict = card
            .verdicts
            .iter()
            .find(|own| (&own.network, &own.traffic, own.beside.as_deref()) == here);
        html! {
            td data-place=(capital(&beside(place))) {
                @if card.baseline.is_some() {
                    @for own in against { p { b { (own.controller) } (style::standings(&own.standings)) } }
                } @else {
                    @for part in verdict.map_or("", |own| own.says.as_str()).split("; ") { (verdict_part(part)) }
                }
            }
        }
    };
    let title = match &card.baseline {
        Some(baseline) => format!("Against {baseline}"),
        None => "Clear winners".to_owned(),
    };
    html! {
        section {
            h2 { (title) " (intervals do not overlap)" }
            div.wide { table.verdicts {
                thead { tr {
                    th scope="col" { "Network, traffic" }
                    @for place in &places { th scope="col" { (capital(&beside(*place))) } }
                } }
                tbody { @for network in &card.networks { @for traffic in &card.traffic {
                    tr {
                        th scope="row" { (network.name) ", " (traffic.name) }
                        @for place in &places { (cell(network, traffic, *place)) }
                    }
                } } }
            } }
        }
    }
}

/// Formats a part of a verdict: a controller and its columns. Columns without a winner are shown
/// less prominently.
fn verdict_part(part: &str) -> Markup {
    match part.split_once(": ") {
        Some((none @ (NO_WINNER | "not defined"), rest)) => {
            html!(span.none { (none) ": " (rest) })
        }
        Some((who, rest)) => html!(span { b { (who) } ": " (rest) }),
        None => Markup::default(),
    }
}

/// The plots of a traffic's numbers.
fn panels(card: &Scorecard, traffic: &Traffic) -> Markup {
    let style = Style { width: PANEL, titled: false, in_page: true, ..Style::SCREEN };
    let title =
        |figure: &Figure| capital(figure.title.split_once(": ").map_or("", |(_, number)| number));
    html! {
        div.panels { @for figure in of_traffic(card, traffic) {
            div.panel { h3 { (title(&figure)) } (raw(&figure.svg(&style))) }
        } }
    }
}

/// Width of a plot in pixels.
const PANEL: f64 = 440.0;

fn section(card: &Scorecard, traffic: &Traffic) -> Markup {
    let entries = card.entries.iter().filter(|entry| entry.traffic == traffic.name);
    let sentences: Vec<&str> = entries.filter_map(|entry| entry.sentence.as_deref()).collect();
    html! {
        section {
            h2 { (capital(&traffic.name)) }
            p.hint { (capital(&traffic.summary)) "." }
            (panels(card, traffic))
            (table(card, traffic))
            @if !sentences.is_empty() {
                details {
                    summary { "Harm to competitors in words" }
                    ul { @for sentence in &sentences { li { (sentence) } } }
                }
            }
        }
    }
}

fn table(card: &Scorecard, traffic: &Traffic) -> Markup {
    let head = |name: &str, unit: &str| html!(th scope="col" { (name) small { (unit) } });
    let unit = |unit: &'static str| if unit.is_empty() { "× ideal" } else { unit };
    let harm = ["Harm to goodput", "its own", "Harm to RTT p95", "its own"];
    let of_traffic = card.entries.iter().filter(|entry| entry.traffic == traffic.name);
    let entries: Vec<&Entry> = of_traffic.collect();
    let place = |at: usize| (&entries[at].network, &entries[at].beside);
    let row = |at: usize| {
        let (entry, first) = (entries[at], at == 0 || place(at) != place(at - 1));
        let class =
            [if first { "first" } else { "" }, if entry.tested { "" } else { " other" }].concat();
        html! {
            tr class=(class) {
                th scope="row" {
                    @if first { (entry.network) " " small { (beside(entry.beside.as_deref())) } }
                }
                (cells(card, entry))
            }
        }
    };
    html! {
        div.wide { table.scores {
            thead { tr {
                (head("Network", "")) (head("Controller", ""))
                @for (name, metric) in heads(&traffic.name) { (head(name, unit(metric.unit))) }
                @if !card.beside.is_empty() { @for name in harm { (head(name, "%")) } }
            } }
            tbody { (joined((0..entries.len()).map(row))) }
        } }
    }
}

fn cells(card: &Scorecard, entry: &Entry) -> Markup {
    let end = |share| percent(Some(share));
    html! {
        td.who { (entry.controller) }
        @for own in &entry.metrics {
            (number(&own.estimate, or_dash, short, sign(card, own.best, own.standing), false))
        }
        @for own in &entry.harm {
            (number(&own.estimate, percent, end, sign(card, own.best, own.standing), own.beyond_own))
            (number(&own.own, percent, end, None, false))
        }
        @if entry.harm.is_empty() && !card.beside.is_empty() { td {} td {} td {} td {} }
    }
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
) -> Markup {
    let ends = estimate
        .low
        .zip(estimate.high)
        .map(|(low, high)| (end(low), end(high)))
        .filter(|(low, high)| low != high);
    let range = ends.map_or_else(String::new, |(low, high)| format!("{low}–{high}"));
    let (class, mark) = sign.unwrap_or_default();
    html! {
        td class=(class) {
            (median(estimate.median)) (mark) @if beyond { "!" }
            small { (range) }
        }
    }
}

fn network(network: &Network) -> Markup {
    html! {
        dt { (network.name) }
        dd {
            (network.summary.trim_end_matches('.')) ". Runs of " (network.duration)
            ", statistics after " (network.warmup) "."
            @if !network.source.is_empty() { " " span { "Source: " (network.source) } }
        }
    }
}

fn meanings(card: &Scorecard) -> Markup {
    html! {
        @for traffic in &card.traffic {
            dt { (capital(&traffic.name)) }
            dd { (capital(&traffic.summary)) ". " span { "Source: " (traffic.source) "." } }
            @for (head, metric) in heads(&traffic.name) { (meaning(head, metric)) }
        }
        @if !card.beside.is_empty() {
            dt { "Harm" }
            dd {
                "What the competitor loses beside the traffic. "
                span {
                    "Computed as: (alone - beside) / alone of its goodput, (beside - alone) / beside of the 95th percentile of its round trips, seed by seed; "
                    "improvements count as 0. Its own: the same beside traffic of its own controller. Source: Ware, Mukerjee, Seshan and Sherry, Beyond "
                    "Jain's Fairness Index, HotNets 2019."
                }
            }
        }
    }
}
