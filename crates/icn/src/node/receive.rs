//! The forwarding pipelines of packets that arrive (NFD Developer's Guide, section 4).

use super::Node;
use super::control::Held;
use super::face_id::FaceId;
use super::face_table::strip;
use super::pit::{EntryId, Pit};
use super::shaper::Offer;
use super::steering::{Egress, Turn};
use crate::name::Name;
use crate::packet::{Data, Interest, Nack, NackReason, Packet};
use crate::route::Route;
use crate::spare::Spare;
use narrows_units::Time;
use narrows_wire::Rates;

/// The content of a Nack beside its Interest.
struct Outcome {
    reason: NackReason,
    rates: Rates,
    route: Route,
}

impl<N: Name> Node<N> {
    /// A packet arrives on `face` at `now`. Packets are taken from `spare` and given to it.
    pub fn handle(&mut self, now: Time, face: FaceId, packet: Packet<N>, spare: &mut Spare<N>) {
        self.poll(now);
        match packet {
            Packet::Interest(interest) => self.on_interest(now, face, interest, spare),
            Packet::Data(data) => self.on_data(now, face, data, spare),
            Packet::Nack(nack) => self.on_nack(now, face, nack, spare),
        }
    }

    fn on_interest(&mut self, now: Time, from: FaceId, mut interest: Box<Interest<N>>, spare: &mut Spare<N>) {
        let face = self.faces.face_mut(from);
        face.on_interest_in(now, interest.size);
        if !face.rates {
            strip(&mut interest);
        }
        if interest.hop_limit == 0 {
            self.counters.hop_limit += 1;
            return spare.give(Packet::Interest(interest));
        }
        let hash = self.pit.hash(&interest.name);
        match self.pit.find(now, &interest, hash) {
            Some(entry) => self.join_entry(now, from, entry, interest, spare),
            None => self.create_entry(now, from, interest, hash, spare),
        }
    }

    /// An Interest without a PIT entry: the cache answers it, or the node forwards it.
    fn create_entry(&mut self, now: Time, from: FaceId, interest: Box<Interest<N>>, hash: u64, spare: &mut Spare<N>) {
        if !self.cache.is_off()
            && let Some(data) = self.cache.lookup(now, &interest)
        {
            self.counters.cache_hits += 1;
            spare.give(Packet::Interest(interest));
            if let Packet::Data(data) = spare.data(data) {
                self.faces.send_data(from, data);
            }
            return;
        }
        match self.choose(from, &interest) {
            Err(reason) => self.reject(from, interest, reason, Rates::UNLIMITED, spare),
            Ok(None) => spare.give(Packet::Interest(interest)),
            Ok(Some((egress, _))) if self.has_full_pit(from) => {
                let rates = self.faces.face(egress.face).stamp();
                self.reject(from, interest, NackReason::Congestion, rates, spare);
            }
            Ok(Some(way)) => {
                let entry = self.pit.insert(from, &interest, hash, now + interest.lifetime);
                self.faces.face_mut(from).pending += 1;
                self.forward(now, entry, way, interest, spare);
            }
        }
    }

    /// An Interest with a PIT entry: the node forwards it if it is a retransmission, and else aggregates it.
    fn join_entry(&mut self, now: Time, from: FaceId, id: EntryId, interest: Box<Interest<N>>, spare: &mut Spare<N>) {
        let expires = now + interest.lifetime;
        let entry = self.pit.entry(id);
        if entry.is_loop(from, interest.nonce) {
            self.counters.duplicate += 1;
            return self.reject(from, interest, NackReason::Duplicate, Rates::UNLIMITED, spare);
        }
        if entry.has_in_record(from) {
            self.counters.retransmitted += 1;
            entry.insert_in_record(from, expires, Interest::clone(&interest));
            self.pit.extend(id, expires);
            match self.choose(from, &interest) {
                Err(reason) => self.reject(from, interest, reason, Rates::UNLIMITED, spare),
                Ok(None) => spare.give(Packet::Interest(interest)),
                Ok(Some(way)) => self.forward(now, id, way, interest, spare),
            }
        } else if self.has_full_pit(from) {
            let out = self.pit.entry(id).out_records.first().map(|record| record.egress.face);
            let rates = out.map_or(Rates::UNLIMITED, |face| self.faces.face(face).stamp());
            self.reject(from, interest, NackReason::Congestion, rates, spare);
        } else {
            let entry = self.pit.entry(id);
            self.counters.aggregated += 1;
            self.counters.diverted += u64::from(!entry.has_hint_of(&interest));
            entry.insert_in_record(from, expires, Interest::clone(&interest));
            spare.give(Packet::Interest(interest));
            self.pit.extend(id, expires);
            self.faces.face_mut(from).pending += 1;
        }
    }

    fn has_full_pit(&mut self, from: FaceId) -> bool {
        let full = self.faces.face(from).pending >= self.pit_per_face;
        self.counters.table_full += u64::from(full);
        full
    }

    /// Chooses the next hop of an Interest, and what becomes of its hint. `None` if the hop limit ends here.
    fn choose(&mut self, from: FaceId, interest: &Interest<N>) -> Result<Option<(Egress, Turn)>, NackReason> {
        let Some(hops) = self.fib.lookup(&interest.name) else {
            self.counters.no_route += 1;
            return Err(NackReason::NoRoute);
        };
        let faces = &self.faces;
        let chosen = self.steering.choose(hops, from, |face| faces.face(face).label, &interest.steer);
        match &chosen {
            Err(NackReason::InvalidLabel) => self.counters.invalid_label += 1,
            Err(_) => self.counters.no_route += 1,
            Ok((egress, _)) => self.counters.fallback += u64::from(egress.fallback),
        }
        let (egress, turn) = chosen?;
        if interest.hop_limit == 1 && !faces.face(egress.face).application {
            self.counters.hop_limit += 1;
            return Ok(None);
        }
        Ok(Some((egress, turn)))
    }

    /// Offers an Interest of an entry to the face chosen for it, with its hop limit and hint for the next node.
    fn forward(&mut self, now: Time, id: EntryId, (egress, turn): (Egress, Turn), mut interest: Box<Interest<N>>, spare: &mut Spare<N>) {
        interest.hop_limit -= 1;
        turn.apply(&mut interest.steer.hint);
        let entry = self.pit.entry(id);
        entry.insert_out_record(egress, interest.nonce);
        match self.faces.face_mut(egress.face).offer(now, Held { entry: id, interest }) {
            Offer::Leaves(Held { interest, .. }) => {
                entry.mark_sent(now, egress.face, interest.nonce);
                self.faces.send_interest(egress.face, interest);
            }
            Offer::Waits => self.faces.arm(egress.face),
            Offer::Evicts(held) | Offer::Refused(held) => {
                let rates = self.faces.face(egress.face).stamp();
                let outcome = Outcome { reason: NackReason::Congestion, rates, route: Route::default() };
                self.on_failed(now, held.entry, egress.face, held.interest.nonce, outcome, spare);
                spare.give(Packet::Interest(held.interest));
            }
        }
    }

    /// Returns an Interest that gets no record in the PIT as a Nack, with the rates of the link that it would have left by.
    fn reject(&mut self, to: FaceId, interest: Box<Interest<N>>, reason: NackReason, rates: Rates, spare: &mut Spare<N>) {
        let nack = Nack { interest: Interest::clone(&interest), reason, rates, route: Route::default() };
        self.faces.send_nack(to, nack, spare);
        spare.give(Packet::Interest(interest));
    }

    /// An Interest of an entry failed at `face`. Unless it is pending at another face, every face that waits gets a Nack, and the entry is
    /// removed.
    fn on_failed(&mut self, now: Time, id: EntryId, face: FaceId, nonce: u32, outcome: Outcome, spare: &mut Spare<N>) {
        let Some(entry) = self.pit.get_mut(now, id) else { return };
        if !entry.remove_out_record(face, nonce) || !entry.out_records.is_empty() {
            return;
        }
        let Outcome { reason, rates, route } = outcome;
        for record in self.pit.remove(id).in_records.drain() {
            self.faces.face_mut(record.face).pending -= 1;
            if record.expires > now {
                self.faces.send_nack(record.face, Nack { interest: record.interest, reason, rates, route }, spare);
            }
        }
    }

    fn on_data(&mut self, now: Time, from: FaceId, mut data: Box<Data<N>>, spare: &mut Spare<N>) {
        self.faces.face_mut(from).counters.data_in += 1;
        let Some(first) = self.pit.answered(now, &data.name, &mut self.answered) else {
            self.counters.unsolicited += 1;
            return spare.give(Packet::Data(data));
        };
        self.faces.face_mut(from).on_data_in(data.size);
        let mut egress = None;
        if let Some(out_record) = self.pit.entry(first).out_record(from) {
            egress = Some(out_record.egress);
            if let Some(sent) = out_record.sent() {
                self.faces.face_mut(from).on_round_trip(now.since(sent));
            }
        }
        let Data { rates, route, .. } = &mut *data;
        self.stamp(from, rates, route, egress);
        if !self.cache.is_off() && !data.no_cache {
            self.cache.insert(now, &data);
        }
        let several = !self.answered.is_empty();
        // All receivers but the last get a copy.
        let mut last = None;
        let (mut next, mut further) = (Some(first), 0);
        while let Some(id) = next {
            let in_records = &mut self.pit.remove(id).in_records;
            for record in in_records.iter() {
                let to = record.face;
                self.faces.face_mut(to).pending -= 1;
                if record.expires <= now || to == from || several && self.served.contains(&to) {
                    continue;
                }
                if several {
                    self.served.push(to);
                }
                if let Some(before) = last.replace(to)
                    && let Packet::Data(copy) = spare.data(Data::clone(&data))
                {
                    self.faces.send_data(before, copy);
                }
            }
            in_records.clear();
            next = self.answered.get(further).copied();
            further += 1;
        }
        self.answered.clear();
        self.served.clear();
        match last {
            Some(last) => self.faces.send_data(last, data),
            None => spare.give(Packet::Data(data)),
        }
    }

    fn on_nack(&mut self, now: Time, from: FaceId, nack: Box<Nack<N>>, spare: &mut Spare<N>) {
        self.faces.face_mut(from).counters.nacks_in += 1;
        let Nack { interest, reason, mut rates, mut route } = Nack::clone(&nack);
        spare.give(Packet::Nack(nack));
        let hash = self.pit.hash(&interest.name);
        let found = self.pit.find(now, &interest, hash);
        let out_record = |pit: &mut Pit<N>, id| pit.entry(id).out_record(from).filter(|record| record.nonce == interest.nonce).copied();
        let Some((id, out_record)) = found.and_then(|id| Some((id, out_record(&mut self.pit, id)?))) else {
            self.counters.unsolicited += 1;
            return;
        };
        self.stamp(from, &mut rates, &mut route, Some(out_record.egress));
        self.on_failed(now, id, from, interest.nonce, Outcome { reason, rates, route }, spare);
    }
}
