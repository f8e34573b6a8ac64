//! Claims as plain text and as JSON.

use super::model::{FigureResult, JudgedClaim, JudgedStatement, Reproduction, Verdict};
use crate::table::{fold, render, wrap};
use narrows_figure::number::{plain, short};
use narrows_scenario::paper::{By, Origin, Standing};
use serde::Serialize;

/// Widths of the columns with the claim and with the published value.
const SAYS: usize = 42;
const PUBLISHED: usize = 20;

/// Formats papers, figures and claims as plain text, at most 120 columns wide, and at the end the
/// share of claims that hold.
pub fn reproduction_table(reproduction: &Reproduction) -> String {
    let mut text = String::new();
    for paper in &reproduction.papers {
        text += &wrap(&format!("{}. {}, {}.", paper.title, paper.authors, paper.published));
        for figure in &paper.figures {
            text += &self::figure(figure);
        }
        text += "\n";
    }
    for paper in reproduction.papers.iter().filter(|_| reproduction.papers.len() > 1) {
        let holding = paper.claims().filter(|claim| claim.verdict().holds()).count();
        let stated = stated(&paper.statements);
        text += &wrap(&format!(
            "{}: {stated}{holding} of {} claims hold.",
            paper.name,
            paper.claims().count()
        ));
    }
    text + &wrap(&share(reproduction))
}

fn figure(figure: &FigureResult) -> String {
    let mut text = format!("\n{} ({})\n", figure.title, figure.source);
    if let Some(why) = &figure.scaled {
        text += &wrap(&format!("Scaled: {why}"));
    }
    for issue in &figure.validity_issues {
        text += &wrap(&format!("INVALID: {issue}"));
    }
    let heads = if figure.is_live() {
        vec!["Claim", "Published", "Kernel", "Simulated"]
    } else {
        vec!["Claim", "Published", "Measured"]
    };
    let heads = heads.into_iter().chain(["Holds if", ""]);
    let mut columns: Vec<Vec<[String; 2]>> =
        heads.map(|head| vec![[head.to_owned(), String::new()]]).collect();
    for claim in &figure.claims {
        let (says, published) =
            (fold(&claim.claim.says, SAYS), fold(&claim.claim.published, PUBLISHED));
        let mut own = vec![says, published, vec![measured(claim)]];
        own.extend(figure.is_live().then(|| vec![simulated(claim)]));
        own.extend([vec![bounds(claim)], vec![claim.verdict().text().to_owned()]]);
        let lines = own.iter().map(Vec::len).max().unwrap_or(0);
        for (column, lines_of) in columns.iter_mut().zip(own) {
            for line in 0..lines {
                column.push([lines_of.get(line).cloned().unwrap_or_default(), String::new()]);
            }
        }
    }
    let texts = columns.len();
    text += &render(columns, texts);
    for claim in &figure.claims {
        if let (Verdict::Explained, Some(known)) = (claim.verdict(), &claim.claim.known) {
            text += &wrap(&format!("Known: \"{}\": {known}", claim.claim.says));
        }
    }
    for (claim, apart) in figure.claims.iter().filter_map(|claim| Some((claim, claim.apart()?))) {
        let why = claim.claim.apart.as_deref().unwrap_or("not explained");
        text += &wrap(&format!(
            "Kernel and simulator {apart:+.0} % apart: \"{}\": {why}",
            claim.claim.says
        ));
    }
    text
}

/// Summarises statements: "41 of 45 judged statements hold (91 %), 2 in part, 2 not, 3 not judged.
/// ", or "" without statements. Statements from pictures and from memory follow with counts of
/// their own: "...; 14 of 16 from pictures (88 %), 1 in part, 1 not. ".
pub(crate) fn stated<'a>(statements: impl IntoIterator<Item = &'a JudgedStatement>) -> String {
    let all: Vec<(Origin, Standing)> =
        statements.into_iter().map(|judged| (judged.statement.origin, judged.standing)).collect();
    let of_origin = |origin: Origin| {
        let standings: Vec<Standing> =
            all.iter().filter(|(own, _)| *own == origin).map(|(_, standing)| *standing).collect();
        (!standings.is_empty()).then_some((origin, standings))
    };
    let kinds: Vec<(Origin, Vec<Standing>)> =
        Origin::ALL.into_iter().filter_map(of_origin).collect();
    let counted = kinds.iter().enumerate().map(|(place, (origin, standings))| {
        let kind = match origin {
            Origin::Text if kinds.len() > 1 => " of the text",
            Origin::Text => "",
            Origin::Picture => " from pictures",
            Origin::Memory => " from memory",
        };
        counted(
            standings,
            if place == 0 { (" judged statements", kind, " hold") } else { ("", kind, "") },
        )
    });
    let text = counted.collect::<Vec<String>>().join("; ");
    if text.is_empty() { text } else { text + ". " }
}

/// Formats counts: "41 of 45 judged statements hold (91 %), 2 in part, 2 not, 3 not judged".
fn counted(standings: &[Standing], (what, kind, holds): (&str, &str, &str)) -> String {
    let count = |standing: Standing| standings.iter().filter(|own| **own == standing).count();
    let (held, unjudged) = (count(Standing::Held), count(Standing::NotJudged));
    let judged = standings.len() - unjudged;
    let mut text = format!(
        "{held} of {judged}{what}{kind}{holds} ({:.0} %)",
        100.0 * held as f64 / judged.max(1) as f64
    );
    for (count, words) in [
        (count(Standing::InPart), "in part"),
        (count(Standing::NotHeld), "not"),
        (unjudged, "not judged"),
    ] {
        if count > 0 {
            text += &format!(", {count} {words}");
        }
    }
    text
}

/// Summarises statements and claims: "41 of 45 judged statements hold (91 %), ... 23 of 25 claims
/// hold (92 %); ..."
pub(crate) fn share(reproduction: &Reproduction) -> String {
    let count =
        |verdict: Verdict| reproduction.claims().filter(|claim| claim.verdict() == verdict).count();
    let all = reproduction.claims().count();
    let holding = count(Verdict::Holds) + count(Verdict::Unexpected);
    let mut text = stated(reproduction.statements());
    text += &format!(
        "{holding} of {all} claims hold ({:.0} %)",
        100.0 * holding as f64 / all.max(1) as f64
    );
    if reproduction.statements().next().is_some() {
        let own: Vec<bool> = reproduction
            .claims()
            .filter(|judged| judged.claim.statement.is_none())
            .map(|judged| judged.verdict().holds())
            .collect();
        text += &format!(
            ", {} of {} of our own",
            own.iter().filter(|holds| **holds).count(),
            own.len()
        );
    }
    let mut more = |count: usize, what: &str| {
        if count > 0 {
            text += &format!("; {count} {what}");
        }
    };
    more(count(Verdict::Explained), "known not to, see measurements/reproductions.md");
    more(count(Verdict::Fails), "not explained");
    more(count(Verdict::Unexpected), "known not to hold, but now do: their `known` can go");
    text + "."
}

/// Formats the measured value with its unit.
pub(crate) fn measured(claim: &JudgedClaim) -> String {
    claim.measured.map_or_else(|| "not defined".to_owned(), |value| united(short(value), claim))
}

/// Formats the simulator's value; empty if the kernel was not measured.
pub(crate) fn simulated(claim: &JudgedClaim) -> String {
    claim.simulated.map_or_else(String::new, |value| united(short(value), claim))
}

/// Formats the bounds: "≥ 80 Mbit/s", "0.9 to 1.1 times".
pub(crate) fn bounds(claim: &JudgedClaim) -> String {
    match (claim.claim.min, claim.claim.max) {
        (Some(min), Some(max)) => united(format!("{} to {}", plain(min), plain(max)), claim),
        (Some(min), None) => united(format!("≥ {}", plain(min)), claim),
        (None, Some(max)) => united(format!("≤ {}", plain(max)), claim),
        (None, None) => String::new(),
    }
}

fn united(number: String, claim: &JudgedClaim) -> String {
    match &claim.claim.than {
        Some(than) if than.by == By::Ratio => format!("{number} times"),
        _ => format!("{number} {}", claim.unit()).trim_end().to_owned(),
    }
}

#[derive(Serialize)]
struct Line<'a> {
    paper: &'a str,
    figure: &'a str,
    claim: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    statement: Option<&'a str>,
    published: &'a str,
    measured: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    simulated: Option<f64>,
    unit: &'a str,
    compared: Option<&'static str>,
    sides: Option<[f64; 2]>,
    min: Option<f64>,
    max: Option<f64>,
    tolerance: &'a str,
    holds: bool,
    verdict: &'a str,
    known: Option<&'a str>,
    judged: &'a str,
    metric: &'a str,
    cell: Option<&'a str>,
    source: &'a str,
    scaled: Option<&'a str>,
}

/// Returns a JSON array with an element for each claim.
pub fn reproduction_json(reproduction: &Reproduction) -> String {
    let mut lines = Vec::new();
    for paper in &reproduction.papers {
        for figure in &paper.figures {
            lines.extend(figure.claims.iter().map(|judged| Line {
                paper: &paper.name,
                figure: &figure.name,
                claim: &judged.claim.says,
                statement: judged.claim.statement.as_deref(),
                published: &judged.claim.published,
                measured: judged.measured,
                simulated: judged.simulated,
                unit: judged.unit(),
                compared: judged.claim.than.as_ref().map(|than| match than.by {
                    By::Ratio => "ratio",
                    By::Difference => "difference",
                }),
                sides: judged.sides,
                min: judged.claim.min,
                max: judged.claim.max,
                tolerance: &judged.claim.tolerance,
                holds: judged.verdict().holds(),
                verdict: judged.verdict().text(),
                known: judged.claim.known.as_deref(),
                judged: judged.claim.judged.name(),
                metric: judged.claim.asked.metric.name,
                cell: judged.cell.as_deref(),
                source: &judged.claim.source,
                scaled: figure.scaled.as_deref(),
            }));
        }
    }
    let mut text = serde_json::to_string_pretty(&lines).unwrap_or_default();
    text.push('\n');
    text
}

#[derive(Serialize)]
struct StatementLine<'a> {
    paper: &'a str,
    name: &'a str,
    statement: &'a str,
    source: &'a str,
    from: &'a str,
    range: Option<&'a str>,
    verdict: &'a str,
    why: Option<&'a str>,
    experiment: Option<&'a str>,
}

/// Returns a JSON array with an element for each statement of the documents.
pub(super) fn statements_json(reproduction: &Reproduction) -> String {
    let mut lines = Vec::new();
    for paper in &reproduction.papers {
        lines.extend(paper.statements.iter().map(|JudgedStatement { statement, standing }| {
            StatementLine {
                paper: &paper.name,
                name: &statement.name,
                statement: &statement.says,
                source: &statement.source,
                from: statement.origin.text(),
                range: statement.range.as_deref(),
                verdict: standing.text(),
                why: statement.why.as_deref(),
                experiment: statement.experiment.as_deref(),
            }
        }));
    }
    let mut text = serde_json::to_string_pretty(&lines).unwrap_or_default();
    text.push('\n');
    text
}
