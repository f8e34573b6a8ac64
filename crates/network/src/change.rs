//! Changes of a network while packets are on it.

use narrows_path::LinkChange;
use narrows_units::Time;

/// The place of a link in its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub usize);

/// The place of a flow in its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub usize);

/// Something changes at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// The change.
    pub what: What,
}

/// The kinds of changes.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A link. Every outage that begins ends: after the [`LinkChange::Down`] of a link comes its
    /// [`LinkChange::Up`], perhaps only after the run.
    Link(LinkId, LinkChange),
    /// The routes of a flow. Packets under way keep the old ones.
    Route {
        /// The flow.
        flow: FlowId,
        /// Links that data crosses from then on, in order.
        route: Vec<LinkId>,
        /// Links that acknowledgements cross from then on, in order.
        back: Vec<LinkId>,
    },
}
