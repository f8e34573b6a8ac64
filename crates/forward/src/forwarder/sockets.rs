//! What a forwarder asks of the sockets around it.

use crate::event::Event;
use crate::face_uri::Remote;
use crate::link_rates::LinkRates;
use narrows_icn::{Budget, FaceId};

/// What a forwarder asks of the sockets around it.
pub trait Sockets {
    /// Sends a packet of the link on a face. It may be dropped.
    fn send(&mut self, face: FaceId, packet: &[u8]);

    /// Begins to open a face to `remote`. Its end is told by [`Forwarder::opened`](super::Forwarder::opened) with the same ticket.
    fn open(&mut self, ticket: u64, remote: &Remote, rates: Option<LinkRates>);

    /// The face is gone.
    fn close(&mut self, face: FaceId);

    /// Octets sent on a face that its socket has not taken yet.
    fn queued(&self, face: FaceId) -> usize;

    /// Packets of this face that its socket has not taken so far.
    fn refused(&self, _face: FaceId) -> u64 {
        0
    }

    /// Why packets of this face were not taken last, if some were not.
    fn problem(&self, _face: FaceId) -> Option<String> {
        None
    }

    /// The most octets of a datagram to the neighbour that cross the path in one piece, as far as
    /// that is known.
    fn largest(&self, _face: FaceId) -> Option<usize> {
        None
    }

    /// Octets that wait because sockets have not taken them, and their limit.
    fn queues(&self) -> Budget {
        Budget::new(0)
    }

    /// Something has happened that an operator may want to know.
    fn tell(&mut self, _event: &Event<'_>) {}
}
