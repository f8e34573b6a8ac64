//! Reconnection of permanent TCP faces whose connections have ended.

use narrows_icn::FaceId;
use narrows_units::{Span, Time};
use std::net::SocketAddr;

/// Interval between attempts. NFD's `PermanentTcpTransport` waits 1 to 300 s; this value is our
/// choice.
const RETRY_INTERVAL: Span = Span::from_secs(10);
/// Bit that is set in the tickets of these attempts, and in no others.
const RECONNECT_BIT: u64 = 1 << 63;

/// The faces that wait for a connection.
#[derive(Debug, Default)]
pub(crate) struct Reconnects(Vec<BrokenFace>);

#[derive(Clone, Copy, Debug)]
struct BrokenFace {
    face: FaceId,
    peer: SocketAddr,
    /// Time of the next attempt. `Time::NEVER` while one is in progress.
    next: Time,
}

impl Reconnects {
    /// Adds a face whose connection has ended. The first attempt is due at once. False if the face
    /// had been added before.
    pub(crate) fn add(&mut self, now: Time, face: FaceId, peer: SocketAddr) -> bool {
        let known = self.0.iter().any(|broken| broken.face == face);
        if !known {
            self.0.push(BrokenFace { face, peer, next: now });
        }
        !known
    }

    /// Begins an attempt that is due. Returns its ticket and the neighbour.
    pub(crate) fn attempt(&mut self, now: Time) -> Option<(u64, SocketAddr)> {
        let broken = self.0.iter_mut().find(|broken| broken.next <= now)?;
        broken.next = Time::NEVER;
        Some((RECONNECT_BIT | u64::from(broken.face.0), broken.peer))
    }

    /// The face of an attempt. `None` if the ticket does not belong to one.
    pub(crate) fn face(&self, ticket: u64) -> Option<(FaceId, SocketAddr)> {
        let broken =
            self.0.iter().find(|broken| RECONNECT_BIT | u64::from(broken.face.0) == ticket)?;
        Some((broken.face, broken.peer))
    }

    /// Schedules the next attempt after a failure.
    pub(crate) fn again(&mut self, now: Time, face: FaceId) {
        self.0
            .iter_mut()
            .filter(|broken| broken.face == face)
            .for_each(|broken| broken.next = now + RETRY_INTERVAL);
    }

    /// Removes a face that is connected or has been removed.
    pub(crate) fn remove(&mut self, face: FaceId) {
        self.0.retain(|broken| broken.face != face);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_made_at_once_and_then_every_ten_seconds() {
        let (mut reconnects, peer) =
            (Reconnects::default(), "192.0.2.1:6363".parse().expect("an address"));
        let at = |s: u64| Time::ZERO + Span::from_secs(s);
        assert!(reconnects.add(at(1), FaceId(7), peer) && !reconnects.add(at(1), FaceId(7), peer));
        let (ticket, to) = reconnects.attempt(at(1)).expect("one");
        assert_eq!((to, reconnects.attempt(at(100))), (peer, None), "one at a time");
        assert_eq!((reconnects.face(ticket), reconnects.face(7)), (Some((FaceId(7), peer)), None));
        reconnects.again(at(3), FaceId(7));
        assert_eq!(
            (reconnects.attempt(at(12)), reconnects.attempt(at(13))),
            (None, Some((ticket, peer)))
        );
        reconnects.remove(FaceId(7));
        assert_eq!((reconnects.face(ticket), reconnects.attempt(at(50))), (None, None));
    }
}
