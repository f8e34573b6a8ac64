//! Tables of pages.

use maud::{Markup, Render, html};

/// The documentation of the pages of a check and of a draft's cases.
pub(super) const EXPLAINED: &str = "docs/how-to/check.md explains the criteria and their verdicts.";

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
