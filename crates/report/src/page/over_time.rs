//! The section of a page with the plots over time.

use super::frame::fill;
use super::{style, tables};
use crate::Comparison;

const TIME: &str = include_str!("assets/time.html");

/// Returns the plots over time with their controls.
pub(crate) fn over_time(comparison: &Comparison, seeds: &[u64]) -> String {
    let (options, word) = (style::seed_options(seeds), tables::flow_word(comparison));
    fill(
        TIME,
        &[("seeds", &options), ("flow_word", word), ("drawn", &drawn(comparison, seeds.len()))],
    )
}

/// Returns a remark if not every seed is drawn over time.
fn drawn(comparison: &Comparison, seeds: usize) -> String {
    let most = comparison.cases.iter().map(|case| case.runs.len()).max().unwrap_or(0);
    if seeds < most {
        format!(
            " Only the first of {most} seeds is drawn; tables and the other plots include all seeds."
        )
    } else {
        String::new()
    }
}
