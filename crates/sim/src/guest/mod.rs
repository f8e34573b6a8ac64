//! Guests on hosts: their datagrams cross the network like other packets, and their ends act when
//! they are due.

mod caught;
mod datagrams;
mod hosted;

pub(crate) use datagrams::Datagrams;
pub(crate) use hosted::Hosted;

use crate::SimError;
use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::hosts::Hosts;
use crate::packet::{Net, Packet};
use crate::watch::Watch;
use narrows_control::{Datagram, End};
use narrows_transport::Point;
use narrows_units::{Bytes, Span, Time};

/// The shortest time between two turns of one end: a stack that is due at once, again and again,
/// does not stop virtual time.
const TURN: Span = Span::from_nanos(1);

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// A datagram of a guest arrives. The receiver acts at once. The sender acts after its host's
    /// delay, like any sender of this simulator: without it, flows lock phases at drop-tail queues.
    pub(crate) fn deliver_guest(&mut self, network: &mut Net<C>, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        let content = self.datagrams.take(packet.number());
        let flow = self.slots[slot].flow as usize;
        let end = if packet.kind().goes_back() { End::Sender } else { End::Receiver };
        if end == End::Receiver {
            let tally = &mut self.tallies[flow];
            tally.arrived += 1;
            tally.arrived_wire += Bytes::new(packet.size.into());
            tally.one_way.record(now.since(packet.stamp()));
        }
        let Ends::Guest(hosted) = &mut self.slots[slot].ends else { return };
        let datagram = Datagram { content, ecn: packet.ecn() };
        match hosted.receive(now, end, datagram, packet.stamp()) {
            Ok(Some(rtt)) => self.tallies[flow].rtt.record(rtt),
            Ok(None) => {}
            Err(problem) => return self.lose_guest(now, slot, problem),
        }
        match end {
            End::Receiver => self.act_guest(network, now, slot, end),
            End::Sender => self.slots[slot].note_ready(Some(now)),
        }
        let due = self.slots[slot].due();
        self.hasten(slot, due);
    }

    /// An end of a guest is due.
    #[cold]
    #[inline(never)]
    pub(crate) fn on_guest(&mut self, network: &mut Net<C>, now: Time, slot: usize) {
        let Ends::Guest(hosted) = &self.slots[slot].ends else { return };
        if hosted.due(End::Receiver) <= now {
            self.act_guest(network, now, slot, End::Receiver);
        }
        let endpoint = &mut self.slots[slot];
        if now >= endpoint.send_at {
            endpoint.clear_ready();
            self.act_guest(network, now, slot, End::Sender);
        }
        if self.slots[slot].in_network == 0 && slot >= self.sources.len() {
            self.close_idle(now, slot);
        }
    }

    /// The receiver of a guest sends a request.
    pub(crate) fn ask_guest(&mut self, network: &mut Net<C>, now: Time, slot: usize, size: Bytes) {
        let Ends::Guest(hosted) = &mut self.slots[slot].ends else { return };
        hosted.ask(size.get());
        self.act_guest(network, now, slot, End::Receiver);
    }

    /// An end of a guest acts, and its datagrams enter the network.
    #[inline(never)]
    fn act_guest(&mut self, network: &mut Net<C>, now: Time, slot: usize, end: End) {
        let mut sent = std::mem::take(&mut self.outbox);
        let Ends::Guest(hosted) = &mut self.slots[slot].ends else { return };
        let lives = match hosted.act(now, end, &mut sent) {
            Ok(lives) => lives,
            Err(problem) => return self.lose_guest(now, slot, problem),
        };
        let number = hosted.sent[end as usize];
        hosted.sent[end as usize] += sent.len() as u64;
        let flow = self.slots[slot].flow as usize;
        let headers = self.slots[slot].headers;
        let source = &mut self.sources[flow];
        let waits_for = |slot| source.application.reopens() && slot == source.request.slot;
        if !lives && (slot == flow || waits_for(slot)) {
            source.application.lose(now);
        }
        let back = end == End::Receiver;
        if back {
            self.tallies[flow].acks += sent.len() as u64;
        }
        let point = if back { Point::Receiver } else { Point::Sender };
        let route = network.route(flow, back);
        for (serial, Datagram { content, ecn }) in (number..).zip(sent.drain(..)) {
            let size = content.len() as u32 + headers;
            let kept = self.datagrams.keep(content);
            let packet = Packet::guest(slot, route, size, (kept, serial as u32), now, (back, ecn));
            self.enter(network, now, point, packet);
        }
        self.outbox = sent;
        self.settle_guest(network, now, slot, end);
    }

    /// An end has acted: its next turn is scheduled, its transfers may be complete, and requests
    /// may have arrived.
    fn settle_guest(&mut self, network: &mut Net<C>, now: Time, slot: usize, end: End) {
        let endpoint = &mut self.slots[slot];
        let flow = endpoint.flow as usize;
        let Ends::Guest(hosted) = &mut endpoint.ends else { return };
        match end {
            End::Sender => {
                let due = hosted.due(End::Sender);
                if hosted.finished() && slot == flow {
                    self.sources[flow].application.finish(now);
                }
                let asked = hosted.asked();
                endpoint.note_ready((due < Time::NEVER).then(|| due.max(now + TURN)));
                // Requests are made one after another: there is never a second one.
                if asked {
                    self.answer(network, now, slot);
                }
            }
            End::Receiver => {
                while let Ends::Guest(hosted) = &mut self.slots[slot].ends
                    && let Some(number) = hosted.completed()
                {
                    self.complete_message(now, slot, number);
                }
            }
        }
        let due = self.slots[slot].due();
        self.hasten(slot, due);
    }

    /// The connection of a guest is gone, or its code has failed: the run ends.
    #[cold]
    fn lose_guest(&mut self, now: Time, slot: usize, problem: String) {
        let endpoint = &mut self.slots[slot];
        endpoint.ends = Ends::None;
        endpoint.clear_ready();
        let flow = &self.scenario.flows[endpoint.flow as usize];
        self.pulse.fail(SimError::Guest {
            flow: flow.name.clone(),
            controller: flow.controller.as_ref().map_or("", |choice| choice.text()).to_owned(),
            at: now.since(Time::ZERO),
            problem,
        });
    }
}
