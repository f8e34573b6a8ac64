//! Streams: packets back to back on UNIX and TCP sockets.

use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

/// A connected stream socket.
pub(crate) enum Stream {
    Unix(UnixStream),
    Tcp(TcpStream),
}

/// Octets read at a time.
const READ: usize = 65_536;
/// Most octets that wait for a peer who does not read.
const MOST_WAITING: usize = 8 << 20;

/// Packets on a stream.
pub(crate) struct StreamChannel {
    stream: Stream,
    /// What was read: complete packets are taken from its front.
    inbox: Vec<u8>,
    read: usize,
    /// What is to be written.
    outbox: Vec<u8>,
    written: usize,
}

/// Why a stream ends.
#[derive(Debug)]
pub(crate) enum End {
    /// The peer has closed it, or it failed.
    Closed,
    /// What it carries is no packet, so that no later one can be found.
    Malformed,
}

impl StreamChannel {
    /// Takes a connected socket, which becomes non-blocking.
    pub(crate) fn new(stream: Stream) -> io::Result<StreamChannel> {
        match &stream {
            Stream::Unix(stream) => stream.set_nonblocking(true)?,
            Stream::Tcp(stream) => {
                stream.set_nonblocking(true)?;
                stream.set_nodelay(true)?;
            }
        }
        Ok(StreamChannel { stream, inbox: vec![0; READ + MAX_PACKET], read: 0, outbox: Vec::new(), written: 0 })
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Reads once, and calls `each` for every packet that is complete. True if there may be more to read.
    pub(crate) fn receive(&mut self, mut each: impl FnMut(&[u8])) -> Result<bool, End> {
        let result = match &mut self.stream {
            Stream::Unix(stream) => stream.read(&mut self.inbox[self.read..]),
            Stream::Tcp(stream) => stream.read(&mut self.inbox[self.read..]),
        };
        let room = self.inbox.len() - self.read;
        let length = match result {
            Ok(0) => return Err(End::Closed),
            Ok(length) => length,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => return Ok(false),
            Err(_) => return Err(End::Closed),
        };
        self.read += length;
        let mut taken = 0;
        while let Some(length) = frame_length(&self.inbox[taken..self.read], MAX_PACKET).map_err(|_| End::Malformed)? {
            if taken + length > self.read {
                break;
            }
            each(&self.inbox[taken..taken + length]);
            taken += length;
        }
        self.inbox.copy_within(taken..self.read, 0);
        self.read -= taken;
        Ok(length == room)
    }

    /// Appends a packet. False if too much waits already, and the packet is dropped.
    pub(crate) fn push(&mut self, packet: &[u8]) -> bool {
        let fits = self.outbox.len() - self.written + packet.len() <= MOST_WAITING;
        if fits {
            self.outbox.extend_from_slice(packet);
        }
        fits
    }

    /// Writes what the socket takes. True if everything is written.
    pub(crate) fn flush(&mut self) -> Result<bool, End> {
        while self.written < self.outbox.len() {
            let waiting = &self.outbox[self.written..];
            let result = match &mut self.stream {
                Stream::Unix(stream) => stream.write(waiting),
                Stream::Tcp(stream) => stream.write(waiting),
            };
            match result {
                Ok(length) => self.written += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.compact();
                    return Ok(false);
                }
                Err(_) => return Err(End::Closed),
            }
        }
        self.outbox.clear();
        self.written = 0;
        Ok(true)
    }

    /// Keeps the buffer no longer than twice what waits.
    fn compact(&mut self) {
        if self.written > self.outbox.len() / 2 {
            self.outbox.drain(..self.written);
            self.written = 0;
        }
    }

    /// Closes the socket for both sides.
    pub(crate) fn close(&self) {
        // A socket that the peer has closed needs no more.
        let _ = match &self.stream {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl AsFd for StreamChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.stream {
            Stream::Unix(stream) => stream.as_fd(),
            Stream::Tcp(stream) => stream.as_fd(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (StreamChannel, UnixStream) {
        let (own, other) = UnixStream::pair().expect("a pair");
        (StreamChannel::new(Stream::Unix(own)).expect("a channel"), other)
    }

    #[test]
    fn packets_come_whole_whatever_the_reads_are() {
        let (mut channel, mut other) = pair();
        let packets = [vec![0x06, 0x03, 1, 2, 3], vec![0x05, 0x00], [vec![0x64, 0xfd, 0x01, 0x00], vec![9; 256]].concat()];
        let stream = packets.concat();
        let mut came = Vec::new();
        for octet in &stream {
            other.write_all(&[*octet]).expect("written");
            channel.receive(|packet| came.push(packet.to_vec())).expect("read");
        }
        other.write_all(&stream).expect("written");
        channel.receive(|packet| came.push(packet.to_vec())).expect("read");
        assert_eq!(came, [packets.clone(), packets].concat());
        drop(other);
        assert!(matches!(channel.receive(|_| ()), Err(End::Closed)));
    }

    #[test]
    fn what_is_too_long_or_no_packet_ends_the_stream() {
        for octets in [&[0x06, 0xfd, 0xff, 0xff][..], &[0x06, 0xfd, 0x00, 0x01, 0], &[0x00, 0x00]] {
            let (mut channel, mut other) = pair();
            other.write_all(octets).expect("written");
            assert!(matches!(channel.receive(|_| ()), Err(End::Malformed)), "{octets:?}");
        }
    }

    #[test]
    fn a_peer_who_does_not_read_loses_packets_and_memory_stays_bounded() {
        let (mut channel, mut other) = pair();
        let packet = [&[0x06, 0xfd, 0x1f, 0x40][..], &[7; 8000]].concat();
        let mut pushed = 0;
        while channel.push(&packet) {
            pushed += 1;
            channel.flush().expect("open");
            assert!(pushed < 10_000);
        }
        assert!(channel.outbox.len() <= 2 * MOST_WAITING);
        let mut read = 0;
        let mut room = vec![0; 1 << 20];
        while read < pushed * packet.len() {
            read += other.read(&mut room).expect("open");
            channel.flush().expect("open");
        }
        assert_eq!(read, pushed * packet.len());
        assert!(channel.flush().expect("open") && channel.outbox.is_empty());
    }
}
