//! An entry of the PIT and its records.

use super::few::Few;
use crate::face_id::FaceId;
use crate::name::Name;
use crate::node::steering::Egress;
use crate::packet::{Interest, NackReason};
use crate::route::Route;
use narrows_units::{Span, Time};
use narrows_wire::Rates;

/// A face that waits for Data.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct InRecord<N: Name> {
    pub(crate) face: FaceId,
    pub(crate) expires: Time,
    /// As it arrived: a Nack returns it so.
    pub(crate) interest: Interest<N>,
}

impl<N: Name> InRecord<N> {
    /// Octets that it is counted for: those of the Interest, and those of an entry.
    pub(crate) fn octets(&self) -> u64 {
        octets(&self.interest)
    }
}

/// Octets that the record of an Interest is counted for. A packet is kept in a buffer of a multiple
/// of 64 octets.
pub(crate) fn octets<N: Name>(interest: &Interest<N>) -> u64 {
    interest.size.get() + (size_of::<Entry<N>>() + 64) as u64
}

/// A face to which the Interest was forwarded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRecord {
    /// The face, and how it was chosen.
    pub(crate) egress: Egress,
    pub(crate) nonce: u32,
    /// The Interest waits in the shaper of the face.
    pub(crate) waits: bool,
    retransmitted: bool,
    failed: bool,
    /// When the Interest left; [`Time::NEVER`] while it waits in the shaper.
    left: Time,
}

impl OutRecord {
    /// When the Interest left; `None` while it waits in the shaper, and after a retransmission,
    /// whose round trip would be ambiguous.
    pub(crate) fn sent(&self) -> Option<Time> {
        (self.left != Time::NEVER).then_some(self.left)
    }
}

/// One Interest, however many faces wait for its Data. Fields that the Data needs stand first, so
/// that it touches little memory.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Entry<N: Name> {
    pub(super) hash: u64,
    pub(crate) expires: Time,
    pub(super) generation: u32,
    /// The Interest has been repeated, and forwarded again, this often.
    repeated: u8,
    /// When it was forwarded last.
    forwarded: Time,
    /// The failures so far, while other faces are still asked.
    failure: Option<Box<Failure>>,
    /// At most one per face, the one asked longest ago first.
    pub(crate) out_records: Few<OutRecord>,
    /// At most one per face, and at least one: the first is of the Interest that created the
    /// entry.
    pub(crate) in_records: Few<InRecord<N>>,
}

/// Why neighbours could not answer: the content of a Nack beside its Interest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub(crate) reason: NackReason,
    pub(crate) rates: Rates,
    pub(crate) route: Route,
}

/// A neighbour that repeats an Interest sooner than this after it was forwarded is not heard, the
/// next time twice as long (NFD's `RetxSuppressionExponential`: 10 ms, at most 250 ms).
const FIRST_SUPPRESSION: Span = Span::from_millis(10);
const LONGEST_SUPPRESSION: Span = Span::from_millis(250);

impl<N: Name> Entry<N> {
    pub(super) fn new() -> Entry<N> {
        Entry {
            hash: 0,
            expires: Time::ZERO,
            generation: 0,
            repeated: 0,
            forwarded: Time::ZERO,
            failure: None,
            out_records: Few::new(),
            in_records: Few::new(),
        }
    }

    /// Begins anew for an Interest that arrived from `face`.
    pub(super) fn begin(&mut self, hash: u64, expires: Time, face: FaceId, interest: Interest<N>) {
        (self.hash, self.expires) = (hash, expires);
        (self.repeated, self.forwarded, self.failure) = (0, Time::ZERO, None);
        self.in_records.clear();
        self.in_records.push(InRecord { face, expires, interest });
        self.out_records.clear();
    }

    /// True if a repeated Interest comes too soon to be forwarded.
    pub(crate) fn suppresses(&self, now: Time) -> bool {
        let span = LONGEST_SUPPRESSION.min(FIRST_SUPPRESSION * (1 << self.repeated.min(8)));
        now < self.forwarded + span
    }

    /// A repeated Interest is forwarded again.
    pub(crate) fn count_repeat(&mut self) {
        self.repeated = self.repeated.saturating_add(1);
    }

    /// Joins a failure with earlier ones: the least severe reason, and the lowest rates.
    pub(crate) fn join(&self, failure: Failure) -> Failure {
        let before = self.failure.as_deref().unwrap_or(&failure);
        Failure {
            reason: before.reason.min(failure.reason),
            rates: before.rates.min(failure.rates),
            ..failure
        }
    }

    /// Remembers a failure while other faces are still asked.
    pub(crate) fn keep(&mut self, failure: Failure) {
        self.failure = Some(Box::new(failure));
    }

    /// The hash by which it is found.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// The Interest that created the entry; `None` once its records have been taken.
    pub(super) fn interest(&self) -> Option<&Interest<N>> {
        self.in_records.first().map(|record| &record.interest)
    }

    /// True if it is for the name and selectors of `interest`.
    pub(super) fn matches(&self, interest: &Interest<N>) -> bool {
        let same = |own: &Interest<N>| {
            own.name == interest.name
                && own.can_be_prefix == interest.can_be_prefix
                && own.must_be_fresh == interest.must_be_fresh
                && own.via == interest.via
        };
        self.interest().is_some_and(same)
    }

    /// True if this node has seen the nonce of an Interest from `from` on another face: the
    /// Interest loops.
    pub(crate) fn is_loop(&self, from: FaceId, nonce: u32) -> bool {
        let elsewhere = self
            .in_records
            .iter()
            .any(|record| record.face != from && record.interest.nonce == nonce);
        let own = || {
            self.in_records
                .iter()
                .any(|record| record.face == from && record.interest.nonce == nonce)
        };
        elsewhere || self.out_records.iter().any(|out| out.nonce == nonce) && !own()
    }

    /// True if the Interest that created the entry carries the same steering hint.
    pub(crate) fn has_hint_of(&self, interest: &Interest<N>) -> bool {
        self.interest().is_some_and(|own| own.steer.hint == interest.steer.hint)
    }

    /// Octets that the record of `face` is counted for, if it waits for Data.
    pub(crate) fn octets_of(&self, face: FaceId) -> Option<u64> {
        self.in_records.iter().find(|record| record.face == face).map(InRecord::octets)
    }

    /// `face` waits for Data until `expires`. Replaces an earlier record of the face.
    pub(crate) fn insert_in_record(&mut self, face: FaceId, expires: Time, interest: Interest<N>) {
        let record = InRecord { face, expires, interest };
        match self.in_records.find_mut(|record| record.face == face) {
            Some(own) => *own = record,
            None => self.in_records.push(record),
        }
    }

    /// The Interest is forwarded to `egress`. Replaces an earlier record of the face.
    pub(crate) fn insert_out_record(&mut self, now: Time, egress: Egress, nonce: u32) {
        self.forwarded = now;
        let retransmitted = self.out_records.remove(|out| out.egress.face == egress.face).is_some();
        self.out_records.push(OutRecord {
            egress,
            nonce,
            left: Time::NEVER,
            waits: true,
            retransmitted,
            failed: false,
        });
    }

    /// The record of a face in whose shaper the Interest waits.
    pub(crate) fn waiting(&mut self) -> Option<&mut OutRecord> {
        self.out_records.find_mut(|out| out.waits)
    }

    /// The Interest with this nonce has left the shaper of `face`.
    pub(crate) fn mark_sent(&mut self, now: Time, face: FaceId, nonce: u32) {
        let of_this = |out: &OutRecord| out.egress.face == face && out.nonce == nonce;
        if let Some(out) = self.out_records.find_mut(of_this) {
            out.waits = false;
            if !out.retransmitted {
                out.left = now;
            }
        }
    }

    /// The record of `face`, if the Interest was forwarded there.
    pub(crate) fn out_record(&self, face: FaceId) -> Option<&OutRecord> {
        self.out_records.iter().find(|out| out.egress.face == face)
    }

    /// The Interest with this nonce failed at `face`. False if none of these is pending there.
    pub(crate) fn fail(&mut self, face: FaceId, nonce: u32) -> bool {
        let record = self
            .out_records
            .find_mut(|out| out.egress.face == face && out.nonce == nonce && !out.failed);
        record.map(|out| (out.failed, out.waits) = (true, false)).is_some()
    }

    /// True if the Interest with this nonce is for `face`, and has not failed there.
    pub(crate) fn is_asked_at(&self, face: FaceId, nonce: u32) -> bool {
        self.out_record(face).is_some_and(|out| out.nonce == nonce && !out.failed)
    }

    /// True if a face may still answer.
    pub(crate) fn is_asked(&self) -> bool {
        self.out_records.iter().any(|out| !out.failed)
    }
}
