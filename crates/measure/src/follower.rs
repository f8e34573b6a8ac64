//! Followers of a run while it goes on.

use crate::{FlowSample, LinkSample, Record};

/// Hears of a run's samples as they are taken. A world that is followed leaves the same record as
/// one that is not.
pub trait Follower {
    /// False if it follows nothing: a world then gathers nothing for it.
    fn follows(&self) -> bool {
        true
    }

    /// A run begins. Its record has what is known before anything is measured, and no samples.
    fn begun(&mut self, record: Record);

    /// Some flows and links have been sampled, by their numbers in the record; all at one moment. A
    /// world may take the parts of a network one after another, so the time of a flow or link grows
    /// from call to call, but not that of all.
    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]);
}

/// Nobody follows.
impl Follower for () {
    fn follows(&self) -> bool {
        false
    }

    fn begun(&mut self, _: Record) {}

    fn sampled(&mut self, _: &[(usize, FlowSample)], _: &[(usize, LinkSample)]) {}
}

/// Somebody follows, or nobody.
impl<F: Follower> Follower for Option<F> {
    fn follows(&self) -> bool {
        self.as_ref().is_some_and(Follower::follows)
    }

    fn begun(&mut self, record: Record) {
        if let Some(follower) = self {
            follower.begun(record);
        }
    }

    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]) {
        if let Some(follower) = self {
            follower.sampled(flows, links);
        }
    }
}
