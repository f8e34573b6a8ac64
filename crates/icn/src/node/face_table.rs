//! All faces of a node, their timers, and the packets that leave by them.

use super::face::Face;
use crate::face_id::FaceId;
use crate::name::Name;
use crate::packet::{Class, Data, Interest, Nack, Packet};
use crate::route::{Route, Steer};
use crate::spare::Spare;
use narrows_units::{Span, Time};
use narrows_wire::Rates;
use std::collections::VecDeque;

#[derive(Clone, Debug)]
pub(crate) struct FaceTable<N: Name> {
    faces: Vec<Face<N>>,
    /// Faces that have been removed, whose numbers the next ones get.
    removed: Vec<FaceId>,
    /// The next packet to leave, and those behind it: mostly none.
    next: Option<(FaceId, Packet<N>)>,
    behind: VecDeque<(FaceId, Packet<N>)>,
    /// When each face is due, the faces that have timers, and the first of their times.
    timers: Vec<Time>,
    timed: Vec<FaceId>,
    first_timer: Time,
}

impl<N: Name> FaceTable<N> {
    pub(crate) fn new() -> FaceTable<N> {
        FaceTable {
            faces: Vec::new(),
            removed: Vec::new(),
            next: None,
            behind: VecDeque::new(),
            timers: Vec::new(),
            timed: Vec::new(),
            first_timer: Time::NEVER,
        }
    }

    pub(crate) fn add(&mut self, face: Face<N>) -> FaceId {
        let timed = face.has_timer();
        let id = match self.removed.pop() {
            Some(id) => {
                self.faces[id.index()] = face;
                id
            }
            None => {
                self.faces.push(face);
                self.timers.push(Time::NEVER);
                FaceId(self.faces.len() as u32 - 1)
            }
        };
        if timed {
            self.timed.push(id);
        }
        self.arm(id);
        id
    }

    /// Replaces a face by one without timers until another one gets its number. Its queue
    /// is dropped.
    pub(crate) fn remove(&mut self, id: FaceId, nobody: Face<N>) {
        self.faces[id.index()] = nobody;
        self.arm(id);
        self.timed.retain(|face| *face != id);
        self.behind.retain(|(to, _)| *to != id);
        if self.next.as_ref().is_some_and(|(to, _)| *to == id) {
            self.next = self.behind.pop_front();
        }
        self.removed.push(id);
    }

    /// True if there is such a face.
    pub(crate) fn contains(&self, id: FaceId) -> bool {
        id.index() < self.faces.len() && !self.removed.contains(&id)
    }

    pub(crate) fn face(&self, id: FaceId) -> &Face<N> {
        &self.faces[id.index()]
    }

    pub(crate) fn face_mut(&mut self, id: FaceId) -> &mut Face<N> {
        &mut self.faces[id.index()]
    }

    /// When the first face is due.
    pub(crate) fn due(&self) -> Time {
        self.first_timer
    }

    /// A face that is due by `now`.
    pub(crate) fn expired(&self, now: Time) -> Option<FaceId> {
        let expired = || self.timed.iter().copied().find(|face| self.timers[face.index()] <= now);
        if self.first_timer <= now { expired() } else { None }
    }

    /// Sets the timer of a face from its [`due`](Face::due).
    pub(crate) fn arm(&mut self, id: FaceId) {
        let due = self.face(id).due();
        let before = std::mem::replace(&mut self.timers[id.index()], due);
        if (due == Time::NEVER) != (before == Time::NEVER) && !self.face(id).has_timer() {
            // Only a proxy has something to do here, and seldom.
            match due {
                Time::NEVER => self.timed.retain(|face| *face != id),
                _ => self.timed.push(id),
            }
        }
        if due <= self.first_timer {
            self.first_timer = due;
        } else if before == self.first_timer {
            self.first_timer = self
                .timed
                .iter()
                .map(|face| self.timers[face.index()])
                .fold(Time::NEVER, Time::min);
        }
    }

    pub(crate) fn action(&mut self) -> Option<(FaceId, Packet<N>)> {
        self.next.take().or_else(|| self.behind.pop_front())
    }

    fn push(&mut self, to: FaceId, packet: Packet<N>) {
        if self.next.is_none() && self.behind.is_empty() {
            self.next = Some((to, packet));
        } else {
            self.behind.push_back((to, packet));
        }
    }

    pub(crate) fn send_interest(&mut self, to: FaceId, mut interest: Box<Interest<N>>) {
        let face = self.face_mut(to);
        face.counters.interests_out += 1;
        if !face.rates {
            strip(&mut interest);
        }
        interest.token = N::Token::default();
        self.push(to, Packet::Interest(interest));
    }

    pub(crate) fn send_data(&mut self, to: FaceId, mut data: Box<Data<N>>) {
        let face = self.face_mut(to);
        face.on_data_out(data.size);
        if !face.rates {
            (data.rates, data.route) = (Rates::UNLIMITED, Route::default());
        }
        self.push(to, Packet::Data(data));
    }

    pub(crate) fn send_nack(&mut self, to: FaceId, mut nack: Nack<N>, spare: &mut Spare<N>) {
        let face = self.face_mut(to);
        face.counters.nacks_out += 1;
        if !face.rates {
            (nack.rates, nack.route) = (Rates::UNLIMITED, Route::default());
        }
        self.push(to, spare.nack(nack));
    }
}

/// Removes class, round trip and hint from an Interest to or from a neighbour that does not
/// understand them.
pub(crate) fn strip<N: Name>(interest: &mut Interest<N>) {
    (interest.class, interest.srtt, interest.steer) =
        (Class::Primary, Span::ZERO, Steer::default());
}
