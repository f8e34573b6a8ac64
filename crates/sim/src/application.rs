//! Carries out the actions of applications: they write, ask, answer, open connections.

use crate::carried::Carried;
use crate::endpoint::{Endpoint, Ends};
use crate::hosts::Hosts;
use crate::packet::{Net, Packet};
use crate::probes::count_flow;
use crate::source::Source;
use crate::watch::Watch;
use narrows_traffic::{Action, Ledger, Message};
use narrows_transport::{Handshake, Point};
use narrows_units::{Bytes, Random, Time};

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// The application of a flow is due.
    #[inline(never)]
    pub(crate) fn on_source(&mut self, network: &mut Net<C>, now: Time, flow: usize) {
        if self.sources[flow].application.follows() {
            self.allow(flow);
        }
        while self.pulse.goes_on(now)
            && let Some(action) = self.sources[flow].application.act(now)
        {
            match action {
                Action::Flood => self.flood(flow),
                Action::Cut { start } => self.cut(now, flow, start),
                Action::Write { message, last } => self.write(network, now, flow, message, last),
                Action::Open { message, seed } => self.connect(network, now, flow, message, seed),
                Action::Ask { size, seed } => self.ask(network, now, flow, size, seed),
                Action::Stop => self.stop(now, flow),
            }
        }
        if now >= self.sources[flow].request.repeat_at {
            self.ask_again(network, now, flow);
        }
    }

    /// Tells an encoder what its connection's controller allows.
    fn allow(&mut self, flow: usize) {
        if let Some(rate) = self.slots[flow].ends.sender().and_then(|sender| sender.media_rate()) {
            self.sources[flow].application.follow(rate);
        }
    }

    fn flood(&mut self, flow: usize) {
        if let Ends::Guest(hosted) = &mut self.slots[flow].ends {
            return hosted.write(u64::MAX);
        }
        if let Some(sender) = self.slots[flow].ends.sender() {
            sender.write(u64::MAX);
        }
    }

    /// A flood ends: what was sent of it is a message.
    fn cut(&mut self, now: Time, flow: usize, start: Time) {
        let endpoint = &mut self.slots[flow];
        let Ends::Transport(ends) = &mut endpoint.ends else { return };
        let (sender, receiver) = &mut **ends;
        sender.drop_unsent();
        let end = sender.written();
        let next = receiver.next();
        let size = self.scenario.flows[flow].transport.mss * (end - endpoint.ledger.end());
        self.sources[flow].application.expect(&mut endpoint.ledger, Message { start, size }, end);
        if endpoint.ledger.awaits(next) {
            self.complete(now, flow, next);
        }
    }

    fn stop(&mut self, now: Time, flow: usize) {
        self.tallies[flow].stopped_with = Some(count_flow(now, self.flows(), flow).goodput);
        let Source { application, request, .. } = &mut self.sources[flow];
        if !application.reopens() {
            request.repeat_at = Time::NEVER;
        }
        match &mut self.slots[flow].ends {
            Ends::Transport(ends) => ends.0.stop(),
            Ends::Guest(hosted) => hosted.stop(),
            Ends::Datagrams(_) | Ends::None => {}
        }
    }

    /// A message is written over a connection or as datagrams, the last one if so.
    fn write(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        slot: usize,
        message: Message,
        last: bool,
    ) {
        let endpoint = &mut self.slots[slot];
        let application = &mut self.sources[endpoint.flow as usize].application;
        match &mut endpoint.ends {
            Ends::Transport(ends) => {
                let sender = &mut ends.0;
                sender.write_message(message.size);
                if last {
                    sender.finish();
                }
                application.expect(&mut endpoint.ledger, message, sender.written());
            }
            Ends::Datagrams(sent) => {
                let mss = self.scenario.flows[slot].transport.mss;
                application.expect(
                    &mut endpoint.ledger,
                    message,
                    *sent + message.size.get().div_ceil(mss.get()),
                );
                self.send_datagrams(network, now, slot, message.size);
            }
            Ends::Guest(hosted) => {
                if application.makes_transfers() {
                    let number = hosted.message(message.size.get(), last);
                    application.expect(&mut endpoint.ledger, message, number + 1);
                } else {
                    hosted.write(message.size.get());
                }
                endpoint.note_ready(Some(now));
            }
            Ends::None => {}
        }
    }

    /// Sends `size` at once, in as few packets as it takes.
    fn send_datagrams(&mut self, network: &mut Net<C>, now: Time, flow: usize, size: Bytes) {
        let mss = self.scenario.flows[flow].transport.mss;
        let headers = self.slots[flow].headers;
        let route = network.route(flow, false);
        let mut left = size;
        while left > Bytes::ZERO && self.pulse.goes_on(now) {
            let Ends::Datagrams(sent) = &mut self.slots[flow].ends else { return };
            let number = *sent;
            let payload = left.min(mss);
            *sent += 1;
            left -= payload;
            self.tallies[flow].datagrams_sent += 1;
            let packet = Packet::datagram(flow, route, payload.get() as u32 + headers, number, now);
            self.enter(network, now, Point::Sender, packet);
        }
    }

    /// A message gets a connection of its own, whose controller draws from `seed`.
    fn connect(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        flow: usize,
        message: Message,
        seed: u64,
    ) {
        let Some(slot) = self.open_connection(now, flow, seed) else { return };
        let endpoint = &mut self.slots[slot];
        // The handshake of a guest is its own.
        if let Ends::Transport(_) = endpoint.ends {
            endpoint.open(Handshake::new(&self.scenario.flows[flow].transport), now);
        }
        self.write(network, now, slot, message, true);
        self.reschedule(now, slot);
    }

    /// A flow gets a further connection, whose controller draws from `seed`. Returns its slot;
    /// `None` if no more connections may be open, which ends the run.
    pub(crate) fn open_connection(&mut self, now: Time, flow: usize, seed: u64) -> Option<usize> {
        // This controller was built for this flow when the run began.
        let saved = self.sources[flow].take_saved(now);
        let ends = Ends::new(&self.scenario.flows[flow], seed, saved).ok()?;
        let slot = match self.sources[flow].free.pop() {
            Some(slot) => slot as usize,
            None if self.slots.len() - self.sources.len() >= self.most_open(&ends) => {
                self.overload(now);
                return None;
            }
            None => self.open_slot(flow),
        };
        let endpoint = &mut self.slots[slot];
        endpoint.ends = ends;
        endpoint.ledger = Ledger::new();
        endpoint.clear_ready();
        Some(slot)
    }

    /// A further slot for connections of a flow.
    fn open_slot(&mut self, flow: usize) -> usize {
        let slot = self.slots.len();
        let plan = &self.scenario.flows[flow];
        let number = self.sources[flow].connections.len() + 1;
        let random =
            Random::stream(self.scenario.seed, &format!("flow {} overhead {number}", plan.name));
        self.slots.push(Endpoint::new(flow, plan, Ends::None, self.overhead.of(flow), random));
        self.sources[flow].connections.push(slot as u32);
        self.agenda.grow(self.element(slot) + 1);
        slot
    }

    /// None of a connection's packets is in the network any more: if it has nothing left to do, its
    /// slot is free for the next one.
    #[cold]
    pub(crate) fn close_idle(&mut self, now: Time, slot: usize) {
        self.fail(slot);
        let endpoint = &mut self.slots[slot];
        let done = match &endpoint.ends {
            Ends::Transport(ends) => ends.0.is_done(),
            Ends::Guest(hosted) => hosted.is_done(),
            Ends::Datagrams(_) | Ends::None => false,
        };
        if !done {
            return;
        }
        let flow = endpoint.flow as usize;
        let ends = std::mem::replace(&mut endpoint.ends, Ends::None);
        endpoint.clear_ready();
        self.sources[flow].keep_saved(ends.saved(), now);
        ends.add_to(now, self.tallies[flow].gone.get_or_insert_default());
        self.sources[flow].free.push(slot as u32);
        self.agenda.set(self.element(slot), Time::NEVER);
    }

    /// Segments up to `next` have been delivered in order, which completes transfers: perhaps the
    /// response to the request that stands.
    pub(crate) fn complete(&mut self, now: Time, slot: usize, next: u64) {
        let endpoint = &mut self.slots[slot];
        let flow = endpoint.flow as usize;
        let application = &mut self.sources[flow].application;
        application.delivered(now, &mut endpoint.ledger, next, &mut self.listable);
        self.move_on(slot);
    }

    /// The message of a guest with this number has been delivered whole.
    pub(crate) fn complete_message(&mut self, now: Time, slot: usize, number: u64) {
        let endpoint = &mut self.slots[slot];
        let application = &mut self.sources[endpoint.flow as usize].application;
        application.delivered_message(now, &mut endpoint.ledger, number, &mut self.listable);
        self.move_on(slot);
    }

    /// A transfer is complete: the application may be due earlier.
    fn move_on(&mut self, slot: usize) {
        let flow = self.slots[slot].flow as usize;
        let Source { application, request, .. } = &mut self.sources[flow];
        if slot == flow || application.reopens() {
            request.repeat_at = Time::NEVER;
            self.wake(flow);
        }
    }

    /// The application of a flow, or the repetition of its request, may be due earlier.
    pub(crate) fn wake(&mut self, flow: usize) {
        let due = self.sources[flow].due();
        self.slots[flow].source_due = due;
        self.hasten(flow, due);
    }

    /// A request has arrived whole on a connection.
    pub(crate) fn answer(&mut self, network: &mut Net<C>, now: Time, slot: usize) {
        let application = &mut self.sources[self.slots[slot].flow as usize].application;
        let Some(response) = application.answer() else { return };
        let last = application.reopens();
        self.write(network, now, slot, response, last);
        self.reschedule(now, slot);
    }
}
