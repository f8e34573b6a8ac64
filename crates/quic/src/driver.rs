//! Drives a controller of Narrows by the calls that QUIC libraries make to theirs.

use crate::flight::{Flight, Slot};
use crate::recipe::{HEADERS, INITIAL_WINDOW, Recipe};
use narrows_control::{
    Acked, Awaited, CaState, Congestion, Controller, Decision, EcnDelta, Feedback, Lost, Open,
    Outstanding, Sent, Timeout, Totals,
};
use narrows_units::{Bytes, Span, Time};
use std::fmt;
use std::sync::Mutex;
use std::time::Instant;

/// Timers that fire at one time before the rest waits for the next call.
const MOST_TIMERS: u32 = 16;

/// The least window in packets (RFC 9002 section 7.2, `kMinimumWindow`), also the window of a
/// controller that cannot go on.
const LEAST_WINDOW: u64 = 2;

/// A controller, and what it has to be told.
pub(crate) struct Driver {
    /// The libraries want `Sync`. All calls that change it have it alone.
    controller: Mutex<Box<dyn Controller>>,
    name: String,
    base: Instant,
    /// The latest time told: calls never go back.
    now: Time,
    /// The packet in which the controller counts, headers included, and the library's packet now.
    packet: u64,
    mtu: u64,
    decision: Decision,
    timer: Option<Time>,
    faulty: bool,
    flight: Flight,
    rates: bool,
    opened: bool,
    acked: Vec<Acked>,
    lost: Vec<Lost>,
    in_flight_before: u32,
    app_limited: bool,
    window_limited: bool,
    most_outstanding: u32,
    srtt: Span,
    min_rtt: Span,
    /// When the latest recovery began.
    recovery: Option<Instant>,
    state: CaState,
    undone: bool,
}

impl fmt::Debug for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Driver")
            .field("controller", &self.name)
            .field("decision", &self.decision)
            .field("in_flight", &self.flight.packets)
            .finish_non_exhaustive()
    }
}

impl Driver {
    /// A new connection at `now`, with packets of `mtu` bytes.
    pub(crate) fn new(recipe: &Recipe, now: Instant, mtu: u16) -> Driver {
        let controller = recipe.make(mtu);
        let mut driver = Driver {
            decision: controller.decision(),
            controller: Mutex::new(controller),
            name: recipe.text().to_owned(),
            base: now,
            now: Time::ZERO,
            packet: u64::from(mtu) + HEADERS,
            mtu: mtu.into(),
            timer: None,
            faulty: false,
            flight: Flight::default(),
            rates: recipe.wants_rates(),
            opened: false,
            acked: Vec::new(),
            lost: Vec::new(),
            in_flight_before: 0,
            app_limited: false,
            window_limited: false,
            most_outstanding: 0,
            srtt: Span::ZERO,
            min_rtt: Span::MAX,
            recovery: None,
            state: CaState::Open,
            undone: false,
        };
        driver.decide();
        driver
    }

    fn controller(&mut self) -> &mut dyn Controller {
        &mut **self.controller.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The time of an instant for the controller: nanoseconds since the connection began.
    fn pass(&mut self, at: Instant) -> Time {
        let since = at.saturating_duration_since(self.base).as_nanos();
        self.now = self.now.max(Time::from_nanos(u64::try_from(since).unwrap_or(u64::MAX - 1)));
        self.now
    }

    /// Reads the decision after a call that may have changed it.
    fn decide(&mut self) {
        let mut decision = self.decision;
        let awaited = self.controller().decide(&mut decision);
        self.decision = decision;
        self.timer = match awaited {
            Awaited::Timer(at) => Some(at),
            Awaited::Event => None,
            Awaited::Fault => {
                self.give_up();
                None
            }
        };
    }

    /// The controller cannot go on. The connection does, with the least window.
    #[cold]
    fn give_up(&mut self) {
        if !std::mem::replace(&mut self.faulty, true) {
            let fault =
                self.controller().fault().map_or_else(String::new, |fault| fault.to_string());
            tracing::error!(controller = self.name, fault, "the controller cannot go on");
        }
    }

    /// Fires the controller's timer if it is due: neither library has timers for controllers.
    fn fire(&mut self, at: Time) {
        for _ in 0..MOST_TIMERS {
            match self.timer {
                Some(due) if due <= at && !self.faulty => {
                    self.controller().on_timer(at);
                    self.decide();
                }
                _ => return,
            }
        }
    }

    /// The window in bytes of the library's packets.
    pub(crate) fn window(&self) -> u64 {
        let least = LEAST_WINDOW * self.mtu;
        if self.faulty {
            return least;
        }
        ((self.decision.window.get() * self.mtu as f64) as u64).max(least)
    }

    /// The window before the first acknowledgement.
    pub(crate) fn initial_window(&self) -> u64 {
        INITIAL_WINDOW * self.mtu
    }

    /// The pacing rate in bytes of the library's packets per second. The controller's is in packets
    /// with headers, of the size that they had at the beginning.
    pub(crate) fn pacing(&self) -> Option<u64> {
        let rate = self.decision.pacing.filter(|_| !self.faulty)?;
        let packets = rate.bytes_per_sec() / self.packet as f64;
        Some(((packets * self.mtu as f64) as u64).max(1))
    }

    /// Bytes that may leave back to back.
    pub(crate) fn quantum(&self) -> u64 {
        self.decision.quantum.get().max(self.mtu)
    }

    pub(crate) fn set_mtu(&mut self, mtu: u16) {
        self.mtu = u64::from(mtu.max(1));
    }

    /// The library had more to send than the window allows.
    pub(crate) fn on_window_limited(&mut self) {
        self.window_limited = true;
        self.most_outstanding = self.flight.packets;
    }

    /// A packet leaves.
    pub(crate) fn on_sent(&mut self, now: Instant, packet: u64, bytes: u64) {
        let at = self.pass(now);
        self.fire(at);
        let in_flight = self.flight.packets;
        let mut sent = Sent::new(at, self.flight.sent, Bytes::new(bytes), in_flight);
        sent.app_limited = self.app_limited && in_flight == 0;
        let tag = if self.faulty { Default::default() } else { self.controller().on_sent(&sent) };
        self.flight.send((now, at), packet, bytes, (tag, self.app_limited));
        self.most_outstanding = self.most_outstanding.max(self.flight.packets);
        self.window_limited |= self.flight.bytes + self.mtu > self.window();
        self.decide();
    }

    /// A packet that left at `sent` is acknowledged. [`on_end_acks`](Driver::on_end_acks) follows.
    pub(crate) fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        packet: Option<u64>,
        app_limited: bool,
    ) {
        let at = self.pass(now);
        if self.acked.is_empty() {
            self.in_flight_before = self.flight.packets;
        }
        self.app_limited = app_limited;
        let Some(slot) = self.flight.take_sent(sent, packet) else { return };
        self.flight.deliver(at, &slot);
        self.acked.push(Acked {
            number: slot.number,
            bytes: Bytes::new(slot.bytes.into()),
            sent_at: slot.sent_at,
            rtt: round_trip(at, &slot),
            tag: slot.tag,
            app_limited: slot.app_limited,
            window_limited: !app_limited,
        });
    }

    /// All packets of an acknowledgement were told. The library has `in_flight` bytes in flight.
    pub(crate) fn on_end_acks(&mut self, now: Instant, in_flight: u64) {
        let at = self.pass(now);
        self.fire(at);
        // Packets that the library forgets without a call: those of number spaces that it discards,
        // and probes of the MTU.
        while self.flight.bytes > in_flight && self.flight.take_oldest(None).is_some() {}
        let Some((newest, rate)) = self.flight.sample(at, self.min_rtt) else { return };
        let rtt = round_trip(at, &newest);
        self.min_rtt = self.min_rtt.min(rtt);
        // RFC 6298, without the variance.
        self.srtt = if self.srtt.is_zero() { rtt } else { (self.srtt * 7 + rtt) / 8 };
        if !std::mem::replace(&mut self.opened, true) && !self.faulty {
            self.controller().on_open(&Open::new(at, rtt));
        }
        let ended = self.end_recovery(newest.sent_at);
        let undone = std::mem::take(&mut self.undone);
        let acked = std::mem::take(&mut self.acked);
        let feedback = Feedback {
            acked: &acked,
            rtt: Some(rtt),
            rate: Some(rate).filter(|_| self.rates),
            in_flight_before: self.in_flight_before,
            cwnd_limited: self.window_limited || !self.app_limited,
            undone,
            ended: ended.filter(|_| !undone),
            ..self.feedback(at)
        };
        self.tell(&feedback);
        self.acked = acked;
        self.acked.clear();
        self.decide();
        self.window_limited = false;
        if !self.app_limited {
            self.most_outstanding = self.flight.packets;
        }
    }

    /// The state that an acknowledgement of a packet that left at `sent_at` ends.
    fn end_recovery(&mut self, sent_at: Time) -> Option<CaState> {
        let began = self.recovery?.saturating_duration_since(self.base).as_nanos() as u64;
        let ends = self.state != CaState::Open && sent_at > Time::from_nanos(began);
        ends.then(|| std::mem::replace(&mut self.state, CaState::Open))
    }

    fn feedback(&self, at: Time) -> Feedback<'static> {
        let Flight { packets, sent, delivered, lost, .. } = self.flight;
        Feedback {
            in_flight: packets,
            in_flight_before: packets,
            next: sent,
            una: self.flight.una(),
            outstanding: Outstanding { packets, sacked: 0, lost: 0, resent: 0 },
            window: self.decision.window.whole(),
            cwnd_limited: !self.app_limited,
            most_outstanding: self.most_outstanding,
            totals: Totals { sent, delivered, lost },
            srtt: self.srtt,
            ca_state: self.state,
            ..Feedback::at(at)
        }
    }

    fn tell(&mut self, feedback: &Feedback<'_>) {
        if !self.faulty {
            self.controller().on_feedback(feedback);
        }
    }

    /// The packet with this number is lost. [`on_congestion`](Driver::on_congestion) follows.
    pub(crate) fn on_lost(&mut self, packet: u64) {
        if let Some(slot) = self.flight.take_numbered(packet) {
            self.lose(&slot);
        }
    }

    /// So many bytes are lost of packets that left at `sent` or before: the oldest, for a library
    /// that does not say which.
    #[cfg(any(feature = "quinn", test))]
    pub(crate) fn on_lost_bytes(&mut self, sent: Instant, mut bytes: u64) {
        while bytes > 0
            && let Some(slot) = self.flight.take_oldest(Some(sent))
        {
            self.lose(&slot);
            bytes = bytes.saturating_sub(slot.bytes.into());
        }
    }

    fn lose(&mut self, slot: &Slot) {
        self.flight.lost += 1;
        self.lost.push(Lost {
            number: slot.number,
            bytes: Bytes::new(slot.bytes.into()),
            sent_at: slot.sent_at,
            tag: slot.tag,
        });
    }

    /// A batch of losses, or a mark: the newest of their packets left at `sent`. It is a reason to
    /// reduce if that is after the latest recovery began (RFC 9002 section 7.3.1).
    pub(crate) fn on_congestion(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        reason: Congestion,
    ) {
        let at = self.pass(now);
        self.fire(at);
        let new = self.recovery.is_none_or(|began| sent > began);
        if new {
            self.recovery = Some(now);
            self.state = if reason == Congestion::Mark { CaState::Cwr } else { CaState::Recovery };
        }
        let lost = std::mem::take(&mut self.lost);
        // The libraries do not tell how many packets were marked: at least one.
        let marks = EcnDelta { ce: 1, echo: true, ..EcnDelta::default() };
        let feedback = Feedback {
            lost: &lost,
            in_flight_before: self.flight.packets + lost.len() as u32,
            congestion: new.then_some(reason),
            ecn: if reason == Congestion::Mark { marks } else { EcnDelta::default() },
            ..self.feedback(at)
        };
        self.tell(&feedback);
        if persistent && !self.faulty {
            let timeout = Timeout::new(at, self.flight.packets, lost.len() as u32, !new);
            self.controller().on_timeout(&timeout);
            self.state = CaState::Loss;
        }
        self.lost = lost;
        self.lost.clear();
        self.decide();
    }

    /// The latest reduction was spurious: its packets were late. Controllers with the kernel's order
    /// of calls hear of it in the next feedback, too.
    pub(crate) fn on_spurious(&mut self) {
        let at = self.now;
        if !self.faulty {
            self.controller().on_undo(at);
        }
        self.state = CaState::Open;
        self.undone = true;
        self.decide();
    }
}

/// Never zero, which no path has: some controllers divide by it.
fn round_trip(at: Time, slot: &Slot) -> Span {
    at.since(slot.sent_at).max(Span::from_nanos(1))
}

#[cfg(test)]
mod tests;
