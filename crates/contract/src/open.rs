//! A connection opens.

use narrows_units::{Span, Time};

/// A connection is open: its handshake is over.
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// When.
    pub now: Time,
    /// The time that the handshake took: the first round trip known of the path.
    pub rtt: Span,
    /// Which end this is.
    pub role: Role,
    /// Both ends have agreed to use ECN on it.
    pub ecn: bool,
    /// More than one loss per round trip can be detected: by selective acknowledgements (RFC 2018)
    /// or numbered transmissions (RFC 9000).
    pub selective: bool,
}

impl Open {
    /// A connection that this end opened at `now`, without ECN, with selective acknowledgements.
    pub fn new(now: Time, rtt: Span) -> Open {
        Open { now, rtt, role: Role::Active, ecn: false, selective: true }
    }
}

/// An end of a connection (RFC 9293 section 3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sent the SYN.
    Active,
    /// It answered the SYN.
    Passive,
}
