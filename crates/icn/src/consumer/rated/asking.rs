//! When the next Interest leaves, of which class, and by which path.

use super::{RETRY, Rated, Start};
use crate::{Class, Content, Hint, Interest, Steer};
use narrows_units::{Rate, Span, Time};

/// Primary Interests are sent at least this often, that a rate of zero be not the last to be heard of.
const LONGEST_GAP: Span = Span::from_secs(60);

impl<C: Content> Rated<C> {
    /// The time from one Interest to the next at which Data comes at `rate`.
    pub(super) fn gap_at(&self, rate: Rate) -> Span {
        Span::from_secs_f64(8.0 * self.data_size / rate.as_bps() as f64).max(Span::from_nanos(1))
    }

    /// The time from one Interest of `class` to the next.
    fn gap(&self, class: Class) -> Span {
        let gap = self.gap_at(self.subflows.rate(class));
        if class == Class::Primary { gap.min(LONGEST_GAP) } else { gap }
    }

    /// When the next Interest of `class` may leave.
    pub(super) fn slot(&self, class: Class) -> Time {
        let gap = self.gap(class);
        match class {
            Class::Primary => self.primary.due(gap),
            Class::Secondary if gap == Span::MAX => Time::NEVER,
            Class::Secondary => self.held_until().max(self.secondary.due(gap)),
        }
    }

    /// When secondary Interests may begin.
    pub(super) fn held_until(&self) -> Time {
        match self.settings.hold {
            Some(hold) if !self.srtt().is_zero() => self.first_data + Span::from_secs_f64(hold * self.srtt().as_secs_f64()),
            _ => Time::NEVER,
        }
    }

    pub(crate) fn interest(&mut self) -> Option<Interest<C::Name>> {
        if self.stopped || !self.segments.wanting() {
            return None;
        }
        if let Some(start) = self.start {
            return (start.segment.is_none() && start.at <= self.now).then(|| self.send_first(start));
        }
        let class = [Class::Primary, Class::Secondary].into_iter().find(|class| self.slot(*class) <= self.now)?;
        let gap = self.gap(class);
        match class {
            Class::Primary => self.primary.take(self.now, gap),
            Class::Secondary => self.secondary.take(self.now, gap),
        }
        let path = if class == Class::Primary && self.probes() { None } else { self.subflows.choose(self.now, class) };
        let (interest, segment) = self.send(class, path);
        self.segments.arm(segment);
        Some(interest)
    }

    /// Whether the next primary Interest is to find its way by itself.
    fn probes(&mut self) -> bool {
        if !self.settings.multipath {
            return false;
        }
        let drawn = self.random.chance(self.settings.probe);
        let longest = Span::from_secs_f64(1.0 / self.settings.probes);
        if !drawn && self.now.since(self.last_probe) < longest {
            return false;
        }
        self.last_probe = self.now;
        self.counters.probes += 1;
        true
    }

    fn send_first(&mut self, start: Start) -> Interest<C::Name> {
        // It takes a slot, so that the second one keeps its distance.
        self.primary.take(self.now, Span::ZERO);
        let (interest, segment) = self.send(Class::Primary, None);
        self.last_probe = self.now;
        self.start = Some(Start { at: self.now + start.wait, wait: (start.wait * 2).min(RETRY.1), segment: Some(segment) });
        interest
    }

    fn send(&mut self, class: Class, path: Option<(u64, Hint)>) -> (Interest<C::Name>, u64) {
        let nonce = self.random.bits() as u32;
        let hint = path.map_or(Hint::None, |(_, hint)| hint);
        let (segment, sends) = self.segments.send(self.now, class, nonce, path.map(|(id, _)| id));
        *self.counters.interests.of_mut(class) += 1;
        self.counters.retransmissions += u64::from(sends > 1);
        let interest = Interest {
            name: self.content.name(segment),
            can_be_prefix: false,
            must_be_fresh: false,
            nonce,
            lifetime: self.setup.lifetime,
            hop_limit: u8::MAX,
            class,
            srtt: self.srtt(),
            steer: Steer { hint, strict: self.settings.strict && path.is_some() },
            size: self.setup.interest,
            body: Default::default(),
        };
        (interest, segment)
    }
}
