//! The callbacks of a controller (`struct tcp_congestion_ops`).

use super::Socket;
use crate::{CaState, Feedback, Sent, Tag};
use narrows_units::Span;

/// A controller that decides the window alone: the kernel sees to everything else.
pub trait Callbacks: Send {
    /// The threshold after a reduction (`ssthresh`).
    fn ssthresh(&mut self, socket: &Socket) -> u32;

    /// The part of the window that a reduction leaves.
    fn left(&self) -> f64 {
        0.5
    }

    /// The window that one round trip of congestion avoidance makes of `flight` segments.
    fn avoidance(&self, socket: &Socket, flight: f64) -> f64 {
        let _ = socket;
        flight + 1.0
    }

    /// `acked` segments were delivered, and the cumulative acknowledgement moved (`cong_avoid`).
    fn cong_avoid(&mut self, socket: &mut Socket, acked: u32);

    /// The window to go back to after a needless reduction (`undo_cwnd`).
    fn undo_cwnd(&mut self, socket: &Socket) -> u32 {
        socket.cwnd.max(socket.prior_cwnd)
    }

    /// The recovery state becomes `state`; the socket still has the one before (`set_state`).
    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        let _ = (socket, state);
    }

    /// An acknowledgement, before the window is looked at, of which `moved` segments are
    /// acknowledged cumulatively (`pkts_acked`).
    fn pkts_acked(&mut self, socket: &mut Socket, feedback: &Feedback<'_>, moved: u32) {
        let _ = (socket, feedback, moved);
    }

    /// The first segment leaves since `idle` ticks, for which nothing was in flight (`cwnd_event`
    /// of `CA_EVENT_TX_START`).
    fn tx_start(&mut self, socket: &mut Socket, idle: u64) {
        let _ = (socket, idle);
    }

    /// The kernel computes the rate at which it would pace, after each acknowledgement
    /// (`tcp_update_pacing_rate`).
    fn paced(&mut self, socket: &Socket, srtt: Span) {
        let _ = (socket, srtt);
    }

    /// The mark on a segment that leaves.
    fn tag(&self, sent: &Sent) -> Tag {
        let _ = sent;
        Tag::default()
    }

    /// Names the inner state for traces.
    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        let _ = visit;
    }
}
