//! How Interests of neighbours that do not follow rates pass their proxies.

use super::Node;
use super::control::Held;
use super::face_table::FaceTable;
use super::pit::EntryId;
use super::proxy::Proxied;
use crate::face_id::FaceId;
use crate::name::Name;
use crate::packet::Interest;
use crate::spare::Spare;
use narrows_units::{Bytes, Span, Time};
use narrows_wire::Rates;

impl<N: Name> FaceTable<N> {
    /// The time between Interests of the proxy of `from` to `out`.
    fn proxy_gap(&self, now: Time, from: FaceId, out: FaceId) -> Span {
        let link = self.face(out).stamp().primary;
        self.face(from).proxy.as_ref().map_or(Span::ZERO, |proxy| proxy.gap(now, link))
    }

    /// Data leaves for `to`, whose Interests a proxy paces: its rate is theirs.
    pub(super) fn answer_proxied(&mut self, now: Time, to: FaceId, rates: Rates, size: Bytes) {
        let Some(proxy) = &mut self.face_mut(to).proxy else { return };
        proxy.on_data(now, rates, size);
        let Some(out) = proxy.first().map(|first| first.out) else { return };
        let gap = self.proxy_gap(now, to, out);
        if let Some(proxy) = &mut self.face_mut(to).proxy {
            proxy.is_due(now, gap);
            self.arm(to);
        }
    }
}

impl<N: Name> Node<N> {
    /// True if the proxy of `from` cannot take an Interest for `out`, which is counted.
    #[inline]
    pub(super) fn has_full_proxy(
        &mut self,
        now: Time,
        from: FaceId,
        out: FaceId,
        interest: &Interest<N>,
    ) -> bool {
        if !self.faces.face(from).is_proxied() || !self.faces.face(out).has_law() {
            return false;
        }
        let gap = self.faces.proxy_gap(now, from, out);
        let face = self.faces.face_mut(from);
        let full =
            face.proxy.as_ref().is_some_and(|proxy| proxy.is_full(now, gap, interest.lifetime));
        face.counters.proxy_full += u64::from(full);
        full
    }

    /// Offers an Interest to `out` if it is its turn, or lets it wait.
    pub(super) fn pass_by_proxy(
        &mut self,
        now: Time,
        from: FaceId,
        out: FaceId,
        held: Held<N>,
        spare: &mut Spare<N>,
    ) {
        let gap = self.faces.proxy_gap(now, from, out);
        let refuses = self.faces.face(out).refuses(held.interest.class);
        let face = self.faces.face_mut(from);
        let Some(proxy) = &mut face.proxy else { return };
        if proxy.is_open(now, gap) && !refuses {
            proxy.passed(now, gap);
            return self.offer(now, held.entry, out, held.interest, spare);
        }
        proxy.wait(now, gap, Proxied { held, out });
        face.counters.proxied += 1;
        self.faces.arm(from);
    }

    /// Offers the Interests from `from` whose turn it is. Interests that the shaper would refuse
    /// stay at the head.
    pub(super) fn release_proxied(&mut self, now: Time, from: FaceId, spare: &mut Spare<N>) {
        while let Some(first) = self.faces.face(from).proxy.as_ref().and_then(|proxy| proxy.first())
        {
            let Proxied { held: Held { entry, interest }, out } = first;
            let entry = *entry;
            let out = *out;
            let nonce = interest.nonce;
            let class = interest.class;
            let pending =
                self.pit.get_mut(now, entry).is_some_and(|entry| entry.is_asked_at(out, nonce));
            let gap = self.faces.proxy_gap(now, from, out);
            let refuses = self.faces.face(out).refuses(class);
            let Some(proxy) = &mut self.faces.face_mut(from).proxy else { return };
            if !pending {
                proxy.take_first();
                self.counters.stale += 1;
                continue;
            }
            if !proxy.is_due(now, gap) {
                return;
            }
            if refuses {
                return proxy.put_off(now, gap);
            }
            if let Some(Proxied { held, out }) = proxy.release(now, gap) {
                self.offer(now, held.entry, out, held.interest, spare);
            }
        }
    }

    /// A neighbour repeats an Interest that waits in a proxy.
    pub(super) fn exchange_proxied(&mut self, id: EntryId, interest: &Interest<N>) {
        for record in self.pit.entry(id).in_records.iter() {
            if let Some(held) =
                self.faces.face_mut(record.face).proxy.as_mut().and_then(|proxy| proxy.find(id))
            {
                return held.exchange(interest);
            }
        }
    }

    /// Offers the Interests of an entry that wait in proxies, as somebody who follows rates asks
    /// for the same.
    pub(super) fn advance(&mut self, now: Time, id: EntryId, spare: &mut Spare<N>) {
        while self.pit.get_mut(now, id).is_some_and(|entry| entry.waiting().is_some()) {
            let faces = &mut self.faces;
            let mut take =
                |face: FaceId| faces.face_mut(face).proxy.as_mut().and_then(|proxy| proxy.take(id));
            let Some(Proxied { held, out }) =
                self.pit.entry(id).in_records.iter().find_map(|record| take(record.face))
            else {
                return;
            };
            self.offer(now, id, out, held.interest, spare);
        }
    }

    /// The face goes: what others ask for as well is offered.
    pub(super) fn offer_all_proxied(&mut self, now: Time, from: FaceId) {
        while let Some(Proxied { held, out }) =
            self.faces.face_mut(from).proxy.as_mut().and_then(|proxy| proxy.take_first())
        {
            if self
                .pit
                .get_mut(now, held.entry)
                .is_some_and(|entry| entry.is_asked_at(out, held.interest.nonce))
            {
                self.offer(now, held.entry, out, held.interest, &mut Spare::default());
            }
        }
    }
}
