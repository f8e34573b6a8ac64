//! Scorecards: what controllers do for their traffic on several networks, and what this costs others.

mod compute;
mod estimate;
mod files;
mod lineup;
mod model;
mod table;
mod words;

pub use compute::Values;
pub(crate) use estimate::percent;
pub(crate) use files::read_scorecard;
pub use files::scorecard_json;
pub use lineup::{Lined, Lineup, Network};
pub use model::{Best, Entry, Estimate, Harm, Scorecard, Traffic, Valued};
pub use table::scorecard_table;
pub(crate) use words::{beside, heads};
