//! What time brings: ticks of laws, turns of Interests that wait, the end of those that nobody answers.

use super::{Node, face::Held};
use crate::{FaceId, Name};
use narrows_units::Time;

impl<N: Name> Node<N> {
    /// Does what is due at `now`.
    pub fn poll(&mut self, now: Time) {
        while let Some(entry) = self.pit.expire(now) {
            self.counters.expired += 1;
            for record in &entry.ins {
                self.ports.face_mut(record.face).pending -= 1;
            }
        }
        while let Some(face) = self.ports.expired(now) {
            self.ports.face_mut(face).tick(now);
            self.release(now, face);
            self.ports.arm(face);
        }
    }

    /// Interests leave whose turn has come, if somebody still waits for them.
    fn release(&mut self, now: Time, face: FaceId) {
        while let Some(Held { entry, interest }) = self.ports.face_mut(face).take(now) {
            let Some(entry) = self.pit.get_mut(now, entry) else {
                self.counters.stale += 1;
                continue;
            };
            entry.leaves(now, face, interest.nonce);
            self.ports.face_mut(face).sent(now, interest.size);
            self.ports.send_interest(face, interest);
        }
    }
}
