//! A report as text for a mail or for the appendix of a draft.

use super::model::{Checked, CheckedCriterion};
use super::statements::ASKED;
use super::text::{improved, left_out, measured, on_kernel, others, shown, value};
use narrows_figure::number::short;

/// Largest width of lines in mails and drafts.
const WIDTH: usize = 80;

/// Formats head, table, and a paragraph for each criterion, in Markdown.
pub fn check_markdown(checked: &Checked) -> String {
    let mut text = format!("# Evidence on {} by {}\n\n", checked.controller, checked.document);
    text += &wrapped(&format!(
        "{}. {}, Narrows {}.",
        checked.line(),
        checked.extent(),
        checked.narrows
    ));
    text += "\nNot shown:\n\n";
    checked.not_shown.iter().for_each(|own| text += &item(own));
    let judged = || checked.criteria.iter().filter(|own| !own.is_shown());
    if judged().next().is_some() {
        text += "\n| Criterion | Section | Strength | Verdict |\n| --- | --- | --- | --- |\n";
        for own in &checked.criteria {
            let fragile = if own.fragile.is_some() { " (fragile)" } else { "" };
            text += &row(&[
                own.id.clone(),
                own.section.clone(),
                own.strength.clone(),
                own.verdict.clone() + fragile,
            ]);
        }
    }
    text += "\n";
    judged()
        .for_each(|own| text += &item(&format!("**{}**, {}: {}", own.id, own.verdict, told(own))));
    for own in checked.criteria.iter().filter(|own| own.is_shown()) {
        let rows = shown(own);
        let rule = row(&vec!["---".to_owned(); rows[0].len()]);
        text += &format!(
            "\n## {}\n\n{}{rule}{}",
            own.title,
            row(&rows[0]),
            rows[1..].iter().map(|cells| row(cells)).collect::<String>()
        );
    }
    let beside = checked.conformance.is_some() || !checked.findings.is_empty();
    if beside && checked.criteria.iter().any(CheckedCriterion::is_shown) {
        text += "\n## Beside the criteria\n\n";
    }
    if let Some(own) = &checked.conformance {
        text += &item(&format!("**Example cases of {}**: {}.", own.draft, own.line));
    }
    checked
        .findings
        .iter()
        .for_each(|own| text += &item(&format!("{}.", own.text(&checked.controller))));
    if !checked.statements.0.is_empty() {
        text += "\n## Stated by the authors\n\n";
        for (key, section, question) in ASKED {
            let stated = checked.statements.0.get(key).map_or("missing", String::as_str);
            text += &item(&format!("{question} (section {section}) {stated}"));
        }
    }
    if let Some(own) = &checked.versions {
        let rows = own.rows();
        let rule = row(&vec!["---".to_owned(); rows[0].len()]);
        text += &format!(
            "\n## {}\n\n{}{rule}{}",
            own.title(),
            row(&rows[0]),
            rows[1..].iter().map(|cells| row(cells)).collect::<String>()
        );
        text += &own.rest().map_or_else(String::new, |rest| format!("\n{}", wrapped(&rest)));
    }
    inert(&text) + &format!("\nMade again in the result directory by\n\n    {}\n", checked.remake)
}

/// Describes what decided a criterion.
fn told(own: &CheckedCriterion) -> String {
    let Some(cell) = own.cells.first() else {
        return match (&own.reason, &own.comes_from) {
            (Some(reason), _) => format!("{reason}."),
            (None, Some(other)) => format!("see {other}."),
            (None, None) => "no criterion above is worse.".to_owned(),
        };
    };
    let mut text =
        format!("worst in {}: {} {}; {}", cell.cell, measured(cell), value(cell), others(cell));
    text += &cell.note.as_ref().map_or_else(String::new, |note| format!("; {note}"));
    text += ".";
    if let Some(excess) = cell.excess.filter(|_| own.verdict != "pass") {
        let undecided = if cell.undecided { ", so undecided" } else { "" };
        text += &format!(
            " Beyond the bound by {} [{}–{}]{undecided}: {}.",
            short(excess.mean),
            short(excess.low),
            short(excess.high),
            cell.rule
        );
    }
    if let Some(improved) = improved(own) {
        text += &format!(" The {improved}.");
    }
    if let Some(variant) = &own.fragile {
        text += &format!(" It passes {variant}.");
    }
    if let Some(kernel) = own.kernel.as_ref().and_then(|kernel| on_kernel(own, kernel)) {
        text += &format!(" On the kernel: {kernel}.");
    }
    text + &left_out(own).replace('\n', " ")
}

/// Escapes each `<` that would begin an HTML tag, comment or instruction (CommonMark, sections 6.6
/// and 4.6). Names and statements come from elsewhere, and many programs that show Markdown
/// interpret HTML in it.
fn inert(text: &str) -> String {
    let mut inert = String::with_capacity(text.len());
    let mut all = text.chars().peekable();
    while let Some(c) = all.next() {
        if c == '<'
            && all
                .peek()
                .is_some_and(|next| next.is_ascii_alphabetic() || ['/', '!', '?'].contains(next))
        {
            inert.push('\\');
        }
        inert.push(c);
    }
    inert
}

fn row(cells: &[String]) -> String {
    format!(
        "| {} |\n",
        cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | ")
    )
}

/// Formats an item of a list.
fn item(text: &str) -> String {
    format!("- {}", wrapped(text).trim_end().replace('\n', "\n  ")) + "\n"
}

/// Wraps a text into lines of whole words, slightly shorter than [`WIDTH`] to leave room for an
/// indent.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one from the beginning");
        if !line.is_empty() && line.chars().count() + word.chars().count() + 3 > WIDTH {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            *line += word;
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_shown_and_not_obeyed() {
        assert_eq!(
            inert("a <script>b</script> <!-- c --> <?d"),
            "a \\<script>b\\</script> \\<!-- c --> \\<?d"
        );
        assert_eq!(inert("1 < 2, <= 3, <4"), "1 < 2, <= 3, <4");
    }

    #[test]
    fn lines_are_of_whole_words_and_no_longer_than_a_mail_has_them() {
        let text = item(&"abcde ".repeat(40));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(lines[0].starts_with("- abcde") && lines[1].starts_with("  abcde"), "{text}");
        assert_eq!(text.split_whitespace().filter(|word| *word == "abcde").count(), 40);
    }
}
