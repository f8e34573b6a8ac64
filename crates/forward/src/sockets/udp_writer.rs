//! Writer of datagrams to one UDP peer, with a queue for times when the socket accepts no more.

use super::path_mtu::largest_datagram;
use super::udp::{Batch, UdpChannel};
use narrows_icn::Budget;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;

/// Most datagrams that wait for a socket: twice the largest batch. Further datagrams are dropped.
/// Our choice.
const MOST_WAITING: usize = 64;

/// Sends datagrams to one peer by a socket that other faces may share.
#[derive(Debug)]
pub(crate) struct UdpWriter {
    /// Datagrams that are sent together next.
    batch: Batch,
    /// Datagrams that the socket did not accept, and later ones.
    waiting: VecDeque<Box<[u8]>>,
    octets: usize,
    dropped: u64,
    /// Reason of the latest drop.
    problem: Option<io::Error>,
    /// Largest datagram that crosses the path without fragmentation.
    largest: usize,
}

impl UdpWriter {
    /// Makes a writer to a peer whose path carries datagrams of at most `largest` octets without
    /// fragmentation.
    pub(crate) fn new(largest: usize) -> UdpWriter {
        UdpWriter {
            batch: Batch::default(),
            waiting: VecDeque::new(),
            octets: 0,
            dropped: 0,
            problem: None,
            largest,
        }
    }

    /// Largest datagram that crosses the path without fragmentation, as far as it is known.
    pub(crate) fn largest(&self) -> usize {
        self.largest
    }

    /// Reason why the kernel refused the latest datagrams. `None` if it has refused none, or if the
    /// queue was full.
    pub(crate) fn problem(&self) -> Option<&io::Error> {
        self.problem.as_ref()
    }

    /// True if nothing waits to be sent.
    pub(crate) fn is_empty(&self) -> bool {
        self.batch.is_empty() && self.waiting.is_empty()
    }

    /// True if the socket did not accept the latest datagrams.
    pub(crate) fn is_blocked(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Octets that the socket has not accepted.
    pub(crate) fn octets(&self) -> usize {
        self.octets
    }

    /// Number of datagrams that were dropped because the queue was full or the kernel refused them.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Adds a datagram. It is sent by the next [`flush`](UdpWriter::flush) or before. Returns false
    /// if the socket accepts no more. Waiting octets are charged to `queues`.
    pub(crate) fn push(
        &mut self,
        channel: &UdpChannel,
        peer: SocketAddr,
        datagram: &[u8],
        queues: &mut Budget,
    ) -> bool {
        if !self.is_blocked() && !self.batch.admits(datagram.len()) {
            self.send_batch(channel, peer, queues);
        }
        if self.is_blocked() {
            self.wait(datagram.into(), queues);
        } else {
            self.batch.push(datagram);
        }
        !self.is_blocked()
    }

    /// Sends all datagrams that wait. Returns false if the socket accepts no more.
    pub(crate) fn flush(
        &mut self,
        channel: &UdpChannel,
        peer: SocketAddr,
        queues: &mut Budget,
    ) -> bool {
        let mut waiting = std::mem::take(&mut self.waiting);
        queues.release(std::mem::take(&mut self.octets) as u64);
        while let Some(datagram) = waiting.pop_front() {
            if !self.push(channel, peer, &datagram, queues) {
                break;
            }
        }
        if !self.batch.is_empty() && !self.is_blocked() {
            self.send_batch(channel, peer, queues);
        }
        waiting.into_iter().for_each(|datagram| self.wait(datagram, queues));
        !self.is_blocked()
    }

    fn send_batch(&mut self, channel: &UdpChannel, peer: SocketAddr, queues: &mut Budget) {
        let mut batch = std::mem::take(&mut self.batch);
        // Datagrams that IP must fragment are sent one by one.
        let mut result = channel.send(peer, &batch, batch.size() > self.largest);
        if let Err(unsent) = &result
            && unsent.is_of_size()
        {
            self.largest = largest_datagram(peer).map_or(self.largest, |now| now.min(self.largest));
            batch.skip(unsent.sent);
            result = channel.send(peer, &batch, true);
        }
        if let Err(unsent) = result {
            let left = batch.datagrams().skip(unsent.sent);
            match unsent.error.kind() {
                io::ErrorKind::WouldBlock => {
                    left.for_each(|datagram| self.wait(datagram.into(), queues))
                }
                _ => {
                    self.dropped += left.len() as u64;
                    self.problem = Some(unsent.error);
                }
            }
        }
        batch.clear();
        self.batch = batch;
    }

    fn wait(&mut self, datagram: Box<[u8]>, queues: &mut Budget) {
        if self.waiting.len() < MOST_WAITING
            && queues.admits(self.octets as u64, datagram.len() as u64)
        {
            queues.charge(datagram.len() as u64);
            self.octets += datagram.len();
            self.waiting.push_back(datagram);
        } else {
            self.dropped += 1;
            self.problem = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::udp::{UdpOptions, UdpRoom};
    use rustix::event::{PollFd, PollFlags, poll};

    /// A peer on this host accepts what fits its buffer and loses the rest at once, so that no
    /// socket on loopback stays full. A datagram for the wrong address family therefore stands for
    /// one that the kernel refuses.
    #[test]
    fn every_datagram_of_a_batch_that_the_kernel_refuses_is_counted() {
        let channel = UdpChannel::bind(
            "127.0.0.1:0".parse().expect("an address"),
            false,
            UdpOptions { offload: false, ecn: false },
        )
        .expect("a socket");
        let mut writer = UdpWriter::new(usize::MAX);
        let mut queues = Budget::new(1 << 20);
        let nowhere = "[::1]:9".parse().expect("an address");
        for _ in 0..20 {
            assert!(writer.push(&channel, nowhere, &[7; 100], &mut queues));
        }
        assert!(writer.flush(&channel, nowhere, &mut queues) && writer.is_empty());
        assert_eq!(writer.dropped(), 20);
        assert!(writer.problem().is_some(), "the reason is kept");
    }

    #[test]
    fn waiting_datagrams_leave_in_order_and_dropped_ones_are_counted() {
        let local = "127.0.0.1:0".parse().expect("an address");
        let bind = || {
            UdpChannel::bind(local, false, UdpOptions { offload: true, ecn: false })
                .expect("a socket")
        };
        let (from, to) = (bind(), bind());
        let mut writer = UdpWriter::new(usize::MAX);
        let mut queues = Budget::new(1 << 20);
        // Simulates a socket that accepted nothing of a batch.
        for number in 0..MOST_WAITING as u8 {
            writer.wait([number; 100].into(), &mut queues);
        }
        assert!(
            !writer.push(&from, to.local(), &[99; 100], &mut queues),
            "the datagram waits after the others"
        );
        assert_eq!(
            (writer.dropped(), writer.octets(), queues.used()),
            (1, MOST_WAITING * 100, MOST_WAITING as u64 * 100)
        );
        assert!(writer.flush(&from, to.local(), &mut queues) && writer.is_empty());
        assert_eq!((writer.dropped(), writer.octets(), queues.used()), (1, 0, 0));
        let (mut came, mut room) = (Vec::new(), UdpRoom::new());
        while came.len() < MOST_WAITING {
            poll(&mut [PollFd::new(&to, PollFlags::IN)], None).expect("it comes");
            room.receive(&to, |_, _, datagram| came.push(datagram[0])).expect("received");
        }
        assert_eq!(came, (0..MOST_WAITING as u8).collect::<Vec<_>>());
    }
}
