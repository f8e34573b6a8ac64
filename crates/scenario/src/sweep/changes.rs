//! Changes to a sweep from the command line.

use crate::Overrides;

/// Changes to a sweep before it is read: the options `--set` and `--seeds`, and replacements of the
/// network or the workload.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Axes to add or replace: the path, and the values, as in `[sweep]` or separated by commas:
    /// `10 Mbit/s,100 Mbit/s`.
    pub set: Vec<(String, String)>,
    /// Number of seeds, from the scenario's seed upwards.
    pub seeds: Option<u32>,
    /// Replacements of the network or the workload; a list with several values becomes an axis.
    pub overrides: Overrides,
}
