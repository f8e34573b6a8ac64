//! Timers: PIT entries expire, laws tick, and shapers release Interests.

use super::Node;
use super::control::Held;
use crate::face_id::FaceId;
use crate::name::Name;
use crate::spare::Spare;
use narrows_units::Time;

impl<N: Name> Node<N> {
    /// Handles every timer that is due at `now`.
    #[inline]
    pub fn poll(&mut self, now: Time) {
        if self.pit.pass(now) || self.faces.due() <= now {
            self.fire(now);
        }
    }

    #[inline(never)]
    fn fire(&mut self, now: Time) {
        while let Some(entry) = self.pit.expire(now) {
            self.counters.expired += 1;
            if let Some(dead) = &mut self.dead {
                entry
                    .out_records
                    .iter()
                    .for_each(|record| dead.insert(now, entry.hash(), record.nonce));
            }
            for record in entry.in_records.iter() {
                let octets = record.octets();
                self.faces.face_mut(record.face).settle(octets);
                self.pit_octets.release(octets);
            }
            // Their octets are of no use any more, and the place of the entry may stay free for
            // long.
            entry.in_records.clear();
        }
        while let Some(face) = self.faces.expired(now) {
            self.faces.face_mut(face).tick(now);
            self.release(now, face);
            self.release_proxied(now, face, &mut Spare::default());
            self.faces.arm(face);
        }
    }

    /// Sends the Interests that the shaper of `face` releases, except those whose PIT entry is
    /// gone.
    fn release(&mut self, now: Time, face: FaceId) {
        while let Some(Held { entry, interest }) = self.faces.face_mut(face).take(now) {
            let Some(entry) = self.pit.get_mut(now, entry) else {
                self.counters.stale += 1;
                continue;
            };
            entry.mark_sent(now, face, interest.nonce);
            self.faces.face_mut(face).sent(now, interest.size);
            self.faces.send_interest(face, interest);
        }
    }
}
