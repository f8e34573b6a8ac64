//! Text for a mail or the appendix of a draft.

use super::model::Checked;
use super::text::{left_out, shown, value};

/// Head and table in Markdown.
pub fn check_markdown(checked: &Checked) -> String {
    let mut text = format!(
        "# Evidence on {} by {}\n\n{}. {}, Narrows {}.\n\nNot shown:\n\n",
        checked.controller,
        checked.document,
        checked.line(),
        checked.extent(),
        checked.narrows
    );
    checked.not_shown.iter().for_each(|own| text += &format!("- {own}\n"));
    if checked.criteria.iter().any(|own| !own.is_shown()) {
        text += "\n| Criterion | Section | Strength | Verdict | Worst cell | Value |\n| --- | --- | --- | --- | --- | --- |\n";
    }
    for own in checked.criteria.iter().filter(|own| !own.is_shown()) {
        let (cell, value) = match (own.cells.first(), &own.reason, &own.comes_from) {
            (_, Some(reason), _) => (reason.clone(), String::new()),
            (_, _, Some(other)) => (format!("see {other}"), String::new()),
            (Some(cell), _, _) => (format!("{}: {}", cell.cell, cell.measure), value(cell)),
            _ => (String::new(), String::new()),
        };
        let fragile = if own.fragile.is_some() { " (fragile)" } else { "" };
        let row = [&own.id, &own.section, &own.strength, &(own.verdict.clone() + fragile), &cell, &value];
        text += &format!("| {} |\n", row.map(|cell| cell.replace('|', "\\|")).join(" | "));
    }
    for own in checked.criteria.iter().filter(|own| own.is_shown()) {
        let row =
            |cells: &Vec<String>| format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "));
        let rows = shown(own);
        let rule = row(&vec!["---".to_owned(); rows[0].len()]);
        text += &format!("\n## {}\n\n{}{rule}{}", own.title, row(&rows[0]), rows[1..].iter().map(row).collect::<String>());
    }
    checked.criteria.iter().for_each(|own| text += &left_out(own));
    text + &format!("\nMade again by `{}`.\n", checked.remake)
}
