//! Where the random draws of a link come from.

use narrows_units::Random;

/// What fixes the random draws of a link.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) seed: u64,
    pub(super) name: String,
}

impl Origin {
    /// The draws for one purpose.
    pub(super) fn stream(&self, what: &str) -> Random {
        Random::stream(self.seed, &format!("link {} {what}", self.name))
    }
}
