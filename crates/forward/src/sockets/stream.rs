//! Streams: packets back to back on UNIX and TCP sockets.

use narrows_icn::Budget;
use narrows_ndn::tlv::{MAX_PACKET, frame_length};
use std::collections::VecDeque;
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

/// Octets of one read.
const READ: usize = 65_536;
/// Most octets that wait for a peer that does not read.
const MOST_WAITING: usize = 8 << 20;

/// Reason why a stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The peer has closed the stream, or the socket failed.
    Closed,
    /// The octets are not a packet, so that no later packet can be found.
    Malformed,
}

impl Stream {
    /// Wraps a connected UNIX socket and makes it non-blocking.
    pub(crate) fn unix(stream: UnixStream) -> io::Result<Stream> {
        stream.set_nonblocking(true)?;
        Ok(Stream::Unix(Arc::new(stream)))
    }

    /// Wraps a connected TCP socket, makes it non-blocking and turns Nagle's algorithm off.
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

    /// Closes the socket in both directions.
    pub(crate) fn close(&self) {
        // An error means that the peer has closed the socket already.
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

/// A receive buffer: one read after the beginning of a packet.
pub(crate) fn room() -> Vec<u8> {
    vec![0; READ + MAX_PACKET]
}

/// Reads packets from a stream.
pub(crate) struct StreamReader {
    stream: Stream,
    /// Octets that were read but do not yet make a packet.
    rest: Vec<u8>,
}

impl StreamReader {
    pub(crate) fn new(stream: Stream) -> StreamReader {
        StreamReader { stream, rest: Vec::new() }
    }

    /// Reads once into `room` and calls `each` for every complete packet. True if there may be more
    /// to read.
    pub(crate) fn receive(
        &mut self,
        room: &mut [u8],
        mut each: impl FnMut(&[u8]),
    ) -> Result<bool, End> {
        let before = self.rest.len();
        let free = room.len() - before;
        let length = match self.stream.read(&mut room[before..]) {
            Ok(0) => return Err(End::Closed),
            Ok(length) => length,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                return Ok(false);
            }
            Err(_) => return Err(End::Closed),
        };
        room[..before].copy_from_slice(&self.rest);
        let came = &room[..before + length];
        let mut taken = 0;
        while let Some(length) =
            frame_length(&came[taken..], MAX_PACKET).map_err(|_| End::Malformed)?
        {
            if taken + length > came.len() {
                break;
            }
            each(&came[taken..taken + length]);
            taken += length;
        }
        self.rest.clear();
        self.rest.extend_from_slice(&came[taken..]);
        Ok(length == free)
    }
}

/// Writes packets to a stream.
pub(crate) struct StreamWriter {
    stream: Stream,
    /// Waiting octets, in parts of about [`PART`] octets, so that memory use follows the queue.
    parts: VecDeque<Vec<u8>>,
    /// Octets of the first part that have been written.
    written: usize,
    waiting: usize,
}

/// Octets of a part, unless a packet needs more than the rest of it.
const PART: usize = 65_536;
/// Largest empty part that is kept, in octets.
const KEPT_CAPACITY: usize = 8192;

impl StreamWriter {
    pub(crate) fn new(stream: Stream) -> StreamWriter {
        StreamWriter { stream, parts: VecDeque::new(), written: 0, waiting: 0 }
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Octets that wait for the socket.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Appends a packet and charges it to `queues`. Returns false and drops the packet if too much
    /// waits already.
    pub(crate) fn push(&mut self, packet: &[u8], queues: &mut Budget) -> bool {
        let size = packet.len();
        if self.waiting + size > MOST_WAITING || !queues.admits(self.waiting as u64, size as u64) {
            return false;
        }
        queues.charge(size as u64);
        self.waiting += size;
        match self.parts.back_mut() {
            Some(part)
                if part.len() + size <= KEPT_CAPACITY
                    || part.capacity() > KEPT_CAPACITY && part.len() + size <= PART =>
            {
                part.extend_from_slice(packet)
            }
            _ => {
                // A part for more than a few packets gets all of its capacity at once.
                let mut part =
                    Vec::with_capacity(if self.parts.is_empty() { size } else { size.max(PART) });
                part.extend_from_slice(packet);
                self.parts.push_back(part);
            }
        }
        true
    }

    /// Writes as much as the socket accepts. True if everything has been written.
    pub(crate) fn flush(&mut self, queues: &mut Budget) -> Result<bool, End> {
        while let Some(part) = self.parts.front() {
            if self.written == part.len() {
                self.end_part();
                if self.waiting == 0 {
                    break;
                }
                continue;
            }
            match self.stream.write(&part[self.written..]) {
                Ok(length) => {
                    self.written += length;
                    self.waiting -= length;
                    queues.release(length as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(_) => return Err(End::Closed),
            }
        }
        Ok(true)
    }

    /// Removes the first part, which has been written. A small last part is kept for later packets.
    fn end_part(&mut self) {
        self.written = 0;
        if let Some(mut part) = self.parts.pop_front()
            && self.parts.is_empty()
            && part.capacity() <= KEPT_CAPACITY
        {
            part.clear();
            self.parts.push_back(part);
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
        let packets = [
            vec![0x06, 0x03, 1, 2, 3],
            vec![0x05, 0x00],
            [vec![0x64, 0xfd, 0x01, 0x00], vec![9; 256]].concat(),
        ];
        let octets = packets.concat();
        let mut came = Vec::new();
        for octet in &octets {
            other.write_all(&[*octet]).expect("written");
            channel.receive(&mut room(), |packet| came.push(packet.to_vec())).expect("read");
        }
        other.write_all(&octets).expect("written");
        channel.receive(&mut room(), |packet| came.push(packet.to_vec())).expect("read");
        assert_eq!(came, [packets.clone(), packets].concat());
        drop(other);
        assert!(matches!(channel.receive(&mut room(), |_| ()), Err(End::Closed)));
    }

    #[test]
    fn an_oversized_or_malformed_packet_ends_the_stream() {
        for octets in [&[0x06, 0xfd, 0xff, 0xff][..], &[0x06, 0xfd, 0x00, 0x01, 0], &[0x00, 0x00]] {
            let (stream, mut other) = pair();
            let mut channel = StreamReader::new(stream);
            other.write_all(octets).expect("written");
            assert!(
                matches!(channel.receive(&mut room(), |_| ()), Err(End::Malformed)),
                "{octets:?}"
            );
        }
    }

    #[test]
    fn a_peer_who_does_not_read_loses_packets_and_memory_stays_bounded() {
        let (stream, mut other) = pair();
        let mut channel = StreamWriter::new(stream);
        let packet = [&[0x06, 0xfd, 0x1f, 0x40][..], &[7; 8000]].concat();
        let mut pushed = 0;
        let mut queues = Budget::new(64 << 20);
        while channel.push(&packet, &mut queues) {
            pushed += 1;
            channel.flush(&mut queues).expect("open");
            assert!(pushed < 10_000);
        }
        let memory: usize = channel.parts.iter().map(Vec::capacity).sum();
        assert!(
            memory <= channel.waiting() + channel.waiting() / 8 + 2 * PART,
            "{memory} octets for {}",
            channel.waiting()
        );
        assert_eq!(queues.used(), channel.waiting() as u64);
        let mut read = 0;
        let mut room = vec![0; 1 << 20];
        while read < pushed * packet.len() {
            read += other.read(&mut room).expect("open");
            channel.flush(&mut queues).expect("open");
        }
        assert_eq!(read, pushed * packet.len());
        assert!(channel.flush(&mut queues).expect("open") && channel.is_empty());
        assert!(
            channel.parts.iter().all(|part| part.capacity() <= KEPT_CAPACITY) && queues.used() == 0
        );
    }
}
