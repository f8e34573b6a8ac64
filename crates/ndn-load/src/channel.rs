//! A connection to the forwarder that handles many packets in one system call.

use crate::failure::Failure;
use crate::packets;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    MsgFlags, MultiHeaders, recv, recvmmsg, send, sendmmsg, setsockopt, sockopt,
};
use std::io::{IoSlice, IoSliceMut};
use std::net::UdpSocket;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Most datagrams received or sent at once, buffer octets for each datagram, and octets of one read
/// from a stream.
const AT_ONCE: usize = 64;
const ROOM: usize = 9216;
const STREAM_ROOM: usize = 65_536;

pub struct Channel {
    socket: OwnedFd,
    /// True for a datagram socket, false for a stream.
    datagrams: bool,
    headers: MultiHeaders<()>,
    /// Octets received. On a stream, the first `read` octets are the beginning of a packet.
    inbox: Vec<u8>,
    read: usize,
    /// Packets to send, back to back, and the position where each ends.
    pub outbox: Vec<u8>,
    ends: Vec<usize>,
}

impl Channel {
    /// Connects to `udp:ADDRESS` or `unix:PATH`.
    pub fn connect(place: &str) -> Result<Channel, Failure> {
        let (socket, datagrams) = match place.split_once(':') {
            Some(("udp", address)) => {
                let socket = UdpSocket::bind("127.0.0.1:0")?;
                socket.connect(address)?;
                setsockopt(&socket, sockopt::RcvBuf, &(4 << 20))?;
                (OwnedFd::from(socket), true)
            }
            Some(("unix", path)) => (
                OwnedFd::from(
                    UnixStream::connect(path).map_err(|error| format!("{path}: {error}"))?,
                ),
                false,
            ),
            _ => return Err(format!("\"{place}\" is neither udp:ADDRESS nor unix:PATH").into()),
        };
        let (headers, inbox) = (MultiHeaders::preallocate(AT_ONCE, None), vec![0; AT_ONCE * ROOM]);
        Ok(Channel {
            socket,
            datagrams,
            headers,
            inbox,
            read: 0,
            outbox: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// Events to poll for: readable, and writable if the outbox is not empty.
    pub fn poll_fd(&self) -> PollFd<'_> {
        let writing = if self.outbox.is_empty() { PollFlags::empty() } else { PollFlags::POLLOUT };
        PollFd::new(self.socket.as_fd(), PollFlags::POLLIN | writing)
    }

    /// Ends a packet that has been appended to the outbox.
    pub fn end_packet(&mut self) {
        self.ends.push(self.outbox.len());
    }

    /// Receives at most 64 datagrams or 64 KiB of a stream, without waiting. `each` may append a
    /// packet to the outbox, and then returns true.
    pub fn receive(
        &mut self,
        mut each: impl FnMut(&[u8], &mut Vec<u8>) -> bool,
    ) -> Result<(), Failure> {
        let fd = self.socket.as_raw_fd();
        let mut take = |packet: &[u8]| {
            if each(packet, &mut self.outbox) {
                self.ends.push(self.outbox.len());
            }
        };
        if self.datagrams {
            let mut rooms: Vec<_> =
                self.inbox.chunks_mut(ROOM).map(|room| [IoSliceMut::new(room)]).collect();
            let received =
                recvmmsg(fd, &mut self.headers, &mut rooms, MsgFlags::MSG_DONTWAIT, None);
            let lengths = received.map(|messages| messages.map(|message| message.bytes).collect());
            let lengths: Vec<usize> = unless_empty(lengths)?.unwrap_or_default();
            self.inbox.chunks(ROOM).zip(lengths).for_each(|(room, length)| take(&room[..length]));
            return Ok(());
        }
        let room = &mut self.inbox[self.read..self.read + STREAM_ROOM];
        match unless_empty(recv(fd, room, MsgFlags::MSG_DONTWAIT))? {
            Some(0) => return Err("the forwarder has closed the connection".into()),
            length => self.read += length.unwrap_or(0),
        }
        let mut rest = &self.inbox[..self.read];
        while let Some((_, _, behind)) = packets::element(rest) {
            take(&rest[..rest.len() - behind.len()]);
            rest = behind;
        }
        let left = rest.len();
        self.inbox.copy_within(self.read - left..self.read, 0);
        self.read = left;
        Ok(())
    }

    /// Sends the outbox. On a stream, sends as much as the socket accepts. Datagrams that the
    /// socket does not accept are lost.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let fd = self.socket.as_raw_fd();
        if self.datagrams {
            let mut from = 0;
            let packet = |end: &usize| {
                [IoSlice::new(&self.outbox[std::mem::replace(&mut from, *end)..*end])]
            };
            let packets: Vec<_> = self.ends.iter().map(packet).collect();
            for packets in packets.chunks(AT_ONCE) {
                let _ = sendmmsg(
                    fd,
                    &mut self.headers,
                    packets,
                    [None; AT_ONCE],
                    [],
                    MsgFlags::MSG_DONTWAIT,
                );
            }
            self.outbox.clear();
        } else if !self.outbox.is_empty() {
            let sent = unless_empty(send(
                fd,
                &self.outbox,
                MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL,
            ))?;
            self.outbox.drain(..sent.unwrap_or(0));
        }
        self.ends.clear();
        Ok(())
    }

    /// Sends the forwarder a command for `/load` and waits until the forwarder has executed it.
    pub fn command(&mut self, verb: &str) -> Result<(), Failure> {
        self.outbox.extend(packets::command(verb));
        self.end_packet();
        let mut obeyed = false;
        while !obeyed {
            self.flush()?;
            if poll(&mut [self.poll_fd()], PollTimeout::from(2000u16))? == 0 {
                return Err(format!("the forwarder does not execute rib/{verb}").into());
            }
            // StatusCode 200.
            self.receive(|packet, _| {
                obeyed |= packet.windows(3).any(|octets| octets == [0x66, 1, 200]);
                false
            })?;
        }
        Ok(())
    }
}

/// Converts "would block" and a refused datagram to `None`.
fn unless_empty<T>(result: nix::Result<T>) -> nix::Result<Option<T>> {
    match result {
        Err(Errno::EAGAIN | Errno::ECONNREFUSED) => Ok(None),
        result => result.map(Some),
    }
}
