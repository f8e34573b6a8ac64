//! The page of a check.

use super::cell::CheckedCell;
use super::map::maps;
use super::model::{Checked, CheckedCriterion};
use super::plot::plots;
use super::rows::{EXPLAINED, table};
use super::statements::ASKED;
use super::text::{found, measured, on_kernel, others, value};
use crate::attack::Replayed;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use narrows_figure::number::short;
use narrows_report::Document;
use std::collections::BTreeMap;

const CSS: &str = include_str!("check.css");
const READING: &str = include_str!("reading.html");
const READING_PROGRAM: &str = include_str!("reading-program.html");

/// Returns the page: head, limits, the table of criteria, and each criterion with its cells. It
/// needs no script. `courses` has the figures over time by the id of the criterion.
pub fn check_html(checked: &Checked, courses: &BTreeMap<String, String>) -> String {
    let heads = ["Criterion", "Section", "Strength", "Verdict", "Worst cell", "Found there"];
    let sections = checked.criteria.iter().filter(|own| !own.cells.is_empty());
    let main = html! {
        p.line { (checked.line()) }
        section {
            h2 { "Not shown" }
            ul { @for own in &checked.not_shown { li { (own) } } }
        }
        section {
            h2 { "Criteria" }
            (table("criteria", &heads, checked.criteria.iter().map(row)))
        }
        (versions(checked))
        @for own in sections { (section(own, courses.get(&own.id), checked.program)) }
        (conformance(checked))
        (findings(checked))
        (statements(checked))
        section {
            h2 { "Made again in this directory by" }
            pre { (checked.remake) }
        }
    };
    let setup = format!("{}. {}.", checked.title, checked.extent());
    let title = format!("Evidence on {}", checked.controller);
    let reading = if checked.program { READING_PROGRAM } else { READING };
    Document {
        title: &title,
        setup: &setup,
        notes: &[],
        css: CSS,
        reading,
        explained: EXPLAINED,
        main,
        version: &checked.narrows,
    }
    .html()
}

/// Returns the section with the verdict line of the draft's cases.
fn conformance(checked: &Checked) -> Markup {
    html! {
        @if let Some(own) = &checked.conformance {
            section {
                h2 { "Example cases of " (own.draft) }
                p { (own.line) ": " a href="conformance.html" { "each of them" } }
            }
        }
    }
}

/// Returns the section with the changes from another version.
fn versions(checked: &Checked) -> Markup {
    let Some(own) = &checked.versions else { return Markup::default() };
    let rows = own.rows();
    let row = |cells: &Vec<String>| {
        html! {
            tr {
                th scope="row" { (cells[0]) }
                @for cell in &cells[1..] { td.words { (cell) } }
            }
        }
    };
    html! {
        section id="versions" {
            h2 { (own.title()) }
            (table("criteria", &rows[0], rows[1..].iter().map(row)))
            p { (own.rest().unwrap_or_default()) }
        }
    }
}

/// Returns the section with the replayed findings.
fn findings(checked: &Checked) -> Markup {
    if checked.findings.is_empty() {
        return Markup::default();
    }
    let row = |own: &Replayed| {
        let verdict = own.verdict(&checked.controller);
        let cells = [own.goal.name(), &own.found_for, &short(own.then), &short(own.now), &verdict];
        html!(tr { th scope="row" { (own.network()) } @for cell in cells { td { (cell) } } })
    };
    let heads = ["Network", "Goal", "Found for", "Score then", "Score now", ""];
    html! {
        section id="findings" {
            h2 { "Kept findings of searches" }
            (table("criteria", &heads, checked.findings.iter().map(row)))
        }
    }
}

/// Returns the section with the statements of the authors.
fn statements(checked: &Checked) -> Markup {
    if checked.statements.0.is_empty() {
        return Markup::default();
    }
    html! {
        section {
            h2 { "Stated by the authors" }
            dl { @for (key, section, question) in &ASKED {
                dt { (question) " (section " (section) ")" }
                dd { (checked.statements.0.get(*key).map_or("missing", String::as_str)) }
            } }
        }
    }
}

fn badge(verdict: &str) -> Markup {
    html!(span class={ "verdict " (verdict.replace(' ', "-")) } { (verdict) })
}

/// Returns a link to the section of a criterion.
fn link(id: &str) -> Markup {
    html!(a href={ "#" (id) } { (id) })
}

fn row(own: &CheckedCriterion) -> Markup {
    let cell = own.cells.first();
    let worst = cell.filter(|_| !own.is_shown());
    let what = match (&own.reason, &own.comes_from, cell) {
        (Some(reason), _, _) => html!(span.none { (reason) }),
        (_, Some(other), _) => html!("see "(link(other))),
        (_, _, Some(_)) if own.is_shown() => html!((own.cells.len()) " numbers"),
        (_, _, Some(cell)) => html!((cell.cell) small { (measured(cell)) }),
        _ => Markup::default(),
    };
    html! {
        tr {
            th scope="row" {
                @if own.cells.is_empty() { (own.id) } @else { (link(&own.id)) }
                small { (own.title) }
            }
            td { (own.section) }
            td { (own.strength) }
            td.verdicts {
                (badge(&own.verdict))
                @if let Some(variant) = &own.fragile { small { "fragile: passes " (variant) } }
            }
            td.words { (what) }
            td.words { (worst.map_or_else(String::new, found)) }
        }
    }
}

/// Embeds a figure over time as an image. The page may be built from a directory of unknown origin,
/// and browsers run no scripts in images.
fn figure(svg: &str) -> Markup {
    let says = "The worst cell over time, in its worst seed, and with each baseline in the controller's place";
    html! {
        figure.course {
            figcaption { (says) }
            img alt=(says) src={ "data:image/svg+xml;base64," (STANDARD.encode(svg)) };
        }
    }
}

fn section(own: &CheckedCriterion, course: Option<&String>, program: bool) -> Markup {
    let mut rules: Vec<(&str, &str)> =
        own.cells.iter().map(|cell| (cell.rule.as_str(), cell.source.as_str())).collect();
    rules.sort();
    rules.dedup();
    let first = if own.is_shown() { "first" } else { "worst" };
    let scenario = own.cells.first().and_then(|cell| cell.scenario.as_ref());
    let kernel = own.kernel.as_ref().and_then(|kernel| on_kernel(own, kernel));
    let heads = ["Cell", "Measure", "Verdict", "Value", "Beside it", "Beyond the bound", "Seeds"];
    let rows = own.cells.iter().map(|cell| cell_row(cell, program));
    html! {
        section id=(own.id) {
            h2 { (own.title) " " (badge(&own.verdict)) }
            p { (own.asks) }
            dl { @for (says, source) in rules { dt { (says) } dd { span { (source) } } } }
            @for grid in &own.left_out { p { "Judged without " (grid) "." } }
            @if let Some(text) = kernel { p { "On the kernel: " (text) "." } }
            (plots(own))
            @if let Some(svg) = course { (figure(svg)) }
            (maps(own))
            @if let Some(file) = scenario { p.hint {
                "The " (first) " cell's scenario is in " (file) ": "
                @if program { "where the program takes the place of the flow " code { "self" } }
                @else { code { "narrows run " (file) } }
            } }
            details open[own.verdict != "pass"] {
                summary { "All " (own.cells.len()) " cells" }
                (table("", &heads, rows))
            }
        }
    }
}

fn cell_row(cell: &CheckedCell, program: bool) -> Markup {
    let excess = cell.excess.map_or("–".to_owned(), |own| {
        format!("{} [{}–{}]", short(own.mean), short(own.low), short(own.high))
    });
    let fresh = match (cell.confirmed, program) {
        (true, true) => ", baselines on the kernel",
        (true, false) => " fresh",
        (false, _) => "",
    };
    html! {
        tr {
            th scope="row" { (cell.cell) }
            td.words { (measured(cell)) @if let Some(note) = &cell.note { small { (note) } } }
            td {
                (badge(&cell.verdict))
                @if cell.undecided { small { "undecided" } }
                @else if cell.improves { small { "improves" } }
            }
            td { (value(cell)) }
            td.words { (others(cell)) }
            td { (excess) }
            td {
                (cell.subject.len()) (fresh)
                @if cell.not_converged > 0 {
                    small { (cell.not_converged) " of " (cell.subject.len()) " not converged" }
                }
            }
        }
    }
}
