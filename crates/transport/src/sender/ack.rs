//! What an acknowledgement changes.

use super::Sender;
use super::states::REORDERING_PERSISTS;
use crate::recovery::Spread;
use crate::scoreboard::{Evidence, Flags, Slot};
use crate::short::ShortSegments;
use crate::wire::{Ack, Block, MAX_BLOCKS};
use crate::{LossDetection, RecoveryAlgorithm};
use narrows_control::{Acked, CaState, Congestion, EcnDelta, Feedback, Lost, Totals};
use narrows_units::{Bytes, Span, Time};

impl Sender {
    /// An acknowledgement arrives, with its SACK blocks. Returns the round trip it shows, if it does.
    pub fn on_ack(&mut self, now: Time, ack: &Ack, blocks: &[Block]) -> Option<Span> {
        self.acked.clear();
        self.lost.clear();
        if let Some(stream) = self.stream.take() {
            return self.on_numbered_ack(now, ack, blocks, true, stream);
        }
        let una_before = self.board.una();
        if ack.next > self.board.next() || (ack.next < una_before && blocks.is_empty()) {
            return None;
        }
        let in_flight_before = self.board.in_flight();
        self.receive_limit = self.receive_limit.max(ack.next + ack.window as u64);

        let mut fresh = RttSamples::default();
        let echo = if self.transport.timestamps { ack.echo } else { Time::ZERO };
        let evidence = Evidence { now, echo, min_rtt: self.rtt.minimum().unwrap_or(Span::MAX) };
        self.deliver_cumulative(evidence, ack.next, &mut fresh);
        if fresh.resent {
            // What came with a retransmission may have waited for it (Karn).
            fresh.sent = None;
        }
        let duplicate = ack.duplicate && self.note_duplicate(blocks);
        if !blocks.is_empty() {
            self.deliver_selective(evidence, &blocks[ack.duplicate as usize..], &mut fresh);
        }
        let advanced = self.board.una() > una_before;
        let mut newly_delivered = self.acked.len() as u32;
        if !self.transport.sack {
            newly_delivered = self.count_duplicates(newly_delivered, ack.next == una_before);
        }
        let rtt = self.take_rtt(now, ack, advanced, &fresh);
        self.look_for_undo(now, ack, advanced, fresh.lowest);

        let reducing_before = matches!(self.state, CaState::Recovery | CaState::Cwr);
        if !self.transport.sack {
            self.detect_losses_by_duplicates(advanced);
        } else if self.board.has_holes() {
            self.detect_losses(now);
        } else {
            self.timers.reorder = Time::NEVER;
        }
        let ecn = self.ecn_delta(ack);
        let mut congestion = self.judge_probe(advanced, duplicate);
        congestion = self.step_state(ack).or(congestion);
        if advanced {
            self.timeouts_in_a_row = 0;
        }
        self.restart_timers(now, advanced);
        self.feed(now, rtt, in_flight_before, ecn, congestion);
        let clean = advanced && self.lost.is_empty();
        self.reduce(congestion, reducing_before, newly_delivered, clean);
        rtt
    }

    #[inline]
    fn deliver_cumulative(&mut self, evidence: Evidence, next: u64, fresh: &mut RttSamples) {
        if next <= self.board.una() {
            return;
        }
        while self.board.una() < next {
            let number = self.board.una();
            if let Some(slot) = self.board.pass(evidence) {
                self.delivered(evidence.now, number, &slot, fresh);
            }
        }
        self.board.trim();
        self.short.forget_below(next);
    }

    fn deliver_selective(&mut self, evidence: Evidence, blocks: &[Block], fresh: &mut RttSamples) {
        let mut arrived = std::mem::take(&mut self.arrived);
        // Blocks are repeated in several acknowledgements; those of the one before are known. What several bring at once is taken in order, lest it look
        // reordered.
        let (mut new, mut count) = ([Block::default(); MAX_BLOCKS], 0);
        for block in blocks.iter().filter(|block| !self.known_blocks.contains(block)) {
            new[count] = *block;
            count += 1;
        }
        if count > 1 {
            new[..count].sort_unstable_by_key(|block| block.start);
        }
        for block in &new[..count] {
            self.board.sack(block.start, block.end, evidence, &mut arrived);
        }
        for (number, slot) in arrived.drain(..) {
            self.delivered(evidence.now, number, &slot, fresh);
        }
        self.arrived = arrived;
        self.known_blocks[..blocks.len()].copy_from_slice(blocks);
    }

    #[inline]
    fn delivered(&mut self, now: Time, number: u64, slot: &Slot, fresh: &mut RttSamples) {
        let app_limited = slot.flags.has(Flags::APP_LIMITED);
        if self.sample_rates {
            self.rate.on_delivered(now, slot.sent_at, self.board.stamp(number), app_limited);
        } else {
            self.rate.delivered += 1;
        }
        if slot.flags.has(Flags::EVER_RESENT) {
            fresh.resent = true;
        } else {
            fresh.add(number, slot.sent_at);
        }
        self.acked.push(Acked {
            number,
            bytes: self.payload(number),
            sent_at: slot.sent_at,
            rtt: now.since(slot.sent_at),
            tag: slot.tag,
            app_limited,
            window_limited: slot.flags.has(Flags::WINDOW_LIMITED),
        });
    }

    /// Takes the round trip samples: the oldest segment's for the mean, as Linux does, and the newest's for the minimum and the controller. Without a segment
    /// sent only once the stamp serves (RFC 7323 section 4).
    #[inline]
    fn take_rtt(&mut self, now: Time, ack: &Ack, advanced: bool, fresh: &RttSamples) -> Option<Span> {
        let (oldest, newest) = match fresh.sent {
            Some((oldest, newest)) => (oldest, newest),
            None if advanced && self.transport.timestamps => (ack.echo, ack.echo),
            None => return None,
        };
        let rtt = now.since(newest);
        self.rtt.sample(now.since(oldest), self.board.una(), self.board.next());
        self.rtt.sample_minimum(now, rtt);
        self.latest_rtt = Some(rtt);
        Some(rtt)
    }

    /// A duplicate was reported (RFC 2883): evidence for undo, and RACK tolerates more reordering (RFC 8985 section 6.2 step 4).
    fn note_duplicate(&mut self, blocks: &[Block]) -> bool {
        let Some(block) = blocks.first() else { return false };
        let outstanding = (self.board.una()..self.board.next()).contains(&block.start);
        let resent = !outstanding || self.board.slot(block.start).flags.has(Flags::EVER_RESENT);
        self.undo.on_duplicate(block.start, resent);
        if self.board.una() >= self.reordering_round {
            self.reordering_steps += 1;
            self.reordering_persist = REORDERING_PERSISTS;
            self.reordering_round = self.board.next();
        }
        true
    }

    pub(super) fn detect_losses(&mut self, now: Time) {
        let (lost, short, mss) = (&mut self.lost, &self.short, self.transport.mss);
        let before = lost.len();
        let note = |number: u64, slot: Slot| lost.push(describe_lost(number, &slot, short, mss));
        match self.transport.loss_detection {
            LossDetection::Rack => {
                let in_recovery = matches!(self.state, CaState::Recovery | CaState::Loss);
                let min_rtt = self.rtt.minimum().unwrap_or_default();
                let window = self.board.reordering_window(in_recovery, min_rtt, self.reordering_steps, self.rtt.srtt());
                self.timers.reorder = self.board.detect_losses(now, window, note).unwrap_or(Time::NEVER);
            }
            LossDetection::Dupack | LossDetection::Fack => self.board.detect_losses_by_count(note),
        }
        self.counters.declared_lost += (self.lost.len() - before) as u64;
    }

    /// Without SACK: what a duplicate acknowledgement, or one of `acked` segments, tells of how many were delivered just now.
    fn count_duplicates(&mut self, acked: u32, duplicate: bool) -> u32 {
        match self.state {
            _ if self.board.outstanding() == 0 => self.board.forget_duplicates(),
            CaState::Loss => {}
            _ if acked > 0 && self.state == CaState::Recovery => return acked.saturating_sub(self.board.absorb_duplicates(acked)),
            _ if acked > 0 => self.board.forget_duplicates(),
            _ if duplicate => {
                self.board.count_duplicate();
                return 1;
            }
            _ => {}
        }
        acked
    }

    /// Without SACK: `dupthresh` duplicates prove the first segment lost, unless they may come from what the recovery before repeated needlessly; in recovery,
    /// an acknowledgement that stops short of its end proves the next one lost (RFC 6582 section 3.2).
    fn detect_losses_by_duplicates(&mut self, advanced: bool) {
        let una = self.board.una();
        let proven = match self.state {
            CaState::Loss => false,
            CaState::Recovery => advanced && una < self.recovery_end && self.transport.recovery != RecoveryAlgorithm::Reno,
            _ => self.board.enough_duplicates() && (self.recovery_end == 0 || una > self.recovery_end),
        };
        if proven {
            let (lost, short, mss) = (&mut self.lost, &self.short, self.transport.mss);
            let before = lost.len();
            self.board.lose_first(|number, slot| lost.push(describe_lost(number, &slot, short, mss)));
            self.counters.declared_lost += (self.lost.len() - before) as u64;
        }
    }

    pub(super) fn ecn_delta(&mut self, ack: &Ack) -> EcnDelta {
        let (ect0, ect1, ce) = &mut self.ecn_seen;
        EcnDelta { ect0: counted(ect0, ack.ect0), ect1: counted(ect1, ack.ect1), ce: counted(ce, ack.ce), echo: ack.ece }
    }

    /// Linux `tcp_process_tlp_ack`: if a probe that was a retransmission filled a hole, something had been lost and a reduction is due. That shows when the
    /// acknowledgement goes past the probe without a duplicate having been reported.
    fn judge_probe(&mut self, advanced: bool, duplicate: bool) -> Option<Congestion> {
        let (end, retransmission) = self.probe?;
        let una = self.board.una();
        if una < end {
            return None;
        }
        let repeated = una == end && !advanced && self.acked.is_empty();
        if !retransmission || duplicate || repeated {
            self.probe = None;
            return None;
        }
        if una == end {
            return None;
        }
        self.probe = None;
        matches!(self.state, CaState::Open | CaState::Disorder).then_some(Congestion::Loss)
    }

    /// Tells the controller and takes its decision.
    #[inline]
    pub(super) fn feed(&mut self, now: Time, rtt: Option<Span>, in_flight_before: u32, ecn: EcnDelta, congestion: Option<Congestion>) {
        let mut rate = None;
        self.rate.pass_app_limit();
        if self.sample_rates {
            let min_rtt = self.rtt.minimum().unwrap_or_default();
            rate = self.rate.sample(now, min_rtt);
            if let (Some(sample), [only]) = (&mut rate, self.acked.as_slice()) {
                sample.ack_delayed = only.bytes < self.transport.mss && sample.delivered == 1;
            }
        }
        let mut feedback = Feedback::at(now);
        feedback.acked = &self.acked;
        feedback.lost = &self.lost;
        feedback.rtt = rtt;
        feedback.rate = rate;
        feedback.in_flight_before = in_flight_before;
        feedback.in_flight = self.board.in_flight();
        feedback.ecn = ecn;
        feedback.signal = self.signal.take();
        feedback.totals = Totals { sent: self.counters.sent, delivered: self.rate.delivered, lost: self.counters.declared_lost };
        feedback.srtt = self.rtt.srtt();
        feedback.ca_state = self.state;
        feedback.congestion = congestion;
        self.controller.on_feedback(&feedback);
    }

    /// Carries the controller's decision into the window.
    #[inline]
    pub(super) fn reduce(&mut self, congestion: Option<Congestion>, reducing_before: bool, acked: u32, clean: bool) {
        let reducing = matches!(self.state, CaState::Recovery | CaState::Cwr);
        if reducing && (congestion.is_some() || !reducing_before) {
            self.spread.begin(self.decision.window.whole().max(1));
        }
        self.decision = self.controller.decision();
        let (in_flight, target) = (self.board.in_flight(), self.decision.window.whole().max(1));
        match &mut self.spread {
            Spread::Prr(prr) if reducing => prr.on_ack(acked, in_flight, target, clean),
            Spread::RateHalving(halving) if reducing => halving.on_ack(in_flight, target),
            Spread::RateHalving(halving) => halving.regrow(in_flight, target, reducing_before),
            Spread::Prr(_) | Spread::Pipe => {}
        }
    }
}

/// Of the segments that an acknowledgement delivers, those sent only once: when the oldest and the newest left, and the lowest number.
#[derive(Default)]
struct RttSamples {
    sent: Option<(Time, Time)>,
    lowest: Option<u64>,
    /// A segment sent more than once was among them.
    resent: bool,
}

impl RttSamples {
    #[inline]
    fn add(&mut self, number: u64, sent_at: Time) {
        self.lowest = Some(self.lowest.map_or(number, |lowest| lowest.min(number)));
        self.sent = Some(match self.sent {
            None => (sent_at, sent_at),
            Some((oldest, newest)) => (oldest.min(sent_at), newest.max(sent_at)),
        });
    }
}

/// By how much a count that wraps has grown; not at all if the acknowledgement was overtaken.
#[inline]
fn counted(seen: &mut u32, now: u32) -> u32 {
    let grown = now.wrapping_sub(*seen);
    if grown > u32::MAX / 2 {
        return 0;
    }
    *seen = now;
    grown
}

pub(super) fn describe_lost(number: u64, slot: &Slot, short: &ShortSegments, mss: Bytes) -> Lost {
    let bytes = short.payload(number).unwrap_or(mss);
    Lost { number, bytes, sent_at: slot.sent_at, tag: slot.tag }
}
