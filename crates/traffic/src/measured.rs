//! What is measured of transfers.

use crate::action::Message;
use crate::ideal::Ideal;
use narrows_flow::Handshake;
use narrows_measure::{Transfer, Transfers};
use narrows_scenario::{Flow, Scenario, Workload};
use narrows_units::{Bytes, Span, Time};

/// Most transfers of a run that are listed one by one.
pub const LISTED: u64 = 1_000_000;

/// The transfers of a flow.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) done: Transfers,
    ideal: Ideal,
    /// The least time of what comes before the data: a handshake, or a request on its way to the server.
    before: Span,
    /// Those that begin from then on are counted.
    warmup: Time,
}

impl Measured {
    /// Of a flow that makes transfers.
    pub(crate) fn new(scenario: &Scenario, flow: &Flow) -> Option<Box<Measured>> {
        let (mss, headers) = (flow.transport.mss, flow.transport.headers);
        let (mut before, mut deadline) = (Span::ZERO, None);
        match &flow.workload {
            Workload::Bulk | Workload::Constant(_) => return None,
            Workload::OnOff(on_off) if on_off.rate.is_some() => return None,
            Workload::Size(_) | Workload::Arrivals(_) => before = handshake(scenario, flow),
            Workload::OnOff(_) => {}
            Workload::Frames(frames) => deadline = Some(frames.deadline),
            Workload::Requests(requests) => before = Ideal::new(scenario, &flow.back, mss, headers).time(requests.request),
        }
        let ideal = Ideal::new(scenario, &flow.route, mss, headers);
        let done = Transfers { deadline, ..Transfers::default() };
        Some(Box::new(Measured { done, ideal, before, warmup: Time::ZERO + scenario.warmup }))
    }

    /// A transfer begins.
    pub(crate) fn begin(&mut self, start: Time) {
        self.done.begun += (start >= self.warmup) as u64;
    }

    /// A transfer has reached its application. `room`: how many more of the run can be listed.
    pub(crate) fn complete(&mut self, now: Time, message: Message, room: &mut u64) {
        let Message { start, size } = message;
        let transfer = Transfer { start, size, took: now.since(start), ideal: self.before + self.ideal.time(size) };
        if start >= self.warmup {
            self.done.count(&transfer);
        }
        if *room > 0 {
            *room -= 1;
            self.done.list.push(transfer);
        }
    }

    /// A transfer was not complete by `now`.
    pub(crate) fn miss(&mut self, now: Time, start: Time) {
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

/// The least time of a flow's handshake, whose last packet goes before the data.
fn handshake(scenario: &Scenario, flow: &Flow) -> Span {
    let transport = &flow.transport;
    if flow.controller.is_none() || !transport.handshake {
        return Span::ZERO;
    }
    let over = |links| Ideal::new(scenario, links, transport.mss, Bytes::ZERO);
    let syn = Handshake::size(transport);
    over(&flow.route).time(syn) + over(&flow.back).time(syn) + over(&flow.route).at_slowest(transport.headers)
}
