//! The scorecard for a terminal.

use super::model::{Best, Entry, Harm, Scorecard};
use super::words::{beside, heads, whose};
use crate::baseline::Standing;
use crate::estimate::Estimate;
use crate::estimate::percent;
use crate::table::{fold, head, one, render};
use narrows_figure::number::{or_dash, short};

/// Width of the text, in columns of a terminal.
const WIDTH: usize = 100;

/// Formats the scorecard as plain text: a table for each network and traffic; the standings against
/// the baseline, or without a baseline the clear winners; and how to read the numbers.
pub fn scorecard_table(card: &Scorecard) -> String {
    let mut text = format!("{}\n", card.title);
    for network in &card.networks {
        for traffic in &card.traffic {
            let entries: Vec<&Entry> = card
                .entries
                .iter()
                .filter(|entry| entry.network == network.name && entry.traffic == traffic.name)
                .collect();
            text += &format!(
                "\n{}\n",
                wrap(&format!("{}, {}: {}", network.name, traffic.name, traffic.summary))
            );
            text += &block(card, &traffic.name, &entries);
            let sentences: Vec<&str> =
                entries.iter().filter_map(|entry| entry.sentence.as_deref()).collect();
            text += if sentences.is_empty() { "" } else { "\n" };
            sentences.iter().for_each(|sentence| text += &wrap(sentence));
        }
    }
    if let Some(baseline) = &card.baseline {
        text += &format!("\nAgainst {baseline} (better or worse where intervals do not overlap)\n");
    }
    for own in &card.against {
        text += &wrap(&format!(
            "{}, {} {}: {} is {}.",
            own.network,
            own.traffic,
            beside(own.beside.as_deref()),
            own.controller,
            own.standings.words()
        ));
    }
    let winners: &[Best] = if card.baseline.is_some() { &[] } else { &card.verdicts };
    if !winners.is_empty() {
        text += "\nClear winners (intervals do not overlap)\n";
    }
    for verdict in winners {
        text += &wrap(&format!(
            "{}, {} {}: {}.",
            verdict.network,
            verdict.traffic,
            beside(verdict.beside.as_deref()),
            verdict.says
        ));
    }
    text += "\n";
    card.notes.iter().for_each(|note| text += &wrap(&format!("Note: {note}")));
    text
}

/// Formats the rows of a network and a kind of traffic.
fn block(card: &Scorecard, traffic: &str, entries: &[&Entry]) -> String {
    let heads = heads(traffic);
    let mut columns: Vec<Vec<[String; 2]>> = vec![vec![one(String::new())]];
    columns.extend(heads.iter().map(|(name, metric)| {
        vec![head(name, if metric.unit.is_empty() { "×" } else { metric.unit })]
    }));
    if !card.beside.is_empty() {
        columns.extend(
            ["goodput", "RTT p95"].map(|of| vec![["Harm to".to_owned(), format!("{of}, %")]]),
        );
    }
    for competitor in std::iter::once(None).chain(card.beside.iter().map(|own| Some(own.as_str())))
    {
        let blank =
            |text: String| std::iter::once(one(text)).chain(std::iter::repeat(one(String::new())));
        columns
            .iter_mut()
            .zip(blank(
                competitor.map_or_else(|| "alone".to_owned(), |own| format!("beside {own}")),
            ))
            .for_each(|(column, cell)| column.push(cell));
        for entry in entries.iter().filter(|entry| entry.beside.as_deref() == competitor) {
            let label = if entry.tested {
                entry.controller.clone()
            } else {
                format!("({})", entry.controller)
            };
            let metrics = entry.metrics.iter().map(|own| {
                numbers(&own.estimate, or_dash, short, mark(card, own.best, own.standing))
            });
            let cells = std::iter::once(one(format!("  {label}")))
                .chain(metrics)
                .chain(entry.harm.iter().map(|own| harm(card, own)));
            let cells = cells.chain(std::iter::repeat(one(String::new())));
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        }
    }
    let others: Vec<&str> = card
        .beside
        .iter()
        .filter(|own| !card.controllers.contains(own))
        .map(String::as_str)
        .collect();
    let mut text = render(columns, 1);
    if !others.is_empty() {
        text += &format!(
            "In brackets: {}, for comparison.\n",
            others.iter().map(|own| whose(traffic, own, card.flows)).collect::<Vec<_>>().join(", ")
        );
    }
    text
}

/// Returns the sign after a number: its standing against the baseline, or without a baseline a star
/// for the best.
fn mark(card: &Scorecard, best: bool, standing: Option<Standing>) -> &'static str {
    match &card.baseline {
        Some(_) => standing.map_or("", Standing::sign),
        None if best => "*",
        None => "",
    }
}

fn harm(card: &Scorecard, harm: &Harm) -> [String; 2] {
    let beyond = if harm.beyond_own { "!" } else { "" };
    let mark = [beyond, mark(card, harm.best, harm.standing)].concat();
    numbers(&harm.estimate, percent, |share| percent(Some(share)), &mark)
}

/// Formats the median with its mark, and below it the interval.
fn numbers(
    estimate: &Estimate,
    median: fn(Option<f64>) -> String,
    end: fn(f64) -> String,
    mark: &str,
) -> [String; 2] {
    let ends = estimate
        .low
        .zip(estimate.high)
        .map(|(low, high)| (end(low), end(high)))
        .filter(|(low, high)| low != high);
    let interval = ends.map_or_else(String::new, |(low, high)| format!("{low}–{high}"));
    [format!("{}{mark:1}", median(estimate.median)), interval]
}

fn wrap(text: &str) -> String {
    fold(text, WIDTH - 2).join("\n  ") + "\n"
}
