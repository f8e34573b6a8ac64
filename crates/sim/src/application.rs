//! What applications do: they write, ask, answer, open connections.

use crate::endpoint::{Endpoint, Ends, Pending};
use crate::packet::Packet;
use crate::world::{OFFERS, World, overhead};
use narrows_flow::{Observer, Point};
use narrows_scenario::{Arrivals, Frames, On, OnOff, Requests, Workload};
use narrows_units::{Bytes, Random, Span, Time};

impl<O: Observer> World<'_, O> {
    /// A flow begins.
    pub(crate) fn begin(&mut self, now: Time, flow: usize) {
        self.sources[flow].started = true;
        match &self.scenario.flows[flow].workload {
            Workload::Bulk => self.write_endless(flow),
            Workload::Size(size) => {
                self.write_message(now, flow, *size);
                if let Some(sender) = self.slots[flow].ends.sender() {
                    sender.finish();
                }
            }
            Workload::Arrivals(arrivals) => self.await_arrival(now, flow, arrivals),
            _ => self.sources[flow].next = now,
        }
    }

    /// A flow stops offering data.
    pub(crate) fn stop(&mut self, now: Time, flow: usize) {
        if let (Workload::OnOff(OnOff { on: On::Time(_), rate: None, .. }), true) =
            (&self.scenario.flows[flow].workload, self.sources[flow].burst.on)
        {
            self.end_burst(now, flow);
        }
        let source = &mut self.sources[flow];
        source.finished_at = Some(now);
        source.next = Time::NEVER;
        if let Some(sender) = self.slots[flow].ends.sender() {
            sender.stop();
        }
    }

    /// The application of a flow is due.
    pub(crate) fn act(&mut self, now: Time, flow: usize) {
        let scenario = self.scenario;
        match &scenario.flows[flow].workload {
            Workload::Bulk | Workload::Size(_) => {}
            Workload::Constant(_) => {
                self.write_segment(now, flow);
                let source = &mut self.sources[flow];
                source.next += source.interval;
            }
            Workload::OnOff(on_off) => self.on_or_off(now, flow, on_off),
            Workload::Frames(frames) => self.frame(now, flow, frames),
            Workload::Arrivals(arrivals) => {
                self.connect(now, flow, arrivals);
                self.await_arrival(now, flow, arrivals);
            }
            Workload::Requests(requests) => self.ask(now, flow, requests),
        }
    }

    fn write_endless(&mut self, flow: usize) {
        if let Some(sender) = self.slots[flow].ends.sender() {
            sender.write(u64::MAX);
        }
    }

    /// A full segment of a workload that has a rate.
    fn write_segment(&mut self, now: Time, flow: usize) {
        match self.slots[flow].ends.sender() {
            Some(sender) => sender.write(1),
            None => self.send_datagrams(now, flow, self.scenario.flows[flow].transport.mss),
        }
    }

    /// A transfer of `size` begins, over the connection that the flow has or as datagrams.
    fn write_message(&mut self, now: Time, slot: usize, size: Bytes) {
        self.write_answer(now, now, slot, size);
    }

    /// A transfer of `size` that began at `start` is written now.
    fn write_answer(&mut self, now: Time, start: Time, slot: usize, size: Bytes) {
        let flow = self.slots[slot].flow as usize;
        let packets = size.get().div_ceil(self.scenario.flows[flow].transport.mss.get());
        let end = match &mut self.slots[slot].ends {
            Ends::Transport(ends) => {
                ends.0.write_message(size);
                ends.0.written()
            }
            Ends::Datagrams(sent) => *sent + packets,
            Ends::None => return,
        };
        self.expect(slot, Pending { start, size, end, left: packets as u32, broken: false });
        if let Ends::Datagrams(_) = self.slots[slot].ends {
            self.send_datagrams(now, flow, size);
        }
    }

    fn expect(&mut self, slot: usize, pending: Pending) {
        let endpoint = &mut self.slots[slot];
        if let Some(work) = &mut self.tallies[endpoint.flow as usize].work {
            work.begin(pending.start);
            endpoint.expect(pending);
        }
    }

    /// Sends `size` at once, in as few packets as it takes.
    fn send_datagrams(&mut self, now: Time, flow: usize, size: Bytes) {
        let (mss, headers) = (self.scenario.flows[flow].transport.mss, self.places[flow].headers);
        let mut left = size;
        while left > Bytes::ZERO {
            let Ends::Datagrams(sent) = &mut self.slots[flow].ends else { return };
            let (number, payload) = (*sent, left.min(mss));
            *sent += 1;
            left -= payload;
            self.tallies[flow].datagrams_sent += 1;
            let packet = Packet::datagram(flow, self.places[flow].data, payload.get() as u32 + headers, number, now);
            self.enter(now, Point::Sender, packet);
        }
    }

    /// A burst begins, goes on, or ends.
    fn on_or_off(&mut self, now: Time, flow: usize, plan: &OnOff) {
        let source = &mut self.sources[flow];
        if !source.burst.on {
            source.burst.on = true;
            source.burst.since = now;
            let (until, left) = match plan.on {
                On::Time(mean) => (now + source.span(mean, plan.draw), u64::MAX),
                On::Size(mean) => (Time::NEVER, source.size(mean, plan.draw).get()),
            };
            (source.burst.until, source.burst.left) = (until, left);
            match (plan.on, plan.rate) {
                (_, Some(_)) => {}
                (On::Time(_), None) => {
                    source.next = until;
                    source.burst.first = self.slots[flow].ends.sender().map_or(0, |sender| sender.written());
                    return self.write_endless(flow);
                }
                (On::Size(_), None) => {
                    source.burst.on = false;
                    source.next = Time::NEVER;
                    return self.write_message(now, flow, Bytes::new(left));
                }
            }
        }
        let source = &mut self.sources[flow];
        if plan.rate.is_some() && now < source.burst.until && source.burst.left > 0 {
            source.next = (now + source.interval).min(source.burst.until);
            let mss = self.scenario.flows[flow].transport.mss;
            source.burst.left = source.burst.left.saturating_sub(mss.get());
            return self.write_segment(now, flow);
        }
        self.end_burst(now, flow);
        let source = &mut self.sources[flow];
        source.next = now + source.span(plan.off, plan.draw);
    }

    /// What was sent of a burst is a transfer, if it was sent as fast as could be.
    fn end_burst(&mut self, now: Time, flow: usize) {
        let mss = self.scenario.flows[flow].transport.mss;
        let source = &mut self.sources[flow];
        source.burst.on = false;
        let (since, first) = (source.burst.since, source.burst.first);
        let Ends::Transport(ends) = &mut self.slots[flow].ends else { return };
        let (sender, receiver) = &mut **ends;
        if self.tallies[flow].work.is_none() {
            return;
        }
        sender.drop_unsent();
        let (end, next) = (sender.written(), receiver.next());
        if end > first {
            self.expect(flow, Pending { start: since, size: mss * (end - first), end, left: 0, broken: false });
            self.complete(now, flow, next);
        }
    }

    fn frame(&mut self, now: Time, flow: usize, plan: &Frames) {
        let source = &mut self.sources[flow];
        let size = plan.size(source.number);
        source.number += 1;
        source.next += plan.interval;
        self.write_message(now, flow, size);
    }

    /// The next transfer arrives after an exponential time.
    fn await_arrival(&mut self, now: Time, flow: usize, plan: &Arrivals) {
        let source = &mut self.sources[flow];
        source.next = now + Span::from_secs_f64(source.random.exponential(1.0 / plan.per_second));
    }

    /// A transfer arrives: it gets a connection of its own.
    fn connect(&mut self, now: Time, flow: usize, plan: &Arrivals) {
        let source = &mut self.sources[flow];
        let size = plan.sizes.draw(&mut source.random);
        // The same controller was built for this flow when the run began.
        let Ok(ends) = Ends::new(&self.scenario.flows[flow], source.random.bits(), OFFERS) else { return };
        let slot = match source.free.pop() {
            Some(slot) => slot as usize,
            None => self.open_slot(flow),
        };
        self.slots[slot].ends = ends;
        self.write_message(now, slot, size);
        let endpoint = &mut self.slots[slot];
        endpoint.clear_ready();
        let Some(sender) = endpoint.ends.sender() else { return };
        sender.finish();
        let ready = sender.ready_at(now);
        endpoint.note_ready(ready);
        let due = endpoint.due();
        self.agenda.set(self.element(slot), due);
    }

    /// A further slot for connections of a flow.
    fn open_slot(&mut self, flow: usize) -> usize {
        let (slot, plan) = (self.slots.len(), &self.scenario.flows[flow]);
        let number = self.sources[flow].connections.len() + 1;
        let random = Random::stream(self.scenario.seed, &format!("flow {} overhead {number}", plan.name));
        self.slots.push(Endpoint::new(flow, Ends::None, overhead(self.scenario, plan), random));
        self.places.push(self.places[flow]);
        self.sources[flow].connections.push(slot as u32);
        self.agenda.grow(self.element(slot) + 1);
        slot
    }

    /// None of a connection's packets is in the network any more: if it has nothing left to do, its slot is free for the next one.
    #[cold]
    pub(crate) fn close_idle(&mut self, slot: usize) {
        let endpoint = &mut self.slots[slot];
        let Ends::Transport(ends) = &endpoint.ends else { return };
        if !ends.0.is_done() {
            return;
        }
        let flow = endpoint.flow as usize;
        let ends = std::mem::replace(&mut endpoint.ends, Ends::None);
        endpoint.clear_ready();
        ends.add_to(&mut self.tallies[flow].gone);
        self.sources[flow].free.push(slot as u32);
        self.agenda.set(self.element(slot), Time::NEVER);
    }

    /// Segments up to `next` have been delivered in order, which completes transfers.
    pub(crate) fn complete(&mut self, now: Time, slot: usize, next: u64) {
        let endpoint = &mut self.slots[slot];
        let flow = endpoint.flow as usize;
        if let Some(work) = &mut self.tallies[flow].work {
            endpoint.complete(now, next, work, &mut self.listable);
        }
        if !endpoint.pending.is_empty() {
            return;
        }
        let source = &mut self.sources[flow];
        let pause = match &self.scenario.flows[flow].workload {
            Workload::OnOff(OnOff { on: On::Size(_), off, draw, rate: None }) => source.span(*off, *draw),
            Workload::Requests(Requests { think, draw, .. }) => {
                source.exchange.waiting = false;
                source.span(*think, *draw)
            }
            _ => return,
        };
        if source.finished_at.is_none() {
            source.next = now + pause;
            let element = self.element(slot);
            if now + pause < self.agenda.time_of(element) {
                self.agenda.set(element, now + pause);
            }
        }
    }

    /// The client sends its next request, or sends it once more because nothing of the response has come.
    fn ask(&mut self, now: Time, flow: usize, plan: &Requests) {
        let Ends::Transport(ends) = &self.slots[flow].ends else { return };
        let next = ends.1.next();
        let transport = &self.scenario.flows[flow].transport;
        let source = &mut self.sources[flow];
        let exchange = &mut source.exchange;
        if exchange.waiting {
            if next > exchange.first {
                source.next = Time::NEVER;
                return;
            }
            exchange.patience = (exchange.patience * 2).min(transport.max_rto);
        } else {
            source.number += 1;
            exchange.waiting = true;
            exchange.since = now;
            exchange.first = next;
            exchange.arrived = 0;
            exchange.patience = transport.initial_rto;
        }
        let (number, headers, mss) = (source.number, self.places[flow].headers, transport.mss);
        source.next = now + exchange.patience;
        let mut left = plan.request;
        for index in 0.. {
            let payload = left.min(mss);
            left -= payload;
            let packet = Packet::request(flow, self.places[flow].acks, payload.get() as u32 + headers, (number, index), now);
            self.enter(now, Point::Receiver, packet);
            if left == Bytes::ZERO {
                return;
            }
        }
    }

    /// A packet of a request has arrived. When all have, the server answers, once.
    pub(crate) fn answer(&mut self, now: Time, flow: usize, packet: &Packet) {
        let scenario = self.scenario;
        let Workload::Requests(plan) = &scenario.flows[flow].workload else { return };
        let packets = plan.request.get().div_ceil(scenario.flows[flow].transport.mss.get()) as u32;
        let source = &mut self.sources[flow];
        let all = (1u32 << packets) - 1;
        if packet.number() != source.number || source.exchange.arrived == all || source.finished_at.is_some() {
            return;
        }
        source.exchange.arrived |= 1 << packet.index();
        if source.exchange.arrived != all {
            return;
        }
        let (start, size) = (source.exchange.since, plan.response.draw(&mut source.random));
        self.write_answer(now, start, flow, size);
        let endpoint = &mut self.slots[flow];
        let ready = endpoint.ends.sender().and_then(|sender| sender.ready_at(now));
        endpoint.note_ready(ready);
        let (due, element) = (endpoint.due(), self.element(flow));
        if due < self.agenda.time_of(element) {
            self.agenda.set(element, due);
        }
    }
}
