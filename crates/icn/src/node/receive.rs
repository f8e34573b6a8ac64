//! The forwarding pipelines of packets that arrive (NFD Developer's Guide, section 4).

use super::Node;
use super::control::Held;
use super::dead_nonces::{self, DeadNonces};
use super::face_config::Nacking;
use super::face_table::{FaceTable, strip};
use super::fib::Fib;
use super::pit::{Entry, EntryId, Failure, Few, Pit, octets};
use super::shaper::Offer;
use super::steering::{Egress, Turn};
use super::strategy::{AnyStrategy, Hops, Strategy};
use crate::face_id::FaceId;
use crate::name::{Name, Scope};
use crate::packet::{Data, Interest, Nack, NackReason, Packet};
use crate::route::{Hint, Route};
use crate::spare::Spare;
use narrows_units::Time;
use narrows_wire::Rates;

/// Next hops chosen for an Interest.
struct Way {
    egress: Egress,
    turn: Turn,
    /// Faces to which copies go: all other next hops, with the strategy multicast.
    further: Vec<FaceId>,
}

impl Way {
    fn single(egress: Egress, turn: Turn) -> Way {
        Way { egress, turn, further: Vec::new() }
    }
}

impl<N: Name> Node<N> {
    /// A packet arrives on `face` at `now`. `spare` is a free list: boxes for new packets come from
    /// it, and boxes of finished packets return to it.
    pub fn handle(&mut self, now: Time, face: FaceId, packet: Packet<N>, spare: &mut Spare<N>) {
        self.order.call(now);
        self.poll(now);
        match packet {
            Packet::Interest(interest) => self.on_interest(now, face, interest, spare),
            Packet::Data(data) => self.on_data(now, face, data, spare),
            Packet::Nack(nack) => self.on_nack(now, face, nack, spare),
        }
    }

    fn on_interest(
        &mut self,
        now: Time,
        from: FaceId,
        mut interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        let face = self.faces.face_mut(from);
        face.on_interest_in(now, interest.size);
        if !face.rates {
            strip(&mut interest);
        }
        if interest.name.scope() == Scope::LocalHost && !face.local {
            self.counters.out_of_scope += 1;
            return spare.give(Packet::Interest(interest));
        }
        if interest.hop_limit == 0 {
            self.counters.hop_limit += 1;
            return spare.give(Packet::Interest(interest));
        }
        interest.lifetime = interest.lifetime.min(self.longest_lifetime);
        let hash = self.pit.hash(&interest.name);
        // The dead nonce list is checked before the PIT, as in NFD
        // (`Forwarder::onIncomingInterest`): when this Interest loops back, the PIT may hold
        // another Interest for the same name.
        if self.dead.as_mut().is_some_and(|dead| dead.contains(now, hash, interest.nonce)) {
            self.counters.duplicate += 1;
            return self.reject(from, interest, NackReason::Duplicate, Rates::UNLIMITED, spare);
        }
        match self.pit.find(now, &interest, hash) {
            Some(entry) => self.join_entry(now, from, entry, interest, spare),
            None => self.create_entry(now, from, interest, hash, spare),
        }
    }

    /// An Interest without a PIT entry: the cache answers it, or the node forwards it.
    fn create_entry(
        &mut self,
        now: Time,
        from: FaceId,
        interest: Box<Interest<N>>,
        hash: u64,
        spare: &mut Spare<N>,
    ) {
        if let Some(data) = self.cache.lookup(now, &interest, hash) {
            self.counters.cache_hits += 1;
            let data = spare.data(Data { token: interest.token.clone(), ..data });
            spare.give(Packet::Interest(interest));
            if let Packet::Data(data) = data {
                self.faces.send_data(from, data);
            }
            return;
        }
        self.counters.cache_misses += 1;
        match self.choose(from, &interest, None) {
            Err(reason) => self.reject(from, interest, reason, Rates::UNLIMITED, spare),
            Ok(None) => spare.give(Packet::Interest(interest)),
            Ok(Some(way))
                if self.has_full_proxy(now, from, way.egress.face, &interest)
                    || self.has_full_pit(from, &interest)
                    || self.exceeds_its_rate(now, from, &interest) =>
            {
                let rates = self.faces.face(way.egress.face).stamp();
                self.reject(from, interest, NackReason::Congestion, rates, spare);
            }
            Ok(Some(way)) => {
                let entry = self.pit.insert(from, &interest, hash, now + interest.lifetime);
                self.expect(from, octets(&interest));
                self.forward(now, from, entry, way, interest, spare);
            }
        }
    }

    /// An Interest with a PIT entry: the node forwards it if it is a retransmission, and else
    /// aggregates it.
    fn join_entry(
        &mut self,
        now: Time,
        from: FaceId,
        id: EntryId,
        interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        let expires = now + interest.lifetime;
        let entry = self.pit.entry(id);
        if entry.is_loop(from, interest.nonce) {
            self.counters.duplicate += 1;
            return self.reject(from, interest, NackReason::Duplicate, Rates::UNLIMITED, spare);
        }
        if let Some(before) = entry.octets_of(from) {
            let after = octets(&interest);
            let own = self.faces.face(from).pending_octets;
            if after > before && !self.pit_octets.admits(own, after - before) {
                self.counters.table_full += 1;
                return self.reject(
                    from,
                    interest,
                    NackReason::Congestion,
                    Rates::UNLIMITED,
                    spare,
                );
            }
            self.pit_octets.replace(before, after);
            let face = self.faces.face_mut(from);
            face.pending_octets = face.pending_octets - before + after;
            self.counters.retransmitted += 1;
            let entry = self.pit.entry(id);
            entry.insert_in_record(from, expires, Interest::clone(&interest));
            self.pit.extend(id, expires);
            self.repeat(now, from, id, interest, spare);
        } else if self.has_full_pit(from, &interest) {
            let out = self.pit.entry(id).out_records.first().map(|record| record.egress.face);
            let rates = out.map_or(Rates::UNLIMITED, |face| self.faces.face(face).stamp());
            self.reject(from, interest, NackReason::Congestion, rates, spare);
        } else {
            let entry = self.pit.entry(id);
            self.counters.aggregated += 1;
            self.counters.diverted += u64::from(!entry.has_hint_of(&interest));
            entry.insert_in_record(from, expires, Interest::clone(&interest));
            self.expect(from, octets(&interest));
            spare.give(Packet::Interest(interest));
            self.pit.extend(id, expires);
            if self.faces.face(from).rates {
                // This neighbour paces its Interests itself. It must not wait until the proxy of
                // another neighbour lets the entry's Interest go.
                self.advance(now, id, spare);
            }
        }
    }

    /// Handles a retransmitted Interest. If the earlier one still waits in a shaper or a proxy, the
    /// new one takes its place. Otherwise it is forwarded again, unless it is suppressed or
    /// refused.
    fn repeat(
        &mut self,
        now: Time,
        from: FaceId,
        id: EntryId,
        interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        let entry = self.pit.entry(id);
        if let Some(waiting) = entry.waiting() {
            waiting.nonce = interest.nonce;
            let face = waiting.egress.face;
            if !self.faces.face_mut(face).exchange(id, &interest) {
                self.exchange_proxied(id, &interest);
            }
            return spare.give(Packet::Interest(interest));
        }
        // A neighbour that follows rates repeats on purpose: its Interest may take the same way.
        let chosen = if self.faces.face(from).rates {
            self.choose_again(from, &interest, None)
        } else if entry.suppresses(now) {
            self.counters.suppressed += 1;
            return spare.give(Packet::Interest(interest));
        } else {
            entry.count_repeat();
            let mut asked = std::mem::take(&mut self.asked);
            asked.clear();
            asked.extend(entry.out_records.iter().map(|record| record.egress.face));
            let chosen = self.choose_again(from, &interest, Some(&asked));
            self.asked = asked;
            chosen
        };
        match chosen {
            Err(reason) => self.reject(from, interest, reason, Rates::UNLIMITED, spare),
            Ok(None) => spare.give(Packet::Interest(interest)),
            Ok(Some(way))
                if self.has_full_proxy(now, from, way.egress.face, &interest)
                    || self.exceeds_its_rate(now, from, &interest) =>
            {
                spare.give(Packet::Interest(interest));
            }
            Ok(Some(way)) => self.forward_again(now, from, id, way, interest, spare),
        }
    }

    /// Counts one more pending Interest of `from`, with this number of octets.
    fn expect(&mut self, from: FaceId, octets: u64) {
        self.pit_octets.charge(octets);
        let face = self.faces.face_mut(from);
        face.pending += 1;
        face.pending_octets += octets;
    }

    /// True if the table has no room for another Interest of `from`; that is counted.
    fn has_full_pit(&mut self, from: FaceId, interest: &Interest<N>) -> bool {
        let face = self.faces.face(from);
        let full = face.pending >= self.pit_per_face
            || self.pit.len() >= self.pit_limit
            || !self.pit_octets.admits(face.pending_octets, octets(interest));
        self.counters.table_full += u64::from(full);
        full
    }

    /// The strategy of the longest prefix of `name`.
    fn strategy_of(&self, name: &N) -> AnyStrategy {
        if self.strategies.is_empty() {
            return self.strategy;
        }
        self.strategies.lookup(name).copied().unwrap_or(self.strategy)
    }

    /// Calls [`choose`](Node::choose) for an Interest that is repeated: within its caller it would
    /// lengthen the way of new ones.
    #[inline(never)]
    fn choose_again(
        &mut self,
        from: FaceId,
        interest: &Interest<N>,
        asked: Option<&[FaceId]>,
    ) -> Result<Option<Way>, NackReason> {
        self.choose(from, interest, asked)
    }

    /// Chooses the next hop of an Interest, and what happens to its steering hint. Returns `None`
    /// if the hop limit forbids every next hop. `asked`: the Interest is a retransmission, and was
    /// forwarded to these faces before.
    #[inline(always)]
    fn choose(
        &mut self,
        from: FaceId,
        interest: &Interest<N>,
        asked: Option<&[FaceId]>,
    ) -> Result<Option<Way>, NackReason> {
        if let Hint::Face(face) = interest.steer.hint {
            let egress = Egress { face, split: false, fallback: false, random: 0 };
            return if self.faces.contains(face) {
                Ok(Some(Way::single(egress, Turn::Drop)))
            } else {
                Err(NackReason::NoRoute)
            };
        }
        let Some(hops) = hops(&self.fib, &self.faces, from, interest) else {
            self.counters.no_route += 1;
            return Err(NackReason::NoRoute);
        };
        let mut strategy = self.strategy_of(&interest.name);
        let faces = &self.faces;
        let chosen = self.steering.choose(
            hops,
            &mut strategy,
            asked,
            |face| faces.face(face).label,
            &interest.steer,
        );
        match &chosen {
            Err(NackReason::InvalidLabel) => self.counters.invalid_label += 1,
            Err(_) => self.counters.no_route += 1,
            Ok((egress, _)) => self.counters.fallback += u64::from(egress.fallback),
        }
        let (egress, turn) = chosen?;
        let may_go = |face: FaceId| interest.hop_limit > 1 || faces.face(face).local;
        let mut further = Vec::new();
        if strategy.asks_all() && egress.split {
            further = std::mem::take(&mut self.further);
            further.clear();
            further.extend(
                hops.iter()
                    .map(|hop| hop.face)
                    .filter(|face| *face != egress.face && may_go(*face)),
            );
        }
        if !may_go(egress.face) {
            self.counters.hop_limit += 1;
            let next = further.pop();
            let way = |face| Way { egress: Egress { face, ..egress }, turn, further };
            return Ok(next.map(way));
        }
        Ok(Some(Way { egress, turn, further }))
    }

    /// Calls [`forward`](Node::forward) for an Interest that has been forwarded before.
    #[inline(never)]
    fn forward_again(
        &mut self,
        now: Time,
        from: FaceId,
        id: EntryId,
        way: Way,
        interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        self.forward(now, from, id, way, interest, spare);
    }

    /// Offers an Interest of an entry to the faces chosen for it, with its hop limit and hint for
    /// the next node.
    #[inline(always)]
    fn forward(
        &mut self,
        now: Time,
        from: FaceId,
        id: EntryId,
        Way { egress, turn, further }: Way,
        mut interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        interest.hop_limit -= 1;
        turn.apply(&mut interest.steer.hint);
        self.faces.face_mut(egress.face).is_asked = true;
        let entry = self.pit.entry(id);
        entry.insert_out_record(now, egress, interest.nonce);
        for face in &further {
            self.faces.face_mut(*face).is_asked = true;
            entry.insert_out_record(now, Egress { face: *face, ..egress }, interest.nonce);
        }
        if !further.is_empty() {
            self.pass_copies(now, from, id, further, &interest, spare);
        }
        self.pass(now, from, id, egress.face, interest, spare);
    }

    /// Passes copies of an Interest to further faces.
    #[cold]
    fn pass_copies(
        &mut self,
        now: Time,
        from: FaceId,
        id: EntryId,
        further: Vec<FaceId>,
        interest: &Interest<N>,
        spare: &mut Spare<N>,
    ) {
        for face in &further {
            if let Packet::Interest(copy) = spare.interest(Interest::clone(interest)) {
                self.pass(now, from, id, *face, copy, spare);
            }
        }
        self.further = further;
    }

    /// Offers an Interest from `from` to `face`, or gives it to the proxy of `from`, which paces
    /// it. The PIT entry must have an out-record for `face`.
    #[inline(always)]
    fn pass(
        &mut self,
        now: Time,
        from: FaceId,
        id: EntryId,
        face: FaceId,
        interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        if self.faces.face(from).is_proxied() && self.faces.face(face).has_law() {
            self.pass_by_proxy(now, from, face, Held { entry: id, interest }, spare);
        } else {
            self.offer(now, id, face, interest, spare);
        }
    }

    /// Offers an Interest of an entry to a face that has an out-record.
    pub(super) fn offer(
        &mut self,
        now: Time,
        id: EntryId,
        face: FaceId,
        interest: Box<Interest<N>>,
        spare: &mut Spare<N>,
    ) {
        match self.faces.face_mut(face).offer(now, Held { entry: id, interest }) {
            Offer::Leaves(Held { interest, .. }) => {
                self.pit.entry(id).mark_sent(now, face, interest.nonce);
                self.faces.send_interest(face, interest);
            }
            Offer::Waits => self.faces.arm(face),
            Offer::Evicts(held) | Offer::Refused(held) => {
                let rates = self.faces.face(face).stamp();
                let failure =
                    Failure { reason: NackReason::Congestion, rates, route: Route::default() };
                self.on_failed(now, held.entry, face, held.interest.nonce, failure, spare);
                spare.give(Packet::Interest(held.interest));
            }
        }
    }

    /// Returns an Interest that gets no record in the PIT as a Nack, with the rates of the link
    /// that it would have left by.
    fn reject(
        &mut self,
        to: FaceId,
        interest: Box<Interest<N>>,
        reason: NackReason,
        rates: Rates,
        spare: &mut Spare<N>,
    ) {
        let nack =
            Nack { interest: Interest::clone(&interest), reason, rates, route: Route::default() };
        self.return_nack(to, nack, spare);
        spare.give(Packet::Interest(interest));
    }

    /// Sends a Nack to a face that wants them.
    fn return_nack(&mut self, to: FaceId, nack: Nack<N>, spare: &mut Spare<N>) {
        let told = match self.faces.face(to).nacks {
            Nacking::Never => false,
            Nacking::ExceptCongestion => nack.reason != NackReason::Congestion,
            Nacking::Always => true,
        };
        if told {
            self.faces.send_nack(to, nack, spare);
        } else {
            self.counters.unreported += 1;
        }
    }

    /// An Interest of an entry failed at `face`. Unless it is pending at another face or another
    /// next hop is worth a try, every face that waits gets a Nack, and the entry is removed.
    fn on_failed(
        &mut self,
        now: Time,
        id: EntryId,
        face: FaceId,
        nonce: u32,
        failure: Failure,
        spare: &mut Spare<N>,
    ) {
        let Some(entry) = self.pit.get_mut(now, id) else { return };
        if !entry.fail(face, nonce) {
            return;
        }
        if let Some(dead) = &mut self.dead {
            dead.insert(now, entry.hash(), nonce);
        }
        let no_route = failure.reason == NackReason::NoRoute;
        let failure = entry.join(failure);
        if entry.is_asked() {
            return entry.keep(failure);
        }
        if no_route && self.ask_elsewhere(now, id, failure, spare) {
            return;
        }
        let Failure { reason, rates, route } = failure;
        let waiting = std::mem::replace(&mut self.pit.remove(id).in_records, Few::new());
        for record in waiting.into_iter() {
            let octets = record.octets();
            self.pit_octets.release(octets);
            self.faces.face_mut(record.face).settle(octets);
            if record.expires > now {
                self.return_nack(
                    record.face,
                    Nack { interest: record.interest, reason, rates, route },
                    spare,
                );
            }
        }
    }

    /// Asks another next hop for an Interest of an entry, if the strategy has one for it; false if
    /// not.
    fn ask_elsewhere(
        &mut self,
        now: Time,
        id: EntryId,
        failure: Failure,
        spare: &mut Spare<N>,
    ) -> bool {
        let entry = self.pit.entry(id);
        let Some(first) = entry.in_records.first() else { return false };
        let from = first.face;
        let interest = first.interest.clone();
        let asked: Vec<FaceId> =
            entry.out_records.iter().map(|record| record.egress.face).collect();
        let Some(hops) = hops(&self.fib, &self.faces, from, &interest) else { return false };
        let Some(next) = self.strategy_of(&interest.name).elsewhere(hops, &asked) else {
            return false;
        };
        if interest.hop_limit == 1 && !next.local {
            return false;
        }
        self.pit.entry(id).keep(failure);
        let egress = Egress { face: next.face, split: true, fallback: false, random: 0 };
        if let Packet::Interest(interest) = spare.interest(interest) {
            self.forward_again(now, from, id, Way::single(egress, Turn::Keep), interest, spare);
        }
        true
    }

    fn on_data(&mut self, now: Time, from: FaceId, mut data: Box<Data<N>>, spare: &mut Spare<N>) {
        let face = self.faces.face_mut(from);
        face.counters.data_in += 1;
        if data.name.scope() == Scope::LocalHost && !face.local {
            self.counters.out_of_scope += 1;
            return spare.give(Packet::Data(data));
        }
        let hash = self.pit.hash_of_data(&data.name);
        let Some(first) = self.pit.answered(now, &data, hash, &mut self.answered) else {
            self.counters.unsolicited += 1;
            return spare.give(Packet::Data(data));
        };
        self.faces.face_mut(from).on_data_in(data.size, data.rates.primary);
        let mut egress = None;
        if let Some(out_record) = self.pit.entry(first).out_record(from) {
            egress = Some(out_record.egress);
            if let Some(sent) = out_record.sent() {
                self.faces.face_mut(from).on_round_trip(now.since(sent));
            }
        }
        let Data { rates, route, .. } = &mut *data;
        self.stamp(from, rates, route, egress);
        self.cache.offer(now, &data, hash);
        let several = !self.answered.is_empty();
        // All receivers but the last get a copy.
        let mut last = None;
        let mut next = Some(first);
        let mut further = 0;
        while let Some(id) = next {
            self.counters.satisfied += 1;
            if let Some(dead) = &mut self.dead {
                remember(dead, now, self.pit.entry(id), &data);
            }
            let in_records = &mut self.pit.remove(id).in_records;
            for record in in_records.iter() {
                let to = record.face;
                let octets = record.octets();
                self.pit_octets.release(octets);
                self.faces.face_mut(to).settle(octets);
                if record.expires <= now || to == from || several && self.served.contains(&to) {
                    continue;
                }
                if several {
                    self.served.push(to);
                }
                if let Some(police) = &mut self.faces.face_mut(to).police {
                    police.on_data(now, data.rates, data.size);
                }
                if self.faces.face(to).is_proxied() {
                    self.faces.answer_proxied(now, to, data.rates, data.size);
                }
                if let Some(before) = last.replace(to)
                    && let Packet::Data(copy) = spare.data(Data::clone(&data))
                {
                    self.faces.send_data(before, copy);
                }
                data.token = record.interest.token.clone();
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
        let out_record = |pit: &mut Pit<N>, id| {
            pit.entry(id).out_record(from).filter(|record| record.nonce == interest.nonce).copied()
        };
        let Some((id, out_record)) =
            found.and_then(|id| Some((id, out_record(&mut self.pit, id)?)))
        else {
            self.counters.unsolicited += 1;
            return;
        };
        self.stamp(from, &mut rates, &mut route, Some(out_record.egress));
        self.on_failed(now, id, from, interest.nonce, Failure { reason, rates, route }, spare);
    }
}

/// The next hops for an Interest from `from`; `None` without a route.
#[inline]
fn hops<'a, N: Name>(
    fib: &'a Fib<N>,
    faces: &FaceTable<N>,
    from: FaceId,
    interest: &Interest<N>,
) -> Option<Hops<'a>> {
    let local = match interest.name.scope() {
        Scope::Global => false,
        Scope::LocalHop => !faces.face(from).local,
        Scope::LocalHost => true,
    };
    let via = interest.via.iter().flatten().find_map(|name| fib.lookup(name));
    Some(Hops::new(via.or_else(|| fib.lookup(&interest.name))?, from, local))
}

/// Adds the nonces of a satisfied Interest to the dead nonce list. This is needed only if the
/// Interest must be fresh and the Data turns stale within [`dead_nonces::REMEMBERED`]. Otherwise
/// caches answer the Interest if it loops.
fn remember<N: Name>(dead: &mut DeadNonces, now: Time, entry: &Entry<N>, data: &Data<N>) {
    let must_be_fresh =
        entry.in_records.first().is_some_and(|record| record.interest.must_be_fresh);
    if must_be_fresh && data.freshness < dead_nonces::REMEMBERED {
        entry.out_records.iter().for_each(|record| dead.insert(now, entry.hash(), record.nonce));
    }
}
