//! The page of a reproduction: the plots of each figure next to its claims.

use super::frame::{Frame, Plots, fill, notes, setup};
use super::style::escape;
use crate::reproduction::{
    DrawnPlot, FigureResult, JudgedClaim, JudgedStatement, PaperResult, Reproduction, Verdict,
    named, reproduction_bounds, reproduction_measured, reproduction_share, reproduction_simulated,
    reproduction_stated,
};
use narrows_figure::number::short;
use narrows_scenario::paper::{Judged, Origin, Over, Standing, Statement};

const MAIN: &str = include_str!("assets/reproduction.html");
const CSS: &str = include_str!("assets/reproduction.css");
const JS: &str = include_str!("assets/reproduction.js");

/// Returns the page: papers, their figures, plots next to claims, and the command that repeats the
/// measurement.
pub(crate) fn reproduction_html(reproduction: &Reproduction) -> String {
    let plots: Vec<Vec<&[DrawnPlot]>> = reproduction
        .papers
        .iter()
        .map(|paper| paper.figures.iter().map(|figure| &figure.plots[..]).collect())
        .collect();
    let papers =
        reproduction.papers.iter().enumerate().map(|(index, paper)| self::paper(index, paper));
    let quick = "Quick run: each figure states how it is scaled down. Without --quick, figures run as published.";
    let main = fill(
        MAIN,
        &[
            (
                "contents",
                &reproduction
                    .papers
                    .iter()
                    .enumerate()
                    .map(|(index, paper)| contents(index, paper))
                    .collect::<String>(),
            ),
            ("papers", &papers.collect::<String>()),
            ("remake", &escape(&reproduction.remake)),
        ],
    );
    let frame = Frame {
        title: "Published results, reproduced",
        css: CSS,
        above: setup(&reproduction_share(reproduction))
            + &notes(reproduction.quick.then_some(quick)),
        version: &reproduction.version,
        reading: include_str!("assets/reading/reproduction.html"),
        plots: Some(Plots { data: serde_json::to_string(&plots).unwrap_or_default(), js: JS }),
    };
    frame.around(&main)
}

/// Counts the claims that hold: "4 of 5 hold".
fn tally<'a>(claims: impl Iterator<Item = &'a JudgedClaim>) -> String {
    let verdicts: Vec<bool> = claims.map(|claim| claim.verdict().holds()).collect();
    format!("{} of {} hold", verdicts.iter().filter(|holds| **holds).count(), verdicts.len())
}

fn contents(index: usize, paper: &PaperResult) -> String {
    let one = |(place, figure): (usize, &FigureResult)| {
        let marks: String = figure.claims.iter().map(|claim| mark(claim.verdict())).collect();
        format!(
            "<li><a href=\"#figure-{index}-{place}\">{}</a> {marks}</li>\n",
            escape(&figure.title)
        )
    };
    let figures: String = paper.figures.iter().enumerate().map(one).collect();
    format!(
        "<div><h3><a href=\"#paper-{index}\">{}</a></h3><p class=\"hint\">{}</p><ul>\n{figures}</ul></div>\n",
        escape(&paper.title),
        tally(paper.claims())
    )
}

/// Returns the sign of a verdict, with its words for screen readers and as a tooltip.
fn mark(verdict: Verdict) -> String {
    let (class, sign) = sign(verdict);
    format!(
        "<span class=\"mark {class}\" title=\"{0}\" role=\"img\" aria-label=\"{0}\">{sign}</span>",
        verdict.text()
    )
}

fn sign(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Holds => ("holds", "✓"),
        Verdict::Fails => ("fails", "✗"),
        Verdict::Explained => ("explained", "✗"),
        Verdict::Unexpected => ("unexpected", "✓"),
    }
}

fn paper(index: usize, paper: &PaperResult) -> String {
    let figures: String =
        paper.figures.iter().enumerate().map(|(place, own)| figure((index, place), own)).collect();
    format!(
        "<section id=\"paper-{index}\">\n<h2>{}</h2>\n<p>{}, {}.</p>\n<p class=\"hint\">{}</p>\n{}{figures}</section>\n",
        escape(&paper.title),
        escape(&paper.authors),
        escape(&paper.published),
        escape(&paper.about),
        statements(paper)
    )
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
fn statements(paper: &PaperResult) -> String {
    let row = |JudgedStatement { statement, standing }: &JudgedStatement| {
        let (class, sign) = match standing {
            Standing::Held => ("holds", "✓"),
            Standing::InPart => ("explained", "≈"),
            Standing::NotHeld => ("fails", "✗"),
            Standing::NotJudged => ("", "–"),
        };
        let decided = |name: &String| {
            format!(
                ". Decided by <code>narrows reproduce {} --figure {}</code>",
                escape(&paper.name),
                escape(name)
            )
        };
        let experiment = statement.experiment.as_ref().map_or_else(String::new, decided);
        let why = match &statement.why {
            Some(why) if *standing != Standing::Held => {
                escape(why.trim_end_matches('.')) + &experiment
            }
            _ => String::new(),
        };
        format!(
            "<tr><td>{}<small>{}</small></td><td><span class=\"verdict {class}\">{sign} {}</span></td><td>{why}</td></tr>\n",
            escape(&statement.says),
            escape(&known_from(statement)),
            standing.text()
        )
    };
    let rows: String = paper.statements.iter().map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "<details class=\"statements\"><summary>{}</summary>\n<div class=\"wide\"><table class=\"claims\"><thead><tr><th scope=\"col\">Statement</th>\
         <th scope=\"col\">Verdict</th><th scope=\"col\">Why</th></tr></thead><tbody>\n{rows}</tbody></table></div></details>\n",
        reproduction_stated(&paper.statements).trim_end().trim_end_matches('.')
    )
}

fn figure((paper, place): (usize, usize), figure: &FigureResult) -> String {
    let scaled = figure.scaled.as_ref().map_or_else(String::new, |why| {
        format!("<p class=\"scaled\"><b>Scaled.</b> {}</p>\n", escape(why))
    });
    let plots: String = (0..figure.plots.len())
        .map(|plot| {
            let title = escape(figure.plots[plot].title());
            format!("<figure><figcaption>{title}</figcaption><div class=\"plot\" data-plot=\"{paper},{place},{plot}\" role=\"img\" aria-label=\"{title}\"></div></figure>\n")
        })
        .collect();
    let live = figure.is_live();
    let claims: String = figure.claims.iter().map(|judged| claim(judged, live)).collect();
    let issues: String = figure
        .validity_issues
        .iter()
        .map(|issue| format!("<p class=\"scaled\"><b>Invalid.</b> {}</p>\n", escape(issue)))
        .collect();
    let heads = if live { &["Kernel", "Simulated"][..] } else { &["Measured"] };
    let measured: String =
        heads.iter().map(|head| format!("<th scope=\"col\">{head}</th>")).collect();
    format!(
        "<article id=\"figure-{paper}-{place}\">\n<h3>{} <small>{} · {}</small></h3>\n<p>{}</p>\n{scaled}{issues}<div class=\"plots\">\n{plots}</div>\n\
         <div class=\"wide\"><table class=\"claims\"><thead><tr><th scope=\"col\">Claim</th><th scope=\"col\">Published</th>{measured}\
         <th scope=\"col\">Holds if</th><th scope=\"col\">Verdict</th></tr></thead><tbody>\n{claims}</tbody></table></div>\n</article>\n",
        escape(&figure.title),
        escape(&figure.source),
        tally(figure.claims.iter()),
        escape(&figure.about)
    )
}

fn claim(judged: &JudgedClaim, live: bool) -> String {
    let claim = &judged.claim;
    let verdict = judged.verdict();
    let cell = format!("<small>{}</small>", escape(&origin(judged)));
    let ordering =
        if claim.judged == Judged::Ordering { "<small>judged by ordering</small>" } else { "" };
    let apart = judged.apart().map_or_else(String::new, |apart| {
        let why = claim.apart.as_deref().unwrap_or("not explained");
        format!("<small>the kernel is {apart:+.0} % apart: {}</small>", escape(why))
    });
    let simulated = if live {
        format!("<td>{}{apart}</td>", escape(&reproduction_simulated(judged)))
    } else {
        String::new()
    };
    let known = claim
        .known
        .as_ref()
        .map_or_else(String::new, |known| format!("<small>{}</small>", escape(known)));
    format!(
        "<tr><td>{}<small title=\"{}\">{} of {}: {}</small></td><td>{}<small>{}</small>{ordering}</td><td>{}{cell}</td>{simulated}<td>{}</td><td><span class=\"verdict {}\">{} {}</span>{known}</td></tr>\n",
        escape(&claim.says),
        escape(claim.asked.metric.summary),
        escape(&named(claim.asked.metric)),
        escape(&parts(judged)),
        escape(&claim.tolerance),
        escape(&claim.published),
        escape(&claim.source),
        escape(&reproduction_measured(judged)),
        escape(&reproduction_bounds(judged)),
        sign(verdict).0,
        sign(verdict).1,
        verdict.text()
    )
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
