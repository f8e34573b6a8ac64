//! Parts that the pages of plans and of results share.

use narrows_figure::{Figure, Style};
use narrows_report::escape;
use std::fmt::Write as _;

/// Style sheet of both pages.
pub(crate) const CSS: &str = include_str!("page.css");

/// Begins the main part with the verdict. `class` is its colour: `right`, `wrong` or `unknown`.
pub(crate) fn verdict(class: &str, text: &str) -> String {
    format!("<p class=\"verdict {class}\">{}</p>\n", escape(text))
}

/// Appends a section. `content` is HTML.
pub(crate) fn section(main: &mut String, heading: &str, content: &str) {
    writeln!(main, "<section>\n<h2>{}</h2>\n{content}</section>", escape(heading))
        .expect("a string grows");
}

/// Draws a figure with its caption.
pub(crate) fn drawn(figure: &Figure) -> String {
    format!(
        "<figure>{}<figcaption>{}</figcaption></figure>\n",
        figure.svg(&Style { titled: false, in_page: true, ..Style::SCREEN }),
        escape(&figure.caption)
    )
}

/// Formats heads and rows as a table.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let (head, body) = rows.split_first().expect("a row of heads");
    let cells = |row: &[String], tag: &str| -> String {
        row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect()
    };
    let line = |row: &Vec<String>| {
        let (name, rest) = row.split_first().expect("a first column");
        let rest: String = rest
            .iter()
            .map(|cell| match cell.as_str() {
                "WRONG SIGN" | "wrong" | "ended it" => format!("<td class=\"wrong\">{cell}</td>"),
                other => format!("<td>{}</td>", escape(other)),
            })
            .collect();
        format!("<tr><th scope=\"row\">{}</th>{rest}</tr>\n", escape(name))
    };
    format!(
        "<div class=\"wide\"><table><thead><tr>{}</tr></thead><tbody>\n{}</tbody></table></div>\n",
        cells(head, "th"),
        body.iter().map(line).collect::<String>()
    )
}
