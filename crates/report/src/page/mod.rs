//! page
use crate::Comparison;
/// html
pub fn html(comparison: &Comparison) -> String {
    comparison.title.clone()
}
