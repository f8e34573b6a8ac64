//! Records of an information-centric network that a world keeps, beside its flows and links.

use narrows_units::{Bytes, Rate, Time};

/// The part of a record that only information-centric networks have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IcnRecord {
    /// The law by which links say rates, as written, parameters included; `None` without one.
    pub law: Option<String>,
    /// Records of nodes on the links on which Data comes to them, in the order of
    /// [`Record::links`](crate::Record::links): one for each link.
    pub rates: Vec<RatesRecord>,
    /// Records of consumers, in the order of [`Record::flows`](crate::Record::flows).
    pub consumers: Vec<ConsumerRecord>,
    /// Pending Interests of all nodes at the end.
    pub pending: u64,
    /// Pending Interests that came to the end of their lifetime.
    pub expired: u64,
    /// Interests that caches answered.
    pub cached: u64,
}

/// The record of the node at the far end of a link: the rates that it stamps into Data from
/// there, and the queue of Interests for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RatesRecord {
    /// Interests for the link, over the whole run.
    pub total: InterestCounters,
    /// Counts since the warm-up ended.
    pub steady: InterestCounters,
    /// Samples at each interval.
    pub samples: Vec<RatesSample>,
}

/// Counts of Interests at a shaper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InterestCounters {
    /// Interests that went out.
    pub sent: u64,
    /// Primary Interests that were refused because the shaper's queue was full.
    pub refused_primary: u64,
    /// Secondary Interests that were refused for it, those evicted included.
    pub refused_secondary: u64,
    /// Secondary Interests that gave their place in the queue to a primary one.
    pub evicted: u64,
}

impl InterestCounters {
    /// Counts after `before`, an earlier state of these counters.
    pub fn since(&self, before: &InterestCounters) -> InterestCounters {
        InterestCounters {
            sent: self.sent - before.sent,
            refused_primary: self.refused_primary - before.refused_primary,
            refused_secondary: self.refused_secondary - before.refused_secondary,
            evicted: self.evicted - before.evicted,
        }
    }
}

/// Rates and queue at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatesSample {
    /// When.
    pub at: Time,
    /// The rate for primary Interests; zero where no law says one.
    pub primary: Rate,
    /// The rate for secondary Interests.
    pub secondary: Rate,
    /// Interests in the shaper.
    pub queue: u32,
}

/// The record of a consumer, or of all that asked for contents of a request process at a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConsumerRecord {
    /// True of the consumers of a request process at a node together.
    pub many: bool,
    /// Counts over the whole run.
    pub total: ConsumerCounters,
    /// Counts since the warm-up ended.
    pub steady: ConsumerCounters,
    /// Samples at each interval.
    pub samples: Vec<ConsumerSample>,
    /// Its subflows, in the order in which they were found; none of request processes.
    pub subflows: Vec<SubflowRecord>,
}

/// Counts of a consumer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsumerCounters {
    /// Bytes of Data that primary Interests brought.
    pub primary: Bytes,
    /// Bytes of Data that secondary Interests brought.
    pub secondary: Bytes,
    /// Interests that came back refused.
    pub nacks: u64,
    /// Interests sent, again and again ones included.
    pub interests: u64,
}

impl ConsumerCounters {
    /// Counts after `before`, an earlier state of these counters.
    pub fn since(&self, before: &ConsumerCounters) -> ConsumerCounters {
        ConsumerCounters {
            primary: self.primary - before.primary,
            secondary: self.secondary - before.secondary,
            nacks: self.nacks - before.nacks,
            interests: self.interests - before.interests,
        }
    }
}

/// A consumer at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsumerSample {
    /// When.
    pub at: Time,
    /// The rate at which it asks with primary Interests.
    pub primary_rate: Rate,
    /// The rate at which it asks with secondary Interests.
    pub secondary_rate: Rate,
    /// Counts since the run began.
    pub counters: ConsumerCounters,
}

/// A path that a consumer uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SubflowRecord {
    /// The hash of its hops.
    pub path: u64,
    /// Samples at each interval since it was found: when, and the bytes of Data of both classes
    /// that have come on it.
    pub samples: Vec<SubflowSample>,
}

/// A subflow at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubflowSample {
    /// When.
    pub at: Time,
    /// Bytes of Data of primary Interests since the run began.
    pub primary: Bytes,
    /// Bytes of Data of secondary Interests.
    pub secondary: Bytes,
    /// The rate that links on it say for primary Interests.
    pub primary_rate: Rate,
    /// The rate for secondary Interests.
    pub secondary_rate: Rate,
}
