//! The cells of a criterion as dots with intervals, a row each; those of two numbers are drawn as trades.

use super::cell::CheckedCell;
use super::digits::short;
use super::model::CheckedCriterion;
use crate::statistics::Estimate;
use narrows_report::escape;

/// Pixels of a row, of the names before it; letters of a name; pixels of the whole.
const ROW: f64 = 24.0;
const NAMES: f64 = 290.0;
const LETTERS: usize = 46;
const WIDE: f64 = 860.0;
const RIGHT: f64 = 70.0;
/// More rows are left out, for the table has them.
const MOST: usize = 14;

/// A plot for each measure of a criterion that is judged alone: the cells, the worst first, with the mean and interval of what was judged and of what it was compared with.
pub fn plots(own: &CheckedCriterion) -> String {
    let mut measures: Vec<&str> = Vec::new();
    let cells = || own.cells.iter().filter(|cell| cell.second.is_none());
    for cell in cells() {
        if !measures.contains(&cell.measure.as_str()) {
            measures.push(&cell.measure);
        }
    }
    measures
        .into_iter()
        .map(|measure| {
            plot(measure, cells().filter(|cell| cell.measure == measure).take(MOST).collect())
        })
        .collect()
}

/// A cell's name, as much of it as there is room for.
fn named(cell: &str) -> String {
    match cell.chars().count() > LETTERS {
        true => cell.chars().take(LETTERS - 1).chain(['\u{2026}']).collect(),
        false => cell.to_owned(),
    }
}

fn plot(measure: &str, cells: Vec<&CheckedCell>) -> String {
    let dots = |cell: &CheckedCell| -> Vec<(String, Estimate)> {
        let all = std::iter::once((cell.of.clone(), cell.value()))
            .chain(cell.beside.iter().map(|own| (own.of.clone(), own.value())));
        all.filter_map(|(name, value)| Some((name, value?))).collect()
    };
    let most =
        cells.iter().flat_map(|cell| dots(cell)).map(|(_, own)| own.high).fold(0.0, f64::max);
    if most <= 0.0 {
        return String::new();
    }
    let x = |value: f64| NAMES + (WIDE - NAMES - RIGHT) * (value.max(0.0) / most);
    let tall = ROW * (cells.len() as f64 + 1.0) + 6.0;
    let mut body = String::new();
    for (place, cell) in cells.iter().enumerate() {
        let y = ROW * (place as f64 + 0.5) + 4.0;
        body += &format!(
            "<line class=\"grid\" x1=\"{NAMES}\" x2=\"{:.0}\" y1=\"{y}\" y2=\"{y}\"/>",
            WIDE - RIGHT
        );
        body += &format!(
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text>",
            NAMES - 10.0,
            y + 4.0,
            escape(&named(&cell.cell))
        );
        // What is judged is drawn last, on top.
        for (series, (name, own)) in dots(cell).iter().enumerate().rev() {
            let colour = format!("var(--case-{})", series.min(6));
            body += &format!(
                "<g><title>{}: {} [{}\u{2013}{}]</title><line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"3\" \
                 opacity=\"0.5\"/><circle cx=\"{:.1}\" cy=\"{y}\" r=\"{}\" fill=\"{colour}\"/></g>",
                escape(name),
                short(own.mean),
                short(own.low),
                short(own.high),
                x(own.low),
                x(own.high),
                x(own.mean),
                if series == 0 { 6 } else { 4 }
            );
        }
    }
    let unit = cells.first().map_or("", |cell| cell.unit.as_str());
    let end = format!("{} {unit}", short(most));
    body += &format!(
        "<text class=\"soft\" x=\"{NAMES}\" y=\"{:.0}\" text-anchor=\"middle\">0</text>",
        tall - 6.0
    );
    body += &format!(
        "<text class=\"soft\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
        WIDE - RIGHT,
        tall - 6.0,
        escape(end.trim())
    );
    let names = cells.first().map_or_else(Vec::new, |cell| dots(cell));
    let key = |(series, (name, _)): (usize, &(String, Estimate))| {
        let name = if cells[0].measure.contains(" of other") {
            name.split_once(' ').map_or(name.as_str(), |(_, rest)| rest)
        } else {
            name
        };
        format!(
            "<span style=\"color:var(--case-{})\">\u{25cf}</span> {} ",
            series.min(6),
            escape(name)
        )
    };
    let keys: String = names.iter().enumerate().map(key).collect();
    format!(
        "<div class=\"track\"><h3>{}</h3><p class=\"hint\">{keys}</p><svg viewBox=\"0 0 {WIDE} {tall}\" role=\"img\" aria-label=\"{} of the cells\">{body}</svg></div>\n",
        escape(measure),
        escape(measure)
    )
}
