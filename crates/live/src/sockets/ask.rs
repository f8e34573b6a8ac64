//! Requests on new connections, which the receiver opens as their client.

use super::act::{most_unsent, piece};
use super::events::Role;
use super::open;
use super::state::Sockets;
use super::stream::Stream;
use narrows_units::Bytes;
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with, getsockname};
use std::io;
use std::net::SocketAddr;

impl Sockets<'_> {
    /// Opens a connection from the receiver of a flow to its sender, which carries a request of
    /// this size. The receiver keeps its port, by which the emulator knows the flow, and the sender
    /// takes another port for each connection.
    pub(super) fn ask_anew(&mut self, flow: usize, request: Bytes) -> io::Result<()> {
        let options = &self.plan.flows[flow];
        let unsent = most_unsent(self.scenario, &self.scenario.flows[flow]);
        let (sender, receiver) = (&self.hosts[self.ends[flow].0], &self.hosts[self.ends[flow].1]);
        sender.namespace.move_into()?;
        let any_port = SocketAddr::new(sender.address(options.class, options.v6), 0);
        let acceptor = open::listener(any_port, options, unsent)?;
        let to = SocketAddr::try_from(getsockname(&acceptor)?)?;
        receiver.namespace.move_into()?;
        let asker = open::asker(self.flows[flow].to, to, options)?;
        let place = self.place();
        self.watch(Some(&acceptor), place, Role::Acceptor)?;
        self.watch(Some(&asker), place, Role::Receiver)?;
        let sockets = (acceptor, asker);
        self.streams[place] = Some(Stream::asking(flow, sockets, request.get(), piece(unsent)));
        self.flows[flow].streams.insert(place);
        Ok(())
    }

    /// Accepts a connection that its receiver opens.
    pub(super) fn accept_at_sender(&mut self, place: usize) -> io::Result<()> {
        let acceptor = self.streams[place].as_ref().and_then(|stream| stream.acceptor.as_ref());
        let Some(acceptor) = acceptor else { return Ok(()) };
        let sender = match accept_with(acceptor, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
            Ok(sender) => sender,
            Err(Errno::AGAIN) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        self.watch(Some(&sender), place, Role::Sender)?;
        if let Some(stream) = &mut self.streams[place] {
            stream.accepted_by(sender);
        }
        Ok(())
    }
}
