//! The way of an acknowledgement through the sender.

use super::{Probe, Tcp};
use crate::scoreboard::{Evidence, Flags, Slot};
use crate::sender::connection::Connection;
use crate::wire::{Ack, Block, MAX_BLOCKS};
use crate::{LossDetection, RecoveryAlgorithm};
use narrows_control::{CaState, Congestion};
use narrows_units::{Span, Time};

impl Tcp {
    /// An acknowledgement arrives. Returns the round trip that it shows, if any.
    #[inline(always)]
    pub fn on_ack(&mut self, conn: &mut Connection, now: Time, ack: &Ack) -> Option<Span> {
        let una_before = conn.board.una();
        if ack.next > conn.board.next() || (ack.next < una_before && ack.blocks.is_empty()) {
            return None;
        }
        let mut event = conn.event(now);
        conn.receive_limit = conn.receive_limit.max(ack.next + ack.window as u64);

        let mut fresh = RttSamples::default();
        let evidence =
            conn.evidence(now, if conn.transport.timestamps { ack.echo } else { Time::ZERO });
        deliver_cumulative(conn, evidence, ack.next, &mut fresh);
        event.resent_acked = fresh.retransmitted || fresh.repaired;
        if fresh.retransmitted {
            // Segments delivered together with a retransmission may have waited for it.
            //
            // Requirement, RFC 6298 section 3: "TCP MUST use Karn's algorithm [KP87] for taking RTT
            // samples"
            (fresh.oldest, fresh.newest) = (Time::NEVER, Time::ZERO);
        }
        event.duplicate = ack.duplicate && self.note_duplicate(conn, &ack.blocks);
        if !ack.blocks.is_empty() {
            deliver_selective(conn, evidence, &ack.blocks[ack.duplicate as usize..], &mut fresh);
        }
        let advanced = conn.board.una() > una_before;
        let mut newly_delivered = conn.lists.acked.len() as u32;
        if !conn.transport.sack {
            newly_delivered =
                count_duplicates(conn, newly_delivered, ack.next == una_before && ack.part == 0);
        }
        event.rtt = take_rtt(conn, now, ack, advanced, &fresh);
        event.undone = self.look_for_undo(conn, now, ack, advanced, fresh.lowest());

        let reducing_before = conn.is_reducing();
        if self.holds {
            // Nothing more is found lost.
        } else if !conn.transport.sack {
            detect_losses_by_duplicates(conn, advanced);
        } else if conn.board.has_holes() {
            self.detect_losses(conn, now);
        } else {
            conn.timers.reorder = Time::NEVER;
        }
        event.probe_loss =
            self.probe.is_some() && self.judge_probe(conn, ack, advanced || ack.part > 0);
        if !conn.is_untroubled() || ack.ece {
            self.step_state(conn, ack, &mut event);
        }
        if event.probe_loss {
            event.congestion.get_or_insert(Congestion::Loss);
        }
        if advanced {
            self.timeouts_in_a_row = 0;
        }
        let heard = advanced || outlives_the_first(conn, &fresh);
        self.restart_timers(conn, now, heard);
        conn.feed(Some(ack), &event, conn.board.una(), conn.board.next());
        conn.reduce(
            &event,
            reducing_before,
            newly_delivered,
            advanced && conn.lists.lost.is_empty(),
        );
        event.rtt
    }

    /// A duplicate was reported (RFC 2883): evidence for undo, and RACK tolerates more reordering.
    fn note_duplicate(&mut self, conn: &Connection, blocks: &[Block]) -> bool {
        let Some(block) = blocks.first() else { return false };
        let una = conn.board.una();
        let next = conn.board.next();
        let outstanding = (una..next).contains(&block.start);
        let retransmitted =
            !outstanding || conn.board.slot(block.start).flags.has(Flags::EVER_RETRANSMITTED);
        self.undo.on_duplicate(block.start, retransmitted);
        self.reordering.on_duplicate(una, next);
        true
    }

    #[inline]
    pub(super) fn detect_losses(&self, conn: &mut Connection, now: Time) {
        match conn.transport.loss_detection {
            LossDetection::Rack => {
                let min_rtt = conn.rtt.minimum().unwrap_or_default();
                let steps = self.reordering.steps();
                let srtt = conn.rtt.srtt();
                let window =
                    conn.board.reordering_window(conn.is_repairing(), min_rtt, steps, srtt);
                let again = conn.find_lost(|board, lost| board.detect_losses(now, window, lost));
                conn.timers.reorder = again.unwrap_or(Time::NEVER);
            }
            LossDetection::Dupack | LossDetection::Fack => {
                conn.find_lost(|board, lost| board.detect_losses_by_count(lost))
            }
        }
    }

    /// Linux `tcp_process_tlp_ack`: if a probe that was a retransmission filled a hole, something
    /// had been lost and a reduction is due. That shows when the acknowledgement goes past the
    /// probe without a duplicate of it having been reported. True if so.
    fn judge_probe(&mut self, conn: &Connection, ack: &Ack, advanced: bool) -> bool {
        let Some(Probe { end, retransmission }) = self.probe else { return false };
        let una = conn.board.una();
        if una < end {
            return false;
        }
        let duplicate = ack.duplicate && ack.blocks.first().is_some_and(|block| block.end == end);
        let repeated = una == end && !advanced && conn.lists.acked.is_empty();
        if !retransmission || duplicate || repeated {
            self.probe = None;
            return false;
        }
        if una == end {
            return false;
        }
        self.probe = None;
        matches!(conn.state, CaState::Open | CaState::Disorder)
    }
}

#[inline]
fn deliver_cumulative(
    conn: &mut Connection,
    evidence: Evidence,
    next: u64,
    fresh: &mut RttSamples,
) {
    if next <= conn.board.una() {
        return;
    }
    // Not in memory, where each segment would be written.
    let mut samples = std::mem::take(fresh);
    while conn.board.una() < next {
        let number = conn.board.una();
        match conn.board.pass(evidence) {
            Some(slot) => {
                samples.add(number, &slot);
                conn.note_delivered(evidence.now, number, number, &slot);
            }
            None => {
                samples.repaired |= conn.board.slot(number).flags.has(Flags::EVER_RETRANSMITTED)
            }
        }
    }
    *fresh = samples;
    conn.board.trim();
    conn.short.forget_below(next);
}

fn deliver_selective(
    conn: &mut Connection,
    evidence: Evidence,
    blocks: &[Block],
    fresh: &mut RttSamples,
) {
    // Blocks are repeated in several acknowledgements; those of the one before are known. Several
    // new ones are taken in order, lest their segments look reordered.
    let mut new = [Block::default(); MAX_BLOCKS];
    let mut count = 0;
    let known = &*conn.known_blocks;
    for (block, place) in blocks.iter().zip(known) {
        if block != place && !known.contains(block) {
            new[count] = *block;
            count += 1;
        }
    }
    if count > 1 {
        new[..count].sort_unstable_by_key(|block| block.start);
    }
    for block in &new[..count] {
        conn.board.sack(block.start, block.end, evidence, &mut conn.lists.arrived);
    }
    for index in 0..conn.lists.arrived.len() {
        let (number, slot) = conn.lists.arrived[index];
        fresh.add(number, &slot);
        conn.note_delivered(evidence.now, number, number, &slot);
    }
    conn.lists.arrived.clear();
    conn.known_blocks[..blocks.len()].copy_from_slice(blocks);
}

/// The round trip of the segments sent only once; without any the stamp serves (RFC 7323 section
/// 4).
#[inline]
fn take_rtt(
    conn: &mut Connection,
    now: Time,
    ack: &Ack,
    advanced: bool,
    fresh: &RttSamples,
) -> Option<Span> {
    let (oldest, newest) = match (fresh.oldest, fresh.newest) {
        (Time::NEVER, _) if advanced && conn.transport.timestamps => (ack.echo, ack.echo),
        (Time::NEVER, _) => return None,
        both => both,
    };
    Some(conn.take_rtt(now, oldest, newest))
}

/// Linux `tcp_clean_rtx_queue`: the timeout begins anew as well where segments are reported that
/// left before the latest transmission of the first one, of which no news can have come yet. Those
/// that left later do not count: they would put the timeout off for as long as recovery lasts.
fn outlives_the_first(conn: &Connection, fresh: &RttSamples) -> bool {
    conn.transport.loss_detection == LossDetection::Rack
        && fresh.oldest != Time::NEVER
        && conn.board.outstanding() > 0
        && fresh.oldest < conn.board.slot(conn.board.una()).sent_at
}

/// Without SACK: returns how many segments a duplicate acknowledgement, or one that acknowledges
/// `acked` segments, shows to have been delivered.
fn count_duplicates(conn: &mut Connection, acked: u32, duplicate: bool) -> u32 {
    match conn.state {
        _ if conn.board.outstanding() == 0 => conn.board.forget_duplicates(),
        CaState::Loss => {}
        CaState::Recovery if acked > 0 => {
            return acked.saturating_sub(conn.board.absorb_duplicates(acked));
        }
        _ if acked > 0 => conn.board.forget_duplicates(),
        _ if duplicate => {
            conn.board.count_duplicate();
            return 1;
        }
        _ => {}
    }
    acked
}

/// Without SACK: `dupthresh` duplicates prove the first segment lost, unless they may come from
/// needless retransmissions of the recovery before; in recovery, an acknowledgement that stops
/// short of its end proves the next one lost (RFC 6582 section 3.2).
fn detect_losses_by_duplicates(conn: &mut Connection, advanced: bool) {
    let una = conn.board.una();
    let proven = match conn.state {
        CaState::Loss => false,
        CaState::Recovery => {
            advanced
                && una < conn.recovery_end
                && conn.transport.recovery != RecoveryAlgorithm::Reno
        }
        _ => conn.board.enough_duplicates() && (conn.recovery_end == 0 || una > conn.recovery_end),
    };
    if proven {
        conn.find_lost(|board, lost| board.lose_first(lost));
    }
}

/// Segments that an acknowledgement delivers and that were sent only once.
struct RttSamples {
    /// Departures of the oldest and the newest; `NEVER` and zero without any.
    oldest: Time,
    newest: Time,
    /// The lowest number; `u64::MAX` without any.
    lowest: u64,
    /// A segment sent more than once was among them.
    retransmitted: bool,
    /// Such a segment was acknowledged cumulatively that had been so selectively before.
    repaired: bool,
}

impl Default for RttSamples {
    fn default() -> RttSamples {
        RttSamples {
            oldest: Time::NEVER,
            newest: Time::ZERO,
            lowest: u64::MAX,
            retransmitted: false,
            repaired: false,
        }
    }
}

impl RttSamples {
    #[inline]
    fn add(&mut self, number: u64, slot: &Slot) {
        if slot.flags.has(Flags::EVER_RETRANSMITTED) {
            self.retransmitted = true;
            return;
        }
        self.lowest = self.lowest.min(number);
        self.oldest = self.oldest.min(slot.sent_at);
        self.newest = self.newest.max(slot.sent_at);
    }

    fn lowest(&self) -> Option<u64> {
        (self.lowest != u64::MAX).then_some(self.lowest)
    }
}
