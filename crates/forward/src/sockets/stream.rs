//! Streams: packets back to back on UNIX and TCP sockets.

use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

/// A connected stream socket.
#[derive(Clone)]
pub(crate) enum Stream {
    Unix(Arc<UnixStream>),
    Tcp(Arc<TcpStream>),
}

/// Octets read at a time.
const READ: usize = 65_536;
/// Most octets that wait for a peer who does not read.
const MOST_WAITING: usize = 8 << 20;

/// Why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The peer has closed it, or it failed.
    Closed,
    /// What it carries is no packet, so that no later one can be found.
    Malformed,
}

impl Stream {
    /// A connected UNIX socket, which becomes non-blocking.
    pub(crate) fn unix(stream: UnixStream) -> io::Result<Stream> {
        stream.set_nonblocking(true)?;
        Ok(Stream::Unix(Arc::new(stream)))
    }

    /// A connected TCP socket, which becomes non-blocking and sends at once.
    pub(crate) fn tcp(stream: TcpStream) -> io::Result<Stream> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Stream::Tcp(Arc::new(stream)))
    }

    fn read(&self, room: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.as_ref().read(room),
            Stream::Tcp(stream) => stream.as_ref().read(room),
        }
    }

    fn write(&self, octets: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Unix(stream) => stream.as_ref().write(octets),
            Stream::Tcp(stream) => stream.as_ref().write(octets),
        }
    }

    /// Closes the socket for both sides.
    pub(crate) fn close(&self) {
        // A socket that the peer has closed needs no more.
        let _ = match self {
            Stream::Unix(stream) => stream.shutdown(Shutdown::Both),
            Stream::Tcp(stream) => stream.shutdown(Shutdown::Both),
        };
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Stream::Unix(stream) => stream.as_fd(),
            Stream::Tcp(stream) => stream.as_fd(),
        }
    }
}

/// Takes packets from a stream.
pub(crate) struct StreamReader {
    stream: Stream,
    /// What was read and not yet taken: less than a packet.
    inbox: Vec<u8>,
    read: usize,
}

impl StreamReader {
    pub(crate) fn new(stream: Stream) -> StreamReader {
        StreamReader { stream, inbox: vec![0; READ + MAX_PACKET], read: 0 }
    }

    /// Reads once, and calls `each` for every packet that is complete. True if there may be more to read.
    pub(crate) fn receive(&mut self, mut each: impl FnMut(&[u8])) -> Result<bool, End> {
        let room = self.inbox.len() - self.read;
        let length = match self.stream.read(&mut self.inbox[self.read..]) {
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
}

/// Puts packets on a stream.
pub(crate) struct StreamWriter {
    stream: Stream,
    outbox: Vec<u8>,
    written: usize,
}

impl StreamWriter {
    pub(crate) fn new(stream: Stream) -> StreamWriter {
        StreamWriter { stream, outbox: Vec::new(), written: 0 }
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Octets that wait for the socket.
    pub(crate) fn waiting(&self) -> usize {
        self.outbox.len() - self.written
    }

    /// Appends a packet. False if too much waits already, and the packet is dropped.
    pub(crate) fn push(&mut self, packet: &[u8]) -> bool {
        let fits = self.waiting() + packet.len() <= MOST_WAITING;
        if fits {
            self.outbox.extend_from_slice(packet);
        }
        fits
    }

    /// Writes what the socket takes. True if everything is written.
    pub(crate) fn flush(&mut self) -> Result<bool, End> {
        while self.written < self.outbox.len() {
            match self.stream.write(&self.outbox[self.written..]) {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair() -> (Stream, UnixStream) {
        let (own, other) = UnixStream::pair().expect("a pair");
        (Stream::unix(own).expect("a stream"), other)
    }

    #[test]
    fn packets_come_whole_whatever_the_reads_are() {
        let (stream, mut other) = pair();
        let mut channel = StreamReader::new(stream);
        let packets = [vec![0x06, 0x03, 1, 2, 3], vec![0x05, 0x00], [vec![0x64, 0xfd, 0x01, 0x00], vec![9; 256]].concat()];
        let octets = packets.concat();
        let mut came = Vec::new();
        for octet in &octets {
            other.write_all(&[*octet]).expect("written");
            channel.receive(|packet| came.push(packet.to_vec())).expect("read");
        }
        other.write_all(&octets).expect("written");
        channel.receive(|packet| came.push(packet.to_vec())).expect("read");
        assert_eq!(came, [packets.clone(), packets].concat());
        drop(other);
        assert!(matches!(channel.receive(|_| ()), Err(End::Closed)));
    }

    #[test]
    fn what_is_too_long_or_no_packet_ends_the_stream() {
        for octets in [&[0x06, 0xfd, 0xff, 0xff][..], &[0x06, 0xfd, 0x00, 0x01, 0], &[0x00, 0x00]] {
            let (stream, mut other) = pair();
            let mut channel = StreamReader::new(stream);
            other.write_all(octets).expect("written");
            assert!(matches!(channel.receive(|_| ()), Err(End::Malformed)), "{octets:?}");
        }
    }

    #[test]
    fn a_peer_who_does_not_read_loses_packets_and_memory_stays_bounded() {
        let (stream, mut other) = pair();
        let mut channel = StreamWriter::new(stream);
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
