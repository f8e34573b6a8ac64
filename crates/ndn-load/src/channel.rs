//! A connection to the forwarder: many packets in one system call.

use crate::{Failure, packets};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, MultiHeaders, recvmmsg, sendmmsg, setsockopt, sockopt};
use std::io::{ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::net::UdpSocket;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::net::UnixStream;

/// Most datagrams received or sent at once, room for each, and octets of a stream read at once.
const AT_ONCE: usize = 64;
const ROOM: usize = 9216;
const STREAM_ROOM: usize = 65_536;

enum Socket {
    Udp(UdpSocket),
    Unix(UnixStream),
}

pub struct Channel {
    socket: Socket,
    headers: MultiHeaders<()>,
    /// Octets received; `read` of them are the beginning of a packet of a stream.
    inbox: Vec<u8>,
    read: usize,
    /// Packets to send, back to back, and where each ends.
    pub outbox: Vec<u8>,
    ends: Vec<usize>,
}

impl Channel {
    /// Connects to `udp:ADDRESS` or `unix:PATH`.
    pub fn connect(place: &str) -> Result<Channel, Failure> {
        let socket = match place.split_once(':') {
            Some(("udp", address)) => {
                let socket = UdpSocket::bind("127.0.0.1:0")?;
                socket.connect(address)?;
                setsockopt(&socket, sockopt::RcvBuf, &(4 << 20))?;
                Socket::Udp(socket)
            }
            Some(("unix", path)) => Socket::Unix(UnixStream::connect(path).map_err(|error| format!("{path}: {error}"))?),
            _ => return Err(format!("\"{place}\" is neither udp:ADDRESS nor unix:PATH").into()),
        };
        if let Socket::Unix(stream) = &socket {
            stream.set_nonblocking(true)?;
        }
        let headers = MultiHeaders::preallocate(AT_ONCE, None);
        Ok(Channel { socket, headers, inbox: vec![0; AT_ONCE * ROOM], read: 0, outbox: Vec::new(), ends: Vec::new() })
    }

    /// What to wait for.
    pub fn poll_fd(&self) -> PollFd<'_> {
        let socket = match &self.socket {
            Socket::Udp(socket) => socket.as_fd(),
            Socket::Unix(stream) => stream.as_fd(),
        };
        PollFd::new(socket, if self.outbox.is_empty() { PollFlags::POLLIN } else { PollFlags::POLLIN | PollFlags::POLLOUT })
    }

    /// A packet has been appended to the outbox.
    pub fn end_packet(&mut self) {
        self.ends.push(self.outbox.len());
    }

    /// Receives what is there, up to 64 datagrams or 64 KiB of a stream. `each` may append a packet to the outbox, and then returns true.
    pub fn receive(&mut self, mut each: impl FnMut(&[u8], &mut Vec<u8>) -> bool) -> Result<(), Failure> {
        let (outbox, ends) = (&mut self.outbox, &mut self.ends);
        let mut take = |packet: &[u8]| {
            if each(packet, outbox) {
                ends.push(outbox.len());
            }
        };
        match &mut self.socket {
            Socket::Udp(socket) => {
                let mut rooms: Vec<_> = self.inbox.chunks_mut(ROOM).map(|room| [IoSliceMut::new(room)]).collect();
                let received = recvmmsg(socket.as_raw_fd(), &mut self.headers, &mut rooms, MsgFlags::MSG_DONTWAIT, None);
                let lengths: Vec<usize> = match received {
                    Ok(messages) => messages.map(|message| message.bytes).collect(),
                    Err(Errno::EAGAIN | Errno::ECONNREFUSED) => return Ok(()),
                    Err(error) => return Err(error.into()),
                };
                self.inbox.chunks(ROOM).zip(lengths).for_each(|(room, length)| take(&room[..length]));
            }
            Socket::Unix(stream) => {
                match stream.read(&mut self.inbox[self.read..self.read + STREAM_ROOM]) {
                    Ok(0) => return Err("the forwarder has closed the connection".into()),
                    Ok(length) => self.read += length,
                    Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                    Err(error) => return Err(error.into()),
                }
                let mut rest = &self.inbox[..self.read];
                while let Some((_, _, behind)) = packets::element(rest) {
                    take(&rest[..rest.len() - behind.len()]);
                    rest = behind;
                }
                let taken = self.read - rest.len();
                self.inbox.copy_within(taken..self.read, 0);
                self.read -= taken;
            }
        }
        Ok(())
    }

    /// Sends the outbox, on a stream as far as it goes. A datagram that the socket does not take is lost.
    pub fn flush(&mut self) -> Result<(), Failure> {
        match &mut self.socket {
            Socket::Udp(socket) => {
                let mut from = 0;
                let packet = |end: &usize| [IoSlice::new(&self.outbox[std::mem::replace(&mut from, *end)..*end])];
                let packets: Vec<_> = self.ends.iter().map(packet).collect();
                for packets in packets.chunks(AT_ONCE) {
                    let _ = sendmmsg(socket.as_raw_fd(), &mut self.headers, packets, [None; AT_ONCE], [], MsgFlags::MSG_DONTWAIT);
                }
                self.outbox.clear();
            }
            Socket::Unix(_) if self.outbox.is_empty() => {}
            Socket::Unix(stream) => match stream.write(&self.outbox) {
                Ok(length) => drop(self.outbox.drain(..length)),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            },
        }
        self.ends.clear();
        Ok(())
    }

    /// Gives the forwarder a command for `/load`, and waits until it has obeyed.
    pub fn command(&mut self, verb: &str) -> Result<(), Failure> {
        self.outbox.extend(packets::command(verb));
        self.end_packet();
        let mut obeyed = false;
        for _ in 0..10_000 {
            self.flush()?;
            if obeyed || poll(&mut [self.poll_fd()], PollTimeout::from(2000u16))? == 0 {
                break;
            }
            self.receive(|packet, _| {
                // StatusCode 200.
                obeyed |= packet.windows(3).any(|octets| octets == [0x66, 1, 200]);
                false
            })?;
        }
        if obeyed { Ok(()) } else { Err(format!("the forwarder does not obey rib/{verb}").into()) }
    }
}
