//! Changes to a sweep from outside its file.

use crate::Overrides;

/// What is changed in a sweep before it is read: the options `--set` and `--seeds`, and those that put another network or workload in place.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Axes to add or replace: the path, and its values as `[sweep]` would have them or separated by commas: `10 Mbit/s,100 Mbit/s`.
    pub set: Vec<(String, String)>,
    /// So many seeds, the scenario's own and those after it.
    pub seeds: Option<u32>,
    /// Another network or workload; of a kind that has several, each is a value of an axis.
    pub overrides: Overrides,
}
