//! Connections open: a SYN, its answer, and what acknowledges that cross the network before the
//! first data. The sender opens a connection, or the receiver if it is the client of requests.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::hosts::Hosts;
use crate::packet::{Net, Packet, PacketKind};
use crate::watch::Watch;
use narrows_control::Role;
use narrows_transport::{Handshake, Point};
use narrows_units::{Span, Time};

/// Numbers of the packets of the end that opens: the SYN, and the acknowledgement of its answer.
const SYN: u64 = 0;
const LAST: u64 = 1;

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// A SYN leaves.
    pub(crate) fn send_syn(&mut self, network: &mut Net<C>, now: Time, slot: usize) {
        let endpoint = &mut self.slots[slot];
        let Some(handshake) = &mut endpoint.opening else { return };
        let again = handshake.send(now);
        endpoint.await_answer(again);
        let flow = endpoint.flow as usize;
        self.tallies[flow].syns += 1;
        let kind = if self.scenario.flows[flow].workload.receiver_opens() {
            PacketKind::OpeningBack
        } else {
            PacketKind::Opening
        };
        self.enter_handshake(network, now, slot, kind, (SYN, now));
    }

    /// A packet of a handshake leaves.
    fn enter_handshake(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        slot: usize,
        kind: PacketKind,
        (number, stamp): (u64, Time),
    ) {
        let endpoint = &self.slots[slot];
        let flow = endpoint.flow as usize;
        let size = if number == SYN {
            Handshake::size(&self.scenario.flows[flow].transport).get() as u32
        } else {
            endpoint.headers
        };
        let back = kind.goes_back();
        let route = network.route(flow, back);
        let point = if back { Point::Receiver } else { Point::Sender };
        let packet = Packet::handshake(kind, slot, route, size, (number, stamp));
        self.enter(network, now, point, packet);
    }

    /// A packet of the end that opens arrives at the other end, which answers a SYN.
    pub(crate) fn deliver_opening(&mut self, network: &mut Net<C>, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        match (packet.kind(), packet.number()) {
            // The sender measures the round trip: from its SYN, or from its answer.
            (PacketKind::OpeningBack, SYN) => {
                self.enter_handshake(network, now, slot, PacketKind::AnswerForth, (SYN, now));
            }
            (PacketKind::OpeningBack, _) => self.accept(now, slot),
            (_, SYN) => {
                self.enter_handshake(network, now, slot, PacketKind::Answer, (SYN, packet.stamp()));
            }
            _ => {}
        }
    }

    /// The answer arrives at the sender: the connection is open.
    pub(crate) fn deliver_answer(&mut self, network: &mut Net<C>, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        if self.slots[slot].opening.take().is_none() {
            return;
        }
        self.enter_handshake(network, now, slot, PacketKind::Opening, (LAST, now));
        self.slots[slot].clear_ready();
        self.open(now, slot, now.since(packet.stamp()), Role::Active);
    }

    /// The sender's answer arrives at the receiver, which now can send its request.
    pub(crate) fn deliver_answer_forth(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        packet: &Packet<C>,
    ) {
        let slot = packet.flow as usize;
        let endpoint = &mut self.slots[slot];
        if endpoint.opening.take().is_none() {
            return;
        }
        let flow = endpoint.flow as usize;
        endpoint.clear_ready();
        self.sources[flow].request.answered = Some(packet.stamp());
        self.enter_handshake(network, now, slot, PacketKind::OpeningBack, (LAST, now));
        self.send_request(network, now, flow);
        self.wake(flow);
    }

    /// Something arrives at the sender on a connection that the receiver has opened: if it is the
    /// first, the connection is open at the sender, too.
    pub(crate) fn accept(&mut self, now: Time, slot: usize) {
        let request = &mut self.sources[self.slots[slot].flow as usize].request;
        if request.slot == slot
            && let Some(answered) = request.answered.take()
        {
            self.open(now, slot, now.since(answered), Role::Passive);
        }
    }

    fn open(&mut self, now: Time, slot: usize, rtt: Span, role: Role) {
        let Ends::Transport(ends) = &mut self.slots[slot].ends else { return };
        ends.0.on_open(now, rtt, role);
        self.reschedule(now, slot);
    }
}
