//! An entry of the PIT and its records.

use super::few::Few;
use crate::name::Name;
use crate::node::face_id::FaceId;
use crate::node::steering::Egress;
use crate::packet::Interest;
use narrows_units::Time;

/// A face that waits for Data.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct InRecord<N: Name> {
    pub(crate) face: FaceId,
    pub(crate) expires: Time,
    /// As it arrived: a Nack returns it so.
    pub(crate) interest: Interest<N>,
}

/// A face to which the Interest was forwarded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutRecord {
    /// The face, and how it was chosen.
    pub(crate) egress: Egress,
    pub(crate) nonce: u32,
    retransmitted: bool,
    /// When the Interest left; [`Time::NEVER`] while it waits in the shaper.
    left: Time,
}

impl OutRecord {
    /// When the Interest left; `None` while it waits in the shaper, and after a retransmission, whose round trip would be ambiguous.
    pub(crate) fn sent(&self) -> Option<Time> {
        (self.left != Time::NEVER).then_some(self.left)
    }
}

/// One Interest, however many faces wait for its Data. What the Data needs stands first, so that it touches little memory.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Entry<N: Name> {
    pub(super) hash: u64,
    pub(crate) expires: Time,
    pub(super) generation: u32,
    /// At most one per face.
    pub(crate) out_records: Few<OutRecord>,
    /// At most one per face, and at least one: the first is that of the Interest that created the entry.
    pub(crate) in_records: Few<InRecord<N>>,
}

impl<N: Name> Entry<N> {
    /// The Interest that created the entry; `None` once its records have been taken.
    pub(super) fn interest(&self) -> Option<&Interest<N>> {
        self.in_records.first().map(|record| &record.interest)
    }

    /// True if it is for the name and selectors of `interest`.
    pub(super) fn matches(&self, interest: &Interest<N>) -> bool {
        let same = |own: &Interest<N>| {
            own.name == interest.name && own.can_be_prefix == interest.can_be_prefix && own.must_be_fresh == interest.must_be_fresh
        };
        self.interest().is_some_and(same)
    }

    /// True if this node has seen the nonce of an Interest from `from` on another face: the Interest loops.
    pub(crate) fn is_loop(&self, from: FaceId, nonce: u32) -> bool {
        let elsewhere = self.in_records.iter().any(|record| record.face != from && record.interest.nonce == nonce);
        let own = || self.in_records.iter().any(|record| record.face == from && record.interest.nonce == nonce);
        elsewhere || self.out_records.iter().any(|out| out.nonce == nonce) && !own()
    }

    /// True if the Interest that created the entry carries the same steering hint.
    pub(crate) fn has_hint_of(&self, interest: &Interest<N>) -> bool {
        self.interest().is_some_and(|own| own.steer.hint == interest.steer.hint)
    }

    /// True if `face` waits for Data.
    pub(crate) fn has_in_record(&self, face: FaceId) -> bool {
        self.in_records.iter().any(|record| record.face == face)
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
    pub(crate) fn insert_out_record(&mut self, egress: Egress, nonce: u32) {
        let out = OutRecord { egress, nonce, left: Time::NEVER, retransmitted: false };
        match self.out_records.find_mut(|out| out.egress.face == egress.face) {
            Some(before) => *before = OutRecord { retransmitted: true, ..out },
            None => self.out_records.push(out),
        }
    }

    /// The Interest with this nonce has left the shaper of `face`.
    pub(crate) fn mark_sent(&mut self, now: Time, face: FaceId, nonce: u32) {
        let of_this = |out: &OutRecord| out.egress.face == face && out.nonce == nonce && !out.retransmitted;
        if let Some(out) = self.out_records.find_mut(of_this) {
            out.left = now;
        }
    }

    /// The record of `face`, if the Interest was forwarded there.
    pub(crate) fn out_record(&self, face: FaceId) -> Option<&OutRecord> {
        self.out_records.iter().find(|out| out.egress.face == face)
    }

    /// Removes the record of `face` with this nonce, because the Interest failed there. False if there is none.
    pub(crate) fn remove_out_record(&mut self, face: FaceId, nonce: u32) -> bool {
        self.out_records.remove(|out| out.egress.face == face && out.nonce == nonce).is_some()
    }
}
