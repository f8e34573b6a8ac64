//! The forwarder's interface to its sockets.

use crate::event::Event;
use crate::face_uri::Remote;
use crate::link_rates::LinkRates;
use narrows_icn::{Budget, FaceId};

/// The sockets that a forwarder needs.
pub trait Sockets {
    /// Sends a link packet on a face. The packet may be dropped.
    fn send(&mut self, face: FaceId, packet: &[u8]);

    /// Begins to open a face to `remote`. The caller reports the result to
    /// [`Forwarder::opened`](super::Forwarder::opened) with the same ticket.
    fn open(&mut self, ticket: u64, remote: &Remote, rates: Option<LinkRates>);

    /// Closes the socket of a removed face.
    fn close(&mut self, face: FaceId);

    /// Octets sent on a face that its socket has not yet accepted.
    fn queued(&self, face: FaceId) -> usize;

    /// Number of packets of this face that its socket refused.
    fn refused(&self, _face: FaceId) -> u64 {
        0
    }

    /// Reason of the latest refusal of a packet of this face. `None` if no packet was refused.
    fn problem(&self, _face: FaceId) -> Option<String> {
        None
    }

    /// Octets of the largest datagram that crosses the path to the neighbour without fragmentation,
    /// if that is known.
    fn largest(&self, _face: FaceId) -> Option<usize> {
        None
    }

    /// Octets that wait because sockets have not accepted them, and their limit.
    fn queues(&self) -> Budget {
        Budget::new(0)
    }

    /// Reports an event for the operator.
    fn tell(&mut self, _event: &Event<'_>) {}
}
