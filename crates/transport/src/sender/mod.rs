//! The sending endpoint.

mod ack;
mod exchange;
mod numbered;
mod states;
mod timers;

use crate::pacing::Pacer;
use crate::rate::RateSampler;
use crate::recovery::{Frto, Spread, Undo};
use crate::rtt::RttEstimator;
use crate::scoreboard::{Flags, Scoreboard, Slot};
use crate::short::ShortSegments;
use crate::wire::{Block, Data, MAX_BLOCKS};
use crate::{AckFormat, MAX_OFFLOAD, Transport, Tso};
use narrows_control::{Acked, CaState, Controller, Decision, Lost, Reduction, Sent};
use narrows_units::{Bytes, Rate, Span, Time};
use narrows_wire::{Ecn, Header, Signal};
use numbered::Stream;

pub use exchange::Answer;

/// Sends one connection's data as its controller decides: numbering, loss detection, recovery, retransmission timeout (RFC 6298), undo of spurious reductions,
/// pacing, classic ECN (RFC 3168) and delivery rate samples, each as the [`Transport`] has it.
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
    short: ShortSegments,
    finished: bool,
    receive_limit: u64,
    state: CaState,
    /// Recovery ends when everything below this is acknowledged.
    recovery_end: u64,
    spread: Spread,
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
    /// What the acknowledgement at hand echoes of what routers wrote.
    signal: Option<Signal>,
    counters: SenderCounters,
    /// What numbered transmissions carry; without numbers a transmission is known by its segment.
    stream: Option<Box<Stream>>,
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
            board: Scoreboard::new(sample_rates, transport.loss_detection, transport.dupthresh),
            rtt: RttEstimator::new(transport),
            latest_rtt: None,
            rate: RateSampler::default(),
            sample_rates,
            pacer: if transport.acks == AckFormat::Numbered { Pacer::exact() } else { Pacer::default() },
            written: 0,
            short: ShortSegments::default(),
            finished: false,
            receive_limit: transport.receive_window.map_or(u64::MAX, |bytes| bytes.get() / transport.mss.get()),
            state: CaState::Open,
            recovery_end: 0,
            spread: Spread::new(transport.recovery),
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
            signal: None,
            counters: SenderCounters::default(),
            stream: (transport.acks == AckFormat::Numbered).then(Box::default),
            acked: Vec::new(),
            lost: Vec::new(),
            arrived: Vec::new(),
            known_blocks: [Block::default(); MAX_BLOCKS],
            transport: transport.clone(),
        }
    }

    /// The connection is open: its handshake took `rtt`.
    pub fn on_open(&mut self, now: Time, rtt: Span) {
        self.rtt.sample(rtt, 0, 0);
        self.rtt.sample_minimum(now, rtt);
        self.controller.on_open(now, rtt);
        self.decision = self.controller.decision();
    }

    /// The application writes `segments` more full segments.
    pub fn write(&mut self, segments: u64) {
        self.written = self.written.saturating_add(segments);
    }

    /// The application writes a message of `bytes`: its last segment may be short.
    pub fn write_message(&mut self, bytes: Bytes) {
        let mss = self.transport.mss.get();
        let segments = bytes.get().div_ceil(mss);
        self.written = self.written.saturating_add(segments);
        let rest = bytes.get() - segments.saturating_sub(1) * mss;
        if segments > 0 && rest < mss {
            self.short.push(self.written - 1, Bytes::new(rest));
        }
    }

    /// The application writes nothing more.
    pub fn finish(&mut self) {
        self.finished = true;
    }

    /// The application writes `bytes` and then nothing more: the last segment may be short.
    pub fn write_last(&mut self, bytes: Bytes) {
        self.write_message(bytes);
        self.finish();
    }

    /// What was written but never sent is dropped.
    pub fn drop_unsent(&mut self) {
        self.written = self.next_segment();
        self.short.forget_from(self.written);
    }

    /// Segments written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// The application stops: nothing more is written, and what was written but never sent is dropped.
    pub fn stop(&mut self) {
        self.finished = true;
        self.drop_unsent();
    }

    /// First segment never sent.
    #[inline]
    fn next_segment(&self) -> u64 {
        self.stream.as_ref().map_or(self.board.next(), |stream| stream.next())
    }

    /// The first segment that waits for retransmission.
    #[inline]
    fn first_to_resend(&self) -> Option<u64> {
        self.stream.as_ref().map_or(self.board.first_to_resend(), |stream| stream.first_to_resend())
    }

    /// True when all that will ever be written is acknowledged.
    pub fn is_done(&self) -> bool {
        self.finished && self.stream.as_ref().map_or(self.board.una(), |stream| stream.una()) >= self.written
    }

    #[inline]
    fn payload(&self, number: u64) -> Bytes {
        self.short.payload(number).unwrap_or(self.transport.mss)
    }

    /// The window that holds now, in segments.
    #[inline]
    fn window(&self) -> u32 {
        let target = self.decision.window.whole().max(1);
        match self.decision.reduction {
            Reduction::Transport => self.spread.window(target, matches!(self.state, CaState::Recovery | CaState::Cwr)),
            Reduction::Immediate => target,
        }
    }

    /// True if there is data that was never sent and the receiver has room for it.
    #[inline]
    fn has_new_data(&self) -> bool {
        let next = self.next_segment();
        next < self.written && next < self.receive_limit
    }

    /// What may be sent now, or why nothing may.
    #[inline]
    fn sendable(&self, now: Time) -> Result<u64, Blocked> {
        let number = match self.first_to_resend() {
            Some(number) if self.frto != Frto::NewData => number,
            _ if self.has_new_data() => self.next_segment(),
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
                // A probe without new data repeats the last segment (RFC 8985 section 7.3), with numbers the first (RFC 9002 section 6.2.4).
                let number = self.stream.as_ref().map_or(self.board.next() - 1, |stream| stream.to_probe());
                Some(self.send(now, number))
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
            && self.next_segment() >= self.written
            && self.board.in_flight() < self.window()
            && (self.stream.is_some() || self.board.lost_out() <= self.board.resent_out())
        {
            self.rate.limit_by_app(self.board.in_flight());
        }
    }

    #[inline]
    fn send(&mut self, now: Time, number: u64) -> (Data, Ecn) {
        let fresh = number == self.next_segment();
        let in_flight = self.board.in_flight();
        let bytes = self.payload(number);
        let app_limited = self.rate.is_app_limited();
        let idle = if self.stream.is_some() { in_flight == 0 } else { self.board.outstanding() == 0 };
        let mut sent = Sent::new(now, number, bytes, in_flight);
        sent.retransmission = !fresh;
        sent.app_limited = app_limited;
        sent.rto = self.rtt.timeout();
        let tag = self.controller.on_sent(&sent);
        let flags = Flags::default().with(Flags::APP_LIMITED, app_limited).with(Flags::WINDOW_LIMITED, self.window_limited);
        let slot = Slot { sent_at: now, tag, flags };
        let mut place = number;
        if let Some(stream) = &mut self.stream {
            stream.on_sent(number);
            place = self.board.send_new(slot);
        } else if fresh {
            self.board.send_new(slot);
        } else {
            self.board.resend(number, slot);
            self.undo.on_resent(now);
        }
        self.counters.retransmitted += !fresh as u64;
        if self.sample_rates {
            let stamp = self.rate.on_sent(now, idle);
            self.board.set_stamp(place, stamp);
        }
        self.counters.sent += 1;
        if std::mem::take(&mut self.probe_wanted) && self.stream.is_none() {
            self.probe = Some((self.board.next(), !fresh));
        }
        self.decision = self.controller.decision();
        self.pacer.on_sent(now, bytes + self.transport.headers, self.decision.pacing, self.quantum());
        if matches!(self.state, CaState::Recovery | CaState::Cwr) {
            self.spread.on_sent();
        }
        if self.timers.retransmit == Time::NEVER || number == self.board.una() || self.stream.is_some() {
            self.timers.retransmit = now + self.rtt.timeout();
        }
        if fresh && self.stream.is_none() {
            self.schedule_probe(now);
        }
        let cwr = fresh && std::mem::take(&mut self.cwr_wanted);
        let ecn = if fresh { self.decision.ecn } else { Ecn::NotEct };
        (Data { number, bytes, stamp: now, packet: place as u32, retransmission: !fresh, cwr }, ecn)
    }

    /// How much may leave back to back when pacing allows.
    #[inline]
    fn quantum(&self) -> Bytes {
        let burst = match self.transport.tso {
            Tso::Off => return self.decision.quantum,
            Tso::Fixed(size) => size,
            Tso::Auto => {
                let rate = self.decision.pacing.map_or(0, |rate| rate.as_bps() / 8 / 1024);
                Bytes::new(rate).min(MAX_OFFLOAD).max(self.transport.mss * 2)
            }
        };
        let segments = burst.get() / self.transport.mss.get();
        ((self.transport.mss + self.transport.headers) * segments).max(self.decision.quantum)
    }

    /// What it counted.
    pub fn counters(&self) -> &SenderCounters {
        &self.counters
    }

    /// The latest round trip measured.
    pub fn latest_rtt(&self) -> Option<Span> {
        self.latest_rtt
    }

    /// The round trips and the timeout.
    pub fn rtt(&self) -> &RttEstimator {
        &self.rtt
    }

    /// Segments that the latest acknowledgement newly acknowledged.
    pub fn newly_acked(&self) -> &[Acked] {
        &self.acked
    }

    /// Transmissions that the latest acknowledgement or timer declared lost.
    pub fn newly_lost(&self) -> &[Lost] {
        &self.lost
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
    pub fn ca_state(&self) -> CaState {
        self.state
    }

    /// What the next data packet tells routers.
    pub fn header(&self) -> Option<Header> {
        self.controller.header()
    }

    /// What the acknowledgement that arrives now echoes of what routers wrote: call it before [`on_ack`](Sender::on_ack).
    pub fn on_signal(&mut self, signal: Signal) {
        self.signal = Some(signal);
    }

    /// The controller, for its traces.
    pub fn controller(&self) -> &dyn Controller {
        &*self.controller
    }
}
