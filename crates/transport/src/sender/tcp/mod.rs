//! Loss detection and recovery of TCP (RFC 5681, RFC 6582, RFC 6675, RFC 8985, as Linux has them).

mod ack;
mod probe;
mod reordering;
mod states;
mod timers;
mod undo;

use super::connection::Connection;
use crate::scoreboard::{Scoreboard, Slot};
use narrows_control::CaState;
use narrows_units::Time;
use probe::{schedule_probe, timeout_of_first};
use reordering::Reordering;
use undo::{Frto, Undo};

/// The recovery state of TCP. The scoreboard's numbers are those of segments.
///
/// Every packet touches what comes last.
#[derive(Default)]
#[repr(C)]
pub(super) struct Tcp {
    reordering: Reordering,
    undo: Undo,
    probe: Option<Probe>,
    timeouts_in_a_row: u32,
    frto: Frto,
    /// A new segment has left in the burst that goes on.
    puts_probe_off: bool,
    /// Originals still arrive while retransmissions are under way: until the next acknowledgement
    /// nothing more is sent again (Linux `tcp_try_undo_partial`).
    holds: bool,
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

    /// The first segment to be sent again now.
    #[inline]
    pub fn first_to_retransmit(&self, board: &Scoreboard) -> Option<u64> {
        if self.holds { None } else { board.first_to_retransmit() }
    }

    /// The probe is put off when the burst [ends](Tcp::end_burst).
    #[inline(always)]
    pub fn on_sent(&mut self, conn: &mut Connection, number: u64, fresh: bool, slot: Slot) -> u64 {
        let now = slot.sent_at;
        let is_probe = conn.forced && conn.state != CaState::Loss;
        if fresh {
            conn.send_new(slot);
        } else if is_probe {
            conn.board.probe(number, slot);
        } else {
            conn.board.retransmit(number, slot);
            self.undo.on_retransmitted(now);
        }
        if conn.timers.first_of_silence() == Time::NEVER || number == conn.board.una() {
            conn.timers.retransmit = now + conn.rtt.timeout();
        }
        if is_probe {
            self.probe = Some(Probe { end: conn.board.next(), retransmission: !fresh });
        } else {
            self.puts_probe_off |= fresh;
        }
        number
    }

    /// A burst is over: each of its new segments puts the probe off, to the same time.
    #[inline]
    pub fn end_burst(&mut self, conn: &mut Connection, now: Time) {
        if std::mem::take(&mut self.puts_probe_off) {
            schedule_probe(conn, now, timeout_of_first(conn));
        }
    }
}
