//! Where the random draws of a link come from.

use narrows_units::{Random, Rate};

/// Settings of a link that stay for what changes bring: they fix its random draws and its bursts.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) seed: u64,
    pub(super) name: String,
    /// The rate within bursts, also of a link that gets bursts by a change.
    pub(super) burst_rate: Option<Rate>,
}

impl Origin {
    /// The draws for one purpose.
    pub(super) fn stream(&self, what: &str) -> Random {
        Random::stream(self.seed, &format!("link {} {what}", self.name))
    }
}
