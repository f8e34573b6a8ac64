//! Asks on behalf of a neighbour that does not follow rates.
//!
//! An application with a window of its own keeps the shaper's queue full: the Interests offered
//! then exceed what the law aims at, and its rate falls to the floor for everybody. So the first
//! node that knows rates holds such Interests back, and offers them at the pace of a consumer of
//! MIRCC with one path. Interests that wait here are not yet offered to the link, and the law does
//! not count it. No paper describes this; it is ours.

use super::control::Held;
use super::face_config::ProxyConfig;
use super::meter::MeanSize;
use crate::face_id::FaceId;
use crate::name::Name;
use crate::node::pit::EntryId;
use crate::pacer::{Pacer, gap_at};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Rates;
use std::collections::VecDeque;

/// A caller that comes late may make up for this time, as at the shaper.
const CATCH_UP: Span = Span::from_millis(2);
/// A rate in Data is of no use after this time.
const REMEMBERED: Span = Span::from_secs(1);
/// The longest time between Interests, so that a rate of zero is not final.
const LONGEST_GAP: Span = Span::from_secs(60);
/// The size of Data in bytes before the first (`ShaperNetDeviceFace`, as the shaper).
const ASSUMED_DATA: f64 = 1100.0;

/// An Interest that waits, and the face that it is for.
#[derive(Clone, Debug)]
pub(crate) struct Proxied<N: Name> {
    pub(crate) held: Held<N>,
    pub(crate) out: FaceId,
}

/// The Interests of one neighbour that wait, and their pace.
#[derive(Clone, Debug)]
pub(crate) struct Proxy<N: Name> {
    config: ProxyConfig,
    queue: VecDeque<Proxied<N>>,
    pacer: Pacer,
    /// When the first of the queue is to be looked at.
    next: Time,
    /// The primary rate in the latest Data that had one, and when it left for the neighbour.
    told: Option<(Time, Rate)>,
    data: MeanSize,
}

impl<N: Name> Proxy<N> {
    pub(crate) fn new(config: ProxyConfig) -> Proxy<N> {
        Proxy {
            config,
            queue: VecDeque::new(),
            pacer: Pacer::default(),
            next: Time::NEVER,
            told: None,
            data: MeanSize::assumed(ASSUMED_DATA),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// When the first Interest is to be looked at; never if none waits.
    pub(crate) fn due(&self) -> Time {
        if self.queue.is_empty() { Time::NEVER } else { self.next }
    }

    /// Data leaves for the neighbour. Data from a cache has no rate, and says nothing of the way.
    pub(crate) fn on_data(&mut self, now: Time, rates: Rates, size: Bytes) {
        self.data.add(size);
        if rates.primary < Rates::UNLIMITED.primary {
            self.told = Some((now, rates.primary));
        }
    }

    /// The time between Interests for a link that grants `link` to each flow: the lower of that and
    /// of the rate in the latest Data.
    pub(crate) fn gap(&self, now: Time, link: Rate) -> Span {
        let told = self.told.filter(|(at, _)| now.since(*at) <= REMEMBERED).map(|(_, rate)| rate);
        gap_at(told.map_or(link, |told| told.min(link)), self.data.get()).min(LONGEST_GAP)
    }

    /// True if an Interest with this lifetime cannot wait as well, at this gap.
    pub(crate) fn is_full(&self, now: Time, gap: Span, lifetime: Span) -> bool {
        let wait = self.pacer.due(gap).since(now) + gap * self.queue.len() as u64;
        self.queue.len() >= self.config.limit || wait > lifetime / 2
    }

    /// True if an Interest may pass at once. If it does, [`passed`](Proxy::passed) is told.
    pub(crate) fn is_open(&self, now: Time, gap: Span) -> bool {
        self.queue.is_empty() && self.pacer.due(gap) <= now
    }

    /// An Interest passes without waiting.
    pub(crate) fn passed(&mut self, now: Time, gap: Span) {
        self.pacer.take(now, gap);
    }

    /// An Interest waits.
    pub(crate) fn wait(&mut self, now: Time, gap: Span, proxied: Proxied<N>) {
        if self.queue.is_empty() {
            self.is_due(now, gap);
        }
        self.queue.push_back(proxied);
    }

    /// The first Interest that waits.
    pub(crate) fn first(&self) -> Option<&Proxied<N>> {
        self.queue.front()
    }

    /// True if the first Interest may leave at this gap; if not, it is looked at when it may. A gap
    /// that has become shorter may have ended before `now`.
    pub(crate) fn is_due(&mut self, now: Time, gap: Span) -> bool {
        self.next = self.pacer.due(gap).max(now);
        self.next == now
    }

    /// The first Interest stays for one more gap: the link takes no more.
    pub(crate) fn put_off(&mut self, now: Time, gap: Span) {
        self.next = now + gap;
    }

    /// Takes the first Interest from the queue, for its turn has come.
    pub(crate) fn release(&mut self, now: Time, gap: Span) -> Option<Proxied<N>> {
        self.pacer.take_waiting(now, gap, CATCH_UP);
        self.queue.pop_front()
    }

    /// Takes the first Interest from the queue, which does not leave, or not at the pace.
    pub(crate) fn take_first(&mut self) -> Option<Proxied<N>> {
        self.queue.pop_front()
    }

    /// The Interest of this entry that waits.
    pub(crate) fn find(&mut self, entry: EntryId) -> Option<&mut Held<N>> {
        self.queue.iter_mut().map(|proxied| &mut proxied.held).find(|held| held.entry == entry)
    }

    /// Takes the Interest of this entry, wherever it stands.
    pub(crate) fn take(&mut self, entry: EntryId) -> Option<Proxied<N>> {
        let place = self.queue.iter().position(|proxied| proxied.held.entry == entry)?;
        self.queue.remove(place)
    }
}
