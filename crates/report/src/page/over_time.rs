//! The section of a page with the plots over time.

use super::frame::fill;
use super::{style, tables};
use crate::Comparison;
use maud::{Markup, html};

const TIME: &str = include_str!("assets/time.html");

/// Returns the plots over time with their controls.
pub(crate) fn over_time(comparison: &Comparison, seeds: &[u64]) -> Markup {
    let word = html!((tables::flow_word(comparison)));
    let drawn = drawn(comparison, seeds.len());
    fill(TIME, &[("seeds", style::seed_options(seeds)), ("flow_word", word), ("drawn", drawn)])
}

/// Returns a remark if not every seed is drawn over time.
fn drawn(comparison: &Comparison, seeds: usize) -> Markup {
    let most = comparison.cases.iter().map(|case| case.runs.len()).max().unwrap_or(0);
    html! {
        @if seeds < most {
            " Only the first of " (most) " seeds is drawn; tables and the other plots include all seeds."
        }
    }
}
