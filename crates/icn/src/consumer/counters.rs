//! What consumers are told and what they count.

use crate::{Class, Form, Reason};
use narrows_units::{Bytes, Span};

/// What a consumer must know of its world.
#[derive(Clone, Copy, Debug)]
pub struct ConsumerSetup {
    /// Seed of the run; with the same one a consumer draws the same. Consumers of a run need different ones.
    pub seed: u64,
    /// Size of an Interest on the wire.
    pub interest: Bytes,
    /// Size of Data on the wire, until the first of it has come.
    pub data: Bytes,
    /// Forwarders keep an Interest for so long.
    pub lifetime: Span,
    /// How paths are told apart in this network.
    pub form: Form,
}

/// One of something for each class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByClass<T> {
    /// Of primary Interests.
    pub primary: T,
    /// Of secondary Interests.
    pub secondary: T,
}

impl<T> ByClass<T> {
    /// That of `class`.
    pub fn of(&self, class: Class) -> &T {
        match class {
            Class::Primary => &self.primary,
            Class::Secondary => &self.secondary,
        }
    }

    /// That of `class`, to be changed.
    pub fn of_mut(&mut self, class: Class) -> &mut T {
        match class {
            Class::Primary => &mut self.primary,
            Class::Secondary => &mut self.secondary,
        }
    }
}

/// Refusals by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nacks {
    /// See [`Reason::Congestion`].
    pub congestion: u64,
    /// See [`Reason::Duplicate`].
    pub duplicate: u64,
    /// See [`Reason::NoRoute`].
    pub no_route: u64,
    /// See [`Reason::InvalidLabel`].
    pub invalid_label: u64,
    /// See [`Reason::Unknown`].
    pub unknown: u64,
}

impl Nacks {
    /// One more.
    pub(crate) fn count(&mut self, reason: Reason) {
        *match reason {
            Reason::Congestion => &mut self.congestion,
            Reason::Duplicate => &mut self.duplicate,
            Reason::NoRoute => &mut self.no_route,
            Reason::InvalidLabel => &mut self.invalid_label,
            Reason::Unknown => &mut self.unknown,
        } += 1;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.congestion + self.duplicate + self.no_route + self.invalid_label + self.unknown
    }
}

/// What a consumer counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsumerCounters {
    /// Interests sent, retransmissions included.
    pub interests: ByClass<u64>,
    /// Segments that came, each counted once, by the class of their latest Interest.
    pub data: ByClass<u64>,
    /// Size of these segments on the wire.
    pub goodput: Bytes,
    /// Interests refused.
    pub nacks: Nacks,
    /// Interests given up because no answer came in time.
    pub timeouts: u64,
    /// Interests for a segment that had been asked for before.
    pub retransmissions: u64,
    /// Interests that named no path although one was known.
    pub probes: u64,
    /// Data for a segment that had come before.
    pub duplicates: u64,
    /// Data and refusals of what was not asked for, or is no longer.
    pub unsolicited: u64,
}
