//! The page of a reproduction: the plots of each figure next to its claims.

use super::frame::{self, Frame, Plots, fill, joined, notes, setup};
use crate::figures::{colours, panels};
use crate::reproduction::{
    FigureResult, JudgedClaim, JudgedStatement, PaperResult, Reproduction, Verdict, named,
    reproduction_bounds, reproduction_measured, reproduction_share, reproduction_simulated,
    reproduction_stated,
};
use maud::{Markup, html};
use narrows_figure::Figure;
use narrows_figure::number::short;
use narrows_scenario::paper::{Judged, Origin, Over, Standing, Statement};

const MAIN: &str = include_str!("assets/reproduction.html");
const CSS: &str = include_str!("assets/reproduction.css");
const JS: &str = include_str!("assets/reproduction.js");

/// Returns the page: papers, their figures, plots next to claims, and the command that repeats the
/// measurement.
pub(crate) fn reproduction_html(reproduction: &Reproduction) -> String {
    let drawn = |paper: &PaperResult| -> Vec<Vec<Vec<Figure>>> {
        let names = colours(paper.figures.iter().flat_map(|figure| &figure.plots));
        let plots =
            |figure: &FigureResult| figure.plots.iter().map(|plot| panels(plot, &names)).collect();
        paper.figures.iter().map(plots).collect()
    };
    let plots: Vec<_> = reproduction.papers.iter().map(drawn).collect();
    let papers = reproduction.papers.iter().enumerate();
    let quick = "Quick run: each figure states how it is scaled down. Without --quick, figures run as published.";
    let main = fill(
        MAIN,
        &[
            ("contents", joined(papers.clone().map(|(index, paper)| contents(index, paper)))),
            ("papers", joined(papers.map(|(index, paper)| self::paper(index, paper)))),
            ("remake", html!((reproduction.remake))),
        ],
    );
    let frame = Frame {
        title: "Published results, reproduced",
        css: CSS,
        above: joined([
            setup(&reproduction_share(reproduction)),
            notes(reproduction.quick.then_some(quick)),
        ]),
        version: &reproduction.version,
        reading: include_str!("assets/reading/reproduction.html"),
        explained: frame::PLOTS_AND_METRICS,
        plots: Some(Plots { data: serde_json::to_string(&plots).unwrap_or_default(), js: JS }),
    };
    frame.around(main)
}

/// Counts the claims that hold: "4 of 5 hold".
fn tally<'a>(claims: impl Iterator<Item = &'a JudgedClaim>) -> String {
    let verdicts: Vec<bool> = claims.map(|claim| claim.verdict().holds()).collect();
    format!("{} of {} hold", verdicts.iter().filter(|holds| **holds).count(), verdicts.len())
}

fn contents(index: usize, paper: &PaperResult) -> Markup {
    html! {
        div {
            h3 { a href={ "#paper-" (index) } { (paper.title) } }
            p.hint { (tally(paper.claims())) }
            ul { @for (place, figure) in paper.figures.iter().enumerate() {
                li {
                    a href={ "#figure-" (index) "-" (place) } { (figure.title) } " "
                    @for claim in &figure.claims { (mark(claim.verdict())) }
                }
            } }
        }
    }
}

/// Returns the sign of a verdict, with its words for screen readers and as a tooltip.
fn mark(verdict: Verdict) -> Markup {
    let (class, sign) = sign(verdict);
    html! {
        span class={ "mark " (class) } title=(verdict.text()) role="img" aria-label=(verdict.text()) { (sign) }
    }
}

fn sign(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Holds => ("holds", "✓"),
        Verdict::Fails => ("fails", "✗"),
        Verdict::Explained => ("explained", "✗"),
        Verdict::Unexpected => ("unexpected", "✓"),
    }
}

fn paper(index: usize, paper: &PaperResult) -> Markup {
    html! {
        section id={ "paper-" (index) } {
            h2 { (paper.title) }
            p { (paper.authors) ", " (paper.published) "." }
            p.hint { (paper.about) }
            (statements(paper))
            @for (place, own) in paper.figures.iter().enumerate() { (figure((index, place), own)) }
        }
    }
}

/// Returns the source of a statement, its origin unless it is the text, and the range for which it
/// was judged.
fn known_from(statement: &Statement) -> String {
    let origin = match statement.origin {
        Origin::Text => "",
        Origin::Picture => ", a picture",
        Origin::Memory => ", from memory",
    };
    let range =
        statement.range.as_ref().map_or_else(String::new, |range| format!("; judged for {range}"));
    format!("{}{origin}{range}", statement.source)
}

/// Returns the statements of the document as a folded table; empty if the document lists none.
fn statements(paper: &PaperResult) -> Markup {
    let row = |JudgedStatement { statement, standing }: &JudgedStatement| {
        let (class, sign) = match standing {
            Standing::Held => ("holds", "✓"),
            Standing::InPart => ("explained", "≈"),
            Standing::NotHeld => ("fails", "✗"),
            Standing::NotJudged => ("", "–"),
        };
        let why = statement.why.as_ref().filter(|_| *standing != Standing::Held);
        html! {
            tr {
                td { (statement.says) small { (known_from(statement)) } }
                td { span class={ "verdict " (class) } { (sign) " " (standing.text()) } }
                td { @if let Some(why) = why {
                    (why.trim_end_matches('.'))
                    @if let Some(name) = &statement.experiment {
                        ". Decided by " code { "narrows reproduce " (paper.name) " --figure " (name) }
                    }
                } }
            }
        }
    };
    if paper.statements.is_empty() {
        return Markup::default();
    }
    let stated = reproduction_stated(&paper.statements);
    html! {
        details.statements {
            summary { (stated.trim_end().trim_end_matches('.')) }
            div.wide { table.claims {
                thead { tr { @for head in ["Statement", "Verdict", "Why"] { th scope="col" { (head) } } } }
                tbody { (joined(paper.statements.iter().map(row))) }
            } }
        }
    }
}

fn figure((paper, place): (usize, usize), figure: &FigureResult) -> Markup {
    let live = figure.is_live();
    let measured = if live { &["Kernel", "Simulated"][..] } else { &["Measured"] };
    let heads = ["Claim", "Published"].iter().chain(measured).chain(&["Holds if", "Verdict"]);
    html! {
        article id={ "figure-" (paper) "-" (place) } {
            h3 { (figure.title) " " small { (figure.source) " · " (tally(figure.claims.iter())) } }
            p { (figure.about) }
            @if let Some(why) = &figure.scaled { p.scaled { b { "Scaled." } " " (why) } }
            @for issue in &figure.validity_issues { p.scaled { b { "Invalid." } " " (issue) } }
            div.plots { @for (plot, own) in figure.plots.iter().enumerate() {
                figure {
                    figcaption { (own.title()) }
                    div.plot data-plot=(format!("{paper},{place},{plot}")) role="img" aria-label=(own.title()) {}
                }
            } }
            div.wide { table.claims {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { @for judged in &figure.claims { (claim(judged, live)) } }
            } }
        }
    }
}

fn claim(judged: &JudgedClaim, live: bool) -> Markup {
    let claim = &judged.claim;
    let verdict = judged.verdict();
    html! {
        tr {
            td {
                (claim.says)
                small title=(claim.asked.metric.summary) {
                    (named(claim.asked.metric)) " of " (parts(judged)) ": " (claim.tolerance)
                }
            }
            td {
                (claim.published) small { (claim.source) }
                @if claim.judged == Judged::Ordering { small { "judged by ordering" } }
            }
            td { (reproduction_measured(judged)) small { (origin(judged)) } }
            @if live { td {
                (reproduction_simulated(judged))
                @if let Some(apart) = judged.apart() {
                    small {
                        "the kernel is " (format!("{apart:+.0}")) " % apart: "
                        (claim.apart.as_deref().unwrap_or("not explained"))
                    }
                }
            } }
            td { (reproduction_bounds(judged)) }
            td {
                span class={ "verdict " (sign(verdict).0) } { (sign(verdict).1) " " (verdict.text()) }
                @if let Some(known) = &claim.known { small { (known) } }
            }
        }
    }
}

/// Describes the origin of a measured value: "6.21 to 2.48 Mbit/s; worst of 6: cubic, 1 %".
fn origin(judged: &JudgedClaim) -> String {
    let claim = &judged.claim;
    let sides = judged.sides.map(|[own, other]| {
        format!("{} to {} {}", short(own), short(other), claim.asked.metric.unit)
            .trim_end()
            .to_owned()
    });
    let cells = match (claim.over, &judged.cell) {
        (Over::Worst, cell) => {
            cell.as_ref().map(|cell| format!("worst of {}: {cell}", claim.cells.len()))
        }
        (Over::Mean, _) => Some(format!("mean of {}", claim.cells.len())),
        (Over::Median, _) => Some(format!("median of {}", claim.cells.len())),
    };
    sides
        .into_iter()
        .chain(cells)
        .chain(claim.seeds.name().map(str::to_owned))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Describes the flows, the link and the time that a claim is about.
fn parts(judged: &JudgedClaim) -> String {
    let asked = &judged.claim.asked;
    let flows =
        if asked.flows.is_empty() { "all flows".to_owned() } else { asked.flows.join(", ") };
    let flows = asked.link.iter().fold(flows, |flows, link| format!("{flows}, at {link}"));
    match asked.window {
        Some((from, to)) => format!(
            "{flows}, {} to {}",
            from.since(narrows_units::Time::ZERO),
            to.since(narrows_units::Time::ZERO)
        ),
        None => flows,
    }
}
