//! Numbered transmissions: every one, retransmissions included, has a number of its own and is
//! acknowledged by it (RFC 9000, RFC 9002).

mod exchange;
mod stream;

use super::connection::Connection;
use super::event::Event;
use crate::rtt::GRANULARITY;
use crate::scoreboard::{Flags, Slot};
use crate::wire::Ack;
use narrows_control::{CaState, Congestion, Timeout};
use narrows_units::{Span, Time};
use narrows_wire::Ecn;
use stream::Stream;

pub use exchange::Answer;

/// The recovery state of numbered transmissions. The scoreboard's numbers are those of
/// transmissions, each with one fate: acknowledged or lost.
#[derive(Default)]
pub(super) struct Numbered {
    pub stream: Stream,
    /// When the latest reduction was made: losses of transmissions that left before cause no other
    /// (RFC 9002 section 7.3.1).
    reduced_at: Option<Time>,
    /// Transmissions lost for which the latest reduction was made and that have not turned out
    /// late.
    unproven: u32,
}

/// Round trips that a transmission may take before it is lost (RFC 9002 section 6.1.2,
/// `kTimeThreshold`).
const TIME_THRESHOLD: (u64, u64) = (9, 8);
/// Probe timeouts without back-off that lost transmissions must span for everything to start anew
/// (RFC 9002 section 7.6.1, `kPersistentCongestionThreshold`).
const PERSISTENT: u64 = 3;

impl Numbered {
    #[inline]
    pub fn on_sent(&mut self, conn: &mut Connection, segment: u64, slot: Slot) -> u64 {
        self.stream.on_sent(segment);
        // Requirement, RFC 9002 section 6.2.1: "A sender SHOULD restart its PTO timer every time an
        // ack-eliciting packet is sent or acknowledged"
        conn.timers.retransmit = slot.sent_at + conn.rtt.timeout();
        conn.send_new(slot)
    }

    /// An acknowledgement of transmissions arrives. It shows a round trip only if `timed`.
    pub fn on_ack(
        &mut self,
        conn: &mut Connection,
        now: Time,
        ack: &Ack,
        timed: bool,
    ) -> Option<Span> {
        let mut event = conn.event(now);
        conn.receive_limit = conn.receive_limit.max(ack.next + ack.window as u64);
        let evidence = conn.evidence(now, Time::NEVER);
        for block in ack.blocks.iter().rev().filter(|block| !conn.known_blocks.contains(block)) {
            conn.board.sack(block.start, block.end, evidence, &mut conn.lists.arrived);
        }
        conn.known_blocks[..ack.blocks.len()].copy_from_slice(&ack.blocks);
        let mut sent: Option<Time> = None;
        for index in 0..conn.lists.arrived.len() {
            let (packet, slot) = conn.lists.arrived[index];
            if let Some(at) = self.settle(conn, now, packet, &slot) {
                sent = sent.max(Some(at));
            }
        }
        conn.lists.arrived.clear();
        if sent.is_some() {
            // RFC 9002 section 6.2.1: whether or not the acknowledgement shows a round trip.
            conn.rtt.reset_backoff();
        }
        // The latest that arrived gives the round trip (section 5.1).
        event.rtt = sent.filter(|_| timed).map(|newest| conn.take_rtt(now, newest, newest));
        event.undone = self.undo_if_late(conn, now);
        self.after_event(conn, Some(ack), &mut event);
        event.rtt
    }

    /// A transmission has arrived: reports it, unless it was reported lost before. Returns when it
    /// left, if it is to be reported.
    fn settle(
        &mut self,
        conn: &mut Connection,
        now: Time,
        packet: u64,
        slot: &Slot,
    ) -> Option<Time> {
        let segment = self.stream.segment(packet);
        self.stream.deliver(segment);
        if slot.flags.has(Flags::LOST) {
            if self.reduced_at.is_some_and(|reduced_at| slot.sent_at <= reduced_at) {
                self.unproven = self.unproven.saturating_sub(1);
            }
            return None;
        }
        conn.note_delivered(now, packet, segment, slot);
        Some(slot.sent_at)
    }

    /// Every loss for which the latest reduction was made may have turned out to be late: takes it
    /// back then. True if it does.
    fn undo_if_late(&mut self, conn: &mut Connection, now: Time) -> bool {
        if self.reduced_at.is_none() || self.unproven > 0 {
            return false;
        }
        self.reduced_at = None;
        if conn.transport.undo {
            conn.controller.on_undo(now);
            conn.counters.undone += 1;
            conn.reduction.end();
            conn.enter(CaState::Open);
        }
        conn.transport.undo
    }

    /// An acknowledgement or a refusal came, or the time to look for losses: finds them, moves
    /// through the states, tells the controller.
    fn after_event(&mut self, conn: &mut Connection, ack: Option<&Ack>, event: &mut Event) {
        let now = event.now;
        let advanced = !conn.lists.acked.is_empty();
        let reducing_before = conn.is_reducing();
        let persistent = self.detect_losses(conn, now);
        self.step_state(conn, ack, event);
        let highest = conn.board.highest();
        conn.board.pass_settled(|packet| self.stream.forgets(packet, highest));
        self.stream.forget_below(conn.board.una());
        conn.short.forget_below(self.stream.una());
        if conn.board.in_flight() == 0 {
            conn.timers.retransmit = Time::NEVER;
        } else if advanced {
            conn.timers.retransmit = now + conn.rtt.timeout();
        }
        conn.forced &= !advanced;
        conn.feed(ack, event, self.stream.una(), self.stream.next());
        // Requirement, RFC 9002 section 7.6.2: "the sender's congestion window MUST be reduced to
        // the minimum congestion window (kMinimumWindow)"
        if persistent {
            conn.enter(CaState::Loss);
            conn.recovery_end = conn.board.next();
            conn.reduction.end();
            let lost = conn.lists.lost.len() as u32;
            conn.controller.on_timeout(&Timeout::new(
                now,
                event.in_flight_before,
                lost,
                event.congestion.is_none(),
            ));
        }
        conn.reduce(
            event,
            reducing_before,
            conn.lists.acked.len() as u32,
            advanced && conn.lists.lost.is_empty(),
        );
    }

    /// RFC 9002 section 6.1. True if transmissions lost without a gap span several timeouts
    /// (section 7.6).
    fn detect_losses(&mut self, conn: &mut Connection, now: Time) -> bool {
        let (num, den) = TIME_THRESHOLD;
        // Requirement, RFC 9002 section 6.1.2: "this time threshold MUST be set to at least the
        // local timer granularity"
        let loss_delay =
            (conn.latest_rtt.unwrap_or_default().max(conn.rtt.srtt()) * num / den).max(GRANULARITY);
        let next = conn.board.next();
        let mut last = None;
        let mut since = now;
        let mut longest = Span::ZERO;
        let again = conn.find_lost(|board, lost| {
            board.detect_numbered_losses(now, loss_delay, |packet, slot| {
                if last.is_none_or(|last| last + 1 != packet) {
                    since = slot.sent_at;
                }
                last = Some(packet);
                longest = longest.max(slot.sent_at.since(since));
                lost(self.stream.lose(packet, next), slot);
            })
        });
        // Requirement, RFC 9002 section 6.1.2: "then a timer SHOULD be set for the remaining time"
        conn.timers.reorder = again.unwrap_or(Time::NEVER);
        !conn.rtt.srtt().is_zero() && longest > conn.rtt.base_timeout() * PERSISTENT
    }

    /// RFC 9002 section 7.3: recovery ends when something sent during it has arrived. Notes the
    /// state that ends, and the reduction that is due.
    fn step_state(&mut self, conn: &mut Connection, ack: Option<&Ack>, event: &mut Event) {
        if conn.state != CaState::Open && conn.board.highest() > conn.recovery_end {
            event.ended = Some(conn.enter(CaState::Open));
        }
        event.congestion = self.enter_recovery(conn, event.now, ack);
    }

    /// Returns the reduction that is due, if one is.
    fn enter_recovery(
        &mut self,
        conn: &mut Connection,
        now: Time,
        ack: Option<&Ack>,
    ) -> Option<Congestion> {
        let counts = conn
            .lists
            .lost
            .iter()
            .any(|lost| self.reduced_at.is_none_or(|reduced_at| lost.sent_at > reduced_at));
        let marked = ack.is_some_and(|ack| ack.ece) && conn.decision.ecn != Ecn::NotEct;
        let congestion = match conn.state {
            _ if counts => Congestion::Loss,
            CaState::Open | CaState::Disorder if marked => Congestion::Mark,
            _ => {
                self.unproven += conn.lists.lost.len() as u32;
                return None;
            }
        };
        conn.enter(if congestion == Congestion::Loss { CaState::Recovery } else { CaState::Cwr });
        conn.recovery_end = conn.board.next();
        conn.cwr_wanted = conn.decision.ecn != Ecn::NotEct;
        conn.counters.recoveries += (congestion == Congestion::Loss) as u64;
        self.reduced_at = Some(now);
        // A reduction for marks is never undone.
        self.unproven = conn.lists.lost.len() as u32 + (congestion == Congestion::Mark) as u32;
        Some(congestion)
    }

    /// Transmissions have waited long enough for those after them.
    pub fn on_reorder_timer(&mut self, conn: &mut Connection, now: Time) {
        let mut event = conn.event(now);
        self.after_event(conn, None, &mut event);
    }

    /// Silence: a probe leaves whatever the window says, and nothing is declared lost (RFC 9002
    /// section 6.2).
    pub fn on_retransmit_timer(&self, conn: &mut Connection, now: Time) {
        // Requirement, RFC 9002 section 6.2: "MUST NOT cause prior unacknowledged packets to be
        // marked as lost"
        conn.counters.timeouts += 1;
        // Requirement, RFC 9002 section 6.2.1: "the PTO backoff MUST be increased, resulting in the
        // PTO period being set to twice its current value"
        conn.rtt.back_off();
        // Requirement, RFC 9002 section 6.2.4: "a sender MUST send at least one ack-eliciting
        // packet in the packet number space as a probe"
        conn.forced = true;
        conn.timers.retransmit = now + conn.rtt.timeout();
    }
}
