//! Requests: they cross the network without a transport, and are repeated when nothing comes of them.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::packet::Packet;
use crate::world::World;
use narrows_transport::{Observer, Point};
use narrows_units::{Bytes, Span, Time};

/// The request of a flow that is under way or answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// How many were made before it, and it.
    number: u64,
    size: Bytes,
    /// The segment with which the response begins.
    first: u64,
    /// How many packets it has, and which of them have arrived.
    packets: u32,
    arrived: u32,
    /// How long to wait for the response before it is repeated, and when that has passed.
    patience: Span,
    pub(crate) repeat_at: Time,
}

impl Default for Request {
    fn default() -> Request {
        Request { number: 0, size: Bytes::ZERO, first: 0, packets: 0, arrived: 0, patience: Span::ZERO, repeat_at: Time::NEVER }
    }
}

impl Request {
    /// One bit for each packet.
    fn all(&self) -> u32 {
        (1 << self.packets) - 1
    }
}

impl<O: Observer, C: Carried> World<'_, O, C> {
    /// The client sends a request.
    pub(crate) fn ask(&mut self, now: Time, flow: usize, size: Bytes) {
        let Ends::Transport(ends) = &self.slots[flow].ends else { return };
        let transport = &self.scenario.flows[flow].transport;
        let request = &mut self.sources[flow].request;
        *request = Request {
            number: request.number + 1,
            size,
            first: ends.1.next(),
            packets: size.get().div_ceil(transport.mss.get()) as u32,
            arrived: 0,
            patience: transport.initial_rto,
            repeat_at: Time::NEVER,
        };
        self.send_request(now, flow);
    }

    /// It sends the request once more, unless something of the response has come.
    pub(crate) fn ask_again(&mut self, now: Time, flow: usize) {
        let request = &mut self.sources[flow].request;
        request.repeat_at = Time::NEVER;
        let Ends::Transport(ends) = &self.slots[flow].ends else { return };
        if ends.1.next() > request.first {
            return;
        }
        request.patience = (request.patience * 2).min(self.scenario.flows[flow].transport.max_rto);
        self.send_request(now, flow);
    }

    fn send_request(&mut self, now: Time, flow: usize) {
        let request = &mut self.sources[flow].request;
        request.repeat_at = now + request.patience;
        let Request { number, size, packets, .. } = *request;
        let (headers, mss) = (self.places[flow].headers, self.scenario.flows[flow].transport.mss);
        let mut left = size;
        for index in 0..packets {
            let payload = left.min(mss);
            left -= payload;
            let packet = Packet::request(flow, self.places[flow].acks, payload.get() as u32 + headers, (number, index), now);
            self.enter(now, Point::Receiver, packet);
        }
    }

    /// A packet of a request has arrived. When all have, the server answers.
    pub(crate) fn deliver_request(&mut self, now: Time, flow: usize, packet: &Packet<C>) {
        let request = &mut self.sources[flow].request;
        if packet.number() != request.number || request.arrived == request.all() {
            return;
        }
        request.arrived |= 1 << packet.index();
        if request.arrived == request.all() {
            self.answer(now, flow);
        }
    }
}
