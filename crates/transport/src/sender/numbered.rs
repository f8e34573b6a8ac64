//! Numbered transmissions: every one, retransmissions included, has a number of its own and is acknowledged by it (RFC 9000, RFC 9002).
//!
//! The scoreboard then holds transmissions, each with one fate: acknowledged or lost. What differs is here: which segment a transmission carries, which segments
//! have been delivered, and what late acknowledgements prove.

use super::Sender;
use super::ack::describe_lost;
use crate::ranges::RangeSet;
use crate::scoreboard::{Evidence, Flags, Slot};
use crate::wire::{Ack, Block};
use narrows_control::{Acked, CaState, Congestion, EcnDelta, Timeout};
use narrows_units::{Span, Time};
use narrows_wire::Ecn;
use std::collections::VecDeque;

/// The segments that numbered transmissions carry.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    /// Segment of each outstanding transmission, the oldest first.
    carried: VecDeque<u64>,
    /// The number of the oldest.
    first: u64,
    /// Segments delivered above `una`.
    delivered: RangeSet,
    /// First segment not delivered.
    una: u64,
    /// First segment never sent.
    next: u64,
    /// Lost and not sent again since.
    to_resend: RangeSet,
    /// Lost transmissions, each with the one whose delivery ends the watch for a late acknowledgement.
    remembered: VecDeque<(u64, u64)>,
    /// When the latest reduction was made: what left before causes no other (RFC 9002 section 7.3.1).
    reduced_at: Option<Time>,
    /// Transmissions lost for which the latest reduction was made and that have not turned out late.
    unproven: u32,
}

/// Round trips that a transmission may take before it is lost (RFC 9002 section 6.1.2, `kTimeThreshold`), and the least such time (`kGranularity`).
const TIME_THRESHOLD: (u64, u64) = (9, 8);
const GRANULARITY: Span = Span::from_millis(1);
/// Timeouts that lost transmissions must span for everything to start anew (RFC 9002 section 7.6.1, `kPersistentCongestionThreshold`).
const PERSISTENT: u64 = 3;

impl Stream {
    /// First segment not delivered.
    pub(super) fn una(&self) -> u64 {
        self.una
    }

    /// First segment never sent.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// What a probe without new data carries: the first segment not delivered, or the last one sent if only acknowledgements are missing.
    pub(super) fn to_probe(&self) -> u64 {
        self.una.min(self.next - 1)
    }

    /// The first segment that waits for retransmission.
    pub(super) fn first_to_resend(&self) -> Option<u64> {
        self.to_resend.first()
    }

    /// A transmission of `segment` leaves.
    pub(super) fn on_sent(&mut self, segment: u64) {
        self.carried.push_back(segment);
        self.to_resend.remove(segment);
        self.next = self.next.max(segment + 1);
    }

    fn segment(&self, packet: u64) -> u64 {
        self.carried[(packet - self.first) as usize]
    }

    fn has(&self, segment: u64) -> bool {
        segment < self.una || self.delivered.contains(segment)
    }

    /// A segment is delivered, if it was not before.
    pub(super) fn deliver(&mut self, segment: u64) {
        if self.has(segment) {
            return;
        }
        self.to_resend.remove(segment);
        self.delivered.insert(segment..segment + 1, |_| {});
        if let Some(run) = self.delivered.holding(self.una) {
            self.una = run.end;
            self.delivered.remove_below(run.end);
        }
    }

    fn lose(&mut self, packet: u64, next_packet: u64) -> u64 {
        self.remembered.push_back((packet, next_packet));
        self.repeat(packet)
    }

    /// The segment that `packet` carried is to be sent again, unless it was delivered otherwise. Returns it.
    pub(super) fn repeat(&mut self, packet: u64) -> u64 {
        let segment = self.segment(packet);
        if !self.has(segment) {
            self.to_resend.insert(segment..segment + 1, |_| {});
        }
        segment
    }

    /// True once a transmission that left after `packet` was lost has been delivered: `highest` is one past the highest delivered.
    fn forgets(&mut self, packet: u64, highest: u64) -> bool {
        while self.remembered.front().is_some_and(|(lost, end)| *lost < packet || *end < highest) {
            self.remembered.pop_front();
        }
        self.remembered.front().is_none_or(|(lost, _)| *lost > packet)
    }
}

impl Sender {
    /// An acknowledgement of transmissions arrives. It shows a round trip only if `timed`.
    pub(super) fn on_numbered_ack(&mut self, now: Time, ack: &Ack, blocks: &[Block], timed: bool, mut stream: Box<Stream>) -> Option<Span> {
        let in_flight_before = self.board.in_flight();
        self.receive_limit = self.receive_limit.max(ack.next + ack.window as u64);
        let evidence = Evidence { now, echo: Time::NEVER, min_rtt: self.rtt.minimum().unwrap_or(Span::MAX) };
        let mut arrived = std::mem::take(&mut self.arrived);
        for block in blocks.iter().rev().filter(|block| !self.known_blocks.contains(block)) {
            self.board.sack(block.start, block.end, evidence, &mut arrived);
        }
        self.known_blocks[..blocks.len()].copy_from_slice(blocks);
        let mut sent: Option<(Time, Time)> = None;
        for (packet, slot) in arrived.drain(..) {
            if let Some(at) = self.settle(now, packet, &slot, &mut stream) {
                sent = Some(sent.map_or((at, at), |(oldest, newest)| (oldest.min(at), newest.max(at))));
            }
        }
        self.arrived = arrived;
        let rtt = sent.filter(|_| timed).map(|(oldest, newest)| {
            self.rtt.sample(now.since(oldest), self.board.una(), self.board.next());
            self.rtt.sample_minimum(now, now.since(newest));
            now.since(newest)
        });
        self.latest_rtt = rtt.or(self.latest_rtt);
        let advanced = !self.acked.is_empty();
        self.undo_if_late(now, &mut stream);
        self.after_numbered_event(now, Some(ack), in_flight_before, rtt, advanced, stream);
        rtt
    }

    /// A transmission has arrived: reports it, unless it was reported lost before. Returns when it left, if it is to be reported.
    fn settle(&mut self, now: Time, packet: u64, slot: &Slot, stream: &mut Stream) -> Option<Time> {
        let segment = stream.segment(packet);
        stream.deliver(segment);
        if slot.flags.has(Flags::LOST) {
            if stream.reduced_at.is_some_and(|reduced_at| slot.sent_at <= reduced_at) {
                stream.unproven = stream.unproven.saturating_sub(1);
            }
            return None;
        }
        let app_limited = slot.flags.has(Flags::APP_LIMITED);
        if self.sample_rates {
            self.rate.on_delivered(now, slot.sent_at, self.board.stamp(packet), app_limited);
        } else {
            self.rate.delivered += 1;
        }
        self.acked.push(Acked {
            number: segment,
            bytes: self.payload(segment),
            sent_at: slot.sent_at,
            rtt: now.since(slot.sent_at),
            tag: slot.tag,
            app_limited,
            window_limited: slot.flags.has(Flags::WINDOW_LIMITED),
        });
        Some(slot.sent_at)
    }

    /// Every loss for which the latest reduction was made has turned out to be late.
    fn undo_if_late(&mut self, now: Time, stream: &mut Stream) {
        if stream.reduced_at.is_some() && stream.unproven == 0 {
            stream.reduced_at = None;
            if self.transport.undo {
                self.controller.on_undo(now);
                self.counters.undone += 1;
                self.spread.end();
                self.state = CaState::Open;
            }
        }
    }

    /// An acknowledgement or a refusal came, or the time to look for losses: finds them, moves through the states, tells the controller.
    pub(super) fn after_numbered_event(
        &mut self,
        now: Time,
        ack: Option<&Ack>,
        in_flight_before: u32,
        rtt: Option<Span>,
        advanced: bool,
        mut stream: Box<Stream>,
    ) {
        let reducing_before = matches!(self.state, CaState::Recovery | CaState::Cwr);
        let persistent = self.detect_numbered(now, &mut stream);
        let congestion = self.step_numbered(now, ack, &mut stream);
        let highest = self.board.highest();
        self.board.pass_settled(|packet| stream.forgets(packet, highest));
        let settled = self.board.una() - stream.first;
        stream.carried.drain(..settled as usize);
        stream.first += settled;
        self.short.forget_below(stream.una());
        self.stream = Some(stream);
        if self.board.in_flight() == 0 {
            self.timers.retransmit = Time::NEVER;
        } else if advanced {
            self.timers.retransmit = now + self.rtt.timeout();
        }
        self.probe_wanted &= !advanced;
        let ecn = ack.map_or(EcnDelta::default(), |ack| self.ecn_delta(ack));
        self.feed(now, rtt, in_flight_before, ecn, congestion);
        if persistent {
            self.state = CaState::Loss;
            self.recovery_end = self.board.next();
            self.spread.end();
            let lost = self.lost.len() as u32;
            self.controller.on_timeout(&Timeout::new(now, in_flight_before, lost, congestion.is_none()));
        }
        self.reduce(congestion, reducing_before, self.acked.len() as u32, advanced && self.lost.is_empty());
    }

    /// RFC 9002 section 6.1. True if what is lost without a gap spans several timeouts (section 7.6).
    fn detect_numbered(&mut self, now: Time, stream: &mut Stream) -> bool {
        let (num, den) = TIME_THRESHOLD;
        let patience = (self.latest_rtt.unwrap_or_default().max(self.rtt.srtt()) * num / den).max(GRANULARITY);
        let next = self.board.next();
        let (mut last, mut since, mut longest) = (None, now, Span::ZERO);
        let (lost, short, mss) = (&mut self.lost, &self.short, self.transport.mss);
        let again = self.board.detect_numbered_losses(now, patience, |packet, slot| {
            if last.is_none_or(|last| last + 1 != packet) {
                since = slot.sent_at;
            }
            last = Some(packet);
            longest = longest.max(slot.sent_at.since(since));
            lost.push(describe_lost(stream.lose(packet, next), &slot, short, mss));
        });
        self.counters.declared_lost += self.lost.len() as u64;
        self.timers.reorder = again.unwrap_or(Time::NEVER);
        !self.rtt.srtt().is_zero() && longest > self.rtt.timeout() * PERSISTENT
    }

    /// RFC 9002 section 7.3: recovery ends when something sent during it has arrived.
    fn step_numbered(&mut self, now: Time, ack: Option<&Ack>, stream: &mut Stream) -> Option<Congestion> {
        if self.state != CaState::Open && self.board.highest() > self.recovery_end {
            self.state = CaState::Open;
        }
        let counts = self.lost.iter().filter(|lost| stream.reduced_at.is_none_or(|reduced_at| lost.sent_at > reduced_at)).count();
        let marked = ack.is_some_and(|ack| ack.ece) && self.decision.ecn != Ecn::NotEct;
        let congestion = match self.state {
            _ if counts > 0 => Congestion::Loss,
            CaState::Open | CaState::Disorder if marked => Congestion::Mark,
            _ => {
                stream.unproven += self.lost.len() as u32;
                return None;
            }
        };
        self.state = if congestion == Congestion::Loss { CaState::Recovery } else { CaState::Cwr };
        self.recovery_end = self.board.next();
        self.cwr_wanted = self.decision.ecn != Ecn::NotEct;
        self.counters.recoveries += (congestion == Congestion::Loss) as u64;
        stream.reduced_at = Some(now);
        // What marks asked for is never undone.
        stream.unproven = self.lost.len() as u32 + (congestion == Congestion::Mark) as u32;
        Some(congestion)
    }

    /// Transmissions have waited long enough for those after them.
    pub(super) fn on_numbered_reorder_timer(&mut self, now: Time, stream: Box<Stream>) {
        let in_flight_before = self.board.in_flight();
        self.after_numbered_event(now, None, in_flight_before, None, false, stream);
    }

    /// Silence: a probe leaves whatever the window says, and nothing is declared lost (RFC 9002 section 6.2).
    pub(super) fn on_probe_timeout(&mut self, now: Time) {
        self.counters.timeouts += 1;
        self.rtt.back_off();
        self.probe_wanted = true;
        self.timers.retransmit = now + self.rtt.timeout();
    }
}
