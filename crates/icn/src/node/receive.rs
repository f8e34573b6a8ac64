//! What comes in.

use super::face::Held;
use super::pit::EntryId;
use super::ports::strip;
use super::shaper::Offer;
use super::steering::Way;
use super::{Node, Refusal};
use crate::{Data, FaceId, Interest, Nack, Name, Packet, Reason, Route};
use narrows_units::Time;
use narrows_wire::Rates;

impl<N: Name> Node<N> {
    /// A packet came in on `face` at `now`.
    pub fn handle(&mut self, now: Time, face: FaceId, packet: Packet<N>) {
        self.poll(now);
        match packet {
            Packet::Interest(interest) => self.interest(now, face, interest),
            Packet::Data(data) => self.data(now, face, data),
            Packet::Nack(nack) => self.nack(now, face, nack),
        }
    }

    fn interest(&mut self, now: Time, from: FaceId, mut interest: Interest<N>) {
        let face = self.ports.face_mut(from);
        face.interest_came(now, interest.size);
        if !face.rates {
            strip(&mut interest);
        }
        if interest.hop_limit == 0 {
            self.counters.hop_limit += 1;
            return;
        }
        let hash = self.pit.hash(&interest.name);
        match self.pit.find(now, &interest, hash) {
            Some(entry) => self.joins(now, from, entry, interest),
            None => self.begins(now, from, interest, hash),
        }
    }

    /// An Interest for which no entry waits.
    fn begins(&mut self, now: Time, from: FaceId, interest: Interest<N>, hash: u64) {
        if !self.cache.is_off()
            && let Some(data) = self.cache.lookup(now, &interest)
        {
            self.counters.cache_hits += 1;
            return self.ports.send_data(from, data);
        }
        if self.has_too_many(from) {
            return self.refuse_at_once(from, interest, Reason::Congestion);
        }
        let mut onward = interest.clone();
        match self.choose(from, &mut onward) {
            Err(reason) => self.refuse_at_once(from, interest, reason),
            Ok(None) => {}
            Ok(Some(way)) => {
                let expires = now + interest.lifetime;
                let entry = self.pit.insert(&interest, hash, expires);
                self.pit.entry(entry).joins(from, expires, interest);
                self.ports.face_mut(from).pending += 1;
                self.offer(now, entry, way, onward);
            }
        }
    }

    /// An Interest for which an entry waits: it waits too, unless it comes again.
    fn joins(&mut self, now: Time, from: FaceId, id: EntryId, interest: Interest<N>) {
        let expires = now + interest.lifetime;
        let entry = self.pit.entry(id);
        if entry.is_loop(from, interest.nonce) {
            self.counters.duplicate += 1;
            return self.refuse_at_once(from, interest, Reason::Duplicate);
        }
        if entry.has_asker(from) {
            self.counters.retransmitted += 1;
            let mut onward = interest.clone();
            entry.joins(from, expires, interest.clone());
            self.pit.extend(id, expires);
            match self.choose(from, &mut onward) {
                Err(reason) => self.refuse_at_once(from, interest, reason),
                Ok(None) => {}
                Ok(Some(way)) => self.offer(now, id, way, onward),
            }
        } else if self.has_too_many(from) {
            self.refuse_at_once(from, interest, Reason::Congestion);
        } else {
            let entry = self.pit.entry(id);
            self.counters.aggregated += 1;
            self.counters.diverted += u64::from(!entry.is_steered_as(&interest));
            entry.joins(from, expires, interest);
            self.pit.extend(id, expires);
            self.ports.face_mut(from).pending += 1;
        }
    }

    fn has_too_many(&mut self, from: FaceId) -> bool {
        let full = self.ports.face(from).pending >= self.pit_per_face;
        self.counters.table_full += u64::from(full);
        full
    }

    /// Which way an Interest goes on, and with what hop limit and hint; `None` if it may go no further.
    fn choose(&mut self, from: FaceId, interest: &mut Interest<N>) -> Result<Option<Way>, Reason> {
        let Some(hops) = self.fib.lookup(&interest.name) else {
            self.counters.no_route += 1;
            return Err(Reason::NoRoute);
        };
        let ports = &self.ports;
        let way = self.steering.choose(hops, from, |face| ports.face(face).label, &mut interest.steer);
        match way {
            Err(Reason::InvalidLabel) => self.counters.invalid_label += 1,
            Err(_) => self.counters.no_route += 1,
            Ok(way) => self.counters.fallback += u64::from(way.fallback),
        }
        let way = way?;
        interest.hop_limit -= 1;
        if interest.hop_limit == 0 && !ports.face(way.face).application {
            self.counters.hop_limit += 1;
            return Ok(None);
        }
        Ok(Some(way))
    }

    /// Offers an Interest of an entry to the face that was chosen.
    fn offer(&mut self, now: Time, id: EntryId, way: Way, interest: Interest<N>) {
        let entry = self.pit.entry(id);
        entry.asks(&way, interest.nonce);
        match self.ports.face_mut(way.face).offer(now, Held { entry: id, interest }) {
            Offer::Leaves(Held { interest, .. }) => {
                entry.leaves(now, way.face, interest.nonce);
                self.ports.send_interest(way.face, interest);
            }
            Offer::Waits => self.ports.arm(way.face),
            Offer::Evicts(held) | Offer::Refused(held) => {
                let rates = self.ports.face(way.face).stamp();
                let refusal = Refusal { reason: Reason::Congestion, rates, route: Route::default() };
                self.refuse(now, held.entry, way.face, held.interest.nonce, refusal);
            }
        }
    }

    /// An Interest goes back that no entry waits for.
    fn refuse_at_once(&mut self, to: FaceId, interest: Interest<N>, reason: Reason) {
        self.ports.send_nack(to, Nack { interest, reason, rates: Rates::UNLIMITED, route: Route::default() });
    }

    /// What an entry asked `face` for is refused there. If nobody else was asked, all who wait hear of it, and the entry is gone.
    fn refuse(&mut self, now: Time, id: EntryId, face: FaceId, nonce: u32, refusal: Refusal) {
        let Some(entry) = self.pit.get_mut(now, id) else { return };
        if entry.forget(face, nonce).is_none() || !entry.outs.is_empty() {
            return;
        }
        let Refusal { reason, rates, route } = refusal;
        for record in self.pit.remove(id).ins.drain(..) {
            self.ports.face_mut(record.face).pending -= 1;
            if record.expires > now {
                self.ports.send_nack(record.face, Nack { interest: record.interest, reason, rates, route });
            }
        }
    }

    fn data(&mut self, now: Time, from: FaceId, mut data: Data<N>) {
        self.ports.face_mut(from).data_came(data.size);
        self.pit.answered(now, &data.name, &mut self.answered);
        let Some(first) = self.answered.first() else {
            self.counters.unsolicited += 1;
            return;
        };
        let asked = self.pit.entry(*first).asked(from);
        let face = self.ports.face_mut(from);
        if let (Some(gauge), Some(sent)) = (&mut face.gauge, asked.and_then(|out| out.sent)) {
            gauge.round_trip(now.since(sent));
        }
        (data.rates, data.route) = self.stamped(from, data.rates, data.route, asked);
        if !self.cache.is_off() && !data.no_cache {
            self.cache.insert(now, &data);
        }
        let several = self.answered.len() > 1;
        for id in self.answered.drain(..) {
            for record in self.pit.remove(id).ins.drain(..) {
                let to = record.face;
                self.ports.face_mut(to).pending -= 1;
                if record.expires <= now || to == from || several && self.served.contains(&to) {
                    continue;
                }
                if several {
                    self.served.push(to);
                }
                self.ports.send_data(to, data.clone());
            }
        }
        self.served.clear();
    }

    fn nack(&mut self, now: Time, from: FaceId, nack: Nack<N>) {
        self.ports.face_mut(from).counters.nacks_in += 1;
        let Nack { interest, reason, rates, route } = nack;
        let hash = self.pit.hash(&interest.name);
        let found = self.pit.find(now, &interest, hash);
        let asked = found.and_then(|id| self.pit.entry(id).asked(from)).filter(|out| out.nonce == interest.nonce);
        let (Some(id), Some(_)) = (found, asked) else {
            self.counters.unsolicited += 1;
            return;
        };
        let (rates, route) = self.stamped(from, rates, route, asked);
        self.refuse(now, id, from, interest.nonce, Refusal { reason, rates, route });
    }
}
