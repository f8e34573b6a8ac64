//! The sending endpoint.

use crate::Transport;
use crate::pacing::Pacer;
use crate::rate::RateSampler;
use crate::recovery::{Frto, Prr, Undo};
use crate::rtt::RttEstimator;
use crate::scoreboard::{Evidence, Flags, Scoreboard, Slot};
use crate::wire::{Ack, Block, Data, MAX_BLOCKS};
use narrows_control::{Acked, Congestion, Controller, Decision, Ecn, EcnDelta, Feedback, Lost, Recovery, Reduction, Sent, Timeout, Totals};
use narrows_units::{Bytes, Rate, Span, Time};

/// Sends one connection's data as its controller decides: numbering, loss detection by RACK-TLP (RFC 8985), recovery with PRR (RFC 6937), retransmission
/// timeout (RFC 6298), undo of spurious reductions, pacing, classic ECN (RFC 3168) and delivery rate samples.
///
/// It never acts by itself: a world hands it acknowledgements, calls [`transmit`](Sender::transmit) at [`ready_at`](Sender::ready_at) until it yields nothing,
/// and calls [`on_timer`](Sender::on_timer) at [`next_timer`](Sender::next_timer).
pub struct Sender {
    transport: Transport,
    controller: Box<dyn Controller>,
    decision: Decision,
    board: Scoreboard,
    rtt: RttEstimator,
    latest_rtt: Option<Span>,
    rate: RateSampler,
    sample_rates: bool,
    pacer: Pacer,
    /// Segments below this may be sent: written by the application, and within the receiver's window.
    written: u64,
    last_segment: Option<(u64, Bytes)>,
    finished: bool,
    receive_limit: u64,
    state: Recovery,
    /// Recovery ends when everything below this is acknowledged.
    recovery_end: u64,
    prr: Prr,
    undo: Undo,
    /// RACK's reordering window in quarters of the least round trip, and the round in which it grew last.
    reordering_steps: u64,
    reordering_round: u64,
    /// Recoveries after which it shrinks.
    reordering_persist: u32,
    window_limited: bool,
    /// `window_limited` holds until everything below this is acknowledged.
    window_limited_until: u64,
    burst_start: u64,
    timers: Timers,
    /// A tail loss probe is out: the recovery point it asks about, and whether it was a retransmission.
    probe: Option<(u64, bool)>,
    probe_wanted: bool,
    timeouts_in_a_row: u32,
    frto: Frto,
    ecn_seen: (u32, u32, u32),
    cwr_wanted: bool,
    counters: SenderCounters,
    acked: Vec<Acked>,
    lost: Vec<Lost>,
    arrived: Vec<(u64, Slot)>,
    /// SACK blocks of the latest acknowledgement that had any.
    known_blocks: [Block; MAX_BLOCKS],
}

/// What a sender counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounters {
    /// Transmissions, retransmissions included.
    pub sent: u64,
    /// Of these, retransmissions.
    pub retransmitted: u64,
    /// Transmissions declared lost.
    pub declared_lost: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Times that a recovery began.
    pub recoveries: u64,
    /// Reductions undone as spurious.
    pub undone: u64,
}

#[derive(Clone, Copy, Debug)]
struct Timers {
    retransmit: Time,
    probe: Time,
    reorder: Time,
}

/// What keeps a sender from sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocked {
    Window,
    Pacing(Time),
    /// Nothing to send, or the receiver's window is full.
    Data,
}

impl Sender {
    /// A sender at the start of a connection. `sample_rates`: the controller needs delivery rate samples.
    pub fn new(transport: &Transport, controller: Box<dyn Controller>, sample_rates: bool) -> Sender {
        let decision = controller.decision();
        Sender {
            controller,
            decision,
            board: Scoreboard::new(sample_rates),
            rtt: RttEstimator::new(transport.initial_rto, transport.min_rto, transport.max_rto),
            latest_rtt: None,
            rate: RateSampler::default(),
            sample_rates,
            pacer: Pacer::default(),
            written: 0,
            last_segment: None,
            finished: false,
            receive_limit: transport.receive_window.map_or(u64::MAX, |bytes| bytes.get() / transport.mss.get()),
            state: Recovery::Open,
            recovery_end: 0,
            prr: Prr::default(),
            undo: Undo::default(),
            reordering_steps: 1,
            reordering_round: 0,
            reordering_persist: 0,
            window_limited: false,
            window_limited_until: 0,
            burst_start: 0,
            timers: Timers { retransmit: Time::NEVER, probe: Time::NEVER, reorder: Time::NEVER },
            probe: None,
            probe_wanted: false,
            timeouts_in_a_row: 0,
            frto: Frto::default(),
            ecn_seen: (0, 0, 0),
            cwr_wanted: false,
            counters: SenderCounters::default(),
            acked: Vec::new(),
            lost: Vec::new(),
            arrived: Vec::new(),
            known_blocks: [Block::default(); MAX_BLOCKS],
            transport: transport.clone(),
        }
    }

    /// The application writes `segments` more full segments.
    pub fn write(&mut self, segments: u64) {
        self.written = self.written.saturating_add(segments);
    }

    /// The application writes `bytes` and then nothing more: the last segment may be short.
    pub fn write_last(&mut self, bytes: Bytes) {
        let mss = self.transport.mss.get();
        let segments = bytes.get().div_ceil(mss);
        self.written = self.written.saturating_add(segments);
        self.finished = true;
        if segments > 0 {
            let rest = bytes.get() - (segments - 1) * mss;
            self.last_segment = Some((self.written - 1, Bytes::new(rest)));
        }
    }

    /// The application stops: nothing more is written, and what was written but never sent is dropped.
    pub fn stop(&mut self) {
        self.finished = true;
        self.written = self.board.next();
    }

    /// True when all that will ever be written is acknowledged.
    pub fn is_done(&self) -> bool {
        self.finished && self.board.una() >= self.written
    }

    fn payload(&self, number: u64) -> Bytes {
        match self.last_segment {
            Some((last, bytes)) if last == number => bytes,
            _ => self.transport.mss,
        }
    }

    /// The window that holds now, in segments.
    #[inline]
    fn window(&self) -> u32 {
        let reducing = matches!(self.state, Recovery::Recovery | Recovery::Cwr);
        if reducing && self.transport.prr && self.decision.reduction == Reduction::Transport {
            self.prr.window()
        } else {
            self.decision.window.whole().max(1)
        }
    }

    /// True if there is data that was never sent and the receiver has room for it.
    #[inline]
    fn has_new_data(&self) -> bool {
        let next = self.board.next();
        next < self.written && next < self.receive_limit
    }

    /// What may be sent now, or why nothing may.
    #[inline]
    fn sendable(&self, now: Time) -> Result<u64, Blocked> {
        let number = match self.board.first_to_resend() {
            Some(number) if self.frto != Frto::NewData => number,
            _ if self.has_new_data() => self.board.next(),
            Some(number) => number,
            None => return Err(Blocked::Data),
        };
        if self.probe_wanted {
            return Ok(number);
        }
        if self.board.in_flight() >= self.window() {
            return Err(Blocked::Window);
        }
        let release = self.pacer.release(self.transport.mss + self.transport.headers, self.decision.pacing);
        if release > now {
            return Err(Blocked::Pacing(release));
        }
        Ok(number)
    }

    /// When [`transmit`](Sender::transmit) would yield something: `now` if at once, `None` if only after an acknowledgement, a timer or a write.
    #[inline]
    pub fn ready_at(&self, now: Time) -> Option<Time> {
        if self.probe_wanted {
            return Some(now);
        }
        match self.sendable(now) {
            Ok(_) => Some(now),
            Err(Blocked::Pacing(release)) => Some(release),
            Err(_) => None,
        }
    }

    /// The next segment that leaves at `now` and the code point it carries, or `None` if nothing may leave now.
    pub fn transmit(&mut self, now: Time) -> Option<(Data, Ecn)> {
        match self.sendable(now) {
            Ok(number) => Some(self.send(now, number)),
            Err(Blocked::Data) if self.probe_wanted && self.board.outstanding() > 0 => {
                // A probe without new data repeats the last segment (RFC 8985 section 7.3).
                Some(self.send(now, self.board.next() - 1))
            }
            Err(blocked) => {
                self.end_burst(blocked);
                None
            }
        }
    }

    fn end_burst(&mut self, blocked: Blocked) {
        let limited = blocked == Blocked::Window;
        if !matches!(blocked, Blocked::Pacing(_)) {
            self.pacer.end_burst();
        }
        if limited && !self.window_limited {
            // What left in this burst was limited by the window too, though that shows only now.
            for number in self.burst_start.max(self.board.una())..self.board.next() {
                self.board.slot_mut(number).flags.set(Flags::WINDOW_LIMITED);
            }
        }
        if limited || self.board.una() >= self.window_limited_until {
            self.window_limited = limited;
            self.window_limited_until = self.board.next();
        }
        self.burst_start = self.board.next();
        if blocked == Blocked::Data
            && self.board.next() >= self.written
            && self.board.in_flight() < self.window()
            && self.board.lost_out() <= self.board.resent_out()
        {
            self.rate.limit_by_app(self.board.in_flight());
        }
    }

    #[inline]
    fn send(&mut self, now: Time, number: u64) -> (Data, Ecn) {
        let fresh = number == self.board.next();
        let in_flight = self.board.in_flight();
        let bytes = self.payload(number);
        let app_limited = self.rate.is_app_limited();
        let idle = self.board.outstanding() == 0;
        let mut sent = Sent::new(now, number, bytes, in_flight);
        sent.retransmission = !fresh;
        sent.app_limited = app_limited;
        sent.rto = self.rtt.timeout();
        let tag = self.controller.on_sent(&sent);
        let flags = Flags::default().with(Flags::APP_LIMITED, app_limited).with(Flags::WINDOW_LIMITED, self.window_limited);
        let slot = Slot { sent_at: now, tag, flags };
        if fresh {
            self.board.send_new(slot);
        } else {
            self.board.resend(number, slot);
            self.undo.on_resent(now);
            self.counters.retransmitted += 1;
        }
        if self.sample_rates {
            let stamp = self.rate.on_sent(now, idle);
            self.board.set_stamp(number, stamp);
        }
        self.counters.sent += 1;
        if std::mem::take(&mut self.probe_wanted) {
            self.probe = Some((self.board.next(), !fresh));
        }
        self.decision = self.controller.decision();
        self.pacer.on_sent(now, bytes + self.transport.headers, self.decision.pacing, self.decision.quantum);
        if matches!(self.state, Recovery::Recovery | Recovery::Cwr) {
            self.prr.on_sent();
        }
        if self.timers.retransmit == Time::NEVER || number == self.board.una() {
            self.timers.retransmit = now + self.rtt.timeout();
        }
        if fresh {
            self.schedule_probe(now);
        }
        let cwr = fresh && std::mem::take(&mut self.cwr_wanted);
        let ecn = if fresh { self.decision.ecn } else { Ecn::NotEct };
        (Data { number, bytes, stamp: now, retransmission: !fresh, cwr }, ecn)
    }

    /// An acknowledgement arrives, with its SACK blocks. Returns the round trip it shows, if it does.
    pub fn on_ack(&mut self, now: Time, ack: &Ack, blocks: &[Block]) -> Option<Span> {
        let una_before = self.board.una();
        if ack.next > self.board.next() || (ack.next < una_before && blocks.is_empty()) {
            return None;
        }
        let in_flight_before = self.board.in_flight();
        self.acked.clear();
        self.lost.clear();
        self.receive_limit = self.receive_limit.max(ack.next + ack.window as u64);

        let mut fresh = RttSamples::default();
        let evidence = Evidence { now, echo: ack.echo, min_rtt: self.rtt.minimum().unwrap_or(Span::MAX) };
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
        let rtt = self.take_rtt(now, ack, advanced, &fresh);
        self.look_for_undo(now, ack, advanced, fresh.lowest);

        let reducing_before = matches!(self.state, Recovery::Recovery | Recovery::Cwr);
        if self.board.has_holes() {
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
        self.reduce(congestion, reducing_before, self.acked.len() as u32, clean);
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
            None if advanced => (ack.echo, ack.echo),
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

    fn detect_losses(&mut self, now: Time) {
        let in_recovery = matches!(self.state, Recovery::Recovery | Recovery::Loss);
        let min_rtt = self.rtt.minimum().unwrap_or_default();
        let window = self.board.reordering_window(in_recovery, min_rtt, self.reordering_steps, self.rtt.srtt());
        let (lost, last, mss) = (&mut self.lost, self.last_segment, self.transport.mss);
        let before = lost.len();
        let again = self.board.detect_losses(now, window, |number, slot| lost.push(describe_lost(number, &slot, last, mss)));
        self.counters.declared_lost += (lost.len() - before) as u64;
        self.timers.reorder = again.unwrap_or(Time::NEVER);
    }

    fn ecn_delta(&mut self, ack: &Ack) -> EcnDelta {
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
        matches!(self.state, Recovery::Open | Recovery::Disorder).then_some(Congestion::Loss)
    }

    /// Moves through the recovery states (Linux `tcp_fastretrans_alert`). Returns the reduction that is due, if one is.
    fn step_state(&mut self, ack: &Ack) -> Option<Congestion> {
        self.leave_recovery();
        match self.state {
            Recovery::Recovery | Recovery::Loss => None,
            Recovery::Cwr if self.board.lost_out() > 0 => {
                // The reduction for the mark serves the loss too, and was needed whatever becomes of the loss.
                self.open(Recovery::Recovery, false);
                None
            }
            Recovery::Cwr => None,
            Recovery::Open | Recovery::Disorder => {
                if self.board.lost_out() > 0 {
                    self.open(Recovery::Recovery, true);
                    self.counters.recoveries += 1;
                    self.cwr_wanted = self.decision.ecn != Ecn::NotEct;
                    return Some(Congestion::Loss);
                }
                let current = ack.next == self.board.una();
                if ack.ece && current && self.decision.ecn != Ecn::NotEct {
                    self.open(Recovery::Cwr, false);
                    self.cwr_wanted = true;
                    return Some(Congestion::Mark);
                }
                self.state = if self.board.sacked_out() > 0 { Recovery::Disorder } else { Recovery::Open };
                None
            }
        }
    }

    /// Before new losses are looked for: were the last ones any?
    #[inline]
    fn look_for_undo(&mut self, now: Time, ack: &Ack, advanced: bool, lowest: Option<u64>) {
        let repairing = matches!(self.state, Recovery::Recovery | Recovery::Loss);
        if self.undo.is_proven((advanced && repairing).then_some(ack.echo)) {
            self.undo_reduction(now);
        }
        if self.state == Recovery::Loss {
            self.step_frto(now, advanced, lowest);
        }
    }

    /// After a timeout: `lowest` is the lowest segment that arrived by its only transmission.
    fn step_frto(&mut self, now: Time, advanced: bool, lowest: Option<u64>) {
        if self.frto == Frto::Off {
            return;
        }
        if lowest.is_some_and(|lowest| lowest < self.recovery_end) {
            self.undo_reduction(now);
        } else if self.board.next() > self.recovery_end {
            if !advanced {
                self.frto = Frto::Off;
            }
        } else if advanced && self.board.una() < self.recovery_end {
            self.recovery_end = self.board.next();
            self.frto = if self.has_new_data() { Frto::NewData } else { Frto::Off };
        }
    }

    /// Everything sent before the reduction is settled. For a mark, so must be the first segment after it, which tells the receiver.
    fn leave_recovery(&mut self) {
        let una = self.board.una();
        let over = match self.state {
            Recovery::Open | Recovery::Disorder => false,
            Recovery::Cwr => una > self.recovery_end,
            Recovery::Recovery | Recovery::Loss => una >= self.recovery_end,
        };
        if over {
            if self.state != Recovery::Cwr {
                self.forget_reordering();
            }
            self.state = Recovery::Open;
        }
    }

    /// RFC 8985 section 6.2 step 4: a reordering window that has grown shrinks again after sixteen recoveries without a duplicate.
    fn forget_reordering(&mut self) {
        self.reordering_persist = self.reordering_persist.saturating_sub(1);
        if self.reordering_persist == 0 {
            self.reordering_steps = 1;
        }
    }

    fn open(&mut self, state: Recovery, undoable: bool) {
        if undoable {
            self.begin_undo();
        } else {
            self.undo.end();
        }
        self.state = state;
        self.recovery_end = self.board.next();
        self.probe = None;
    }

    fn begin_undo(&mut self) {
        let una = self.board.una();
        let repaired = self.board.outstanding() > 0 && self.board.slot(una).flags.has(Flags::EVER_RESENT);
        self.undo.begin(una, self.board.resent_out(), repaired);
    }

    fn undo_reduction(&mut self, now: Time) {
        if self.state == Recovery::Recovery {
            self.board.note_reordering();
        }
        self.board.unmark_lost();
        self.controller.on_undo(now);
        self.counters.undone += 1;
        self.undo.end();
        self.frto = Frto::Off;
        self.state = if self.board.sacked_out() > 0 { Recovery::Disorder } else { Recovery::Open };
    }

    fn restart_timers(&mut self, now: Time, advanced: bool) {
        self.probe_wanted = false;
        if self.board.outstanding() == 0 {
            self.timers = Timers { retransmit: Time::NEVER, probe: Time::NEVER, reorder: Time::NEVER };
        } else if advanced {
            self.timers.retransmit = now + self.rtt.timeout();
            self.schedule_probe(now);
        } else if !self.is_quiet() {
            self.timers.probe = Time::NEVER;
        }
    }

    /// Nothing is missing.
    fn is_quiet(&self) -> bool {
        matches!(self.state, Recovery::Open | Recovery::Cwr) && self.board.sacked_out() == 0
    }

    /// RFC 8985 section 7.2: a probe after two round trips of silence, if nothing is missing and no probe is out.
    #[inline]
    fn schedule_probe(&mut self, now: Time) {
        let srtt = self.rtt.srtt();
        if !self.transport.tail_loss_probe || !self.is_quiet() || self.probe.is_some() || srtt.is_zero() {
            self.timers.probe = Time::NEVER;
            return;
        }
        let delayed_ack = if self.board.outstanding() == 1 { self.transport.min_rto } else { MIN_PROBE_WAIT };
        self.timers.probe = (now + srtt * 2 + delayed_ack).min(self.timers.retransmit);
    }

    /// Tells the controller and takes its decision.
    #[inline]
    fn feed(&mut self, now: Time, rtt: Option<Span>, in_flight_before: u32, ecn: EcnDelta, congestion: Option<Congestion>) {
        let mut rate = None;
        self.rate.pass_app_limit();
        if self.sample_rates {
            let (acked, losses) = (self.acked.len() as u32, self.lost.len() as u32);
            let min_rtt = self.rtt.minimum().unwrap_or_default();
            rate = self.rate.sample(now, in_flight_before, acked, losses, min_rtt);
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
        feedback.totals = Totals { sent: self.counters.sent, delivered: self.rate.delivered, lost: self.counters.declared_lost };
        feedback.srtt = self.rtt.srtt();
        feedback.recovery = self.state;
        feedback.congestion = congestion;
        self.controller.on_feedback(&feedback);
    }

    /// Carries the controller's decision into the window.
    #[inline]
    fn reduce(&mut self, congestion: Option<Congestion>, reducing_before: bool, acked: u32, clean: bool) {
        let reducing = matches!(self.state, Recovery::Recovery | Recovery::Cwr);
        if reducing && (congestion.is_some() || !reducing_before) {
            self.prr = Prr::begin(self.decision.window.whole().max(1));
        }
        self.decision = self.controller.decision();
        if reducing {
            let target = self.decision.window.whole().max(1);
            self.prr.on_ack(acked, self.board.in_flight(), target, clean);
        }
    }

    /// The earliest time at which [`on_timer`](Sender::on_timer) is wanted.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        let Timers { retransmit, probe, reorder } = self.timers;
        let controller = self.controller.next_timer().unwrap_or(Time::NEVER);
        let earliest = retransmit.min(probe).min(reorder).min(controller);
        (earliest != Time::NEVER).then_some(earliest)
    }

    /// A timer may have expired: acts on those that have.
    pub fn on_timer(&mut self, now: Time) {
        if self.controller.next_timer().is_some_and(|due| due <= now) {
            self.controller.on_timer(now);
            self.decision = self.controller.decision();
        }
        if self.timers.reorder <= now {
            self.on_reorder_timer(now);
        }
        if self.timers.probe <= now {
            self.timers.probe = Time::NEVER;
            self.probe_wanted = true;
            self.timers.retransmit = now + self.rtt.timeout();
        }
        if self.timers.retransmit <= now {
            self.on_retransmit_timer(now);
        }
    }

    /// What was late has stayed away: it is lost.
    fn on_reorder_timer(&mut self, now: Time) {
        self.acked.clear();
        self.lost.clear();
        let in_flight_before = self.board.in_flight();
        let before = self.state;
        self.detect_losses(now);
        if self.lost.is_empty() {
            return;
        }
        let silent = Ack { next: self.board.una(), ..Ack::default() };
        let congestion = self.step_state(&silent);
        self.feed(now, None, in_flight_before, EcnDelta::default(), congestion);
        // Linux `tcp_rack_reo_timeout` counts the expiry that starts a recovery as one segment delivered, so that a retransmission can leave.
        let starts = self.state == Recovery::Recovery && before != Recovery::Recovery;
        self.reduce(congestion, matches!(before, Recovery::Recovery | Recovery::Cwr), starts as u32, false);
    }

    fn on_retransmit_timer(&mut self, now: Time) {
        let in_flight = self.board.in_flight();
        let mut lost = 0;
        self.board.mark_all_lost(|_, _| lost += 1);
        self.counters.declared_lost += lost as u64;
        self.counters.timeouts += 1;
        // Linux `tcp_enter_loss`: a second reduction for the same data only if some of it was acknowledged since.
        let fresh = matches!(self.state, Recovery::Open | Recovery::Disorder)
            || self.board.una() >= self.recovery_end
            || (self.state == Recovery::Loss && self.timeouts_in_a_row == 0);
        if fresh {
            self.begin_undo();
        }
        let repairing = matches!(self.state, Recovery::Recovery | Recovery::Loss);
        self.frto = if !repairing || self.timeouts_in_a_row > 0 { Frto::Waiting } else { Frto::Off };
        self.timeouts_in_a_row += 1;
        self.state = Recovery::Loss;
        self.recovery_end = self.board.next();
        self.cwr_wanted = self.decision.ecn != Ecn::NotEct;
        self.probe = None;
        self.probe_wanted = false;
        self.rtt.back_off();
        self.timers = Timers { retransmit: now + self.rtt.timeout(), probe: Time::NEVER, reorder: Time::NEVER };
        self.controller.on_timeout(&Timeout::new(now, in_flight, lost, !fresh));
        self.decision = self.controller.decision();
    }

    /// What it counted.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// The latest round trip measured.
    pub fn latest_rtt(&self) -> Option<Span> {
        self.latest_rtt
    }

    /// Segments in flight.
    pub fn in_flight(&self) -> u32 {
        self.board.in_flight()
    }

    /// The window that holds now, in segments; during a reduction that of the transport.
    pub fn effective_window(&self) -> f64 {
        let whole = self.window();
        if whole == self.decision.window.whole() { self.decision.window.get() } else { whole as f64 }
    }

    /// The pacing rate, if the controller paces.
    pub fn pacing(&self) -> Option<Rate> {
        self.decision.pacing
    }

    /// The recovery state.
    pub fn recovery(&self) -> Recovery {
        self.state
    }

    /// The controller, for its traces.
    pub fn controller(&self) -> &dyn Controller {
        &*self.controller
    }
}

/// RFC 8985 section 6.2 step 4 (`TCP_RACK_RECOVERY_THRESH`).
const REORDERING_PERSISTS: u32 = 16;

/// Linux `TCP_TIMEOUT_MIN`: two jiffies at 1000 Hz, so that a probe does not race the acknowledgement it waits for.
const MIN_PROBE_WAIT: Span = Span::from_millis(2);

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

fn describe_lost(number: u64, slot: &Slot, last: Option<(u64, Bytes)>, mss: Bytes) -> Lost {
    let bytes = last.filter(|(last, _)| *last == number).map_or(mss, |(_, bytes)| bytes);
    Lost { number, bytes, sent_at: slot.sent_at, tag: slot.tag }
}
