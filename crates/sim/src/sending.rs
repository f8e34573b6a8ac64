//! Hosts act: what was awaited is due.

use crate::carried::Carried;
use crate::endpoint::Ends;
use crate::hosts::Hosts;
use crate::packet::{Net, Packet};
use crate::watch::Watch;
use narrows_transport::Point;
use narrows_units::Time;

impl<O: Watch, C: Carried> Hosts<'_, O, C> {
    /// A flow is due: its application, or its connection.
    pub(crate) fn on_flow(&mut self, network: &mut Net<C>, now: Time, flow: usize) {
        if now >= self.slots[flow].source_due {
            self.on_source(network, now, flow);
            self.slots[flow].source_due = self.sources[flow].due();
        }
        let due = self.on_connection(network, now, flow).min(self.slots[flow].source_due);
        self.agenda.set(self.element(flow), due);
    }

    /// One end of a connection is due. Returns when one is due again.
    #[inline]
    pub(crate) fn on_connection(&mut self, network: &mut Net<C>, now: Time, slot: usize) -> Time {
        self.on_receiver(network, now, slot);
        let endpoint = &mut self.slots[slot];
        if let Ends::Transport(ends) = &mut endpoint.ends {
            let sender = &mut ends.0;
            if sender.next_timer().is_some_and(|due| due <= now) {
                if sender.fault().is_some() {
                    self.fail(slot);
                    return Time::NEVER;
                }
                if !O::WATCHES {
                    sender.lend(&mut self.lists);
                }
                sender.on_timer(now);
                self.observer.on_sender(now, endpoint.flow as usize, sender);
                if !O::WATCHES {
                    sender.lend(&mut self.lists);
                }
            }
            let ready = if now >= endpoint.send_at {
                endpoint.clear_ready();
                self.transmit(network, now, slot)
            } else {
                sender.ready_at(now)
            };
            self.slots[slot].note_ready(ready);
        } else if let Ends::Guest(_) = &endpoint.ends {
            self.on_guest(network, now, slot);
        }
        self.slots[slot].due()
    }

    /// The host sends what the transport yields. Returns when there will be more.
    #[inline]
    fn transmit(&mut self, network: &mut Net<C>, now: Time, slot: usize) -> Option<Time> {
        let endpoint = &mut self.slots[slot];
        if endpoint.opening.is_some() {
            self.send_syn(network, now, slot);
            return self.slots[slot].ends.sender().and_then(|sender| sender.ready_at(now));
        }
        let flow = endpoint.flow as usize;
        let headers = endpoint.headers;
        let route = network.route(flow, false);
        while self.pulse.goes_on(now) {
            let sender = self.slots[slot].ends.sender()?;
            let (data, ecn) = match sender.transmit(now) {
                Ok(segment) => segment,
                Err(ready) => return ready,
            };
            self.observer.on_sent(now, flow, sender);
            let carried = C::forth(if C::ROOM { sender.header() } else { None });
            let size = data.bytes.get() as u32 + headers;
            self.enter(
                network,
                now,
                Point::Sender,
                Packet::data(slot, route, size, &data, (ecn, carried)),
            );
        }
        None
    }

    /// The delayed acknowledgement of a flow may be due.
    #[inline]
    fn on_receiver(&mut self, network: &mut Net<C>, now: Time, slot: usize) {
        if let Ends::Transport(ends) = &mut self.slots[slot].ends
            && ends.1.next_timer().is_some_and(|due| due <= now)
            && let Some(ack) = &ends.1.on_timer(now)
        {
            self.send_ack(network, now, slot, ack);
        }
    }
}
