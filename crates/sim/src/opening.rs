//! Connections open: a SYN, its answer, and what acknowledges that cross the network before the
//! first data.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::hosts::Hosts;
use crate::packet::{Net, Packet};
use crate::watch::Watch;
use narrows_control::Role;
use narrows_transport::{Handshake, Point};
use narrows_units::Time;

/// Numbers of the sender's packets: the SYN, and the acknowledgement of its answer.
const SYN: u64 = 0;
const LAST: u64 = 1;

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// A SYN leaves.
    pub(crate) fn send_syn(&mut self, network: &mut Net<C>, now: Time, slot: usize) {
        let endpoint = &mut self.slots[slot];
        let Some(handshake) = &mut endpoint.opening else { return };
        let again = handshake.send(now);
        endpoint.await_answer(again);
        let size = self.size_of_syn(slot);
        let flow = self.slots[slot].flow as usize;
        self.tallies[flow].syns += 1;
        let route = network.route(flow, false);
        self.enter(network, now, Point::Sender, Packet::opening(slot, route, size, SYN, now));
    }

    fn size_of_syn(&self, slot: usize) -> u32 {
        let flow = self.slots[slot].flow as usize;
        Handshake::size(&self.scenario.flows[flow].transport).get() as u32
    }

    /// A packet of the opening arrives at the receiver, which answers a SYN.
    pub(crate) fn deliver_opening(&mut self, network: &mut Net<C>, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        if packet.number() == SYN {
            let route = network.route(self.slots[slot].flow as usize, true);
            let answer = Packet::answer(slot, route, self.size_of_syn(slot), packet.stamp());
            self.enter(network, now, Point::Receiver, answer);
        }
    }

    /// The answer arrives at the sender: the connection is open.
    pub(crate) fn deliver_answer(&mut self, network: &mut Net<C>, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        let endpoint = &mut self.slots[slot];
        if endpoint.opening.take().is_none() {
            return;
        }
        let route = network.route(endpoint.flow as usize, false);
        let headers = endpoint.headers;
        self.enter(network, now, Point::Sender, Packet::opening(slot, route, headers, LAST, now));
        let endpoint = &mut self.slots[slot];
        endpoint.clear_ready();
        let Ends::Transport(ends) = &mut endpoint.ends else { return };
        ends.0.on_open(now, now.since(packet.stamp()), Role::Active);
        self.reschedule(now, slot);
    }
}
