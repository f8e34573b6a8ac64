//! Packets get to hosts, or are dropped.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::hosts::Hosts;
use crate::packet::{Net, Packet, PacketKind};
use crate::watch::Watch;
use narrows_network::{LinkEvent, Visitor};
use narrows_transport::{Ack, Content, Point, Seen};
use narrows_units::{Bytes, Time};

impl<O: Watch, C: Carried> Visitor<Packet<C>> for Hosts<'_, O, C> {
    #[inline]
    fn delivered(&mut self, network: &mut Net<C>, now: Time, _link: usize, mut packet: Packet<C>) {
        self.show(
            now,
            if packet.kind().goes_back() { Point::Sender } else { Point::Receiver },
            &packet,
        );
        let slot = packet.flow as usize;
        match packet.kind() {
            PacketKind::Data => self.deliver_data(network, now, &mut packet),
            PacketKind::Ack => self.deliver_ack(now, &packet),
            _ => self.deliver_other(network, now, &packet),
        }
        self.leave(now, slot);
    }

    #[inline(always)]
    fn wants_coming(&self) -> bool {
        self.fetches_ahead
    }

    /// Fetches from memory what a packet will touch, step by step: where the next thing is must
    /// have come from memory before.
    fn coming(&self, others: usize, packet: &Packet<C>) {
        let slot = &self.slots[packet.flow as usize];
        match others {
            0 => slot.fetch_further(packet.kind()),
            1 => {
                slot.fetch_ends(packet.kind());
                self.tallies[slot.flow as usize].fetch();
            }
            _ => slot.fetch(),
        }
    }

    #[cold]
    fn dropped(&mut self, now: Time, link: usize, packet: Packet<C>) {
        self.show(now, Point::Dropped(link), &packet);
        let slot = packet.flow as usize;
        let tally = &mut self.tallies[self.slots[slot].flow as usize];
        match packet.kind() {
            PacketKind::Ack => self.options.drop(&packet),
            PacketKind::Request => {}
            PacketKind::Opening
            | PacketKind::Answer
            | PacketKind::OpeningBack
            | PacketKind::AnswerForth => {
                tally.dropped_handshakes += 1;
            }
            PacketKind::Data => tally.dropped += 1,
            PacketKind::Datagram => {
                tally.dropped += 1;
                self.settle(now, slot, packet.number(), false);
            }
            PacketKind::Guest | PacketKind::GuestBack => {
                tally.dropped += u64::from(packet.kind() == PacketKind::Guest);
                self.datagrams.take(packet.number());
            }
        }
        self.leave(now, slot);
    }

    #[inline(always)]
    fn seen(&mut self, now: Time, crossing: LinkEvent, packet: &Packet<C>) {
        let point = match crossing {
            LinkEvent::Entering(link) => Point::Entering(link),
            LinkEvent::Leaving(link) => Point::Leaving(link),
        };
        self.show(now, point, packet);
    }

    #[inline(always)]
    fn goes_on(&mut self, now: Time) -> bool {
        self.pulse.goes_on(now)
    }
}

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// A packet enters the network at a host: the first link of its route.
    #[inline]
    pub(crate) fn enter(
        &mut self,
        network: &mut Net<C>,
        now: Time,
        point: Point,
        packet: Packet<C>,
    ) {
        self.show(now, point, &packet);
        self.slots[packet.flow as usize].in_network += 1;
        network.enter(now, packet, self);
        if network.inside() > self.room {
            self.crowd(network.inside(), now);
        }
    }

    /// A packet arrives that is neither data nor an acknowledgement. It is out of the way of those.
    #[cold]
    #[inline(never)]
    fn deliver_other(&mut self, network: &mut Net<C>, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        match packet.kind() {
            PacketKind::Data | PacketKind::Ack => unreachable!("delivered before"),
            PacketKind::Datagram => self.deliver_datagram(now, packet),
            PacketKind::Request => self.deliver_request(network, now, slot, packet),
            PacketKind::Opening | PacketKind::OpeningBack => {
                self.deliver_opening(network, now, packet)
            }
            PacketKind::Answer => self.deliver_answer(network, now, packet),
            PacketKind::AnswerForth => self.deliver_answer_forth(network, now, packet),
            PacketKind::Guest | PacketKind::GuestBack => self.deliver_guest(network, now, packet),
        }
    }

    /// A packet of a slot is no longer in the network.
    #[inline(always)]
    fn leave(&mut self, now: Time, slot: usize) {
        let endpoint = &mut self.slots[slot];
        endpoint.in_network -= 1;
        if endpoint.in_network == 0 && slot >= self.sources.len() {
            self.close_idle(now, slot);
        }
    }

    #[inline]
    fn deliver_data(&mut self, network: &mut Net<C>, now: Time, packet: &mut Packet<C>) {
        let slot = packet.flow as usize;
        let endpoint = &mut self.slots[slot];
        let data = packet.to_data(endpoint.headers);
        let tally = &mut self.tallies[endpoint.flow as usize];
        tally.arrived += 1;
        tally.arrived_wire += Bytes::new(packet.size as u64);
        tally.one_way.record(now.since(data.stamp));
        let Ends::Transport(ends) = &mut endpoint.ends else {
            unreachable!("data of a flow without a transport")
        };
        let receiver = &mut ends.1;
        let signal = packet.header().map(|header| header.signal());
        let ack = receiver.on_data(now, &data, packet.ecn(), signal);
        let next = receiver.next();
        let timer = receiver.next_timer();
        let completes = endpoint.ledger.awaits(next);
        let divides = receiver.divides();
        if let Some(due) = timer {
            self.hasten(slot, due);
        }
        if completes {
            self.complete(now, slot, next);
        }
        if let Some(ack) = &ack {
            if divides {
                self.send_pieces(network, now, slot, ack);
            }
            self.send_whole(network, now, slot, ack);
        }
    }

    /// A receiver acknowledges, perhaps in pieces.
    #[inline]
    pub(crate) fn send_ack(&mut self, network: &mut Net<C>, now: Time, slot: usize, ack: &Ack) {
        if let Ends::Transport(ends) = &self.slots[slot].ends
            && ends.1.divides()
        {
            self.send_pieces(network, now, slot, ack);
        }
        self.send_whole(network, now, slot, ack);
    }

    /// The pieces that go out before `ack`.
    #[cold]
    fn send_pieces(&mut self, network: &mut Net<C>, now: Time, slot: usize, ack: &Ack) {
        if let Ends::Transport(ends) = &mut self.slots[slot].ends
            && let Some(pieces) = ends.1.pieces(ack)
        {
            pieces.for_each(|piece| self.send_whole(network, now, slot, &piece));
        }
    }

    #[inline]
    fn send_whole(&mut self, network: &mut Net<C>, now: Time, slot: usize, ack: &Ack) {
        let endpoint = &self.slots[slot];
        let flow = endpoint.flow as usize;
        let headers = endpoint.headers;
        self.tallies[flow].acks += 1;
        let sack_option = if ack.blocks.is_empty() { 0 } else { 4 + 8 * ack.blocks.len() as u32 };
        let packet = Packet::ack(
            slot,
            network.route(flow, true),
            headers + sack_option,
            ack,
            &mut self.options,
        );
        self.enter(network, now, Point::Receiver, packet);
    }

    fn deliver_ack(&mut self, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        let endpoint = &mut self.slots[slot];
        let flow = endpoint.flow as usize;
        let Ends::Transport(ends) = &mut endpoint.ends else {
            unreachable!("an acknowledgement without a transport")
        };
        let sender = &mut ends.0;
        let ack = packet.to_ack(&self.options);
        // A watcher may ask for what an earlier event has listed.
        if !O::WATCHES {
            sender.lend(&mut self.lists);
        }
        let rtt = sender.on_ack(now, &ack);
        self.options.drop(packet);
        self.observer.on_sender(now, flow, sender);
        if !O::WATCHES {
            sender.lend(&mut self.lists);
        }
        if let Some(rtt) = rtt {
            self.tallies[flow].rtt.record(rtt);
        }
        if sender.is_done() {
            sender.close(now);
            if slot == flow {
                self.sources[flow].application.finish(now);
            }
        }
        self.reschedule(now, slot);
    }

    fn deliver_datagram(&mut self, now: Time, packet: &Packet<C>) {
        let slot = packet.flow as usize;
        let tally = &mut self.tallies[slot];
        tally.arrived += 1;
        tally.arrived_wire += Bytes::new(packet.size as u64);
        tally.one_way.record(now.since(packet.stamp()));
        tally.datagram_goodput += Bytes::new((packet.size - self.slots[slot].headers) as u64);
        self.settle(now, slot, packet.number(), true);
    }

    /// The fate of a datagram is known.
    #[inline]
    fn settle(&mut self, now: Time, slot: usize, number: u64, arrived: bool) {
        let application = &mut self.sources[slot].application;
        application.datagram(
            now,
            &mut self.slots[slot].ledger,
            number,
            arrived,
            &mut self.listable,
        );
    }

    /// Shows a packet to whoever watches.
    #[inline(always)]
    fn show(&mut self, at: Time, point: Point, packet: &Packet<C>) {
        if !O::WATCHES {
            return;
        }
        let slot = packet.flow as usize;
        let content = match packet.kind() {
            PacketKind::Data => Content::Data(packet.to_data(self.slots[slot].headers)),
            PacketKind::Ack => Content::Ack(packet.to_ack(&self.options)),
            PacketKind::Datagram | PacketKind::Request => Content::Datagram(packet.number()),
            PacketKind::Guest | PacketKind::GuestBack => Content::Datagram(packet.index().into()),
            // A capture tells of the handshake in a way of its own.
            PacketKind::Opening
            | PacketKind::Answer
            | PacketKind::OpeningBack
            | PacketKind::AnswerForth => return,
        };
        let flow = self.slots[slot].flow as usize;
        self.observer.on_packet(&Seen {
            at,
            point,
            flow,
            size: Bytes::new(packet.size.into()),
            ecn: packet.ecn(),
            content,
        });
    }
}
