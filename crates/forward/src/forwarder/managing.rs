//! The management behind its face of the node.

use super::{Forwarder, Sockets};
use crate::event;
use crate::handover::{Handover, HandoverKind};
use crate::management::{self, Effect, Reply};
use crate::name::PacketName;
use crate::numbers;
use crate::sharding::FIRST;
use narrows_icn::{FaceId, Packet};
use narrows_ndn::management::FaceEventKind;
use narrows_units::Time;

impl Forwarder {
    /// Answers a packet for the management.
    pub(super) fn manage(
        &mut self,
        now: Time,
        incoming: Option<u64>,
        packet: &Packet<PacketName>,
        sockets: &mut impl Sockets,
    ) {
        let Packet::Interest(interest) = packet else { return };
        let (reply, effect) = management::answer(&mut self.state, now, incoming, interest);
        self.send_reply(now, reply, sockets);
        match effect {
            Some(Effect::Open { ticket, remote, rates }) => sockets.open(ticket, &remote, rates),
            Some(Effect::Close(slot)) => self.remove_face(now, slot, sockets),
            None => {}
        }
    }

    /// Passes Data of the management to the node.
    pub(super) fn send_reply(&mut self, now: Time, reply: Reply, sockets: &mut impl Sockets) {
        let now = self.in_order(now);
        for data in reply {
            event::of_answer(&data, |event| sockets.tell(event));
            self.state.node.handle(now, self.management, Packet::from(data), &mut self.spare);
        }
        self.drain(now, Some(numbers::MANAGEMENT), sockets);
    }

    /// Reports a change of a face to the subscribers of face events.
    pub(super) fn announce(
        &mut self,
        now: Time,
        slot: FaceId,
        kind: FaceEventKind,
        sockets: &mut impl Sockets,
    ) {
        if let Some(sharding) = self.sharding.as_mut().filter(|sharding| sharding.own() != FIRST) {
            if let Some(id) = sharding.id(slot) {
                sharding.outboxes[FIRST].push(Handover {
                    slot,
                    id,
                    what: HandoverKind::Announce(kind),
                });
            }
            return;
        }
        let reply = management::events::announce(&mut self.state, now, slot, kind);
        self.send_reply(now, reply, sockets);
    }
}
