//! The sockets of a daemon: the daemon's implementation of [`Sockets`].

use crate::event::Event;
use crate::face_uri::{Remote, Transport};
use crate::forwarder::Sockets;
use crate::link_rates::LinkRates;
use crate::log::Log;
use crate::sockets::poller::{Key, Poller};
use crate::sockets::stream::{Stream, StreamWriter};
use crate::sockets::udp::{BUFFER, UdpChannel};
use crate::sockets::udp_writer::UdpWriter;
use narrows_icn::{Budget, FaceId};
use narrows_units::Rate;
use std::collections::HashMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Longest time that a TCP neighbour may take to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Destination of the packets of a face.
pub(crate) enum Channel {
    /// A peer, over the UDP socket with this number.
    Udp { socket: usize, peer: SocketAddr, writer: UdpWriter },
    /// A stream. True if its socket accepts no more at the moment.
    Stream(StreamWriter, bool),
}

/// A neighbour whose address has been found.
pub(crate) enum Found {
    /// A UDP peer.
    Udp(SocketAddr),
    /// A connected TCP socket.
    Tcp(TcpStream, SocketAddr),
}

impl Found {
    /// Address of the neighbour.
    pub(crate) fn peer(&self) -> SocketAddr {
        match self {
            Found::Udp(peer) | Found::Tcp(_, peer) => *peer,
        }
    }
}

/// Result of an attempt to open a face.
pub(crate) struct OpenAttempt {
    pub(crate) ticket: u64,
    pub(crate) rates: Option<LinkRates>,
    pub(crate) found: Result<Found, String>,
}

/// Channel for attempts from other threads to the daemon.
#[derive(Clone)]
pub(crate) struct OpenAttempts {
    sender: Sender<OpenAttempt>,
    waker: Arc<UnixStream>,
}

impl OpenAttempts {
    pub(crate) fn new(sender: Sender<OpenAttempt>, waker: UnixStream) -> OpenAttempts {
        OpenAttempts { sender, waker: Arc::new(waker) }
    }

    fn send(&self, attempt: OpenAttempt) {
        // An error means that the daemon has ended. A full socket wakes the daemon anyway.
        let _ = self.sender.send(attempt);
        let _ = (&*self.waker).write(&[0]);
    }
}

pub(crate) struct Io {
    pub(crate) poller: Poller,
    pub(crate) udp: Vec<Option<Arc<UdpChannel>>>,
    /// Channels by slot of the face in the node.
    channels: Vec<Option<Channel>>,
    /// Faces of UDP peers, by socket and address.
    pub(crate) peers: HashMap<(usize, SocketAddr), FaceId, ahash::RandomState>,
    /// Faces with packets that have not been sent.
    dirty: Vec<FaceId>,
    /// UDP sockets that accept no more at the moment, and the faces that wait for them.
    blocked: Vec<(usize, FaceId)>,
    /// Faces whose streams have ended, and faces that the forwarder has closed.
    pub(crate) ended: Vec<FaceId>,
    pub(crate) closed: Vec<FaceId>,
    attempts: OpenAttempts,
    /// Packets that the streams of faces refused, by slot of the face in the node.
    refused: Vec<u64>,
    /// Octets that wait for sockets.
    queues: Budget,
    log: Option<Log>,
}

impl Io {
    /// Makes the sockets of one thread. At most `queues` octets wait for them.
    pub(crate) fn new(poller: Poller, attempts: OpenAttempts, queues: u64, log: Option<Log>) -> Io {
        Io {
            poller,
            udp: Vec::new(),
            channels: Vec::new(),
            peers: HashMap::default(),
            dirty: Vec::new(),
            blocked: Vec::new(),
            ended: Vec::new(),
            closed: Vec::new(),
            attempts,
            refused: Vec::new(),
            queues: Budget::new(queues),
            log,
        }
    }

    /// Adds a UDP socket and returns its number.
    pub(crate) fn add_udp(&mut self, channel: UdpChannel) -> std::io::Result<usize> {
        let number = self.udp.iter().position(Option::is_none).unwrap_or(self.udp.len());
        self.poller.watch(&channel, Key::Udp(number as u32))?;
        if number == self.udp.len() {
            self.udp.push(None);
        }
        self.udp[number] = Some(Arc::new(channel));
        Ok(number)
    }

    pub(crate) fn attach(&mut self, face: FaceId, channel: Channel) {
        let place = face.0 as usize;
        if self.channels.len() <= place {
            self.channels.resize_with(place + 1, || None);
            self.refused.resize(place + 1, 0);
        }
        if let Channel::Udp { socket, peer, .. } = &channel {
            self.peers.insert((*socket, *peer), face);
        }
        self.channels[place] = Some(channel);
        self.refused[place] = 0;
    }

    /// Limits the queue of a face's UDP socket to 10 ms at `rate`, or to 64 datagrams of `mtu`
    /// octets if that is more. A socket that other faces share, or may share later, keeps its
    /// buffer.
    pub(crate) fn shorten(&self, face: FaceId, rate: Rate, mtu: usize) {
        let Some(Some(Channel::Udp { socket, .. })) = self.channels.get(face.0 as usize) else {
            return;
        };
        if let Some(channel) = self.udp[*socket].as_ref().filter(|channel| channel.is_connected()) {
            let octets = (rate.as_bps() / 8 / 100) as usize;
            channel.set_send_buffer(octets.max(64 * mtu).min(BUFFER));
        }
    }

    /// Number of the listening UDP socket that reaches `peer`.
    pub(crate) fn listening_socket_for(&self, listening: usize, peer: SocketAddr) -> Option<usize> {
        (0..listening)
            .find(|number| self.udp[*number].as_ref().is_some_and(|channel| channel.reaches(peer)))
    }

    /// Sends the packets that wait.
    pub(crate) fn flush(&mut self) {
        let mut dirty = std::mem::take(&mut self.dirty);
        for face in dirty.drain(..) {
            self.flush_face(face);
        }
        self.dirty = dirty;
    }

    fn flush_face(&mut self, face: FaceId) {
        match self.channels.get_mut(face.0 as usize).and_then(Option::as_mut) {
            Some(Channel::Udp { socket, peer, writer }) if !writer.is_empty() => {
                let socket = *socket;
                if self.udp[socket]
                    .as_ref()
                    .is_some_and(|channel| !writer.flush(channel, *peer, &mut self.queues))
                {
                    self.block(socket, face);
                }
            }
            Some(Channel::Stream(writer, blocked)) => {
                let was = *blocked;
                match writer.flush(&mut self.queues) {
                    Ok(everything) => *blocked = !everything,
                    Err(_) => return self.ended.push(face),
                }
                if was != *blocked {
                    // An error here is an error of the socket, which reading finds too.
                    let _ =
                        self.poller.watch_writing(writer.stream(), Key::Stream(face.0), *blocked);
                }
            }
            _ => {}
        }
    }

    /// Notes that a UDP socket accepts no more: the other packets of this face wait until it does.
    fn block(&mut self, socket: usize, face: FaceId) {
        if self.blocked.contains(&(socket, face)) {
            return;
        }
        let others = self.blocked.iter().any(|(number, _)| *number == socket);
        self.blocked.push((socket, face));
        if !others && let Some(channel) = &self.udp[socket] {
            // If the kernel refuses, the waiting packets are sent with the next ones.
            let _ = self.poller.watch_writing(channel.as_ref(), Key::Udp(socket as u32), true);
        }
    }

    /// Sends the packets of the faces that wait for a UDP socket, which accepts more now.
    pub(crate) fn udp_writable(&mut self, socket: usize) {
        let waiting: Vec<FaceId> = self
            .blocked
            .iter()
            .filter(|(number, _)| *number == socket)
            .map(|(_, face)| *face)
            .collect();
        let mut waiting = waiting.into_iter();
        for face in waiting.by_ref() {
            self.blocked.retain(|(_, other)| *other != face);
            self.flush_face(face);
            if self.is_blocked(face) {
                break;
            }
        }
        if !self.blocked.iter().any(|(number, _)| *number == socket)
            && let Some(channel) = &self.udp[socket]
        {
            // If this fails, the socket only wakes the daemon too often.
            let _ = self.poller.watch_writing(channel.as_ref(), Key::Udp(socket as u32), false);
        }
    }

    fn is_blocked(&self, face: FaceId) -> bool {
        matches!(self.channels.get(face.0 as usize), Some(Some(Channel::Udp { writer, .. })) if writer.is_blocked())
    }

    /// Sends the packets that wait for a stream, which accepts more now.
    pub(crate) fn writable(&mut self, face: FaceId) {
        self.flush_face(face);
    }

    /// Closes the ended stream of a face that stays.
    pub(crate) fn detach(&mut self, face: FaceId) {
        if let Some(Channel::Stream(writer, _)) =
            self.channels.get_mut(face.0 as usize).and_then(Option::take)
        {
            self.queues.release(writer.waiting() as u64);
            writer.stream().close();
        }
    }

    /// Begins to reconnect to a TCP neighbour. The result arrives as an [`OpenAttempt`] with this
    /// ticket.
    pub(crate) fn connect_again(&self, ticket: u64, peer: SocketAddr) {
        let attempts = self.attempts.clone();
        std::thread::spawn(move || {
            let found = connect(peer);
            attempts.send(OpenAttempt { ticket, rates: None, found });
        });
    }

    /// Begins to read a stream.
    pub(crate) fn watch_stream(&mut self, stream: &Stream, face: FaceId) -> std::io::Result<()> {
        self.poller.watch(stream, Key::Stream(face.0))
    }
}

impl Sockets for Io {
    fn send(&mut self, face: FaceId, packet: &[u8]) {
        match self.channels.get_mut(face.0 as usize).and_then(Option::as_mut) {
            Some(Channel::Udp { socket, peer, writer }) => {
                let (was_empty, was_blocked) = (writer.is_empty(), writer.is_blocked());
                let Some(channel) = &self.udp[*socket] else { return };
                let takes = writer.push(channel, *peer, packet, &mut self.queues);
                if was_empty {
                    self.dirty.push(face);
                }
                if !takes && !was_blocked {
                    let socket = *socket;
                    self.block(socket, face);
                }
            }
            Some(Channel::Stream(writer, blocked)) => {
                if writer.is_empty() && !*blocked {
                    self.dirty.push(face);
                }
                self.refused[face.0 as usize] += u64::from(!writer.push(packet, &mut self.queues));
            }
            // The socket has failed, and the face is about to be removed.
            None => {}
        }
    }

    fn open(&mut self, ticket: u64, remote: &Remote, rates: Option<LinkRates>) {
        let (attempts, remote) = (self.attempts.clone(), remote.clone());
        // Looking up a name and connecting block, which forwarding must not do.
        std::thread::spawn(move || {
            let found = find(&remote);
            attempts.send(OpenAttempt { ticket, rates, found });
        });
    }

    fn queued(&self, face: FaceId) -> usize {
        match self.channels.get(face.0 as usize) {
            Some(Some(Channel::Stream(writer, _))) => writer.waiting(),
            Some(Some(Channel::Udp { writer, .. })) => writer.octets(),
            _ => 0,
        }
    }

    fn close(&mut self, face: FaceId) {
        self.closed.push(face);
        let Some(channel) = self.channels.get_mut(face.0 as usize).and_then(Option::take) else {
            return;
        };
        match channel {
            Channel::Udp { socket, peer, writer } => {
                self.queues.release(writer.octets() as u64);
                self.peers.remove(&(socket, peer));
                self.blocked.retain(|(_, other)| *other != face);
                let alone = !self.peers.keys().any(|(number, _)| *number == socket);
                if alone && self.udp[socket].as_ref().is_some_and(|channel| channel.is_connected())
                {
                    self.udp[socket] = None;
                }
            }
            Channel::Stream(writer, _) => {
                self.queues.release(writer.waiting() as u64);
                writer.stream().close();
            }
        }
    }

    fn refused(&self, face: FaceId) -> u64 {
        match self.channels.get(face.0 as usize) {
            Some(Some(Channel::Udp { writer, .. })) => writer.dropped(),
            _ => self.refused.get(face.0 as usize).copied().unwrap_or(0),
        }
    }

    fn queues(&self) -> Budget {
        self.queues
    }

    fn problem(&self, face: FaceId) -> Option<String> {
        match self.channels.get(face.0 as usize) {
            Some(Some(Channel::Udp { writer, .. })) => Some(writer.problem().map_or_else(
                || "the socket accepts no more".to_owned(),
                |error| error.to_string(),
            )),
            Some(Some(Channel::Stream(..))) => Some("the neighbour does not read".to_owned()),
            _ => None,
        }
    }

    fn largest(&self, face: FaceId) -> Option<usize> {
        match self.channels.get(face.0 as usize) {
            Some(Some(Channel::Udp { writer, .. })) => Some(writer.largest()),
            _ => None,
        }
    }

    fn tell(&mut self, event: &Event<'_>) {
        if let Some(log) = &self.log {
            log.write(event);
        }
    }
}

/// Looks up a neighbour's address, and connects to it if the transport is TCP.
pub(crate) fn find(remote: &Remote) -> Result<Found, String> {
    if let Some(zone) = remote.zone() {
        let address = remote.address().ok_or_else(|| {
            format!("this host has no interface \"{zone}\", which {} names", remote.host)
        })?;
        return connect_to(remote.transport, address);
    }
    let fits = |address: &SocketAddr| remote.only_v4.is_none_or(|v4| v4 == address.is_ipv4());
    let addresses = (remote.host.as_str(), remote.port).to_socket_addrs();
    let addresses = addresses
        .map_err(|error| format!("the address of \"{}\" is not known: {error}", remote.host))?;
    let address = addresses
        .into_iter()
        .find(fits)
        .ok_or_else(|| format!("\"{}\" has no address of that kind", remote.host))?;
    connect_to(remote.transport, address)
}

fn connect_to(transport: Transport, address: SocketAddr) -> Result<Found, String> {
    match transport {
        Transport::Udp => Ok(Found::Udp(address)),
        Transport::Tcp => connect(address),
    }
}

fn connect(address: SocketAddr) -> Result<Found, String> {
    let stream = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT);
    stream
        .map(|stream| Found::Tcp(stream, address))
        .map_err(|error| format!("{address} does not answer: {error}"))
}
