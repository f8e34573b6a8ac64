//! Sockets that are accepted, opened, reopened or closed while a daemon runs.

use super::Daemon;
use super::wanted::FaceRequest;
use crate::config::MirccSupport;
use crate::event::Event;
use crate::face::{FaceSetup, LARGEST, udp_mtu};
use crate::face_uri::FaceUri;
use crate::forwarder::{Opened, Sockets};
use crate::inbox::{FaceNotice, Inbox, SocketNews};
use crate::io::{Channel, Found, OpenAttempt};
use crate::sharding::FIRST;
use crate::sockets::bound::plain;
use crate::sockets::poller::Key;
use crate::sockets::stream::{Stream, StreamReader, StreamWriter};
use crate::sockets::udp::UdpChannel;
use crate::sockets::udp_writer::UdpWriter;
use narrows_icn::FaceId;
use narrows_ndn::management::FacePersistency;
use narrows_units::Time;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};

impl Daemon {
    /// Handles the failure to accept a connection. True if the daemon may try the next one.
    pub(super) fn goes_on_accepting(&mut self, now: Time, error: &io::Error) -> bool {
        match error.kind() {
            io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted => true,
            io::ErrorKind::WouldBlock => false,
            _ => {
                let tells = self.acceptance.pause(now);
                self.watch_listeners(false);
                if tells {
                    self.io.tell(&Event::AcceptingPaused { problem: &error.to_string() });
                }
                false
            }
        }
    }

    /// Watches the listening sockets again if the pause is over.
    pub(super) fn accept_again(&mut self, now: Time) {
        if self.acceptance.resumes(now) {
            self.watch_listeners(true);
        }
    }

    fn watch_listeners(&self, looks: bool) {
        let unix = self.unix.iter().map(|socket| (socket.listener().as_fd(), Key::Unix));
        let tcp =
            self.tcp.iter().zip(0..).map(|(listener, number)| (listener.as_fd(), Key::Tcp(number)));
        for (listener, key) in unix.chain(tcp) {
            // Errors are ignored. If the kernel keeps watching a socket, the daemon wakes too
            // often. If it does not watch a socket, the next pause tries again.
            let _ = self.io.poller.watch_reading(listener, key, looks);
        }
    }

    /// Thread of the next socket, chosen in turn.
    pub(super) fn next_thread(&mut self) -> usize {
        let thread = self.next_thread;
        self.next_thread = (thread + 1) % self.inboxes.len().max(1);
        thread
    }

    pub(super) fn accept_unix(&mut self, now: Time) {
        while let Some(socket) = &self.unix {
            let (stream, _) = match socket.listener().accept() {
                Ok(accepted) => accepted,
                Err(error) if self.goes_on_accepting(now, &error) => continue,
                Err(_) => return,
            };
            let number = stream.as_raw_fd() as u64;
            let setup = FaceSetup::on_demand(
                FaceUri::Fd(number),
                FaceUri::Unix(socket.path().to_owned()),
                true,
                LARGEST,
            );
            if let Ok(stream) = Stream::unix(stream) {
                let thread = self.next_thread();
                self.add_stream(now, setup, stream, thread);
            }
        }
    }

    pub(super) fn accept_tcp(&mut self, now: Time, number: usize) {
        loop {
            let (stream, peer) = match self.tcp[number].accept() {
                Ok(accepted) => accepted,
                Err(error) if self.goes_on_accepting(now, &error) => continue,
                Err(_) => return,
            };
            let Ok(local) = stream.local_addr() else { continue };
            let is_local = plain(peer).ip().is_loopback();
            if !is_local && !self.acceptance.has_descriptors_for_others(&stream) {
                // The last descriptors are reserved for applications on this host.
                self.forwarder.count_refused_face();
                continue;
            }
            let (peer, local) = (plain(peer), plain(local));
            let setup =
                FaceSetup::on_demand(FaceUri::Tcp(peer), FaceUri::Tcp(local), is_local, LARGEST);
            if let Ok(stream) = Stream::tcp(stream) {
                let thread = self.next_thread();
                self.add_stream(now, setup, stream, thread);
            }
        }
    }

    /// Makes a face on a stream that `thread` reads and writes.
    fn add_stream(
        &mut self,
        now: Time,
        setup: FaceSetup,
        stream: Stream,
        thread: usize,
    ) -> Option<FaceId> {
        let face = self.forwarder.add_face_at(now, setup, thread, &mut self.io).ok()?;
        if thread != FIRST {
            self.give(face, thread, SocketNews::Stream(stream));
            return Some(face);
        }
        self.io.attach(face, Channel::Stream(StreamWriter::new(stream.clone()), false));
        if self.io.watch_stream(&stream, face).is_err() {
            self.forwarder.remove_face(now, face, &mut self.io);
            return None;
        }
        self.readers.streams.insert(face.0, StreamReader::new(stream));
        Some(face)
    }

    /// Passes the socket of a new face to its thread.
    pub(super) fn give(&self, slot: FaceId, thread: usize, about: SocketNews) {
        if let Some(id) = self.forwarder.number_of(slot) {
            self.inboxes[thread].note(FaceNotice { slot, id, about });
        }
    }

    /// Takes the connections that other threads have opened.
    pub(super) fn finish_opening(&mut self, now: Time) {
        // The octets only wake the daemon.
        while matches!(self.woken.read(&mut [0; 64]), Ok(64)) {}
        while let Ok(OpenAttempt { ticket, rates, found }) = self.attempts.try_recv() {
            if let Some((face, peer)) = self.reconnects.face(ticket) {
                self.connected_again(now, face, peer, found);
                continue;
            }
            let wanted = FaceRequest {
                persistency: FacePersistency::Persistent,
                rates,
                headers: None,
                understands: MirccSupport::Auto,
                nacks: false,
                police: false,
                mtu: None,
            };
            let face = found.and_then(|found| self.connect(found, &wanted));
            self.forwarder.opened(now, ticket, face, &mut self.io);
        }
    }

    /// Makes a face to a neighbour whose address has been found.
    pub(super) fn connect(&mut self, found: Found, wanted: &FaceRequest) -> Result<Opened, String> {
        let now = self.now();
        let peer = found.peer();
        let remote = match &found {
            Found::Udp(_) => FaceUri::Udp(peer),
            Found::Tcp(..) => FaceUri::Tcp(peer),
        };
        if let Some(face) = self.forwarder.face_to(&remote) {
            return Ok(Opened::Found(face));
        }
        let is_local = peer.ip().is_loopback();
        let FaceRequest { persistency, rates, headers, understands, nacks, police, mtu } = *wanted;
        let setup = |local: FaceUri, ordinary: usize| FaceSetup {
            remote: remote.clone(),
            local,
            persistency,
            is_local,
            mtu: mtu.unwrap_or(ordinary),
            follows_path: mtu.is_none() && matches!(remote, FaceUri::Udp(_)),
            ends_idle: true,
            rates,
            headers,
            understands,
            nacks,
            police,
        };
        let told = |error: &dyn std::fmt::Display| format!("{peer}: {error}");
        match found {
            Found::Udp(_) => {
                let (ordinary, largest) = udp_mtu(peer);
                let socket = match self.io.listening_socket_for(self.readers.listening, peer) {
                    Some(socket) => socket,
                    None => {
                        let channel = UdpChannel::connect(peer, self.udp_options)
                            .map_err(|error| told(&unreachable(peer, &error)))?;
                        let thread = self.next_thread();
                        if thread != FIRST {
                            let setup = setup(FaceUri::Udp(channel.local()), ordinary);
                            let face = self
                                .forwarder
                                .add_face_at(now, setup, thread, &mut self.io)
                                .map_err(|error| told(&error))?;
                            self.give(face, thread, SocketNews::Udp(channel, peer));
                            return Ok(Opened::New(face));
                        }
                        self.io.add_udp(channel).map_err(|error| told(&error))?
                    }
                };
                let local =
                    self.io.udp[socket].as_ref().map_or(peer, |channel| channel.local_for(peer));
                let setup = setup(FaceUri::Udp(local), ordinary);
                let (out, mtu) = (setup.rates.and_then(|rates| rates.out), setup.mtu);
                let face = self
                    .forwarder
                    .add_face(now, setup, &mut self.io)
                    .map_err(|error| told(&error))?;
                self.io
                    .attach(face, Channel::Udp { socket, peer, writer: UdpWriter::new(largest) });
                if let Some(out) = out {
                    self.io.shorten(face, out, mtu);
                }
                Ok(Opened::New(face))
            }
            Found::Tcp(stream, _) => {
                let local = stream.local_addr().map_err(|error| told(&error))?;
                let stream = Stream::tcp(stream).map_err(|error| told(&error))?;
                let setup = setup(FaceUri::Tcp(local), LARGEST);
                self.add_stream(now, setup, stream, FIRST)
                    .map(Opened::New)
                    .ok_or_else(|| told(&"the face could not be made"))
            }
        }
    }

    /// Removes faces whose streams have ended, and the remains of closed faces.
    pub(super) fn clean_up(&mut self, now: Time) {
        while let Some(face) = self.io.ended.pop() {
            if let Some(peer) = self.forwarder.reconnects(face) {
                self.io.detach(face);
                self.readers.streams.remove(&face.0);
                if self.reconnects.add(now, face, peer) {
                    self.forwarder.set_broken(now, face, true, &mut self.io);
                }
                continue;
            }
            self.forwarder.remove_face(now, face, &mut self.io);
            self.io.flush();
        }
        self.forget_closed();
        while let Some((ticket, peer)) = self.reconnects.attempt(now) {
            self.io.connect_again(ticket, peer);
        }
    }

    /// Stops reading closed faces. Other threads close their own sockets.
    pub(super) fn forget_closed(&mut self) {
        if !self.io.closed.is_empty() {
            self.inboxes.iter().skip(1).for_each(Inbox::wake);
        }
        for face in self.io.closed.drain(..) {
            self.readers.streams.remove(&face.0);
        }
    }

    /// Handles the end of an attempt to reconnect a face.
    fn connected_again(
        &mut self,
        now: Time,
        face: FaceId,
        peer: SocketAddr,
        found: Result<Found, String>,
    ) {
        if self.forwarder.reconnects(face) != Some(peer) {
            return self.reconnects.remove(face);
        }
        let Ok(Found::Tcp(stream, _)) = found else { return self.reconnects.again(now, face) };
        let Ok(stream) = Stream::tcp(stream) else { return self.reconnects.again(now, face) };
        if self.io.watch_stream(&stream, face).is_err() {
            return self.reconnects.again(now, face);
        }
        self.io.attach(face, Channel::Stream(StreamWriter::new(stream.clone()), false));
        self.readers.streams.insert(face.0, StreamReader::new(stream));
        self.reconnects.remove(face);
        self.forwarder.set_broken(now, face, false, &mut self.io);
    }
}

/// Describes why no face to a UDP peer can be made, and a remedy.
fn unreachable(peer: SocketAddr, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::HostUnreachable
        | io::ErrorKind::AddrNotAvailable
            if peer.is_ipv6() =>
        {
            format!(
                "{error}: no IPv6 route leads there, and a device with an MTU below 1280 octets carries no IPv6; use IPv4 or a larger MTU"
            )
        }
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            format!("{error}: no route leads there; see `ip route get`")
        }
        _ => error.to_string(),
    }
}
