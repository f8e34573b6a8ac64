//! When a tail loss probe is due, and the timeout in its place.

use crate::sender::connection::Connection;
use narrows_control::CaState;
use narrows_units::{Span, Time};

/// RFC 8985 section 7.2: a probe after two round trips of silence if nothing is missing, in the
/// place of a timeout that would come later. In Linux both are one timer: the timeout is off while
/// a probe is due, and each new segment puts the probe off (`tcp_schedule_loss_probe`). `limit`:
/// when the timeout would be, no bound if it is past.
#[inline]
pub(super) fn schedule_probe(conn: &mut Connection, now: Time, limit: Time) {
    let srtt = conn.rtt.srtt();
    if !conn.transport.tail_loss_probe || !conn.transport.sack || !is_quiet(conn) || srtt.is_zero()
    {
        return cancel_probe(conn, now);
    }
    let delayed_ack =
        if conn.board.outstanding() == 1 { conn.transport.min_rto } else { MIN_PROBE_WAIT };
    let due = now + srtt * 2 + delayed_ack;
    conn.timers.probe = if limit > now { due.min(limit) } else { due };
    conn.timers.retransmit = Time::NEVER;
}

/// No probe: the timeout runs again, from when the first segment left (Linux `tcp_rearm_rto`).
#[inline]
pub(super) fn cancel_probe(conn: &mut Connection, now: Time) {
    if conn.timers.probe != Time::NEVER {
        conn.timers.probe = Time::NEVER;
        conn.timers.retransmit = conn.timers.retransmit.min(timeout_of_first(conn).max(now));
    }
}

/// When the first segment's latest transmission has waited for the retransmission timeout.
#[inline]
pub(super) fn timeout_of_first(conn: &Connection) -> Time {
    conn.board.slot(conn.board.una()).sent_at + conn.rtt.timeout()
}

/// Nothing is missing.
#[inline]
pub(super) fn is_quiet(conn: &Connection) -> bool {
    matches!(conn.state, CaState::Open | CaState::Cwr) && conn.board.sacked_out() == 0
}

/// Linux `TCP_TIMEOUT_MIN`: two jiffies at 1000 Hz, so that a probe does not race the
/// acknowledgement it waits for.
const MIN_PROBE_WAIT: Span = Span::from_millis(2);
