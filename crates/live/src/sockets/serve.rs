//! Passes events of sockets to their applications.

use super::events::{Role, split};
use super::flow::{Endpoint, FlowView};
use super::open;
use super::state::Sockets;
use crate::error::LiveError;
use narrows_units::Time;
use rustix::event::epoll::EventFlags;
use rustix::io::Errno;
use rustix::net::{SocketFlags, acceptfrom_with};
use std::io;
use std::net::SocketAddr;

impl Sockets<'_> {
    /// Handles an event of a socket.
    pub(super) fn serve(
        &mut self,
        key: u64,
        flags: EventFlags,
        now: Time,
    ) -> Result<(), LiveError> {
        let (index, role) = split(key);
        let flow = match role {
            Role::Listener | Role::Datagrams => index,
            // The connection may have been removed since the event.
            Role::Sender | Role::Receiver | Role::Acceptor => match &self.streams[index] {
                Some(stream) => stream.flow,
                None => return Ok(()),
            },
        };
        let served = match role {
            Role::Listener => self.accept(flow),
            Role::Sender => self.serve_sender(flow, index, flags, now),
            Role::Receiver => self.serve_receiver(flow, index, flags, now),
            Role::Datagrams => self.take_datagrams(flow, now),
            Role::Acceptor => self.accept_at_sender(index),
        };
        // Errors of a connection do not matter once the flow is finished.
        if self.flows[flow].application.finished_at().is_none() {
            served.map_err(|error| self.failed(flow, error))?;
        }
        self.plan(flow);
        Ok(())
    }

    fn accept(&mut self, flow: usize) -> io::Result<()> {
        while let Some(listener) = &self.flows[flow].listener {
            let (receiver, from) =
                match acceptfrom_with(listener, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                    Ok(accepted) => accepted,
                    Err(Errno::AGAIN) => break,
                    Err(error) => return Err(error.into()),
                };
            let port =
                from.and_then(|from| SocketAddr::try_from(from).ok()).map(|from| from.port());
            let Some(place) = port.and_then(|port| self.flows[flow].unaccepted.remove(&port))
            else {
                continue;
            };
            self.watch(Some(&receiver), place, Role::Receiver)?;
            if let Some(stream) = &mut self.streams[place] {
                stream.accepted(receiver);
                stream.send_request(&self.zeros)?;
            }
        }
        Ok(())
    }

    fn serve_sender(
        &mut self,
        flow: usize,
        place: usize,
        flags: EventFlags,
        now: Time,
    ) -> io::Result<()> {
        let Some(stream) = &mut self.streams[place] else { return Ok(()) };
        stream.fill(&self.zeros)?;
        let (asked, ended) = stream.read_request(&mut self.zeros, flags)?;
        if asked && let Some(response) = self.flows[flow].application.answer() {
            let last = self.flows[flow].application.reopens();
            self.write(flow, place, response, last)?;
        }
        // The receiver closes after it has read all data.
        if ended {
            self.end(flow, place, now);
        }
        Ok(())
    }

    fn serve_receiver(
        &mut self,
        flow: usize,
        place: usize,
        flags: EventFlags,
        now: Time,
    ) -> io::Result<()> {
        let (flow_sockets, Some(stream)) = (&mut self.flows[flow], &mut self.streams[place]) else {
            return Ok(());
        };
        let first = stream.read == 0;
        stream.drain(&mut self.zeros, flags)?;
        if first
            && stream.read > 0
            && let (Some(window), Some(receiver)) =
                (self.plan.flows[flow].receive_window, &stream.receiver)
        {
            open::clamp(receiver, window)?;
        }
        if stream.ledger.awaits(stream.read) {
            flow_sockets.application.delivered(
                now,
                &mut stream.ledger,
                stream.read,
                &mut self.room,
            );
        }
        Ok(stream.send_request(&self.zeros)?)
    }

    /// Handles the end of a connection, after all data has been acknowledged. Removes it if it is
    /// the connection of a single transfer.
    fn end(&mut self, flow: usize, place: usize, now: Time) {
        let flow_sockets = &mut self.flows[flow];
        if matches!(flow_sockets.endpoint, Endpoint::Stream(own) if own == place) {
            return flow_sockets.application.finish(now);
        }
        flow_sockets.streams.remove(&place);
        let Some(stream) = self.streams[place].take() else { return };
        self.free.push(place);
        let mut last = FlowView { counters: flow_sockets.closed, ..FlowView::default() };
        last.add(&stream.info().unwrap_or_default(), &stream.opening);
        flow_sockets.closed = last.counters;
    }

    fn take_datagrams(&mut self, flow: usize, now: Time) -> io::Result<()> {
        let flow_sockets = &mut self.flows[flow];
        let Endpoint::Datagrams(datagrams) = &mut flow_sockets.endpoint else { return Ok(()) };
        while let Some(number) = datagrams.take()? {
            flow_sockets.application.datagram(
                now,
                &mut datagrams.ledger,
                number,
                true,
                &mut self.room,
            );
        }
        Ok(())
    }
}
