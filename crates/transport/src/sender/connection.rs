//! The part of a sender that is the same for both transports.

use super::counters::SenderCounters;
use super::event::Event;
use super::overrun::{MAX_OUTSTANDING, Overrun};
use super::reduction::CwndReduction;
use super::usage::Usage;
use crate::pacing::Pacer;
use crate::rate::RateSampler;
use crate::rtt::{RttEstimator, RttSettings};
use crate::scoreboard::{Evidence, Flags, Scoreboard, Slot};
use crate::short::ShortSegments;
use crate::wire::{Ack, Block, MAX_BLOCKS};
use crate::{AckFormat, MAX_OFFLOAD, Signals, Transport, Tso};
use narrows_control::{
    Acked, Awaited, CaState, Controller, Decision, EcnDelta, Fault, Feedback, Lost, Outstanding,
    Reduction, Totals,
};
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::Arc;

/// The sender's state of a connection: the controller and its decision, the data to send, the
/// timers, and the outstanding transmissions.
///
/// The fields that every packet reads or writes come first, so that they share cache lines.
#[repr(C)]
pub(super) struct Connection {
    pub controller: Box<dyn Controller>,
    pub decision: Decision,
    /// The window of the decision in whole segments, at least one.
    pub target: u32,
    pub state: CaState,
    pub signals: Signals,
    pub finished: bool,
    /// The controller knows that the connection is over.
    pub closed: bool,
    /// The next segment is sent regardless of window and pacing: a probe, or the retransmission
    /// after a timeout (RFC 6298 section 5.4).
    pub forced: bool,
    /// The next new segment carries the CWR flag (RFC 3168 section 6.1.2).
    pub cwr_wanted: bool,
    /// The controller decides anew after each segment that it sends, not only after the first of
    /// a flight.
    pub decides_in_flight: bool,
    /// The window has limited a recent burst. New transmissions are flagged accordingly.
    pub window_limited: bool,
    /// `window_limited` stays set until everything below this is acknowledged.
    pub window_limited_until: u64,
    /// The first new segment of the current burst.
    pub burst_start: u64,
    pub usage: Usage,
    /// Segments below this are written by the application.
    pub written: u64,
    /// Segments below this fit the receiver's window.
    pub receive_limit: u64,
    pub timers: Timers,
    pub board: Scoreboard,
    pub transport: Arc<Transport>,
    pub lists: Box<Lists>,
    pub short: ShortSegments,
    pub rate: RateSampler,
    pub latest_rtt: Option<Span>,
    pub rtt: RttEstimator,
    pub counters: SenderCounters,
    // From here on: read if the controller paces, and while something is missing or marked.
    pub reduction: CwndReduction,
    pub pacer: Pacer,
    /// Recovery ends when everything below this is acknowledged.
    pub recovery_end: u64,
    /// Counts of ECT(0), ECT(1) and CE in the latest acknowledgement.
    pub ecn_seen: (u32, u32, u32),
    /// The blocks of the latest acknowledgement that had any.
    pub known_blocks: Box<[Block; MAX_BLOCKS]>,
    /// Why the controller cannot go on, and since when.
    pub fault: Option<Box<(Time, Fault)>>,
}

/// Lists of an event's acknowledged and lost segments. They are of use until the next event, so
/// that many senders may share them.
#[derive(Default)]
pub(super) struct Lists {
    /// Segments that the latest acknowledgement newly acknowledged.
    pub acked: Vec<Acked>,
    /// Transmissions that the latest event declared lost.
    pub lost: Vec<Lost>,
    /// Segments that the acknowledgement being looked at shows to have arrived by its blocks.
    pub arrived: Vec<(u64, Slot)>,
}

/// When timers expire; [`Time::NEVER`] for those that are not set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    pub retransmit: Time,
    pub probe: Time,
    pub reorder: Time,
    /// That of the controller.
    pub controller: Time,
}

impl Timers {
    pub const NONE: Timers = Timers {
        retransmit: Time::NEVER,
        probe: Time::NEVER,
        reorder: Time::NEVER,
        controller: Time::NEVER,
    };

    /// Stops all timers but the controller's.
    pub fn stop(&mut self) {
        *self = Timers { controller: self.controller, ..Timers::NONE };
    }

    /// The earlier of the retransmission timer and the probe timer. Both expire if no
    /// acknowledgement comes.
    #[inline]
    pub fn first_of_silence(&self) -> Time {
        self.retransmit.min(self.probe)
    }

    /// The earliest.
    #[inline]
    pub fn first(&self) -> Time {
        self.retransmit.min(self.probe).min(self.reorder).min(self.controller)
    }
}

impl Connection {
    pub fn new(
        transport: Arc<Transport>,
        controller: Box<dyn Controller>,
        signals: Signals,
    ) -> Connection {
        Connection {
            decision: controller.decision(),
            target: whole(&controller.decision()),
            decides_in_flight: controller.decides_in_flight(),
            board: Scoreboard::new(signals.rates, transport.loss_detection, transport.dupthresh),
            rtt: RttEstimator::new(RttSettings::of(&transport)),
            latest_rtt: None,
            rate: RateSampler::default(),
            signals,
            pacer: if transport.acks == AckFormat::Numbered {
                Pacer::exact()
            } else {
                Pacer::default()
            },
            written: 0,
            short: ShortSegments::default(),
            finished: false,
            closed: false,
            receive_limit: transport
                .receive_window
                .map_or(u64::MAX, |bytes| bytes.get() / transport.mss.get()),
            state: CaState::Open,
            recovery_end: 0,
            reduction: CwndReduction::new(transport.recovery),
            window_limited: false,
            window_limited_until: 0,
            burst_start: 0,
            usage: Usage::default(),
            timers: Timers {
                controller: controller.next_timer().unwrap_or(Time::NEVER),
                ..Timers::NONE
            },
            forced: false,
            cwr_wanted: false,
            ecn_seen: (0, 0, 0),
            counters: SenderCounters::default(),
            lists: Box::default(),
            known_blocks: Box::default(),
            fault: None,
            transport,
            controller,
        }
    }

    #[inline]
    pub fn payload(&self, number: u64) -> Bytes {
        self.short.payload(number).unwrap_or(self.transport.mss)
    }

    /// True if segment `next`, the first never sent, is written and the receiver has room for it.
    #[inline]
    pub fn has_data(&self, next: u64) -> bool {
        next < self.written && next < self.receive_limit
    }

    /// True if the sender checks for an application limit only when the application writes, as in
    /// Linux (`tcp_sendmsg_locked` calls `tcp_rate_check_app_limited`). Otherwise it checks after
    /// every burst.
    #[inline]
    pub fn marks_at_writes(&self) -> bool {
        self.signals.rates
            && !self.signals.broad_app_limits
            && self.transport.acks == AckFormat::Cumulative
    }

    /// The pacing rate that delays what follows a segment: none for the first segments of a
    /// connection.
    #[inline]
    pub fn pacing_after_sent(&self) -> Option<Rate> {
        let starts = || {
            self.counters.sent < self.transport.unpaced_start as u64
                && self.transport.acks == AckFormat::Cumulative
        };
        self.decision.pacing.filter(|_| !starts())
    }

    /// All is well, and nothing is missing.
    #[inline]
    pub fn is_untroubled(&self) -> bool {
        self.state == CaState::Open && self.board.sacked_out() | self.board.lost_out() == 0
    }

    /// The window is being lowered.
    #[inline]
    pub fn is_reducing(&self) -> bool {
        matches!(self.state, CaState::Recovery | CaState::Cwr)
    }

    /// Losses are being repaired.
    #[inline]
    pub fn is_repairing(&self) -> bool {
        matches!(self.state, CaState::Recovery | CaState::Loss)
    }

    /// The window that holds now, in segments.
    #[inline]
    pub fn window(&self) -> u32 {
        match self.decision.reduction {
            Reduction::Transport => self.reduction.window(self.target, self.is_reducing()),
            Reduction::Immediate => self.target,
        }
    }

    /// Asks the controller for its decision, which may have changed.
    #[inline]
    pub fn decide(&mut self, now: Time) {
        self.timers.controller = match self.controller.decide(&mut self.decision) {
            Awaited::Event => Time::NEVER,
            // A timer that should have expired expires now: time does not run backwards.
            Awaited::Timer(due) => due.max(now),
            Awaited::Fault => return self.halt(now),
        };
        self.target = whole(&self.decision);
    }

    /// The decision in force is the controller's, which waits for no timer.
    pub fn is_decided(&self) -> bool {
        let mut decision = self.decision;
        let awaited = self.controller.decide(&mut decision);
        decision == self.decision && awaited == Awaited::Event
    }

    /// Stops sending after a fault of the controller. The window becomes 0. A timer is due at once,
    /// so that the caller looks at the sender and finds the fault.
    #[cold]
    fn halt(&mut self, now: Time) {
        if self.fault.is_none() {
            self.fault = self.controller.fault().map(|fault| Box::new((now, fault)));
        }
        self.timers.controller = now;
        self.forced = false;
        self.target = 0;
        self.decision.reduction = Reduction::Immediate;
    }

    /// A new segment leaves. Returns its number on the scoreboard.
    #[inline]
    pub fn send_new(&mut self, slot: Slot) -> u64 {
        if self.board.is_full() {
            self.make_room();
        }
        self.board.send_new(slot)
    }

    #[cold]
    fn make_room(&mut self) {
        if self.board.outstanding() as usize >= MAX_OUTSTANDING {
            self.controller = Box::new(Overrun::new(&self.decision));
            self.decides_in_flight = true;
        }
        self.board.grow();
    }

    /// How much may leave back to back when pacing allows.
    #[inline]
    pub fn quantum(&self) -> Bytes {
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

    /// How things stand before an event.
    #[inline]
    pub fn event(&self, now: Time) -> Event {
        Event::begin(
            now,
            self.board.in_flight(),
            if self.signals.outstanding { self.window() } else { 0 },
        )
    }

    /// A new event begins: nothing is acknowledged or lost by it yet.
    #[inline]
    pub fn begin_event(&mut self) {
        self.lists.acked.clear();
        self.forget_lost();
    }

    /// Empties the list of losses. A timeout loses a whole window, and is rare: the room that it
    /// took is given back.
    #[inline]
    pub fn forget_lost(&mut self) {
        self.lists.lost.clear();
        if self.lists.lost.capacity() > LOST_ROOM {
            self.lists.lost = Vec::new();
        }
    }

    /// The state of recovery changes. Returns the state before.
    pub fn enter(&mut self, state: CaState) -> CaState {
        debug_assert!(state.may_follow(self.state), "from {:?} to {state:?}", self.state);
        std::mem::replace(&mut self.state, state)
    }

    /// The times by which an acknowledgement that echoes the stamp `echo` is judged.
    #[inline]
    pub fn evidence(&self, now: Time, echo: Time) -> Evidence {
        Evidence { now, echo, min_rtt: self.rtt.minimum().unwrap_or(Span::MAX) }
    }

    /// The transmission at `place` of the scoreboard has delivered segment `number`.
    #[inline]
    pub fn note_delivered(&mut self, now: Time, place: u64, number: u64, slot: &Slot) {
        let app_limited = slot.flags.has(Flags::APP_LIMITED);
        if self.signals.rates {
            self.rate.on_delivered(now, number, slot, self.board.stamp(place));
        } else {
            self.rate.delivered += 1;
        }
        self.lists.acked.push(Acked {
            number,
            bytes: self.payload(number),
            sent_at: slot.sent_at,
            rtt: now.since(slot.sent_at),
            tag: slot.tag,
            app_limited,
            window_limited: slot.flags.has(Flags::WINDOW_LIMITED),
        });
    }

    /// Takes two RTT samples from an acknowledgement. `oldest` and `newest` are the send times of
    /// the oldest and the newest transmission that it delivers. The sample of the oldest updates
    /// the smoothed RTT, as in Linux. The sample of the newest updates the minimum RTT and goes to
    /// the controller. Returns the sample of the newest.
    #[inline]
    pub fn take_rtt(&mut self, now: Time, oldest: Time, newest: Time) -> Span {
        // An RTT of zero comes only from a receiver that acknowledges data before it arrives.
        // Controllers expect an RTT above zero.
        let rtt = now.since(newest).max(Span::from_nanos(1));
        self.rtt.sample(now.since(oldest), self.board.una(), self.board.next());
        self.rtt.sample_minimum(now, rtt);
        self.latest_rtt = Some(rtt);
        rtt
    }

    /// Lets `detect` look for losses on the scoreboard and note each, by its segment. Returns its
    /// answer.
    pub fn find_lost<R>(
        &mut self,
        detect: impl FnOnce(&mut Scoreboard, &mut dyn FnMut(u64, Slot)) -> R,
    ) -> R {
        let before = self.lists.lost.len();
        let lost = &mut self.lists.lost;
        let short = &self.short;
        let mss = self.transport.mss;
        let answer = detect(&mut self.board, &mut |number, slot| {
            let bytes = short.payload(number).unwrap_or(mss);
            lost.push(Lost { number, bytes, sent_at: slot.sent_at, tag: slot.tag });
        });
        self.counters.declared_lost += (self.lists.lost.len() - before) as u64;
        answer
    }

    /// Packets counted by the receiver since the acknowledgement before.
    #[inline]
    fn ecn_delta(&mut self, ack: &Ack) -> EcnDelta {
        if ack.ect0 | ack.ect1 | ack.ce == 0 {
            return EcnDelta { echo: ack.ece, ..EcnDelta::default() };
        }
        let (ect0, ect1, ce) = &mut self.ecn_seen;
        EcnDelta {
            ect0: counted(ect0, ack.ect0),
            ect1: counted(ect1, ack.ect1),
            ce: counted(ce, ack.ce),
            echo: ack.ece,
        }
    }

    /// Tells the controller of an acknowledgement, or of an event without one. `una` and `next`:
    /// first segment not delivered and first never sent.
    #[inline]
    pub fn feed(&mut self, ack: Option<&Ack>, event: &Event, una: u64, next: u64) {
        let (ecn, signal) =
            ack.map_or((EcnDelta::default(), None), |ack| (self.ecn_delta(ack), ack.signal));
        let mut rate = None;
        self.rate.pass_app_limit();
        if self.signals.rates {
            let min_rtt = self.rtt.minimum().unwrap_or_default();
            rate = self.rate.sample(event.now, min_rtt, self.ecn_seen.2);
            if let (Some(sample), [only]) = (&mut rate, self.lists.acked.as_slice()) {
                sample.ack_delayed = only.bytes < self.transport.mss && sample.delivered == 1;
            }
        }
        // This runs for every acknowledgement. Keep other code out of these assignments: otherwise
        // the compiler first writes the defaults and then overwrites them.
        let mut feedback = Feedback::at(event.now);
        feedback.acked = &self.lists.acked;
        feedback.lost = &self.lists.lost;
        feedback.rtt = event.rtt;
        feedback.rate = rate;
        feedback.in_flight_before = event.in_flight_before;
        feedback.in_flight = self.board.in_flight();
        feedback.ecn = ecn;
        feedback.signal = signal;
        feedback.totals = Totals {
            sent: self.counters.sent,
            delivered: self.rate.delivered,
            lost: self.counters.declared_lost,
        };
        feedback.srtt = self.rtt.srtt();
        feedback.ca_state = self.state;
        feedback.congestion = event.congestion;
        feedback.undone = event.undone;
        feedback.ended = event.ended;
        feedback.probe_loss = event.probe_loss;
        feedback.resent_acked = event.resent_acked;
        feedback.duplicate = event.duplicate;
        if self.signals.outstanding {
            (feedback.una, feedback.next) = (una, next);
            feedback.outstanding = Outstanding {
                packets: self.board.outstanding(),
                sacked: self.board.sacked_out(),
                lost: self.board.lost_out(),
                resent: self.board.retrans_out(),
            };
            feedback.window = event.window_before;
            (feedback.cwnd_limited, feedback.most_outstanding) =
                (self.usage.cwnd_limited, self.usage.most_outstanding);
        }
        self.controller.on_feedback(&feedback);
    }

    /// Carries the controller's decision into the window. `acked`: segments newly delivered;
    /// `clean`: the acknowledgement moved and nothing more was lost.
    #[inline(always)]
    pub fn reduce(&mut self, event: &Event, reducing_before: bool, acked: u32, clean: bool) {
        let reducing = self.is_reducing();
        if reducing && (event.congestion.is_some() || !reducing_before) {
            let selective = self.transport.sack || self.transport.acks == AckFormat::Numbered;
            let outstanding = self.board.outstanding();
            let flight =
                if selective { outstanding - self.board.sacked_out() + acked } else { outstanding };
            self.reduction.begin(self.target, flight, selective);
        }
        self.decide(event.now);
        let in_flight = self.board.in_flight();
        let target = self.target;
        if reducing {
            self.reduction.on_ack(acked, in_flight, target, clean);
        } else {
            self.reduction.on_ack_after(in_flight, target, reducing_before);
        }
    }
}

/// Losses of one event for which a connection keeps room.
const LOST_ROOM: usize = 8;

#[inline]
fn whole(decision: &Decision) -> u32 {
    decision.window.whole().max(1)
}

/// The increase of a wrapping counter since the latest acknowledgement. 0 if this acknowledgement
/// arrives after a later one (reordering).
#[inline]
fn counted(seen: &mut u32, now: u32) -> u32 {
    let grown = now.wrapping_sub(*seen);
    if grown > u32::MAX / 2 {
        return 0;
    }
    *seen = now;
    grown
}
