//! The tables of the page.

use super::frame::{joined, notes};
use super::style::{self, key};
use crate::Comparison;
use crate::baseline::against;
use crate::columns::{CARRIER, CONSUMER, FLOW, Field, LINK, Results, SIZE, cell, sizes};
use crate::spread::statistic;
use maud::{Markup, html};
use narrows_figure::number::count;
use narrows_measure::Record;
use narrows_measure::metrics::Metric;
use std::borrow::Cow;

/// Largest number of rows in a table of flows or links. The Parquet tables have all rows.
const ROWS: usize = 200;

pub(crate) fn results(comparison: &Comparison, shown: &Results) -> Markup {
    let (columns, named) = (&shown.columns, comparison.names_cases());
    let rows = comparison.cases.iter().zip(&shown.cases).enumerate();
    html! {
        div.wide { table {
            thead { tr {
                @if named { th scope="col" { "Case" } }
                @for column in columns {
                    (head_cell(column.head, column.metric.unit, column.metric.summary))
                }
            } }
            tbody { @for (index, (case, summaries)) in rows {
                (group_head(comparison, index, columns.len() + usize::from(named)))
                tr data-case=(index) {
                    @if named { th scope="row" { (key(comparison.look(index))) (case.label) } }
                    @for summary in summaries {
                        @let [median, interval] = cell(summary.as_ref());
                        td { (median) small { (interval) } }
                    }
                }
            } }
        } }
        @if let Some(seeds) = comparison.seeds() { p.hint { (statistic(seeds)) } }
        (standings(comparison, shown))
    }
}

/// Returns the heading of the group that begins with a case, over all columns; empty if none does.
fn group_head(comparison: &Comparison, case: usize, columns: usize) -> Markup {
    let begins = comparison.grouped().find(|(_, cases)| cases.start == case);
    html! {
        @if let Some((group, _)) = begins {
            tr.group { th scope="rowgroup" colspan=(columns) { (group.title) (notes(&group.notes)) } }
        }
    }
}

/// Returns the standings of each case against the baseline; empty without a baseline.
fn standings(comparison: &Comparison, shown: &Results) -> Markup {
    let cases = against(comparison, shown);
    let (Some(name), false) = (&comparison.baseline, cases.is_empty()) else {
        return Markup::default();
    };
    let place = |label: &str| comparison.cases.iter().position(|case| case.label == label);
    html! {
        h3 { "Against " (name) }
        dl.against { @for (label, own) in &cases {
            dt { @if let Some(place) = place(label) { (key(place)) } (label) }
            dd { (style::standings(own)) }
        } }
    }
}

fn head_cell(head: &str, unit: &str, title: &str) -> Markup {
    html!(th scope="col" title=(title) { (head) small { (unit) } })
}

pub(crate) fn flows(comparison: &Comparison) -> Markup {
    if comparison.is_icn() {
        return parts(comparison, "consumer", CONSUMER, |run| {
            (0..run.flows.len()).collect::<Vec<_>>().into()
        });
    }
    parts(comparison, "flow", FLOW, |run| run.flows.as_slice().into())
}

pub(crate) fn links(comparison: &Comparison) -> Markup {
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
pub(crate) fn transfers(comparison: &Comparison) -> Markup {
    if comparison.runs().all(|(_, run)| sizes([run]).is_empty()) {
        return Markup::default();
    }
    let table = parts(comparison, "transfer_size", SIZE, |run| sizes([run]).into());
    html!(details open { summary { "Transfers by size" } (table) })
}

fn parts<'a, T: Clone + 'a>(
    comparison: &'a Comparison,
    name: &str,
    fields: &[Field<T>],
    of: impl Fn(&'a Record) -> Cow<'a, [T]>,
) -> Markup {
    let several = comparison.single().is_none();
    let runs = comparison
        .cases
        .iter()
        .enumerate()
        .flat_map(|(index, case)| case.runs.iter().map(move |run| (index, case, run)));
    let (mut rows, mut total) = (Vec::new(), 0);
    for (index, case, run) in runs {
        let parts = of(run);
        total += parts.len();
        let left = ROWS - rows.len();
        rows.extend(parts.iter().take(left).map(|part| {
            html! {
                tr data-case=(index) {
                    @if several {
                        th scope="row" { (key(comparison.look(index))) (case.label) }
                        td { (run.seed) }
                    }
                    @for field in fields { td { ((field.text)(run, part)) } }
                }
            }
        }));
    }
    html! {
        div.wide { table {
            thead { tr {
                @if several { (head_cell("Case", "", "")) (head_cell("Seed", "", "")) }
                @for field in fields { (head_cell(field.head, field.unit, "")) }
            } }
            tbody { (joined(rows)) }
        } }
        @if total > ROWS { p.hint { (count((total - ROWS) as u64)) " more in " (name) "s.parquet." } }
    }
}

pub(crate) fn meanings(shown: &Results) -> Markup {
    html!(@for column in &shown.columns { (meaning(column.head, column.metric)) })
}

/// Returns the definition of a metric under this name.
pub(crate) fn meaning(name: &str, metric: &Metric) -> Markup {
    html! {
        dt { (name) }
        dd {
            (metric.summary) " "
            span {
                "Computed as: " (metric.formula.trim_end_matches('.')) ". Source: " (metric.source) "."
            }
        }
    }
}

pub(crate) fn scenarios(comparison: &Comparison) -> Markup {
    let mut shown: Vec<(&str, Vec<&str>)> = Vec::new();
    for case in &comparison.cases {
        let toml = case.scenario_toml.as_str();
        match shown.iter_mut().find(|(own, _)| *own == toml) {
            Some((_, labels)) => labels.push(&case.label),
            None => shown.push((toml, vec![&case.label])),
        }
    }
    html! {
        @for (toml, labels) in &shown {
            details {
                summary {
                    "Scenario"
                    @if labels.len() < comparison.cases.len() { " of " (labels.join(", ")) }
                }
                div.copy { button type="button" { "Copy" } pre { (toml) } }
            }
        }
    }
}
