//! A consumer at work, and its counts.

use narrows_icn::{AnyConsumer, FaceId, InternedContent};
use narrows_measure::{ConsumerCounters, FlowCounters};
use narrows_scenario::PrefixId;
use narrows_units::{Bytes, Time};
use narrows_wire::Rates;

/// A consumer on its node.
pub(crate) struct ConsumerInstance {
    pub(crate) consumer: AnyConsumer<InternedContent>,
    pub(crate) node: usize,
    pub(crate) face: FaceId,
    /// The flow that it is counted for.
    pub(crate) flow: usize,
    pub(crate) start: Time,
    /// From then on it asks for nothing.
    pub(crate) stop: Time,
    pub(crate) prefix: PrefixId,
    /// Data packets of its content, of this size.
    pub(crate) segments: u64,
    pub(crate) data: Bytes,
    /// The rates of Data from its own node.
    pub(crate) most: Rates,
    /// The content is there; nothing is left to do.
    pub(crate) over: bool,
}

impl ConsumerInstance {
    /// When it wants to be looked at.
    pub(crate) fn due(&self) -> Time {
        if self.over {
            return Time::NEVER;
        }
        self.consumer.due().unwrap_or(Time::NEVER).max(self.start).min(self.stop)
    }

    /// Adds what it has done so far.
    pub(crate) fn add_to(&self, flow: &mut FlowCounters, consumer: &mut ConsumerCounters) {
        self.consumer.counters().add_to(self.data, flow, consumer);
    }
}
