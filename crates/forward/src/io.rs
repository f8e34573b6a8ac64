//! The sockets of a daemon, as its forwarder uses them.

use crate::event::Event;
use crate::face::LinkRates;
use crate::face_uri::{Remote, Transport};
use crate::forwarder::Sockets;
use crate::log::Log;
use crate::sockets::poller::{Key, Poller};
use crate::sockets::stream::{Stream, StreamWriter};
use crate::sockets::udp::{Batch, UdpChannel};
use narrows_icn::FaceId;
use std::collections::HashMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// How long a TCP neighbour may take to answer.
const CONNECT: Duration = Duration::from_secs(5);

/// Where the packets of a face go.
pub(crate) enum Channel {
    /// To a peer, by a UDP socket with this number.
    Udp { socket: usize, peer: SocketAddr, batch: Batch },
    /// To a stream; true if the socket takes no more at the moment.
    Stream(StreamWriter, bool),
}

/// A face whose neighbour has been found.
pub(crate) enum Found {
    /// A UDP peer.
    Udp(SocketAddr),
    /// A connected TCP socket.
    Tcp(TcpStream, SocketAddr),
}

/// A face that was to be opened.
pub(crate) struct Attempt {
    pub(crate) ticket: u64,
    pub(crate) rates: Option<LinkRates>,
    pub(crate) found: Result<Found, String>,
}

/// Takes attempts from threads to the daemon.
#[derive(Clone)]
pub(crate) struct Attempts {
    sender: Sender<Attempt>,
    waker: Arc<UnixStream>,
}

impl Attempts {
    pub(crate) fn new(sender: Sender<Attempt>, waker: UnixStream) -> Attempts {
        Attempts { sender, waker: Arc::new(waker) }
    }

    fn send(&self, attempt: Attempt) {
        // The daemon is gone if nobody takes it; a full socket wakes it anyway.
        let _ = self.sender.send(attempt);
        let _ = (&*self.waker).write(&[0]);
    }
}

pub(crate) struct Io {
    pub(crate) poller: Poller,
    pub(crate) udp: Vec<Option<Arc<UdpChannel>>>,
    /// By place in the node.
    channels: Vec<Option<Channel>>,
    /// The faces of UDP peers, by socket and address.
    pub(crate) peers: HashMap<(usize, SocketAddr), FaceId, ahash::RandomState>,
    /// Faces with packets that have not left.
    dirty: Vec<FaceId>,
    /// Faces whose streams have ended, and faces that the forwarder has closed.
    pub(crate) ended: Vec<FaceId>,
    pub(crate) closed: Vec<FaceId>,
    attempts: Attempts,
    /// Packets that the sockets of faces did not take, by place in the node.
    refused: Vec<u64>,
    log: Option<Log>,
}

impl Io {
    pub(crate) fn new(poller: Poller, attempts: Attempts, log: Option<Log>) -> Io {
        Io {
            poller,
            udp: Vec::new(),
            channels: Vec::new(),
            peers: HashMap::default(),
            dirty: Vec::new(),
            ended: Vec::new(),
            closed: Vec::new(),
            attempts,
            refused: Vec::new(),
            log,
        }
    }

    /// Adds a UDP socket, and returns its number.
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

    /// The socket of a listening address that reaches `peer`.
    pub(crate) fn listening_socket_for(&self, listening: usize, peer: SocketAddr) -> Option<usize> {
        (0..listening).find(|number| {
            let local = self.udp[*number].as_ref().map(|channel| channel.local());
            local.is_some_and(|local| {
                local.is_ipv4() == peer.is_ipv4() && (local.ip().is_unspecified() || local.ip().is_loopback() && peer.ip().is_loopback())
            })
        })
    }

    /// Sends what waits.
    pub(crate) fn flush(&mut self) {
        let mut dirty = std::mem::take(&mut self.dirty);
        for face in dirty.drain(..) {
            self.flush_face(face);
        }
        self.dirty = dirty;
    }

    fn flush_face(&mut self, face: FaceId) {
        match self.channels.get_mut(face.0 as usize).and_then(Option::as_mut) {
            Some(Channel::Udp { socket, peer, batch }) if !batch.is_empty() => {
                let sent = self.udp[*socket].as_ref().map(|channel| channel.send(*peer, batch));
                self.refused[face.0 as usize] += if matches!(sent, Some(Ok(()))) { 0 } else { batch.count() };
                batch.clear();
            }
            Some(Channel::Stream(writer, blocked)) => {
                let was = *blocked;
                match writer.flush() {
                    Ok(everything) => *blocked = !everything,
                    Err(_) => return self.ended.push(face),
                }
                if was != *blocked {
                    // An error here would be one of the socket, which reading finds too.
                    let _ = self.poller.watch_writing(writer.stream(), Key::Stream(face.0), *blocked);
                }
            }
            _ => {}
        }
    }

    /// A stream takes more.
    pub(crate) fn writable(&mut self, face: FaceId) {
        self.flush_face(face);
    }

    /// The stream of a face has ended, and the face stays.
    pub(crate) fn detach(&mut self, face: FaceId) {
        if let Some(Channel::Stream(writer, _)) = self.channels.get_mut(face.0 as usize).and_then(Option::take) {
            writer.stream().close();
        }
    }

    /// Begins to connect again to a neighbour over TCP; its end comes as an [`Attempt`] with this ticket.
    pub(crate) fn connect_again(&self, ticket: u64, peer: SocketAddr) {
        let attempts = self.attempts.clone();
        std::thread::spawn(move || {
            let found = connect(peer);
            attempts.send(Attempt { ticket, rates: None, found });
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
            Some(Channel::Udp { socket, peer, batch }) => {
                if batch.is_empty() {
                    self.dirty.push(face);
                } else if !batch.admits(packet.len()) {
                    let sent = self.udp[*socket].as_ref().map(|channel| channel.send(*peer, batch));
                    self.refused[face.0 as usize] += if matches!(sent, Some(Ok(()))) { 0 } else { batch.count() };
                    batch.clear();
                }
                batch.push(packet);
            }
            Some(Channel::Stream(writer, blocked)) => {
                if writer.is_empty() && !*blocked {
                    self.dirty.push(face);
                }
                self.refused[face.0 as usize] += u64::from(!writer.push(packet));
            }
            // Its socket has failed, and the face is about to go.
            None => {}
        }
    }

    fn open(&mut self, ticket: u64, remote: &Remote, rates: Option<LinkRates>) {
        let (attempts, remote) = (self.attempts.clone(), remote.clone());
        // Looking up a name and connecting wait, and forwarding must not.
        std::thread::spawn(move || {
            let found = find(&remote);
            attempts.send(Attempt { ticket, rates, found });
        });
    }

    fn queued(&self, face: FaceId) -> usize {
        match self.channels.get(face.0 as usize) {
            Some(Some(Channel::Stream(writer, _))) => writer.waiting(),
            _ => 0,
        }
    }

    fn close(&mut self, face: FaceId) {
        let Some(channel) = self.channels.get_mut(face.0 as usize).and_then(Option::take) else { return };
        match channel {
            Channel::Udp { socket, peer, .. } => {
                self.peers.remove(&(socket, peer));
                let alone = !self.peers.keys().any(|(number, _)| *number == socket);
                if alone && self.udp[socket].as_ref().is_some_and(|channel| channel.is_connected()) {
                    self.udp[socket] = None;
                }
            }
            Channel::Stream(writer, _) => writer.stream().close(),
        }
        self.closed.push(face);
    }

    fn refused(&self, face: FaceId) -> u64 {
        self.refused.get(face.0 as usize).copied().unwrap_or(0)
    }

    fn tell(&mut self, event: &Event<'_>) {
        if let Some(log) = &self.log {
            log.write(event);
        }
    }
}

/// Looks up a neighbour, and connects to it over TCP.
pub(crate) fn find(remote: &Remote) -> Result<Found, String> {
    let fits = |address: &SocketAddr| remote.only_v4.is_none_or(|v4| v4 == address.is_ipv4());
    let addresses = (remote.host.as_str(), remote.port).to_socket_addrs();
    let addresses = addresses.map_err(|error| format!("the address of \"{}\" is not known: {error}", remote.host))?;
    let address = addresses.into_iter().find(fits).ok_or_else(|| format!("\"{}\" has no address of that kind", remote.host))?;
    match remote.transport {
        Transport::Udp => Ok(Found::Udp(address)),
        Transport::Tcp => connect(address),
    }
}

fn connect(address: SocketAddr) -> Result<Found, String> {
    let stream = TcpStream::connect_timeout(&address, CONNECT);
    stream.map(|stream| Found::Tcp(stream, address)).map_err(|error| format!("{address} does not answer: {error}"))
}
