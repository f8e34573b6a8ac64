//! UDP sockets: many packets in one system call, by segmentation offload (GSO, GRO) where the
//! kernel supports it.

use super::bound;
use narrows_wire::Ecn;
use quinn_udp::{BATCH_SIZE, EcnCodepoint, RecvMeta, Transmit, UdpSocketState};
use rustix::io::Errno;
use rustix::net::sockopt::{self, Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
use std::io::{self, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};

/// Size of the receive buffer that is requested, and of the send buffer if no rate is known: 3.7 ms
/// at 9 Gbit/s. The kernel's default holds 92 packets of 1400 octets.
pub(crate) const BUFFER: usize = 4 << 20;
/// Buffer for the largest run of datagrams that the kernel joins.
const RUN: usize = 65_536;

/// Options of a UDP socket.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UdpOptions {
    /// Segmentation offload: the kernel gets several packets at once and cuts them.
    pub(crate) offload: bool,
    /// ECN: packets are sent as ECT(0), and CE marks are reported (RFC 3168).
    pub(crate) ecn: bool,
}

/// A UDP socket. It serves all faces of one local address, or the one face to the peer that it is
/// connected to.
pub(crate) struct UdpChannel {
    socket: UdpSocket,
    state: UdpSocketState,
    local: SocketAddr,
    connected: bool,
    /// True if the socket is an IPv6 socket that carries IPv4 too.
    is_dual: bool,
    options: UdpOptions,
}

impl UdpChannel {
    /// Binds a socket. An IPv6 socket carries IPv4 too unless `only_v6` is true.
    pub(crate) fn bind(
        local: SocketAddr,
        only_v6: bool,
        options: UdpOptions,
    ) -> io::Result<UdpChannel> {
        UdpChannel::new(bound::udp(local, only_v6)?, false, options)
    }

    /// Binds a socket to a free port, for packets of `peer` only.
    pub(crate) fn connect(peer: SocketAddr, options: UdpOptions) -> io::Result<UdpChannel> {
        let any: SocketAddr =
            if peer.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
        let socket = UdpSocket::bind(any)?;
        socket.connect(peer)?;
        UdpChannel::new(socket, true, options)
    }

    fn new(socket: UdpSocket, connected: bool, options: UdpOptions) -> io::Result<UdpChannel> {
        let state = UdpSocketState::new((&socket).into())?;
        // quinn-udp (0.6.3) enables a timestamp for each packet. No code here reads it, and the
        // buffer for control messages is too small for a timestamp and the ECN field.
        nix::sys::socket::setsockopt(
            &socket,
            nix::sys::socket::sockopt::ReceiveTimestampns,
            &false,
        )?;
        allow_fragments(&socket)?;
        // The kernel grants sizes up to its limits.
        sockopt::set_socket_recv_buffer_size(&socket, BUFFER)?;
        sockopt::set_socket_send_buffer_size(&socket, BUFFER)?;
        let local = socket.local_addr()?;
        let is_dual = local.is_ipv6() && !sockopt::ipv6_v6only(&socket)?;
        Ok(UdpChannel { socket, state, local, connected, is_dual, options })
    }

    /// True if packets to `peer` can be sent by the socket.
    pub(crate) fn reaches(&self, peer: SocketAddr) -> bool {
        let (own, kind) = (
            self.local.ip(),
            self.local.is_ipv4() == peer.is_ipv4() || self.is_dual && peer.is_ipv4(),
        );
        kind && (own.is_unspecified() || own.is_loopback() && peer.ip().is_loopback())
    }

    /// Local address of the socket. A wildcard address gets the address family of `peer`.
    pub(crate) fn local_for(&self, peer: SocketAddr) -> SocketAddr {
        let is_other = self.is_dual && peer.is_ipv4() && self.local.ip().is_unspecified();
        if is_other { ([0; 4], self.local.port()).into() } else { bound::plain(self.local) }
    }

    /// True if the socket serves one peer.
    pub(crate) fn is_connected(&self) -> bool {
        self.connected
    }

    pub(crate) fn local(&self) -> SocketAddr {
        self.local
    }

    /// Sends a batch to a peer, many datagrams at once unless `singly` is true. An error concerns
    /// this batch only; `sent` of its datagrams have been sent.
    pub(crate) fn send(
        &self,
        peer: SocketAddr,
        batch: &Batch,
        singly: bool,
    ) -> Result<(), BatchError> {
        let at_once =
            if self.options.offload && !singly { self.state.max_gso_segments() } else { 1 };
        let peer = if self.is_dual { bound::mapped(peer) } else { peer };
        let most = (batch.size * at_once).max(1);
        let ecn = self.options.ecn.then_some(EcnCodepoint::Ect0);
        for (number, contents) in batch.octets.chunks(most).enumerate() {
            let segment_size = (contents.len() > batch.size).then_some(batch.size);
            let transmit =
                Transmit { destination: peer, ecn, contents, segment_size, src_ip: None };
            let sent = number * at_once;
            let mut result = self.state.try_send((&self.socket).into(), &transmit);
            if result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
            {
                // The error reports an earlier datagram that the peer's host refused. This one has
                // not been sent yet.
                result = self.state.try_send((&self.socket).into(), &transmit);
            }
            result.map_err(|error| BatchError { sent, error, at_once: segment_size.is_some() })?;
        }
        Ok(())
    }

    /// Requests a send buffer of `octets`. The kernel grants sizes up to its limits.
    pub(crate) fn set_send_buffer(&self, octets: usize) {
        // If the request fails, the socket keeps its buffer and still works.
        let _ = sockopt::set_socket_send_buffer_size(&self.socket, octets);
    }
}

/// Reason why a batch was not sent, or only partly.
#[derive(Debug)]
pub(crate) struct BatchError {
    /// Number of datagrams that were sent.
    pub(crate) sent: usize,
    /// Error of the kernel.
    pub(crate) error: io::Error,
    /// True if several datagrams were to be sent at once.
    at_once: bool,
}

impl BatchError {
    /// True if the kernel refuses to cut datagrams of this size (`udp_send_skb` in net/ipv4/udp.c).
    /// It may still accept each of them alone, as IP fragments.
    pub(crate) fn is_of_size(&self) -> bool {
        let errno = self.error.raw_os_error().map(Errno::from_raw_os_error);
        matches!(errno, Some(Errno::MSGSIZE))
            || self.at_once && matches!(errno, Some(Errno::INVAL | Errno::IO))
    }
}

/// Lets IP fragment datagrams that are larger than the path MTU, as NFD does. Replaces quinn-udp's
/// settings, with which these datagrams would be lost, because nothing here makes them smaller in
/// time.
fn allow_fragments(socket: &UdpSocket) -> io::Result<()> {
    // IPv6 sockets need it too, because they may carry IPv4.
    sockopt::set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::DONT)?;
    if socket.local_addr()?.is_ipv6() {
        sockopt::set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::DONT)?;
        nix::sys::socket::setsockopt(socket, nix::sys::socket::sockopt::Ipv6DontFrag, &false)?;
    }
    Ok(())
}

impl AsFd for UdpChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Receive buffers for one system call.
pub(crate) struct UdpRoom(Vec<u8>);

impl UdpRoom {
    pub(crate) fn new() -> UdpRoom {
        UdpRoom(vec![0; RUN * BATCH_SIZE])
    }

    /// Reads in one system call. Calls `each` for every datagram, with its sender and its ECN
    /// field. True if there may be more to read.
    pub(crate) fn receive(
        &mut self,
        channel: &UdpChannel,
        mut each: impl FnMut(SocketAddr, Ecn, &[u8]),
    ) -> io::Result<bool> {
        let mut rooms = self.0.chunks_mut(RUN);
        let mut parts: [_; BATCH_SIZE] =
            std::array::from_fn(|_| IoSliceMut::new(rooms.next().unwrap_or_default()));
        let mut meta = [RecvMeta::default(); BATCH_SIZE];
        let runs = match channel.state.recv((&channel.socket).into(), &mut parts, &mut meta) {
            Ok(runs) => runs,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) => return Err(error),
        };
        for (part, meta) in parts.iter().zip(&meta).take(runs) {
            // The kernel only joins datagrams with the same ECN field.
            let ecn = if channel.options.ecn { ecn_of(meta.ecn) } else { Ecn::NotEct };
            for datagram in part[..meta.len].chunks(meta.stride.max(1)) {
                each(bound::plain(meta.addr), ecn, datagram);
            }
        }
        Ok(runs == BATCH_SIZE)
    }
}

fn ecn_of(field: Option<EcnCodepoint>) -> Ecn {
    match field {
        None => Ecn::NotEct,
        Some(EcnCodepoint::Ect0) => Ecn::Ect0,
        Some(EcnCodepoint::Ect1) => Ecn::Ect1,
        Some(EcnCodepoint::Ce) => Ecn::Ce,
    }
}

/// Packets for one peer that are sent together. All have the same size, except that the last may be
/// shorter.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    octets: Vec<u8>,
    size: usize,
    count: usize,
    closed: bool,
}

/// Most packets in a batch. A peer with the kernel's default buffer loses the 93rd packet of a
/// burst.
const MOST_PACKETS: usize = 32;
/// Most octets in a batch: about the size of the largest UDP datagram.
const MOST_OCTETS: usize = 65_000;

impl Batch {
    /// True if a packet of this size may be added.
    pub(crate) fn admits(&self, size: usize) -> bool {
        self.count == 0
            || !self.closed
                && size <= self.size
                && self.count < MOST_PACKETS
                && self.octets.len() + size <= MOST_OCTETS
    }

    /// Adds a packet that the batch [admits](Batch::admits).
    pub(crate) fn push(&mut self, packet: &[u8]) {
        if self.count == 0 {
            self.size = packet.len();
        }
        self.closed = packet.len() < self.size;
        self.octets.extend_from_slice(packet);
        self.count += 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Size of the packets in octets, except that the last may be smaller.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Removes the first `count` packets.
    pub(crate) fn skip(&mut self, count: usize) {
        self.octets.drain(..self.octets.len().min(count * self.size));
        self.count -= self.count.min(count);
    }

    /// The packets of the batch.
    pub(crate) fn datagrams(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.octets.chunks(self.size.max(1))
    }

    pub(crate) fn clear(&mut self) {
        self.octets.clear();
        (self.size, self.count, self.closed) = (0, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_takes_packets_of_one_size_and_a_shorter_last_one() {
        let mut batch = Batch::default();
        assert!(batch.admits(1400));
        batch.push(&[1; 1400]);
        assert!(batch.admits(1400) && batch.admits(100) && !batch.admits(1401));
        batch.push(&[2; 100]);
        assert!(!batch.admits(100) && !batch.admits(50), "nothing follows a shorter one");
        batch.clear();
        assert!(batch.is_empty() && batch.admits(1401));
        for _ in 0..MOST_PACKETS {
            batch.push(&[3; 10]);
        }
        assert!(!batch.admits(10));
    }

    #[test]
    fn batches_arrive_as_the_packets_that_they_are() {
        let local = "127.0.0.1:0".parse().expect("an address");
        let mut room = UdpRoom::new();
        let options = UdpOptions { offload: true, ecn: true };
        let (a, b) = (
            UdpChannel::bind(local, false, options).expect("a socket"),
            UdpChannel::bind(local, false, options).expect("a socket"),
        );
        let mut batch = Batch::default();
        let packets: Vec<Vec<u8>> =
            (0..10u8).map(|number| vec![number; if number == 9 { 77 } else { 1300 }]).collect();
        packets.iter().for_each(|packet| batch.push(packet));
        a.send(b.local(), &batch, false).expect("sent");
        let mut came = Vec::new();
        let from = a.local();
        while came.len() < packets.len() {
            rustix::event::poll(
                &mut [rustix::event::PollFd::new(&b, rustix::event::PollFlags::IN)],
                None,
            )
            .expect("it comes");
            room.receive(&b, |peer, ecn, datagram| {
                assert_eq!((peer, ecn), (from, Ecn::Ect0));
                came.push(datagram.to_vec());
            })
            .expect("received");
        }
        assert_eq!(came, packets);
        assert!(!room.receive(&b, |_, _, _| panic!("a datagram")).expect("nothing"));
    }
}
