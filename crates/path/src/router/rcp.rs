//! RCP's router: stamps one rate for all flows into packets.
//!
//! Sources: Dukkipati, Rate Control Protocol (Stanford 2008); the ns-2 code of Zhang and Dukkipati
//! (`rcp.cc`, constants, order at a tick, filter of round trips); the NetFPGA program of Dukkipati
//! and Zhu (constants).
//!
//! Deviations: the change of the rate is divided by C, not by eta C (ns-2), and the mean round trip
//! begins with 100 ms, not 200; packets count where they arrive and are not split between
//! intervals; on a recorded rate the capacity is its mean.

use crate::law::rcp::{PARAMS, RcpLaw};
use crate::queue::buffer::Buffer;
use crate::{
    Backlog, Discipline, DisciplineEntry, DisciplineSetup, Fate, LawSetup, Observed, Packet,
    Queued, RateLaw, Verdicts,
};
use narrows_params::{Need, Params};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::Header;

/// The registry line.
pub(crate) static ENTRY: DisciplineEntry = DisciplineEntry {
    name: "rcp",
    summary: "RCP's router: one rate for all flows, from spare capacity, queue and mean round trip; drops at a full buffer",
    source: "Dukkipati 2008; the RCP code for ns-2 (rcp.cc) and NetFPGA",
    offers: &[Need::StampedRate],
    params: PARAMS,
};

/// A packet of the floor.
const FLOOR_PACKET: Bytes = Bytes::new(1500);
/// Spread of the first tick, as a part of the interval.
const SPREAD: f64 = 0.2;

/// A drop-tail queue under RCP.
#[derive(Clone, Debug)]
pub struct Rcp<P> {
    queue: Buffer<P>,
    law: RcpLaw,
    last_tick: Time,
    next_tick: Time,
    /// Bytes that arrived since the last tick.
    arrivals: u64,
    /// The bytes of packets that told a round trip, and their round trips in seconds
    /// times their bytes.
    told: u64,
    rtts: f64,
}

impl<P> Rcp<P> {
    /// An empty queue.
    pub fn new(setup: &DisciplineSetup, params: &Params) -> Rcp<P> {
        let law = RcpLaw::new(&LawSetup { capacity: setup.rate.unwrap_or(Rate::ZERO) }, params);
        let interval = law.interval().as_secs_f64();
        let first = interval * (1.0 + SPREAD * setup.random.clone().normal()).max(SPREAD);
        Rcp {
            queue: Buffer::new(setup.limit),
            law,
            last_tick: Time::ZERO,
            next_tick: Time::ZERO + Span::from_secs_f64(first),
            arrivals: 0,
            told: 0,
            rtts: 0.0,
        }
    }
}

impl<P: Packet> Rcp<P> {
    /// The ticks up to `now`.
    #[inline]
    fn update(&mut self, now: Time) {
        while self.next_tick <= now {
            self.tick();
        }
    }

    fn tick(&mut self) {
        let rtt = (self.told > 0).then(|| Span::from_secs_f64(self.rtts / self.told as f64));
        self.law.tick(&Observed {
            dt: self.next_tick.since(self.last_tick),
            arrivals: [(self.arrivals * 8) as f64, 0.0],
            queue: self.queue.bytes().bits() as f64,
            rtt,
            packet: FLOOR_PACKET,
        });
        (self.arrivals, self.told, self.rtts) = (0, 0, 0.0);
        self.last_tick = self.next_tick;
        self.next_tick += self.law.interval();
    }
}

impl<P: Packet> Discipline<P> for Rcp<P> {
    fn enqueue(&mut self, now: Time, mut packet: P, _verdicts: &mut Verdicts<P>) -> Fate {
        self.update(now);
        let size = packet.size();
        self.arrivals += size.get();
        if let Some(Header::Rate { rtt, .. }) = packet.header()
            && !rtt.is_zero()
        {
            self.told += size.get();
            self.rtts += size.get() as f64 * rtt.as_secs_f64();
        }
        self.queue.offer(now, packet)
    }

    fn dequeue(&mut self, now: Time, _verdicts: &mut Verdicts<P>) -> Option<Queued<P>> {
        self.update(now);
        let mut queued = self.queue.pop()?;
        if let Some(Header::Rate { rate, .. }) = queued.packet.header() {
            *rate = (*rate).min(self.law.rate());
        }
        Some(queued)
    }

    fn backlog(&self) -> &Backlog {
        self.queue.backlog()
    }

    fn backlog_mut(&mut self) -> &mut Backlog {
        self.queue.backlog_mut()
    }

    fn set_rate(&mut self, now: Time, rate: Option<Rate>) {
        self.update(now);
        self.law.set_capacity(rate.unwrap_or(Rate::ZERO));
    }
}
