//! Connections open: a SYN, its answer, and what acknowledges that cross the network before the first data.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::packet::Packet;
use crate::world::World;
use narrows_scenario::{Flow, Workload};
use narrows_transport::{Handshake, Observer, Point};
use narrows_units::Time;

/// The sender opens the connection of a flow when it begins. One of requests is open before: their client would open it.
pub(crate) fn opens(flow: &Flow) -> bool {
    flow.controller.is_some() && !matches!(flow.workload, Workload::Requests(_) | Workload::Arrivals(_))
}

/// Numbers of the sender's packets: the SYN, and the acknowledgement of its answer.
const SYN: u64 = 0;
const LAST: u64 = 1;

impl<O: Observer, C: Carried> World<'_, O, C> {
    /// A SYN leaves.
    pub(crate) fn send_syn(&mut self, now: Time, slot: usize) {
        let endpoint = &mut self.slots[slot];
        let Some(handshake) = &mut endpoint.opening else { return };
        let again = handshake.send(now);
        endpoint.await_answer(again);
        let size = self.size_of_syn(slot);
        self.enter(now, Point::Sender, Packet::opening(slot, self.places[slot].data, size, SYN, now));
    }

    fn size_of_syn(&self, slot: usize) -> u32 {
        let flow = self.slots[slot].flow as usize;
        Handshake::size(&self.scenario.flows[flow].transport).get() as u32
    }

    /// A packet of the opening arrives at the receiver, which answers a SYN.
    pub(crate) fn deliver_opening(&mut self, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        if packet.number() == SYN {
            let answer = Packet::answer(slot, self.places[slot].acks, self.size_of_syn(slot), packet.stamp());
            self.enter(now, Point::Receiver, answer);
        }
    }

    /// The answer arrives at the sender: the connection is open.
    pub(crate) fn deliver_answer(&mut self, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        let place = self.places[slot];
        if self.slots[slot].opening.take().is_none() {
            return;
        }
        self.enter(now, Point::Sender, Packet::opening(slot, place.data, place.headers, LAST, now));
        let endpoint = &mut self.slots[slot];
        endpoint.clear_ready();
        let Ends::Transport(ends) = &mut endpoint.ends else { return };
        ends.0.on_open(now, now.since(packet.stamp()));
        let ready = ends.0.ready_at(now);
        endpoint.note_ready(ready);
        let (due, element) = (endpoint.due(), self.element(slot));
        if due < self.agenda.time_of(element) {
            self.agenda.set(element, due);
        }
    }
}
