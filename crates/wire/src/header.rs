//! Headers that senders write into data packets for routers, and routers for the endpoints.

use narrows_units::{Rate, Span};

/// A header beside those of IP and TCP, for controllers whose routers answer with more than the ECN
/// field holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// The load of the most loaded hop in hundredths, 255 for 2.55 and more (VCP with 8 bits).
    Load(u8),
    /// An explicit rate (RCP).
    Rate {
        /// The rate that the hops so far allow, of packets with all their headers down to IP.
        rate: Rate,
        /// The sender's smoothed round trip; zero if it knows none.
        rtt: Span,
    },
    /// A change of throughput (XCP).
    Delta {
        /// The sender's smoothed round trip; zero if it knows none.
        rtt: Span,
        /// The sender's throughput, in bytes per second.
        throughput: f64,
        /// The change that the sender wishes, lowered by the hops so far, in bytes per second.
        delta: f64,
    },
}

impl Header {
    /// The signal that the receiver echoes of it.
    pub fn signal(&self) -> Signal {
        match *self {
            Header::Load(load) => Signal::Load(load),
            Header::Rate { rate, .. } => Signal::Rate(rate),
            Header::Delta { delta, .. } => Signal::Delta(delta),
        }
    }
}

/// The signal that a router wrote into a packet for its endpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// The rate that the most loaded hop allows (RCP, MIRCC).
    Rate(Rate),
    /// The load of the most loaded hop in hundredths, 255 for 2.55 and more (VCP with 8 bits).
    Load(u8),
    /// A change of throughput in bytes per second (XCP).
    Delta(f64),
}

impl Signal {
    /// The echo of two packets in one acknowledgement: changes add up, of anything else the later
    /// counts.
    pub fn then(self, later: Signal) -> Signal {
        match (self, later) {
            (Signal::Delta(first), Signal::Delta(second)) => Signal::Delta(first + second),
            (_, later) => later,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_acknowledgement_of_several_packets_sums_changes_and_keeps_the_latest_of_the_rest() {
        assert_eq!(Signal::Delta(3.0).then(Signal::Delta(-5.0)), Signal::Delta(-2.0));
        assert_eq!(Signal::Load(9).then(Signal::Load(7)), Signal::Load(7));
        let header = Header::Rate { rate: Rate::from_mbps(3), rtt: Span::ZERO };
        assert_eq!(
            Signal::Rate(Rate::from_mbps(5)).then(header.signal()),
            Signal::Rate(Rate::from_mbps(3))
        );
    }
}
