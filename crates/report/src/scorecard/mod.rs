//! Scorecards: the performance of controllers for their traffic on several networks, and the harm
//! to other flows.

mod compute;
mod files;
mod lineup;
mod model;
mod table;
mod words;

pub use crate::estimate::Estimate;
pub(crate) use crate::estimate::percent;
pub use compute::Values;
pub(crate) use files::read_scorecard;
pub use files::scorecard_json;
pub use lineup::{Lineup, Network, TrafficRun};
pub use model::{Against, Best, Entry, Harm, Scorecard, Traffic, Valued};
pub use table::scorecard_table;
pub(crate) use words::{NO_WINNER, beside, heads};
