//! Tables of pages.

use maud::{Markup, Render, html};

/// Returns a table with these heads.
pub(super) fn table(
    class: &str,
    heads: &[impl Render],
    rows: impl Iterator<Item = Markup>,
) -> Markup {
    html! {
        div.wide { table class=(class) {
            thead { tr { @for head in heads { th scope="col" { (head) } } } }
            tbody { @for row in rows { (row) } }
        } }
    }
}
