//! The page of a check.

use super::cell::CheckedCell;
use super::map::maps;
use super::model::{Checked, CheckedCriterion};
use super::plot::plots;
use super::statements::ASKED;
use super::text::{found, measured, on_kernel, others, value};
use crate::attack::Replayed;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use narrows_figure::number::short;
use narrows_report::{Document, escape};
use std::collections::BTreeMap;

const CSS: &str = include_str!("check.css");
const READING: &str = include_str!("reading.html");
const READING_PROGRAM: &str = include_str!("reading-program.html");

/// Returns the page: head, limits, the table of criteria, and each criterion with its cells. It
/// needs no script. `courses` has the figures over time by the id of the criterion.
pub fn check_html(checked: &Checked, courses: &BTreeMap<String, String>) -> String {
    let rows: String = checked.criteria.iter().map(row).collect();
    let sections: String = checked
        .criteria
        .iter()
        .filter(|own| !own.cells.is_empty())
        .map(|own| section(own, courses.get(&own.id), checked.program))
        .collect();
    let not_shown: String =
        checked.not_shown.iter().map(|own| format!("<li>{}</li>\n", escape(own))).collect();
    let main = format!(
        "<p class=\"line\">{}</p>\n<section>\n<h2>Not shown</h2>\n<ul>\n{not_shown}</ul>\n</section>\n<section>\n<h2>Criteria</h2>\n<div class=\"wide\"><table \
         class=\"criteria\"><thead><tr><th scope=\"col\">Criterion</th><th scope=\"col\">Section</th><th scope=\"col\">Strength</th><th scope=\"col\">Verdict</th><th \
         scope=\"col\">Worst cell</th><th scope=\"col\">Found there</th></tr></thead><tbody>\n{rows}</tbody></table></div>\n</section>\n{}{sections}{}{}{}\
         <section>\n<h2>Made again in this directory by</h2>\n<pre>{}</pre>\n</section>\n",
        escape(&checked.line()),
        versions(checked),
        conformance(checked),
        findings(checked),
        statements(checked),
        escape(&checked.remake)
    );
    let setup = format!("{}. {}.", checked.title, checked.extent());
    let title = format!("Evidence on {}", checked.controller);
    let reading = if checked.program { READING_PROGRAM } else { READING };
    Document {
        title: &title,
        setup: &setup,
        notes: &[],
        css: CSS,
        reading,
        main: &main,
        version: &checked.narrows,
    }
    .html()
}

/// Returns the section with the verdict line of the draft's cases.
fn conformance(checked: &Checked) -> String {
    let Some(own) = &checked.conformance else { return String::new() };
    format!(
        "<section>\n<h2>Example cases of {}</h2>\n<p>{}: <a href=\"conformance.html\">each of them</a></p>\n</section>\n",
        escape(&own.draft),
        escape(&own.line)
    )
}

/// Returns the section with the changes from another version.
fn versions(checked: &Checked) -> String {
    let Some(own) = &checked.versions else { return String::new() };
    let rows = own.rows();
    let heads: String =
        rows[0].iter().map(|head| format!("<th scope=\"col\">{}</th>", escape(head))).collect();
    let row = |cells: &Vec<String>| {
        let rest: String = cells[1..]
            .iter()
            .map(|cell| format!("<td class=\"words\">{}</td>", escape(cell)))
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{rest}</tr>\n", escape(&cells[0]))
    };
    format!(
        "<section id=\"versions\">\n<h2>{}</h2>\n<div class=\"wide\"><table class=\"criteria\"><thead><tr>{heads}</tr></thead><tbody>\n{}</tbody></table></div>\n<p>{}</p>\n</section>\n",
        escape(&own.title()),
        rows[1..].iter().map(row).collect::<String>(),
        escape(&own.rest().unwrap_or_default())
    )
}

/// Returns the section with the replayed findings.
fn findings(checked: &Checked) -> String {
    if checked.findings.is_empty() {
        return String::new();
    }
    let row = |own: &Replayed| {
        let verdict = own.verdict(&checked.controller);
        let cells = [own.goal.name(), &own.found_for, &short(own.then), &short(own.now), &verdict]
            .map(|text| format!("<td>{}</td>", escape(text)));
        format!("<tr><th scope=\"row\">{}</th>{}</tr>\n", escape(&own.network()), cells.concat())
    };
    let heads = ["Network", "Goal", "Found for", "Score then", "Score now", ""]
        .map(|head| format!("<th scope=\"col\">{head}</th>"));
    format!(
        "<section id=\"findings\">\n<h2>Kept findings of searches</h2>\n<div class=\"wide\"><table class=\"criteria\"><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n</section>\n",
        heads.concat(),
        checked.findings.iter().map(row).collect::<String>()
    )
}

/// Returns the section with the statements of the authors.
fn statements(checked: &Checked) -> String {
    if checked.statements.0.is_empty() {
        return String::new();
    }
    let one = |(key, section, question): &(&str, &str, &str)| {
        let text = checked.statements.0.get(*key).map_or("missing", String::as_str);
        format!(
            "<dt>{} (section {})</dt><dd>{}</dd>\n",
            escape(question),
            escape(section),
            escape(text)
        )
    };
    let all: String = ASKED.iter().map(one).collect();
    format!("<section>\n<h2>Stated by the authors</h2>\n<dl>\n{all}</dl>\n</section>\n")
}

fn badge(verdict: &str) -> String {
    format!("<span class=\"verdict {}\">{}</span>", verdict.replace(' ', "-"), escape(verdict))
}

fn row(own: &CheckedCriterion) -> String {
    let cell = own.cells.first();
    let worst = cell.filter(|_| !own.is_shown());
    let what = match (&own.reason, &own.comes_from, cell) {
        (Some(reason), _, _) => format!("<span class=\"none\">{}</span>", escape(reason)),
        (_, Some(other), _) => format!("see <a href=\"#{0}\">{0}</a>", escape(other)),
        (_, _, Some(_)) if own.is_shown() => format!("{} numbers", own.cells.len()),
        (_, _, Some(cell)) => {
            format!("{}<small>{}</small>", escape(&cell.cell), escape(&measured(cell)))
        }
        _ => String::new(),
    };
    let name = if own.cells.is_empty() {
        escape(&own.id)
    } else {
        format!("<a href=\"#{0}\">{0}</a>", escape(&own.id))
    };
    let fragile = own.fragile.as_ref().map_or_else(String::new, |variant| {
        format!("<small>fragile: passes {}</small>", escape(variant))
    });
    format!(
        "<tr><th scope=\"row\">{name}<small>{}</small></th><td>{}</td><td>{}</td><td class=\"verdicts\">{}{fragile}</td><td class=\"words\">{what}</td><td \
         class=\"words\">{}</td></tr>\n",
        escape(&own.title),
        escape(&own.section),
        escape(&own.strength),
        badge(&own.verdict),
        escape(&worst.map_or_else(String::new, found))
    )
}

/// Embeds a figure over time as an image. The page may be built from a directory of unknown origin,
/// and browsers run no scripts in images.
fn figure(svg: &str) -> String {
    let says = "The worst cell over time, in its worst seed, and with each baseline in the controller's place";
    format!(
        "<figure class=\"course\"><figcaption>{says}</figcaption><img alt=\"{says}\" src=\"data:image/svg+xml;base64,{}\"></figure>\n",
        STANDARD.encode(svg)
    )
}

fn section(own: &CheckedCriterion, course: Option<&String>, program: bool) -> String {
    let course = course.map_or_else(String::new, |svg| figure(svg));
    let mut rules: Vec<(&str, &str)> =
        own.cells.iter().map(|cell| (cell.rule.as_str(), cell.source.as_str())).collect();
    rules.sort();
    rules.dedup();
    let rules: String = rules
        .into_iter()
        .map(|(says, source)| {
            format!("<dt>{}</dt><dd><span>{}</span></dd>\n", escape(says), escape(source))
        })
        .collect();
    let rows: String = own.cells.iter().map(|cell| cell_row(cell, program)).collect();
    let first = if own.is_shown() { "first" } else { "worst" };
    let scenario = own.cells.first().and_then(|cell| cell.scenario.as_ref()).map_or_else(
        String::new,
        |file| {
            let use_of_it = match program {
                true => {
                    "where the program takes the place of the flow <code>self</code>".to_owned()
                }
                false => format!("<code>narrows run {}</code>", escape(file)),
            };
            format!(
                "<p class=\"hint\">The {first} cell's scenario is in {}: {use_of_it}</p>\n",
                escape(file)
            )
        },
    );
    let kernel = own.kernel.as_ref().and_then(|kernel| on_kernel(own, kernel));
    let kernel = kernel
        .map_or_else(String::new, |text| format!("<p>On the kernel: {}.</p>\n", escape(&text)));
    let left_out: String = own
        .left_out
        .iter()
        .map(|grid| format!("<p>Judged without {}.</p>\n", escape(grid)))
        .collect();
    format!(
        "<section id=\"{}\">\n<h2>{} {}</h2>\n<p>{}</p>\n<dl>\n{rules}</dl>\n{left_out}{kernel}{}{course}{}{scenario}<details{}><summary>All {} cells</summary>\n<div class=\"wide\"><table><thead><tr><th \
         scope=\"col\">Cell</th><th scope=\"col\">Measure</th><th scope=\"col\">Verdict</th><th scope=\"col\">Value</th><th scope=\"col\">Beside it</th><th \
         scope=\"col\">Beyond the bound</th><th scope=\"col\">Seeds</th></tr></thead><tbody>\n{rows}</tbody></table></div></details>\n</section>\n",
        escape(&own.id),
        escape(&own.title),
        badge(&own.verdict),
        escape(&own.asks),
        plots(own),
        maps(own),
        if own.verdict == "pass" { "" } else { " open" },
        own.cells.len()
    )
}

fn cell_row(cell: &CheckedCell, program: bool) -> String {
    let excess = cell.excess.map_or("–".to_owned(), |own| {
        format!("{} [{}–{}]", short(own.mean), short(own.low), short(own.high))
    });
    let note = cell
        .note
        .as_ref()
        .map_or_else(String::new, |note| format!("<small>{}</small>", escape(note)));
    let more = match (cell.undecided, cell.improves) {
        (true, _) => "<small>undecided</small>",
        (false, true) => "<small>improves</small>",
        _ => "",
    };
    let settled = match cell.not_converged {
        0 => String::new(),
        count => format!("<small>{count} of {} not converged</small>", cell.subject.len()),
    };
    let seeds = format!(
        "{}{}",
        cell.subject.len(),
        match (cell.confirmed, program) {
            (true, true) => ", baselines on the kernel",
            (true, false) => " fresh",
            (false, _) => "",
        }
    );
    format!(
        "<tr><th scope=\"row\">{}</th><td class=\"words\">{}{note}</td><td>{}{more}</td><td>{}</td><td class=\"words\">{}</td><td>{}</td><td>{}{settled}</td></tr>\n",
        escape(&cell.cell),
        escape(&measured(cell)),
        badge(&cell.verdict),
        escape(&value(cell)),
        escape(&others(cell)),
        escape(&excess),
        escape(&seeds)
    )
}
