//! Measurements of transfers.

use crate::action::Message;
use crate::ideal::{Cargo, Ideal};
use narrows_measure::{Transfer, Transfers};
use narrows_scenario::{Flow, LinkId, OnOff, Scenario, What, Workload};
use narrows_transport::Handshake;
use narrows_units::{Bytes, Span, Time};

/// Most transfers of a run that are listed one by one.
pub const LISTED: u64 = 1_000_000;

/// The part of a connection before the data of a transfer.
#[derive(Clone, Copy, Debug)]
enum Before {
    Nothing,
    /// A SYN and its answer, each of this size on the wire. The acknowledgement of the answer does
    /// not count: if it is lost, the data comes without it.
    Handshake(Bytes),
    /// A request on its way to the server.
    Request {
        /// Payload of the request.
        size: Bytes,
        /// Size on the wire of the client's SYN and of its answer, if a handshake comes first.
        syn: Option<Bytes>,
    },
}

/// The transfers of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) done: Transfers,
    mss: Bytes,
    headers: Bytes,
    before: Before,
    data: Ideal,
    back: Ideal,
    /// Those that begin from then on are counted.
    warmup: Time,
    /// Frames begin before this; a transfer that begins later has no deadline.
    frames_end: Time,
}

impl Measured {
    /// Of a flow that makes transfers.
    pub(crate) fn new(scenario: &Scenario, flow: &Flow) -> Option<Box<Measured>> {
        let (mut deadline, mut frames_end) = (None, Time::NEVER);
        let opens = flow.controller.is_some() && flow.transport.handshake;
        let before = match &flow.workload {
            Workload::Bulk | Workload::Constant(_) => return None,
            Workload::OnOff(on_off) if on_off.rate.is_some() => return None,
            Workload::Size(_)
            | Workload::Arrivals(_)
            | Workload::OnOff(OnOff { reopens: true, .. })
                if opens =>
            {
                Before::Handshake(Handshake::size(&flow.transport))
            }
            Workload::Size(_) | Workload::Arrivals(_) | Workload::OnOff(_) => Before::Nothing,
            Workload::Frames(frames) => {
                deadline = Some(frames.deadline);
                frames_end = frames.then.map_or(Time::NEVER, |(until, _)| flow.start + until);
                Before::Nothing
            }
            Workload::Requests(requests) => Before::Request {
                size: requests.request,
                syn: (requests.reopens && opens).then(|| Handshake::size(&flow.transport)),
            },
        };
        let own = |what| routes(scenario, flow, what);
        Some(Box::new(Measured {
            done: Transfers { deadline, ..Transfers::default() },
            mss: flow.transport.mss,
            headers: flow.transport.headers,
            before,
            data: Ideal::new(scenario, &flow.route, |what| own(what).map(|(data, _)| data)),
            back: Ideal::new(scenario, &flow.back, |what| own(what).map(|(_, back)| back)),
            warmup: Time::ZERO + scenario.warmup,
            frames_end,
        }))
    }

    /// A transfer begins.
    pub(crate) fn begin(&mut self, start: Time) {
        self.done.begun += (start >= self.warmup) as u64;
    }

    /// A transfer has reached its application. `room`: how many more of the run can be listed.
    pub(crate) fn complete(&mut self, now: Time, message: Message, room: &mut u64) {
        let Message { start, size } = message;
        let transfer = Transfer {
            start,
            size,
            took: now.since(start),
            ideal: self.soonest(start, now, size).since(start),
        };
        if start >= self.warmup {
            self.done.count_within(&transfer, self.deadline(start));
        }
        if *room > 0 {
            *room -= 1;
            self.done.list.push(transfer);
        }
    }

    /// The time after which a transfer that began at `start` is late.
    fn deadline(&self, start: Time) -> Option<Span> {
        self.done.deadline.filter(|_| start < self.frames_end)
    }

    /// When a transfer that began at `start` and is complete by `now` can have been complete at the
    /// earliest.
    fn soonest(&self, start: Time, now: Time, size: Bytes) -> Time {
        let cargo = |size| Cargo { size, mss: self.mss, headers: self.headers };
        let opened = |forth: &Ideal, back: &Ideal, syn| {
            let answered = forth.arrival(start, now, Cargo::packet(syn));
            back.arrival(answered, now, Cargo::packet(syn))
        };
        let open = match self.before {
            Before::Nothing => start,
            Before::Handshake(syn) => opened(&self.data, &self.back, syn),
            Before::Request { size, syn } => {
                let asked = syn.map_or(start, |syn| opened(&self.back, &self.data, syn));
                self.back.arrival(asked, now, cargo(size))
            }
        };
        self.data.arrival(open, now, cargo(size))
    }

    /// A transfer was not complete by `now`.
    pub(crate) fn miss(&mut self, now: Time, start: Time) {
        let late = self.deadline(start).is_some_and(|deadline| now.since(start) > deadline);
        self.done.late += (start >= self.warmup && late) as u64;
    }

    /// A transfer will never be complete.
    pub(crate) fn lose(&mut self, start: Time) {
        let counted = (start >= self.warmup) as u64;
        self.done.lost += counted;
        self.done.late += if self.deadline(start).is_some() { counted } else { 0 };
    }
}

/// The new routes of data and of acknowledgements, if `what` changes those of `flow`.
fn routes<'a>(
    scenario: &Scenario,
    flow: &Flow,
    what: &'a What,
) -> Option<(&'a [LinkId], &'a [LinkId])> {
    match what {
        What::Route { flow: changed, route, back }
            if scenario.flows[changed.0].name == flow.name =>
        {
            Some((route, back))
        }
        What::Route { .. } | What::Link(..) => None,
    }
}
