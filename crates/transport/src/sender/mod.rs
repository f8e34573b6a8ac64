//! The sending endpoint.

mod connection;
mod counters;
mod event;
mod numbered;
mod overrun;
mod recovery;
mod reduction;
mod sending;
mod tcp;
mod usage;

use crate::rtt::RttEstimator;
use crate::wire::Ack;
use crate::{AckFormat, Signals, Transport};
use connection::{Connection, Lists};
use narrows_control::{Acked, CaState, Controller, Fault, Lost, Open, Role};
use narrows_units::{Bytes, Rate, Span, Time, TimeOrder};
use narrows_wire::{Ecn, Header};
use prefetch_index::prefetch_index;
use recovery::Recovery;
use std::sync::Arc;

pub use counters::SenderCounters;
pub use numbered::Answer;

/// Sends one connection's data as its controller decides: numbering, loss detection, recovery,
/// retransmission timeout (RFC 6298), undo of spurious reductions, pacing, classic ECN (RFC 3168)
/// and delivery rate samples, each as the [`Transport`] has it.
///
/// It never acts by itself: a world hands it acknowledgements, calls [`transmit`](Sender::transmit)
/// at [`ready_at`](Sender::ready_at) until it yields nothing, and calls
/// [`on_timer`](Sender::on_timer) at [`next_timer`](Sender::next_timer).
#[repr(C)]
pub struct Sender {
    // Before the connection, whose first fields are those that every packet touches.
    recovery: Recovery,
    conn: Connection,
    order: TimeOrder,
}

/// Room for what an event lists, which many senders may use one after another: a world with many of
/// them [lends](Sender::lend) it for an event, so that none needs to keep its own.
#[derive(Default)]
pub struct Room(Box<Lists>);

impl Sender {
    /// A sender at the start of a connection; many may share their settings. The controller is told
    /// these `signals`.
    pub fn new(
        transport: impl Into<Arc<Transport>>,
        controller: Box<dyn Controller>,
        signals: Signals,
    ) -> Sender {
        let transport = transport.into();
        Sender {
            recovery: Recovery::new(&transport),
            conn: Connection::new(transport, controller, signals),
            order: TimeOrder::default(),
        }
    }

    /// The connection is open: its handshake took `rtt`, and this end of it had this role. ECN is
    /// agreed upon if the controller wants it.
    pub fn on_open(&mut self, now: Time, rtt: Span, role: Role) {
        let conn = &mut self.conn;
        conn.rtt.sample(rtt, 0, 0);
        conn.rtt.sample_minimum(now, rtt);
        let mut open = Open::new(now, rtt);
        (open.role, open.ecn) = (role, conn.decision.ecn != Ecn::NotEct);
        open.selective = conn.transport.sack || conn.transport.acks == AckFormat::Numbered;
        conn.controller.on_open(&open);
        conn.decide(now);
    }

    /// All that will ever be written is acknowledged. Only the first call counts.
    pub fn close(&mut self, now: Time) {
        let conn = &mut self.conn;
        if !std::mem::replace(&mut conn.closed, true) {
            conn.controller.on_close(now);
            conn.decide(now);
        }
    }

    /// The application writes `segments` more full segments.
    pub fn write(&mut self, segments: u64) {
        if self.conn.marks_at_writes() {
            self.look_for_app_limit();
        }
        self.conn.written = self.conn.written.saturating_add(segments);
    }

    /// The application writes a message of `bytes`: its last segment may be short.
    pub fn write_message(&mut self, bytes: Bytes) {
        let mss = self.conn.transport.mss.get();
        let segments = bytes.get().div_ceil(mss);
        self.write(segments);
        let rest = bytes.get() - segments.saturating_sub(1) * mss;
        if segments > 0 && rest < mss {
            self.conn.short.push(self.conn.written - 1, Bytes::new(rest));
        }
    }

    /// The application writes nothing more.
    pub fn finish(&mut self) {
        self.conn.finished = true;
    }

    /// Drops all that was written but never sent.
    pub fn drop_unsent(&mut self) {
        self.conn.written = self.recovery.next_segment(&self.conn.board);
        self.conn.short.forget_from(self.conn.written);
    }

    /// Segments written so far.
    pub fn written(&self) -> u64 {
        self.conn.written
    }

    /// The application stops: it writes nothing more, and all that was written but never sent is
    /// dropped.
    pub fn stop(&mut self) {
        self.finish();
        self.drop_unsent();
    }

    /// True when all that will ever be written is acknowledged.
    pub fn is_done(&self) -> bool {
        self.conn.finished && self.recovery.una(&self.conn.board) >= self.conn.written
    }

    /// Exchanges the sender's room for what an event lists with `room`. Called before an event and
    /// after it, it lends the room; [`newly_acked`](Sender::newly_acked) and
    /// [`newly_lost`](Sender::newly_lost) hold in between.
    #[inline(always)]
    pub fn lend(&mut self, room: &mut Room) {
        std::mem::swap(&mut self.conn.lists, &mut room.0);
    }

    /// Fetches what an acknowledgement touches into the processor's caches, without waiting for it.
    pub fn fetch(&self) {
        let written = std::slice::from_ref(&self.conn.written);
        for line in 0..10 {
            prefetch_index(written, line * 8);
        }
        for line in 1..4usize {
            prefetch_index(written, (line * 8).wrapping_neg());
        }
    }

    /// Fetches what this refers to, when it has been [fetched](Sender::fetch) itself.
    pub fn fetch_further(&self) {
        self.conn.board.fetch();
    }

    /// An acknowledgement arrives. Returns the round trip that it shows, if any.
    #[inline(always)]
    pub fn on_ack(&mut self, now: Time, ack: &Ack) -> Option<Span> {
        self.order.call(now);
        self.conn.begin_event();
        self.recovery.on_ack(&mut self.conn, now, ack)
    }

    /// The earliest time at which [`on_timer`](Sender::on_timer) is wanted.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        let earliest = self.conn.timers.first();
        (earliest != Time::NEVER).then_some(earliest)
    }

    /// A timer may have expired: acts on those that have. Nothing more happens once there is a
    /// [`fault`](Sender::fault).
    pub fn on_timer(&mut self, now: Time) {
        self.order.call(now);
        let Sender { conn, recovery, .. } = self;
        if conn.fault.is_some() {
            return;
        }
        conn.forget_lost();
        if conn.timers.controller <= now {
            conn.controller.on_timer(now);
            conn.decide(now);
        }
        if conn.timers.reorder <= now {
            conn.lists.acked.clear();
            recovery.on_reorder_timer(conn, now);
        }
        if conn.timers.probe <= now {
            recovery.on_probe_timer(conn, now);
        }
        if conn.timers.retransmit <= now {
            recovery.on_retransmit_timer(conn, now);
        }
    }

    /// Its counters.
    pub fn counters(&self) -> &SenderCounters {
        &self.conn.counters
    }

    /// The latest round trip measured.
    pub fn latest_rtt(&self) -> Option<Span> {
        self.conn.latest_rtt
    }

    /// The round trips and the timeout.
    pub fn rtt(&self) -> &RttEstimator {
        &self.conn.rtt
    }

    /// Segments that the latest acknowledgement newly acknowledged.
    pub fn newly_acked(&self) -> &[Acked] {
        &self.conn.lists.acked
    }

    /// Transmissions that the latest acknowledgement or timer declared lost.
    pub fn newly_lost(&self) -> &[Lost] {
        &self.conn.lists.lost
    }

    /// Segments, or with numbered acknowledgements transmissions, that are kept: sent, and not
    /// acknowledged below all others.
    pub fn outstanding(&self) -> u32 {
        self.conn.board.outstanding()
    }

    /// Checks that what is kept of outstanding segments fits together. For tests.
    ///
    /// # Panics
    ///
    /// It does not.
    pub fn check(&self) {
        self.conn.board.check();
    }

    /// Segments in flight.
    pub fn in_flight(&self) -> u32 {
        self.conn.board.in_flight()
    }

    /// The window that holds now, in segments; during a reduction the transport's.
    pub fn effective_window(&self) -> f64 {
        let whole = self.conn.window();
        let window = self.conn.decision.window;
        if whole == window.whole() { window.get() } else { whole as f64 }
    }

    /// The pacing rate, if the controller paces.
    pub fn pacing(&self) -> Option<Rate> {
        self.conn.decision.pacing
    }

    /// The state of recovery.
    pub fn ca_state(&self) -> CaState {
        self.conn.state
    }

    /// The rate of payload that an encoder may produce: what the controller says, or else the
    /// window per smoothed round trip. `None` before the first round trip.
    pub fn media_rate(&self) -> Option<Rate> {
        let conn = &self.conn;
        conn.controller.media_rate().or_else(|| {
            let srtt = conn.rtt.srtt();
            let bytes = conn.decision.window.get() * conn.transport.mss.get() as f64;
            (!srtt.is_zero()).then(|| Rate::from_bytes_per_sec(bytes / srtt.as_secs_f64()))
        })
    }

    /// The header of the next data packet, for routers that read and write one.
    pub fn header(&self) -> Option<Header> {
        self.conn.controller.header()
    }

    /// Why the controller cannot go on, if it cannot, and since when: nothing is sent any more, and
    /// the world ends the run. [`next_timer`](Sender::next_timer) is that time from then on, so
    /// that a world which looks here before it calls [`on_timer`](Sender::on_timer) misses no
    /// fault.
    pub fn fault(&self) -> Option<(Time, &Fault)> {
        self.conn.fault.as_deref().map(|(at, fault)| (*at, fault))
    }

    /// The controller, for its traces.
    pub fn controller(&self) -> &dyn Controller {
        &*self.conn.controller
    }
}
