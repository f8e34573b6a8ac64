//! Flows: when they begin and stop, where their workload stands, and what the world counts of them.

use crate::ideal::Ideal;
use narrows_measure::{FlowCounters, Histogram, Transfer, Transfers};
use narrows_scenario::{Draw, Flow, Scenario, Workload};
use narrows_units::{Bytes, Random, Span, Time};

/// A flow's application.
pub(crate) struct Source {
    pub(crate) start: Time,
    pub(crate) stop: Time,
    pub(crate) started: bool,
    pub(crate) finished_at: Option<Time>,
    pub(crate) completed: bool,
    /// When the application acts next.
    pub(crate) next: Time,
    /// Between two full segments of a workload that has a rate.
    pub(crate) interval: Span,
    pub(crate) random: Random,
    /// Frames made, or requests sent.
    pub(crate) number: u64,
    pub(crate) burst: Burst,
    pub(crate) exchange: Exchange,
    /// Slots of its connections, if they come and go, and which of them are free.
    pub(crate) connections: Vec<u32>,
    pub(crate) free: Vec<u32>,
}

/// The burst of an on-off workload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Burst {
    pub(crate) on: bool,
    pub(crate) since: Time,
    pub(crate) until: Time,
    /// Its first segment.
    pub(crate) first: u64,
    /// What is left of it to send, of a burst that has a rate.
    pub(crate) left: u64,
}

/// A request and its response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exchange {
    pub(crate) since: Time,
    pub(crate) waiting: bool,
    /// The segment with which the response begins.
    pub(crate) first: u64,
    /// Which packets of the request have arrived.
    pub(crate) arrived: u32,
    /// How long to wait for the response before the request is repeated.
    pub(crate) patience: Span,
}

impl Source {
    pub(crate) fn new(flow: &Flow, seed: u64) -> Source {
        let rate = match flow.workload {
            Workload::Constant(rate) => Some(rate),
            Workload::OnOff(on_off) => on_off.rate,
            _ => None,
        };
        Source {
            start: flow.start,
            stop: flow.stop.unwrap_or(Time::NEVER),
            started: false,
            finished_at: None,
            completed: false,
            next: Time::NEVER,
            interval: rate.map_or(Span::MAX, |rate| rate.time_for(flow.transport.mss)),
            random: Random::stream(seed, &format!("flow {} workload", flow.name)),
            number: 0,
            burst: Burst { on: false, since: Time::ZERO, until: Time::NEVER, first: 0, left: 0 },
            exchange: Exchange { since: Time::ZERO, waiting: false, first: 0, arrived: 0, patience: Span::ZERO },
            connections: Vec::new(),
            free: Vec::new(),
        }
    }

    /// When the application wants to be looked at.
    #[inline]
    pub(crate) fn due(&self) -> Time {
        if !self.started {
            return self.start;
        }
        let stop = if self.finished_at.is_none() { self.stop } else { Time::NEVER };
        self.next.min(stop)
    }

    /// A length with this mean.
    pub(crate) fn span(&mut self, mean: Span, draw: Draw) -> Span {
        match draw {
            Draw::Fixed => mean,
            Draw::Exponential => Span::from_secs_f64(self.random.exponential(mean.as_secs_f64())),
        }
    }

    /// A size with this mean, at least a byte.
    pub(crate) fn size(&mut self, mean: Bytes, draw: Draw) -> Bytes {
        match draw {
            Draw::Fixed => mean,
            Draw::Exponential => Bytes::new((self.random.exponential(mean.get() as f64) + 0.5) as u64).max(Bytes::new(1)),
        }
    }
}

/// What the world counts of a flow beside its endpoints.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) datagrams_sent: u64,
    pub(crate) arrived: u64,
    pub(crate) arrived_wire: Bytes,
    pub(crate) datagram_goodput: Bytes,
    pub(crate) dropped: u64,
    pub(crate) acks: u64,
    pub(crate) rtt: Histogram,
    pub(crate) one_way: Histogram,
    /// Counts of connections that are gone.
    pub(crate) gone: FlowCounters,
    /// Of a flow that makes transfers.
    pub(crate) work: Option<Box<Work>>,
}

impl Tally {
    /// The warm-up is over: delays are counted from here on.
    pub(crate) fn forget_delays(&mut self) {
        self.rtt = Histogram::new();
        self.one_way = Histogram::new();
    }
}

/// What is measured of transfers.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    pub(crate) done: Transfers,
    ideal: Ideal,
    /// The least time that a request takes to the server.
    request: Span,
    /// Those that begin from then on are counted.
    warmup: Time,
}

/// Most transfers of a run that are listed one by one.
pub(crate) const LISTED: u64 = 1_000_000;

impl Work {
    /// Of a flow that makes transfers.
    pub(crate) fn new(scenario: &Scenario, flow: &Flow) -> Option<Box<Work>> {
        let (mss, headers) = (flow.transport.mss, flow.transport.headers);
        let (mut request, mut deadline) = (Span::ZERO, None);
        match &flow.workload {
            Workload::Bulk | Workload::Constant(_) => return None,
            Workload::OnOff(on_off) if on_off.rate.is_some() => return None,
            Workload::Size(_) | Workload::OnOff(_) | Workload::Arrivals(_) => {}
            Workload::Frames(frames) => deadline = Some(frames.deadline),
            Workload::Requests(requests) => request = Ideal::new(scenario, &flow.back, mss, headers).time(requests.request),
        }
        let ideal = Ideal::new(scenario, &flow.route, mss, headers);
        let done = Transfers { deadline, ..Transfers::default() };
        Some(Box::new(Work { done, ideal, request, warmup: Time::ZERO + scenario.warmup }))
    }

    /// A transfer begins.
    pub(crate) fn begin(&mut self, start: Time) {
        self.done.begun += (start >= self.warmup) as u64;
    }

    /// A transfer has reached its application. `listable`: how many more of the run can be listed.
    pub(crate) fn complete(&mut self, start: Time, now: Time, size: Bytes, listable: &mut u64) {
        let transfer = Transfer { start, size, took: now.since(start), ideal: self.request + self.ideal.time(size) };
        if start >= self.warmup {
            self.done.count(&transfer);
        }
        if *listable > 0 {
            *listable -= 1;
            self.done.list.push(transfer);
        }
    }

    /// A transfer will never be complete, or was not by `now`.
    pub(crate) fn miss(&mut self, start: Time, now: Time) {
        let late = self.done.deadline.is_some_and(|deadline| now.since(start) > deadline);
        self.done.late += (start >= self.warmup && late) as u64;
    }

    /// A transfer will never be complete.
    pub(crate) fn lose(&mut self, start: Time) {
        let counted = (start >= self.warmup) as u64;
        self.done.lost += counted;
        self.done.late += if self.done.deadline.is_some() { counted } else { 0 };
    }
}
