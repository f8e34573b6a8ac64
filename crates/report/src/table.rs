//! The tables for a terminal.

use crate::Comparison;
use crate::baseline::against;
use crate::columns::{CONSUMER, FLOW, Field, Results, SIZE, cell, sizes};
use crate::emulation::INVALID;
use crate::setup::setup;
use crate::spread::statistic;
use narrows_measure::Record;
use std::collections::BTreeSet;

const WIDTH: usize = 120;
const LABEL: usize = 14;
const GAP: usize = 2;
const FLOWS: usize = 20;

/// Formats the comparison as plain text, at most 120 columns wide: title, set-up, one line for each
/// case (two with several seeds: the median, and below it its 95 % interval), and for a single run
/// its flows and its transfers by size. Overlays, notes and the reasons why a live run is invalid
/// follow.
pub fn table(comparison: &Comparison) -> String {
    let shown = Results::of(comparison);
    let mut text = format!(
        "{}\n{}\n{}",
        comparison.title,
        wrap(&setup(comparison)),
        results(comparison, &shown)
    );
    if let Some(seeds) = comparison.seeds() {
        text += &format!("\n{}\n", statistic(seeds));
    }
    text += &standings(comparison, &shown);
    if let Some(run) = comparison.single() {
        text += "\n";
        text += &flows(run);
        let sizes = sizes([run]);
        if !sizes.is_empty() {
            text += "\n";
            text += &grid(run, SIZE, &sizes, 1);
        }
    }
    for overlay in &comparison.overlays {
        text += "\n";
        text += &wrap(&overlay.summary());
    }
    let notes: Vec<String> = comparison.remarks().collect();
    if !notes.is_empty() {
        text += "\n";
    }
    for note in &notes {
        text += &wrap(&format!("Note: {note}"));
    }
    let issues = comparison.validity_issues();
    if !issues.is_empty() {
        text += &format!("\n!!! {INVALID} !!!\n");
    }
    for issue in &issues {
        text += &wrap(&format!("!!! {issue}"));
    }
    text
}

/// Returns a line for each case with its standings against the baseline; empty without a baseline.
fn standings(comparison: &Comparison, shown: &Results) -> String {
    let cases = against(comparison, shown);
    let (Some(name), false) = (&comparison.baseline, cases.is_empty()) else {
        return String::new();
    };
    let mut text =
        format!("\nAgainst {name} (better or worse where the intervals do not overlap):\n");
    cases.iter().for_each(|(label, own)| text += &wrap(&format!("{label}: {}.", own.words())));
    text
}

fn results(comparison: &Comparison, shown: &Results) -> String {
    let labels = std::iter::once("Case".to_owned())
        .chain(comparison.cases.iter().map(|c| c.label.clone()))
        .map(one);
    let mut grid: Vec<Vec<[String; 2]>> =
        if comparison.names_cases() { vec![labels.collect()] } else { Vec::new() };
    let texts = grid.len();
    for (index, column) in shown.columns.iter().enumerate() {
        let cells = shown.cases.iter().map(|summaries| cell(summaries[index].as_ref()));
        grid.push(std::iter::once(head(column.head, column.metric.unit)).chain(cells).collect());
    }
    render(grid, texts)
}

fn flows(run: &Record) -> String {
    let shown = run.flows.len().min(FLOWS);
    let (mut text, what) = match run.icn {
        Some(_) => (grid(run, CONSUMER, &(0..shown).collect::<Vec<_>>(), 2), "consumers"),
        None => (grid(run, FLOW, &run.flows[..shown], 2), "flows"),
    };
    if run.flows.len() > FLOWS {
        text += &format!("... and {} more {what}\n", run.flows.len() - FLOWS);
    }
    text
}

/// Lays out a table with a row for each of `parts`.
fn grid<T>(run: &Record, fields: &[Field<T>], parts: &[T], texts: usize) -> String {
    let column = |field: &Field<T>| {
        let cells = parts.iter().map(|part| one((field.text)(run, part)));
        std::iter::once(head(field.head, field.unit)).chain(cells).collect()
    };
    render(fields.iter().map(column).collect(), texts)
}

/// Lays out rows of cells below a row of heads, at most 120 columns wide. The first `texts` columns
/// are text, the others are numbers. If all columns are text, a long cell of the last column
/// continues on the lines below.
pub fn text_table(rows: &[Vec<String>], texts: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    if columns == 0 {
        return String::new();
    }
    let folded = (texts == columns).then(|| fold_last(rows));
    let rows = folded.as_deref().unwrap_or(rows);
    let column = |index: usize| {
        rows.iter().map(|row| one(row.get(index).cloned().unwrap_or_default())).collect()
    };
    render((0..columns).map(column).collect(), texts)
}

/// Splits rows with a last cell too long for the width into several rows.
fn fold_last(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let last = rows[0].len() - 1;
    let wide = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let before: Vec<usize> = (0..last).map(wide).collect();
    let room = WIDTH.saturating_sub(total(&before) + GAP).max(LABEL);
    let mut folded = Vec::new();
    for row in rows {
        let lines = fold(row.get(last).map_or("", String::as_str), room);
        folded.push(row.iter().take(last).cloned().chain(lines.first().cloned()).collect());
        folded.extend(
            lines
                .into_iter()
                .skip(1)
                .map(|line| vec![String::new(); last].into_iter().chain([line]).collect()),
        );
    }
    folded
}

pub(crate) fn wrap(text: &str) -> String {
    fold(text, WIDTH).join("\n") + "\n"
}

/// Splits a text into lines of at most `width` characters, except for longer words.
pub(crate) fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        let line = lines.last_mut().expect("there is a line");
        if used == 0 {
            *line += word;
            used = length;
        } else if used + 1 + length > width {
            lines.push(word.to_owned());
            used = length;
        } else {
            line.push(' ');
            *line += word;
            used += 1 + length;
        }
    }
    lines
}

pub(crate) fn one(text: String) -> [String; 2] {
    [text, String::new()]
}

pub(crate) fn head(name: &str, unit: &str) -> [String; 2] {
    match name.split_once(' ').filter(|_| name.len() > 9) {
        Some((first, rest)) => [first.to_owned(), format!("{rest} {unit}").trim_end().to_owned()],
        None => [name.to_owned(), unit.to_owned()],
    }
}

/// Lays out columns. Each column is a head and its cells, and each cell has two lines. The first
/// `texts` columns are text. If the table is too wide, they are shortened, but only as long as
/// their texts remain different. If the table is still too wide, the last columns follow in further
/// tables, which repeat the text columns.
pub(crate) fn render(columns: Vec<Vec<[String; 2]>>, texts: usize) -> String {
    let wide = |column: &[[String; 2]]| {
        column.iter().flatten().map(|line| line.chars().count()).max().unwrap_or(0)
    };
    let mut widths: Vec<usize> = columns.iter().map(|column| wide(column)).collect();
    for column in (0..texts).rev() {
        let excess = total(&widths).saturating_sub(WIDTH);
        widths[column] -= excess.min(widths[column].saturating_sub(least(&columns[column])));
    }
    let mut tables: Vec<Vec<usize>> = vec![(0..texts).collect()];
    for number in texts..columns.len() {
        let last = tables.len() - 1;
        let with: Vec<usize> =
            tables[last].iter().chain([&number]).map(|column| widths[*column]).collect();
        if total(&with) > WIDTH && tables[last].len() > texts {
            tables.push((0..texts).chain([number]).collect());
        } else {
            tables[last].push(number);
        }
    }
    let tables = tables.iter().map(|shown| lay_out(&columns, &widths, shown, texts));
    tables.collect::<Vec<String>>().join("\n")
}

/// Returns the smallest width at which the different texts of a column still differ, but at most
/// half of the table's width.
fn least(column: &[[String; 2]]) -> usize {
    let texts: BTreeSet<&String> = column.iter().flatten().collect();
    let differ = |width: &usize| {
        texts.iter().map(|text| shorten(text, *width)).collect::<BTreeSet<String>>().len()
            == texts.len()
    };
    (LABEL..WIDTH / 2).find(differ).unwrap_or(WIDTH / 2)
}

/// Shortens a text to at most `width` characters by removing its middle.
fn shorten(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let end = width.saturating_sub(1) / 2;
    text.chars().take(width - 1 - end).chain(['…']).chain(text.chars().skip(length - end)).collect()
}

/// Lays out one table of the columns in `shown`.
fn lay_out(
    columns: &[Vec<[String; 2]>],
    widths: &[usize],
    shown: &[usize],
    texts: usize,
) -> String {
    let mut text = String::new();
    let line = |row: usize, line: usize| {
        let cells = shown
            .iter()
            .map(|column| fit(&columns[*column][row][line], widths[*column], *column >= texts));
        cells.collect::<Vec<String>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let rows = columns.first().map_or(0, Vec::len);
    for row in 0..rows {
        for cells in [line(row, 0), line(row, 1)].iter().filter(|cells| !cells.is_empty()) {
            text += cells;
            text += "\n";
        }
        if row == 0 {
            text += &"─"
                .repeat(total(&shown.iter().map(|column| widths[*column]).collect::<Vec<usize>>()));
            text += "\n";
        }
    }
    text
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

fn fit(text: &str, width: usize, right: bool) -> String {
    let text = shorten(text, width);
    let space = " ".repeat(width - text.chars().count());
    if right { space + &text } else { text + &space }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_last_text_goes_on_below() {
        let words = ["word"; 40].join(" ");
        let rows = [["Name", "Found there"], ["first", &words], ["second", "short"]]
            .map(|row| row.map(str::to_owned).to_vec());
        let text = text_table(&rows, 2);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!((text.matches("word").count(), text.matches('…').count()), (40, 0), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[2].starts_with("first   word")
                && lines[3].starts_with("        word")
                && lines.last().unwrap().ends_with("short"),
            "{text}"
        );
    }

    #[test]
    fn long_labels_are_shortened_and_the_table_stays_narrow() {
        let labels = ["Case", &"x".repeat(200)].map(|text| one(text.to_owned())).to_vec();
        let numbers = || ["Head", "12345"].map(|text| one(text.to_owned())).to_vec();
        let text = render(std::iter::once(labels).chain((0..10).map(|_| numbers())).collect(), 1);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(text.contains("x…x"), "{text}");
        let cases = [
            "Case",
            "cubic?hystart=true&ecn=false",
            "cubic?hystart=false&ecn=false",
            "cubic?hystart=true&ecn=true",
        ];
        let values = || ["Head", "1", "2", "3"].map(|text| one(text.to_owned())).to_vec();
        let text = render(
            std::iter::once(cases.map(|text| one(text.to_owned())).to_vec())
                .chain((0..20).map(|_| values()))
                .collect(),
            1,
        );
        let shown: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .filter(|word| word.starts_with("cubic"))
            .collect();
        assert_eq!(shown.len(), 3, "{text}");
        let many = render(
            std::iter::once(vec![one("Case".to_owned()), one("a".to_owned())])
                .chain((0..40).map(|_| numbers()))
                .collect(),
            1,
        );
        assert!(many.lines().all(|line| line.chars().count() <= WIDTH), "{many}");
        let count = |word: &str| many.matches(word).count();
        assert_eq!((count("Head"), count("12345"), count("Case")), (40, 40, 3), "{many}");
    }
}
