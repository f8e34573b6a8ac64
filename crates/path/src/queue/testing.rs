//! A queue on the bench: what the tests of disciplines share.

use crate::{Discipline, DisciplineSetup, Fate, Limit, Packet, Queued, Verdicts};
use narrows_params::Params;
use narrows_units::{Bytes, Random, Rate, Span, Time};
use narrows_wire::{Ecn, Header};

/// True if two numbers are equal but for rounding: to 9 digits, or 1e-12.
pub(crate) fn close(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-9 * expected.abs().max(1e-3)
}

/// Asserts that two numbers are [`close`].
#[track_caller]
pub(crate) fn near(value: f64, expected: f64) {
    assert!(close(value, expected), "{value}, not {expected}");
}

/// A packet that tells everything a discipline asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Small {
    pub(crate) id: u64,
    pub(crate) size: u64,
    pub(crate) ecn: Ecn,
    pub(crate) flow: u64,
    pub(crate) header: Option<Header>,
}

impl Packet for Small {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ecn(&mut self, ecn: Ecn) {
        self.ecn = ecn;
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn is_urgent(&self) -> bool {
        self.flow == 1
    }
    fn header(&mut self) -> Option<&mut Header> {
        self.header.as_mut()
    }
}

/// A discipline, driven by hand.
#[derive(Clone)]
pub(crate) struct Bench<D> {
    pub(crate) queue: D,
    pub(crate) verdicts: Verdicts<Small>,
    offered: u64,
    early: u64,
    seen: u64,
}

impl<D: Discipline<Small>> Bench<D> {
    /// The discipline that `text` describes, without a limit, on a link of 10 Mbit/s.
    pub(crate) fn new(text: &str, build: fn(&DisciplineSetup, &Params) -> D) -> Bench<D> {
        let choice: crate::DisciplineChoice = text.parse().expect("a discipline");
        let setup = DisciplineSetup {
            limit: Limit::None,
            rate: Some(Rate::from_mbps(10)),
            delay: Span::from_millis(10),
            random: Random::stream(1, "queue"),
        };
        Bench {
            queue: build(&setup, &choice.params()),
            verdicts: Verdicts::default(),
            offered: 0,
            early: 0,
            seen: 0,
        }
    }

    /// A packet of flow 0 arrives; packets are numbered from 0.
    pub(crate) fn offer(&mut self, at: Time, size: u64, ecn: Ecn) -> Fate {
        self.offer_of(0, at, size, ecn)
    }

    /// A packet with this header arrives.
    pub(crate) fn offer_with(&mut self, header: Header, at: Time, size: u64) -> Fate {
        self.give(
            Small { id: self.offered, size, ecn: Ecn::NotEct, flow: 0, header: Some(header) },
            at,
        )
    }

    /// A packet of some flow arrives.
    pub(crate) fn offer_of(&mut self, flow: u64, at: Time, size: u64, ecn: Ecn) -> Fate {
        self.give(Small { id: self.offered, size, ecn, flow, header: None }, at)
    }

    fn give(&mut self, packet: Small, at: Time) -> Fate {
        self.offered += 1;
        let fate = self.queue.enqueue(at, packet, &mut self.verdicts);
        self.early +=
            u64::from(matches!(fate, Fate::Marked | Fate::Dropped(crate::DropReason::Early)));
        fate
    }

    /// The transmitter takes a packet.
    pub(crate) fn take(&mut self, now: Time) -> Option<Queued<Small>> {
        self.queue.dequeue(now, &mut self.verdicts)
    }

    /// Drops and marks for congestion since the last time it was asked.
    pub(crate) fn acted(&mut self) -> u64 {
        let all = self.early + self.verdicts.marked + self.verdicts.dropped.len() as u64;
        all - std::mem::replace(&mut self.seen, all)
    }
}

pub(crate) fn ms(n: u64) -> Time {
    Time::from_nanos(n * 1_000_000)
}

pub(crate) fn us(n: u64) -> Time {
    Time::from_nanos(n * 1_000)
}
