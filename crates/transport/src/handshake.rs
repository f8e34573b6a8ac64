//! The opening of a connection by its sender.

use crate::Transport;
use narrows_units::{Bytes, Span, Time};

/// A handshake (RFC 9293 section 3.5): a SYN, its answer, and the acknowledgement of that. A world
/// sends the SYN at [`send`](Handshake::send), again whenever the time comes that it gives, and
/// lets the sender go when the answer is there.
///
/// The receiver's part needs no state: it answers each SYN with its stamp.
#[derive(Clone, Copy, Debug)]
pub struct Handshake {
    timeout: Span,
    max_timeout: Span,
    sent: u32,
}

/// Options that a SYN and its answer have beyond those of data: largest segment, SACK, window
/// scale, padding.
const OPTIONS: Bytes = Bytes::new(8);
/// So many repetitions have the first timeout (`tcp_syn_linear_timeouts`, Linux 6.5 and later),
/// each further one twice as long as the one before.
const LINEAR: u32 = 4;

impl Handshake {
    /// One that has sent nothing; `None` if the transport opens connections without one.
    pub fn new(transport: &Transport) -> Option<Handshake> {
        transport.handshake.then_some(Handshake {
            timeout: transport.initial_rto,
            max_timeout: transport.max_rto,
            sent: 0,
        })
    }

    /// The SYN leaves at `now`. When it is to leave again.
    pub fn send(&mut self, now: Time) -> Time {
        if self.sent > LINEAR {
            self.timeout = (self.timeout * 2).min(self.max_timeout);
        }
        self.sent += 1;
        now + self.timeout
    }

    /// The size on the wire of a SYN and of its answer: with Linux's headers 60 B.
    pub fn size(transport: &Transport) -> Bytes {
        transport.headers + OPTIONS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_times_after_a_second_then_after_twice_as_long_each_time() {
        let mut handshake = Handshake::new(&Transport::default()).unwrap();
        let mut now = Time::ZERO;
        let mut waits = Vec::new();
        for _ in 0..8 {
            let next = handshake.send(now);
            waits.push(next.since(now).as_millis_f64() as u64 / 1000);
            now = next;
        }
        assert_eq!(waits, [1, 1, 1, 1, 1, 2, 4, 8]);
        assert!(Handshake::new(&Transport::ns2_2005()).is_none());
        assert_eq!(Handshake::size(&Transport::default()), Bytes::new(60));
    }
}
