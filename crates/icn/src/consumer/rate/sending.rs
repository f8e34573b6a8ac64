//! When the next Interest leaves, its class, and its path.

use super::{RETRY, RateConsumer};
use crate::name::Content;
use crate::packet::{Class, Interest};
use crate::route::{Hint, Steer};
use narrows_units::{Span, Time};

impl<C: Content> RateConsumer<C> {
    /// When the next Interest of `class` may leave.
    pub(super) fn next_departure(&self, class: Class) -> Time {
        let gap = self.gaps.of(class);
        match class {
            Class::Primary => self.primary.due(gap),
            Class::Secondary if gap == Span::MAX => Time::NEVER,
            Class::Secondary => self.secondary_start().max(self.secondary.due(gap)),
        }
    }

    /// When secondary Interests may begin.
    pub(super) fn secondary_start(&self) -> Time {
        self.waits.secondary.map_or(Time::NEVER, |wait| self.first_data + wait)
    }

    pub(crate) fn interest(&mut self) -> Option<Interest<C::Name>> {
        if self.stopped || !self.segments.has_next() {
            return None;
        }
        if let Some(discovery) = &self.discovery {
            let may = discovery.more > 0 || (discovery.sent.is_empty() && discovery.at <= self.now);
            return may.then(|| self.send_discovery());
        }
        let class = [Class::Primary, Class::Secondary]
            .into_iter()
            .find(|class| self.next_departure(*class) <= self.now)?;
        let gap = self.gaps.of(class);
        match class {
            Class::Primary => self.primary.take(self.now, gap),
            Class::Secondary => self.secondary.take(self.now, gap),
        }
        let path = if class == Class::Primary && self.probes() {
            None
        } else {
            self.subflows.choose(self.now, class)
        };
        let (interest, segment) = self.send(class, path);
        self.segments.start_timer(segment);
        Some(interest)
    }

    /// True if the next primary Interest is to carry no hint, to find further paths (MIRCC, section
    /// 4.3.3).
    fn probes(&mut self) -> bool {
        if !self.settings.multipath {
            return false;
        }
        // Requirement, MIRCC slide 12: "Interests without path identifiers must be sent
        // initially/periodically"
        let drawn = self.random.chance(self.settings.probe);
        if !drawn && self.now.since(self.last_probe) < self.settings.longest_without_probe {
            return false;
        }
        self.last_probe = self.now;
        self.counters.probes += 1;
        true
    }

    /// An Interest that looks for paths; the first of those sent at once also sets the time of the
    /// next ones.
    fn send_discovery(&mut self) -> Interest<C::Name> {
        // The pacer counts it, so that the next Interest keeps its distance.
        self.primary.take(self.now, Span::ZERO);
        let (interest, segment) = self.send(Class::Primary, None);
        self.last_probe = self.now;
        let now = self.now;
        let first = self.settings.first;
        if let Some(discovery) = &mut self.discovery {
            if discovery.more > 0 {
                discovery.more -= 1;
            } else {
                (discovery.at, discovery.wait, discovery.more) =
                    (now + discovery.wait, (discovery.wait * 2).min(RETRY.1), first - 1);
            }
            discovery.sent.push(segment);
        }
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
            via: None,
            token: Default::default(),
            body: Default::default(),
        };
        (interest, segment)
    }
}
