//! Loss detection and recovery of TCP (RFC 5681, RFC 6582, RFC 6675, RFC 8985, as Linux has them).

mod ack;
mod reordering;
mod states;
mod timers;
mod undo;

use super::connection::Connection;
use crate::scoreboard::Slot;
use reordering::Reordering;
use undo::{Frto, Undo};

/// The recovery state of TCP. The scoreboard's numbers are those of segments.
#[derive(Default)]
pub(super) struct Tcp {
    undo: Undo,
    frto: Frto,
    reordering: Reordering,
    probe: Option<Probe>,
    timeouts_in_a_row: u32,
}

/// A tail loss probe that is out.
#[derive(Clone, Copy, Debug)]
struct Probe {
    /// First segment never sent when it left.
    end: u64,
    retransmission: bool,
}

impl Tcp {
    #[inline]
    pub fn prefers_new_data(&self) -> bool {
        self.frto == Frto::NewData
    }

    #[inline]
    pub fn on_sent(&mut self, conn: &mut Connection, number: u64, fresh: bool, slot: Slot) -> u64 {
        let now = slot.sent_at;
        if fresh {
            conn.send_new(slot);
        } else {
            conn.board.retransmit(number, slot);
            self.undo.on_retransmitted(now);
        }
        if conn.probe_wanted {
            self.probe = Some(Probe { end: conn.board.next(), retransmission: !fresh });
        }
        if conn.timers.retransmit == narrows_units::Time::NEVER || number == conn.board.una() {
            conn.timers.retransmit = now + conn.rtt.timeout();
        }
        if fresh {
            self.schedule_probe(conn, now);
        }
        number
    }
}
