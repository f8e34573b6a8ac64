//! The tables of the page.

use super::frame::notes;
use super::style::{self, escape, key};
use crate::Comparison;
use crate::baseline::against;
use crate::columns::{CARRIER, CONSUMER, FLOW, Field, LINK, Results, SIZE, cell, sizes};
use crate::spread::statistic;
use narrows_figure::number::count;
use narrows_measure::Record;
use std::borrow::Cow;

/// Largest number of rows in a table of flows or links. The Parquet tables have all rows.
const ROWS: usize = 200;

pub(crate) fn results(comparison: &Comparison, shown: &Results) -> String {
    let (columns, named) = (&shown.columns, comparison.names_cases());
    let first = if named { "<th scope=\"col\">Case</th>" } else { "" };
    let head: String = columns
        .iter()
        .map(|column| head_cell(column.head, column.metric.unit, column.metric.summary))
        .collect();
    let rows =
        comparison.cases.iter().zip(&shown.cases).enumerate().map(|(index, (case, summaries))| {
            let cells: String = summaries
                .iter()
                .map(|summary| {
                    let [median, interval] = cell(summary.as_ref());
                    format!("<td>{}<small>{}</small></td>", escape(&median), escape(&interval))
                })
                .collect();
            let label = if named {
                let key = key(comparison.look(index));
                format!("<th scope=\"row\">{key}{}</th>", escape(&case.label))
            } else {
                String::new()
            };
            let head = group_head(comparison, index, columns.len() + usize::from(named));
            format!("{head}<tr data-case=\"{index}\">{label}{cells}</tr>\n")
        });
    let rows: String = rows.collect();
    let caption = comparison
        .seeds()
        .map_or_else(String::new, |seeds| format!("<p class=\"hint\">{}</p>", statistic(seeds)));
    format!(
        "<div class=\"wide\"><table><thead><tr>{first}{head}</tr></thead><tbody>\n{rows}</tbody></table></div>{caption}{}",
        standings(comparison, shown)
    )
}

/// Returns the heading of the group that begins with a case, over all columns; empty if none does.
fn group_head(comparison: &Comparison, case: usize, columns: usize) -> String {
    let begins = comparison.grouped().find(|(_, cases)| cases.start == case);
    begins.map_or_else(String::new, |(group, _)| {
        format!(
            "<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"{columns}\">{}{}</th></tr>\n",
            escape(&group.title),
            notes(&group.notes)
        )
    })
}

/// Returns the standings of each case against the baseline; empty without a baseline.
fn standings(comparison: &Comparison, shown: &Results) -> String {
    let cases = against(comparison, shown);
    let (Some(name), false) = (&comparison.baseline, cases.is_empty()) else {
        return String::new();
    };
    let place = |label: &str| comparison.cases.iter().position(|case| case.label == label);
    let rows = cases.iter().map(|(label, own)| {
        let key = place(label).map_or_else(String::new, key);
        format!("<dt>{key}{}</dt><dd>{}</dd>\n", escape(label), style::standings(own))
    });
    format!(
        "<h3>Against {}</h3><dl class=\"against\">\n{}</dl>\n",
        escape(name),
        rows.collect::<String>()
    )
}

fn head_cell(head: &str, unit: &str, title: &str) -> String {
    format!(
        "<th scope=\"col\" title=\"{}\">{}<small>{}</small></th>",
        escape(title),
        escape(head),
        escape(unit)
    )
}

pub(crate) fn flows(comparison: &Comparison) -> String {
    if comparison.is_icn() {
        return parts(comparison, "consumer", CONSUMER, |run| {
            (0..run.flows.len()).collect::<Vec<_>>().into()
        });
    }
    parts(comparison, "flow", FLOW, |run| run.flows.as_slice().into())
}

pub(crate) fn links(comparison: &Comparison) -> String {
    if comparison.is_icn() {
        return parts(comparison, "link", CARRIER, |run| {
            (0..run.links.len()).collect::<Vec<_>>().into()
        });
    }
    parts(comparison, "link", LINK, |run| run.links.as_slice().into())
}

/// Returns the page's word for flows.
pub(crate) fn flow_word(comparison: &Comparison) -> &'static str {
    if comparison.is_icn() { "Consumers" } else { "Flows" }
}

/// Returns the table of completed transfers by size; empty if no transfer was completed.
pub(crate) fn transfers(comparison: &Comparison) -> String {
    if comparison.runs().all(|(_, run)| sizes([run]).is_empty()) {
        return String::new();
    }
    let table = parts(comparison, "transfer_size", SIZE, |run| sizes([run]).into());
    format!("<details open><summary>Transfers by size</summary>\n{table}</details>\n")
}

fn parts<'a, T: Clone + 'a>(
    comparison: &'a Comparison,
    name: &str,
    fields: &[Field<T>],
    of: impl Fn(&'a Record) -> Cow<'a, [T]>,
) -> String {
    let several = comparison.single().is_none();
    let mut head = String::new();
    if several {
        head += &(head_cell("Case", "", "") + &head_cell("Seed", "", ""));
    }
    head.extend(fields.iter().map(|field| head_cell(field.head, field.unit, "")));
    let runs = comparison
        .cases
        .iter()
        .enumerate()
        .flat_map(|(index, case)| case.runs.iter().map(move |run| (index, case, run)));
    let (mut rows, mut total) = (String::new(), 0);
    for (index, case, run) in runs {
        for part in of(run).iter() {
            total += 1;
            if total > ROWS {
                continue;
            }
            rows += &format!("<tr data-case=\"{index}\">");
            if several {
                rows += &format!(
                    "<th scope=\"row\">{}{}</th><td>{}</td>",
                    key(comparison.look(index)),
                    escape(&case.label),
                    run.seed
                );
            }
            rows.extend(
                fields.iter().map(|field| format!("<td>{}</td>", escape(&(field.text)(run, part)))),
            );
            rows += "</tr>\n";
        }
    }
    let more = if total > ROWS {
        format!("<p class=\"hint\">{} more in {name}s.parquet.</p>", count((total - ROWS) as u64))
    } else {
        String::new()
    };
    format!(
        "<div class=\"wide\"><table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>{more}"
    )
}

pub(crate) fn meanings(shown: &Results) -> String {
    let one = |column: &crate::columns::Column| {
        let metric = column.metric;
        format!(
            "<dt>{}</dt><dd>{} <span>Computed as: {}. Source: {}.</span></dd>\n",
            escape(column.head),
            escape(metric.summary),
            escape(metric.formula.trim_end_matches('.')),
            escape(metric.source)
        )
    };
    shown.columns.iter().map(one).collect()
}

pub(crate) fn scenarios(comparison: &Comparison) -> String {
    let mut text = String::new();
    let mut shown: Vec<&str> = Vec::new();
    for case in &comparison.cases {
        let toml = case.scenario_toml.as_str();
        if shown.contains(&toml) {
            continue;
        }
        shown.push(toml);
        let labels: Vec<&str> = comparison
            .cases
            .iter()
            .filter(|other| other.scenario_toml == toml)
            .map(|other| other.label.as_str())
            .collect();
        let labels = if labels.len() == comparison.cases.len() {
            "Scenario".to_owned()
        } else {
            format!("Scenario of {}", labels.join(", "))
        };
        text += &format!(
            "<details><summary>{}</summary><div class=\"copy\"><button type=\"button\">Copy</button><pre>{}</pre></div></details>\n",
            escape(&labels),
            escape(toml)
        );
    }
    text
}
