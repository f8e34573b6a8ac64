//! Requests: they cross the network without a transport, and are repeated when nothing comes of
//! them. Requests of guests are streams of their own.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::hosts::Hosts;
use crate::packet::{Net, Packet};
use crate::request::Request;
use crate::watch::Watch;
use narrows_transport::{Handshake, Point};
use narrows_units::{Bytes, Time};

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// The client sends a request: on the flow's own connection, or on a new one whose controller
    /// draws from `seed`, after its handshake.
    pub(crate) fn ask(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        flow: usize,
        size: Bytes,
        seed: Option<u64>,
    ) {
        let slot = match seed {
            Some(seed) => self.open_connection(now, flow, seed),
            None => Some(flow),
        };
        let Some(slot) = slot else { return };
        if let Ends::Guest(_) = self.slots[slot].ends {
            self.sources[flow].request.slot = slot;
            return self.ask_guest(network, now, slot, size);
        }
        let Ends::Transport(ends) = &self.slots[slot].ends else { return };
        let transport = &self.scenario.flows[flow].transport;
        let request = &mut self.sources[flow].request;
        *request = Request {
            number: request.number + 1,
            slot,
            answered: None,
            size,
            first: ends.1.next(),
            packets: size.get().div_ceil(transport.mss.get()) as u32,
            arrived: 0,
            patience: transport.initial_rto,
            repeat_at: Time::NEVER,
        };
        match Handshake::new(transport).filter(|_| seed.is_some()) {
            Some(handshake) => {
                self.slots[slot].open(Some(handshake), now);
                self.reschedule(now, slot);
            }
            None => self.send_request(network, now, flow),
        }
    }

    /// It sends the request once more, unless something of the response has come.
    pub(crate) fn ask_again(&mut self, network: &mut Net<C>, now: Time, flow: usize) {
        let request = &mut self.sources[flow].request;
        request.repeat_at = Time::NEVER;
        let Ends::Transport(ends) = &self.slots[request.slot].ends else { return };
        if ends.1.next() > request.first {
            return;
        }
        request.patience = (request.patience * 2).min(self.scenario.flows[flow].transport.max_rto);
        self.send_request(network, now, flow);
    }

    pub(crate) fn send_request(&mut self, network: &mut Net<C>, now: Time, flow: usize) {
        let request = &mut self.sources[flow].request;
        request.repeat_at = now + request.patience;
        let Request { number, slot, size, packets, .. } = *request;
        let headers = self.slots[slot].headers;
        let mss = self.scenario.flows[flow].transport.mss;
        let route = network.route(flow, true);
        let mut left = size;
        for index in 0..packets {
            let payload = left.min(mss);
            left -= payload;
            let packet =
                Packet::request(slot, route, payload.get() as u32 + headers, (number, index), now);
            self.enter(network, now, Point::Receiver, packet);
        }
    }

    /// A packet of a request has arrived. When all have, the server answers.
    pub(crate) fn deliver_request(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        slot: usize,
        packet: &Packet<C>,
    ) {
        let flow = self.slots[slot].flow as usize;
        let request = &self.sources[flow].request;
        if packet.number() != request.number || request.arrived == request.all() {
            return;
        }
        self.accept(now, slot);
        let request = &mut self.sources[flow].request;
        request.arrived |= 1 << packet.index();
        if request.arrived == request.all() {
            self.answer(network, now, slot);
        }
    }
}
