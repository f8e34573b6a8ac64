//! The differences between the two transports of a sender, each a match.

use super::connection::Connection;
use super::numbered::Numbered;
use super::tcp::Tcp;
use crate::scoreboard::{Scoreboard, Slot};
use crate::wire::Ack;
use crate::{AckFormat, Transport};
use narrows_units::{Span, Time};

/// How transmissions are numbered, found lost and repeated.
pub(super) enum Recovery {
    /// A transmission is known by its segment.
    Tcp(Tcp),
    /// Each transmission has a number of its own.
    Numbered(Box<Numbered>),
}

impl Recovery {
    pub fn new(transport: &Transport) -> Recovery {
        match transport.acks {
            AckFormat::Cumulative => Recovery::Tcp(Tcp::default()),
            AckFormat::Numbered => Recovery::Numbered(Box::default()),
        }
    }

    /// First segment not delivered; segments delivered out of order are above it.
    #[inline]
    pub fn una(&self, board: &Scoreboard) -> u64 {
        match self {
            Recovery::Tcp(_) => board.una(),
            Recovery::Numbered(numbered) => numbered.stream.una(),
        }
    }

    /// First segment never sent.
    #[inline]
    pub fn next_segment(&self, board: &Scoreboard) -> u64 {
        match self {
            Recovery::Tcp(_) => board.next(),
            Recovery::Numbered(numbered) => numbered.stream.next(),
        }
    }

    /// The first segment that waits for retransmission.
    #[inline]
    pub fn first_to_retransmit(&self, board: &Scoreboard) -> Option<u64> {
        match self {
            Recovery::Tcp(tcp) => tcp.first_to_retransmit(board),
            Recovery::Numbered(numbered) => numbered.stream.first_to_retransmit(),
        }
    }

    /// New data leaves before retransmissions.
    #[inline]
    pub fn prefers_new_data(&self) -> bool {
        match self {
            Recovery::Tcp(tcp) => tcp.prefers_new_data(),
            Recovery::Numbered(_) => false,
        }
    }

    /// The segment that a probe repeats if there is no new data: the last one sent (RFC 8985
    /// section 7.3), with numbers the first one outstanding (RFC 9002 section 6.2.4).
    pub fn to_probe(&self, board: &Scoreboard) -> u64 {
        match self {
            Recovery::Tcp(_) => board.next() - 1,
            Recovery::Numbered(numbered) => numbered.stream.to_probe(),
        }
    }

    /// Nothing is on its way: the delivery rate is measured anew.
    #[inline]
    pub fn is_idle(&self, board: &Scoreboard) -> bool {
        match self {
            Recovery::Tcp(_) => board.outstanding() == 0,
            Recovery::Numbered(_) => board.in_flight() == 0,
        }
    }

    /// A transmission of segment `number` leaves; `fresh`: the first one. Returns its number on the
    /// scoreboard.
    #[inline]
    pub fn on_sent(&mut self, conn: &mut Connection, number: u64, fresh: bool, slot: Slot) -> u64 {
        match self {
            Recovery::Tcp(tcp) => tcp.on_sent(conn, number, fresh, slot),
            Recovery::Numbered(numbered) => numbered.on_sent(conn, number, slot),
        }
    }

    /// Nothing more leaves at `now`.
    #[inline]
    pub fn end_burst(&mut self, conn: &mut Connection, now: Time) {
        if let Recovery::Tcp(tcp) = self {
            tcp.end_burst(conn, now);
        }
    }

    /// An acknowledgement arrives. Returns the round trip that it shows, if any.
    #[inline]
    pub fn on_ack(&mut self, conn: &mut Connection, now: Time, ack: &Ack) -> Option<Span> {
        match self {
            Recovery::Tcp(tcp) => tcp.on_ack(conn, now, ack),
            Recovery::Numbered(numbered) => numbered.on_ack(conn, now, ack, true),
        }
    }

    /// Transmissions have waited long enough for those after them.
    pub fn on_reorder_timer(&mut self, conn: &mut Connection, now: Time) {
        match self {
            Recovery::Tcp(tcp) => tcp.on_reorder_timer(conn, now),
            Recovery::Numbered(numbered) => numbered.on_reorder_timer(conn, now),
        }
    }

    /// A probe is due.
    pub fn on_probe_timer(&mut self, conn: &mut Connection, now: Time) {
        if let Recovery::Tcp(tcp) = self {
            tcp.on_probe_timer(conn, now);
        }
    }

    /// Nothing was heard for the retransmission timeout.
    pub fn on_retransmit_timer(&mut self, conn: &mut Connection, now: Time) {
        match self {
            Recovery::Tcp(tcp) => tcp.on_retransmit_timer(conn, now),
            Recovery::Numbered(numbered) => numbered.on_retransmit_timer(conn, now),
        }
    }
}
