//! The configuration of consumers, and their counters.

use crate::packet::{Class, NackReason};
use crate::route::HintForm;
use narrows_units::{Bytes, Span};

/// The configuration of a consumer.
#[derive(Clone, Copy, Debug)]
pub struct ConsumerSetup {
    /// Seed of its random choices. Each consumer of a run needs its own.
    pub seed: u64,
    /// Size of an Interest on the wire.
    pub interest: Bytes,
    /// Size of Data on the wire, assumed until the first arrives.
    pub data: Bytes,
    /// Interest lifetime.
    pub lifetime: Span,
    /// The form of the network's steering hints.
    pub form: HintForm,
    /// Longest delay of the caller that a consumer with a rate catches up, by sending the Interests
    /// that were due meanwhile. Zero in simulation, where callers are never late. A delay below one
    /// gap between Interests is always caught up.
    pub catch_up: Span,
}

/// A pair of values, one per class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByClass<T> {
    /// Of primary Interests.
    pub primary: T,
    /// Of secondary Interests.
    pub secondary: T,
}

impl<T> ByClass<T> {
    /// The value of `class`.
    pub fn of(&self, class: Class) -> &T {
        match class {
            Class::Primary => &self.primary,
            Class::Secondary => &self.secondary,
        }
    }

    /// The value of `class`, mutable.
    pub fn of_mut(&mut self, class: Class) -> &mut T {
        match class {
            Class::Primary => &mut self.primary,
            Class::Secondary => &mut self.secondary,
        }
    }
}

/// Nacks by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nacks {
    /// See [`NackReason::Congestion`].
    pub congestion: u64,
    /// See [`NackReason::Duplicate`].
    pub duplicate: u64,
    /// See [`NackReason::NoRoute`].
    pub no_route: u64,
    /// See [`NackReason::InvalidLabel`].
    pub invalid_label: u64,
    /// See [`NackReason::Unknown`].
    pub unknown: u64,
}

impl Nacks {
    /// Counts a Nack.
    pub(crate) fn count(&mut self, reason: NackReason) {
        *match reason {
            NackReason::Congestion => &mut self.congestion,
            NackReason::Duplicate => &mut self.duplicate,
            NackReason::NoRoute => &mut self.no_route,
            NackReason::InvalidLabel => &mut self.invalid_label,
            NackReason::Unknown => &mut self.unknown,
        } += 1;
    }

    /// Their sum.
    pub fn total(&self) -> u64 {
        self.congestion + self.duplicate + self.no_route + self.invalid_label + self.unknown
    }
}

/// Counters of a consumer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsumerCounters {
    /// Interests sent, retransmissions included.
    pub interests: ByClass<u64>,
    /// Segments received, each counted once, by the class of their latest Interest.
    pub data: ByClass<u64>,
    /// Size of these segments on the wire.
    pub goodput: Bytes,
    /// Interests returned with a Nack.
    pub nacks: Nacks,
    /// Interests that timed out.
    pub timeouts: u64,
    /// Interests for a segment that was requested before.
    pub retransmissions: u64,
    /// Interests without a steering hint, sent to find further paths.
    pub probes: u64,
    /// Data for a segment received before.
    pub duplicates: u64,
    /// Data and Nacks for Interests that are not in flight.
    pub unsolicited: u64,
}
