//! Tells whoever follows a run of its samples.

use narrows_measure::{FlowSample, Follower, LinkSample, Record};
use narrows_network::{Network, Routed};

/// Tells of the samples just taken.
pub(crate) fn tell<P: Routed>(
    follower: &mut dyn Follower,
    flows: impl Iterator<Item = (usize, FlowSample)>,
    network: &Network<P>,
) {
    if follower.follows() {
        follower.sampled(&flows.collect::<Vec<_>>(), &network.latest_samples().collect::<Vec<_>>());
    }
}

/// Follows a part of a network for someone who follows the whole. The flows and links of the part
/// have these numbers there.
pub(crate) struct PartFollower<'a> {
    pub(crate) flows: &'a [usize],
    pub(crate) links: &'a [usize],
    pub(crate) whole: &'a mut dyn Follower,
}

impl Follower for PartFollower<'_> {
    fn follows(&self) -> bool {
        self.whole.follows()
    }

    /// The whole has begun.
    fn begun(&mut self, _: Record) {}

    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]) {
        let flows: Vec<_> =
            flows.iter().map(|(flow, sample)| (self.flows[*flow], *sample)).collect();
        let links: Vec<_> =
            links.iter().map(|(link, sample)| (self.links[*link], *sample)).collect();
        self.whole.sampled(&flows, &links);
    }
}
