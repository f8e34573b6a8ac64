//! Parts that the pages of plans and of results share.

use maud::{Markup, PreEscaped, html};
use narrows_figure::{Figure, Style};

/// Style sheet of both pages.
pub(crate) const CSS: &str = include_str!("page.css");

/// The documentation of both pages.
pub(crate) const EXPLAINED: &str = "docs/how-to/deploy.md explains the designs and every number.";

/// Begins the main part with the verdict. `class` is its colour: `right`, `wrong` or `unknown`.
pub(crate) fn verdict(class: &str, text: &str) -> Markup {
    html!(p class={ "verdict " (class) } { (text) })
}

/// Writes a section with its heading.
pub(crate) fn section(heading: &str, content: &Markup) -> Markup {
    html!(section { h2 { (heading) } (content) })
}

/// Draws a figure with its caption.
pub(crate) fn drawn(figure: &Figure) -> Markup {
    let svg = figure.svg(&Style { titled: false, in_page: true, ..Style::SCREEN });
    html!(figure { (PreEscaped(svg)) figcaption { (figure.caption) } })
}

/// Formats heads and rows as a table.
pub(crate) fn table(rows: &[Vec<String>]) -> Markup {
    let (head, body) = rows.split_first().expect("a row of heads");
    let is_wrong = |cell: &str| ["WRONG SIGN", "wrong", "ended it"].contains(&cell);
    let line = |row: &Vec<String>| {
        let (name, rest) = row.split_first().expect("a first column");
        html! {
            tr {
                th scope="row" { (name) }
                @for cell in rest { td.wrong[is_wrong(cell)] { (cell) } }
            }
        }
    };
    html! {
        div.wide { table {
            thead { tr { @for cell in head { th { (cell) } } } }
            tbody { @for row in body { (line(row)) } }
        } }
    }
}
