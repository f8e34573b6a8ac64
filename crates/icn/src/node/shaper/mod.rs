//! The Interest shaper: delays Interests so that the Data they fetch fits the link, and is neither
//! queued for long nor lost.
//!
//! Source: Wang, Rozhnova, Narayanan, Oran, Rhee, "An Improved Hop-by-hop Interest Shaper for
//! Congestion Control in Named Data Networking", ACM ICN 2013, and the authors'
//! `ShaperNetDeviceFace` for ndnSIM (headroom, queue, interval, gains of the averages); MIRCC,
//! section 4.2, for two classes in one queue.
//!
//! Our choices: the rate between the two optima ([`ShaperForm::Boundary`]); the third case of the
//! optimum where it is singular; and the youngest secondary Interest is evicted for a primary one.

mod share;
#[cfg(test)]
mod tests;

use crate::packet::Class;
use narrows_units::{Bytes, Span, Time};
pub(crate) use share::Link;
pub use share::ShaperForm;
use std::collections::VecDeque;

/// The configuration of a shaper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShaperConfig {
    /// How its rate follows from the Interests of the other direction.
    pub form: ShaperForm,
    /// The share of the link's capacity that Interests may book: 0.98.
    pub headroom: f64,
    /// Most Interests in its queue: 100.
    pub limit: usize,
}

impl Default for ShaperConfig {
    fn default() -> ShaperConfig {
        ShaperConfig { form: ShaperForm::Boundary, headroom: 0.98, limit: 100 }
    }
}

/// A caller that comes late may make up for this time; what it missed before is lost. This limit is
/// ours: it bounds a burst after a delay of the process, and never applies where time is simulated.
const CATCH_UP: Span = Span::from_millis(2);

/// The shaper's decision on an Interest offered to it.
#[derive(Debug, PartialEq)]
pub(crate) enum Offer<T> {
    /// It leaves at once.
    Leaves(T),
    /// It waits.
    Waits,
    /// It waits, and this one, which waited before, is refused for it.
    Evicts(T),
    /// It is refused.
    Refused(T),
}

#[derive(Clone, Debug)]
struct Waiting<T> {
    item: T,
    class: Class,
    size: Bytes,
}

/// The queue of Interests of one link.
#[derive(Clone, Debug)]
pub(crate) struct Shaper<T> {
    config: ShaperConfig,
    queue: VecDeque<Waiting<T>>,
    bytes: Bytes,
    /// Number of secondary Interests in the queue.
    secondary: usize,
    /// When the next Interest may leave.
    next: Time,
    /// The size and the rate of the latest gap, and the gap.
    gap: (Bytes, f64, Span),
}

impl<T> Shaper<T> {
    pub(crate) fn new(config: ShaperConfig) -> Shaper<T> {
        Shaper {
            config,
            queue: VecDeque::new(),
            bytes: Bytes::ZERO,
            secondary: 0,
            next: Time::ZERO,
            gap: (Bytes::ZERO, 0.0, Span::MAX),
        }
    }

    pub(crate) fn config(&self) -> &ShaperConfig {
        &self.config
    }

    pub(crate) fn packets(&self) -> usize {
        self.queue.len()
    }

    pub(crate) fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// When the next Interest leaves; `None` if none waits.
    pub(crate) fn due(&self) -> Option<Time> {
        (!self.queue.is_empty()).then_some(self.next)
    }

    /// True if an Interest of `class` would be [refused](Offer::Refused), unless it may leave at
    /// once.
    pub(crate) fn refuses(&self, class: Class) -> bool {
        self.queue.len() >= self.config.limit && (class == Class::Secondary || self.secondary == 0)
    }

    /// Offers an Interest at `now`.
    pub(crate) fn offer(&mut self, now: Time, item: T, class: Class, size: Bytes) -> Offer<T> {
        if self.queue.is_empty() && self.next <= now {
            self.next = now;
            return Offer::Leaves(item);
        }
        let mut evicted = None;
        if self.refuses(class) {
            return Offer::Refused(item);
        }
        if self.queue.len() >= self.config.limit {
            // Requirement, MIRCC slide 14: "Forwarders preferentially drop Secondary traffic under
            // congestion"
            evicted = self.evict();
        }
        self.secondary += usize::from(class == Class::Secondary);
        self.bytes += size;
        self.queue.push_back(Waiting { item, class, size });
        evicted.map_or(Offer::Waits, Offer::Evicts)
    }

    /// A waiting Interest.
    pub(crate) fn find(&mut self, chosen: impl Fn(&T) -> bool) -> Option<&mut T> {
        self.queue.iter_mut().map(|waiting| &mut waiting.item).find(|item| chosen(item))
    }

    /// Takes the first Interest from the queue if it may leave by `now`.
    pub(crate) fn take(&mut self, now: Time) -> Option<T> {
        if self.next > now {
            return None;
        }
        self.next = self.next.max(now - CATCH_UP);
        let waiting = self.queue.pop_front()?;
        self.left(&waiting);
        Some(waiting.item)
    }

    /// An Interest of `size` has left. The next may leave after the time that `size` takes at
    /// `rate` bit/s.
    pub(crate) fn sent(&mut self, size: Bytes, rate: f64) {
        let (of, at, _) = self.gap;
        if (of, at) != (size, rate) {
            self.gap = (size, rate, gap(size, rate));
        }
        self.next += self.gap.2;
    }

    /// The link's capacity changes at `now`: the next Interest waits no longer than `size` takes at
    /// the new `rate` in bit/s.
    pub(crate) fn on_capacity_change(&mut self, now: Time, size: Bytes, rate: f64) {
        self.next = self.next.min(now + gap(size, rate));
    }

    fn evict(&mut self) -> Option<T> {
        let youngest = self.queue.iter().rposition(|waiting| waiting.class == Class::Secondary)?;
        let waiting = self.queue.remove(youngest)?;
        self.left(&waiting);
        Some(waiting.item)
    }

    fn left(&mut self, waiting: &Waiting<T>) {
        self.bytes -= waiting.size;
        self.secondary -= usize::from(waiting.class == Class::Secondary);
    }
}

/// The time that an Interest of `size` takes at `rate` bit/s, rounded up.
fn gap(size: Bytes, rate: f64) -> Span {
    match size.bits() as f64 * 1e9 / rate {
        nanos if nanos < 9e18 => Span::from_nanos(libm::ceil(nanos) as u64),
        _ => Span::MAX,
    }
}
