//! Packets from the link to the node and back.

use super::{Forwarder, Sockets};
use crate::departure;
use crate::handover::{Handover, HandoverKind};
use crate::link::{Fault, Received};
use crate::name::PacketName;
use crate::numbers;
use crate::sharding::{COMPONENTS, FIRST};
use narrows_icn::{FaceId, Hint, Neighbour, Packet};
use narrows_units::Time;
use narrows_wire::Ecn;

impl Forwarder {
    /// Receives a link packet on a face: a datagram with this ECN field, or a part of a stream.
    pub fn receive(
        &mut self,
        now: Time,
        slot: FaceId,
        ecn: Ecn,
        octets: &[u8],
        sockets: &mut impl Sockets,
    ) {
        let nonce = self.nonces.bits() as u32;
        let Some(face) = self.state.face_mut(slot) else { return };
        face.traffic.octets_in += octets.len() as u64;
        face.latest = now;
        face.egress.heard(now);
        self.paced_due = self.paced_due.min(face.egress.due());
        let id = face.id;
        let received =
            face.link.receive(now, ecn, octets, nonce, &mut self.spare, &mut self.pieces);
        let speaks = face.link.speaks_mircc(now);
        let changed = (speaks != face.speaks).then(|| face.neighbour(now));
        face.speaks = speaks;
        let mut packet = match received {
            Ok(Received::Packet(packet)) => packet,
            Ok(Received::Nothing) => {
                // A hello shows MIRCC too.
                if let Some(neighbour) = changed {
                    self.set_neighbour(slot, neighbour);
                }
                return;
            }
            Err(Fault::NoRoom) => return,
            Err(fault) => {
                face.traffic.malformed += 1;
                face.traffic.long_names += u64::from(fault == Fault::LongName);
                return;
            }
        };
        match &mut packet {
            Packet::Data(data) => face.on_data(data.size.get() as usize),
            Packet::Interest(interest) => {
                if let Hint::Face(named) = interest.steer.hint {
                    // An unknown face number leads nowhere.
                    let place = self.state.ids.get(&u64::from(named.0)).copied();
                    interest.steer.hint = Hint::Face(place.unwrap_or(FaceId(u32::MAX)));
                }
            }
            Packet::Nack(_) => {}
        }
        if let Some(neighbour) = changed {
            self.set_neighbour(slot, neighbour);
        }
        if let Some(sharding) = &mut self.sharding {
            let (thread, copied) = sharding.thread_of(&packet);
            if copied {
                sharding.outboxes[FIRST].push(Handover {
                    slot,
                    id,
                    what: HandoverKind::Copy(packet.clone()),
                });
            }
            if thread != sharding.own() {
                return sharding.outboxes[thread].push(Handover {
                    slot,
                    id,
                    what: HandoverKind::Came(packet),
                });
            }
        }
        self.handle(now, slot, id, packet, sockets);
    }

    /// Passes a packet from the face with the number `id` to the node.
    pub(super) fn handle(
        &mut self,
        now: Time,
        slot: FaceId,
        id: u64,
        packet: Packet<PacketName>,
        sockets: &mut impl Sockets,
    ) {
        let now = self.in_order(now);
        self.state.node.handle(now, slot, packet, &mut self.spare);
        self.drain(now, Some(id), sockets);
    }

    /// Time of a packet for the node: `now`, or the time of the previous packet if that is later.
    /// Opened faces and answers of other threads have times of their own.
    pub(super) fn in_order(&mut self, now: Time) -> Time {
        self.latest = self.latest.max(now);
        self.latest
    }

    /// Sets the capabilities of the neighbour on a face of this thread, on all threads.
    pub(super) fn set_neighbour(&mut self, slot: FaceId, neighbour: Neighbour) {
        self.state.node.set_neighbour(slot, neighbour);
        if let Some(sharding) = &mut self.sharding
            && let Some(id) = sharding.id(slot)
        {
            sharding.tell_all(|| Handover {
                slot,
                id,
                what: HandoverKind::MirccSupport(neighbour),
            });
        }
    }

    /// Sends the packets that the node has queued, and answers those for the management. `incoming`
    /// is the number of the face that received the packet being handled.
    pub(super) fn drain(&mut self, now: Time, incoming: Option<u64>, sockets: &mut impl Sockets) {
        if let Some(sharding) = self.sharding.as_ref().filter(|sharding| sharding.own() == FIRST) {
            // Other threads learn of a wide Interest before it leaves.
            sharding.set_wide(self.state.node.pending_prefixes(COMPONENTS));
        }
        while let Some((slot, packet)) = self.state.node.action() {
            let from = incoming.unwrap_or(numbers::CONTENT_STORE);
            if slot == self.management {
                self.manage(now, incoming, &packet, sockets);
                self.spare.give(packet);
            } else if let Some(sharding) =
                self.sharding.as_mut().filter(|sharding| !sharding.owns(slot))
            {
                if let (Some(id), Some(owner)) = (sharding.id(slot), sharding.owner(slot)) {
                    sharding.outboxes[owner].push(Handover {
                        slot,
                        id,
                        what: HandoverKind::Leaves(packet, from),
                    });
                }
            } else {
                self.depart(now, slot, from, packet, sockets);
            }
        }
    }

    /// Sends a packet on a face of this thread. The face with the number `from` received it.
    #[inline]
    pub(super) fn depart(
        &mut self,
        now: Time,
        slot: FaceId,
        from: u64,
        mut packet: Packet<PacketName>,
        sockets: &mut impl Sockets,
    ) {
        if let Some(face) = self.state.face_mut(slot) {
            let waited = face.egress.octets() > 0;
            let queued = sockets.queued(slot);
            departure::send(
                face,
                now,
                &mut packet,
                from,
                &mut self.scratch,
                queued,
                &mut self.pacing,
                |octets| {
                    sockets.send(slot, octets);
                },
            );
            if !waited && face.egress.octets() > 0 {
                self.paced_due = self.paced_due.min(face.egress.due());
                self.paced.push(slot);
            }
        }
        self.spare.give(packet);
    }

    /// Sends the paced datagrams that are due.
    pub(super) fn release_datagrams(&mut self, now: Time, sockets: &mut impl Sockets) {
        self.paced_due = Time::NEVER;
        let (state, first, pacing) = (&mut self.state, &mut self.paced_due, &mut self.pacing);
        self.paced.retain(|slot| {
            let Some(face) = state.face_mut(*slot) else { return false };
            let before = face.egress.held();
            while let Some(datagram) = face.egress.take(now) {
                sockets.send(*slot, &datagram);
            }
            pacing.replace(before, face.egress.held());
            *first = (*first).min(face.egress.due());
            face.egress.octets() > 0
        });
    }
}
