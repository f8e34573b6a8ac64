//! When the next segment may leave, and which one.

use super::Sender;
use crate::scoreboard::{Flags, Slot};
use crate::wire::Data;
use narrows_control::Sent;
use narrows_units::{Span, Time};
use narrows_wire::Ecn;

/// A reason not to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocked {
    Window,
    Pacing(Time),
    /// Nothing to send, or the receiver's window is full.
    Data,
}

impl Sender {
    /// The segment that may be sent now, or the reason that none may.
    #[inline(always)]
    fn sendable(&self, now: Time) -> Result<u64, Blocked> {
        let Sender { conn, recovery, .. } = self;
        let next = recovery.next_segment(&conn.board);
        let number = match recovery.first_to_retransmit(&conn.board) {
            Some(number) if !recovery.prefers_new_data() => number,
            _ if conn.has_data(next) => next,
            Some(number) => number,
            None => return Err(Blocked::Data),
        };
        if conn.forced {
            return Ok(number);
        }
        if conn.board.in_flight() >= conn.window() {
            return Err(Blocked::Window);
        }
        if conn.decision.pacing.is_some() {
            let release = conn.pacer.release(conn.transport.mss + conn.transport.headers);
            if release > now {
                return Err(Blocked::Pacing(release));
            }
        }
        Ok(number)
    }

    /// When [`transmit`](Sender::transmit) would yield something: `now` if at once, `None` if only
    /// after an acknowledgement, a timer or a write.
    #[inline(never)]
    pub fn ready_at(&self, now: Time) -> Option<Time> {
        if self.conn.forced {
            return Some(now);
        }
        match self.sendable(now) {
            Ok(_) => Some(now),
            Err(Blocked::Pacing(release)) => Some(release),
            Err(_) => None,
        }
    }

    /// The longest delay of the host that pacing makes up for, so that it does not lower the rate;
    /// `None` if the sender is not paced and sends all that it can once it is asked.
    #[inline]
    pub fn makes_up_for(&self) -> Option<Span> {
        let Sender { conn, .. } = self;
        conn.decision.pacing.map(|rate| {
            conn.pacer.makes_up_for(rate.time_for(conn.transport.mss + conn.transport.headers))
        })
    }

    /// The next segment that leaves at `now` and the code point it carries; otherwise when there
    /// will be one, as [`ready_at`](Sender::ready_at) says.
    #[inline(always)]
    pub fn transmit(&mut self, now: Time) -> Result<(Data, Ecn), Option<Time>> {
        self.order.call(now);
        match self.sendable(now) {
            Ok(number) => Ok(self.send(now, number)),
            Err(Blocked::Data) if self.conn.forced && self.conn.board.outstanding() > 0 => {
                Ok(self.send_again(now))
            }
            Err(blocked) => {
                self.end_burst(now, blocked);
                Err(match blocked {
                    _ if self.conn.forced => Some(now),
                    Blocked::Pacing(release) => Some(release),
                    Blocked::Window | Blocked::Data => None,
                })
            }
        }
    }

    /// A probe, for which there is no new data.
    #[cold]
    fn send_again(&mut self, now: Time) -> (Data, Ecn) {
        self.send(now, self.recovery.to_probe(&self.conn.board))
    }

    fn end_burst(&mut self, now: Time, blocked: Blocked) {
        let Sender { conn, recovery, .. } = self;
        recovery.end_burst(conn, now);
        let limited = blocked == Blocked::Window;
        if !matches!(blocked, Blocked::Pacing(_)) {
            conn.pacer.end_burst();
        }
        if limited && !conn.window_limited {
            // The segments of this burst were limited by the window too, though that shows only
            // now.
            for number in conn.burst_start.max(conn.board.una())..conn.board.next() {
                conn.board.slot_mut(number).flags.set(Flags::WINDOW_LIMITED);
            }
        }
        if limited || conn.board.una() >= conn.window_limited_until {
            conn.window_limited = limited;
            conn.window_limited_until = conn.board.next();
        }
        if conn.signals.outstanding {
            let full = match blocked {
                Blocked::Window => true,
                Blocked::Pacing(_) => false,
                Blocked::Data => conn.board.in_flight() >= conn.window(),
            };
            let una = conn.board.una();
            let next = conn.board.next();
            if next > conn.burst_start
                || (full && conn.has_data(recovery.next_segment(&conn.board)))
            {
                conn.usage.on_burst(full, conn.board.outstanding(), una, next);
            }
        }
        conn.burst_start = conn.board.next();
        if blocked == Blocked::Data && !conn.marks_at_writes() {
            self.look_for_app_limit();
        }
    }

    /// Marks what leaves from now on as limited by the application if there is nothing to send or
    /// to repeat while the window has room (`tcp_rate_check_app_limited`).
    pub(super) fn look_for_app_limit(&mut self) {
        let Sender { conn, recovery, .. } = self;
        let unsent = recovery.next_segment(&conn.board) < conn.written;
        if !unsent
            && conn.board.in_flight() < conn.window()
            && conn.board.first_to_retransmit().is_none()
        {
            conn.rate.limit_by_app(conn.board.in_flight());
        }
    }

    /// Within its caller, lest what it returns go through memory.
    #[inline(always)]
    fn send(&mut self, now: Time, number: u64) -> (Data, Ecn) {
        let Sender { conn, recovery, .. } = self;
        let fresh = number == recovery.next_segment(&conn.board);
        let bytes = conn.payload(number);
        let app_limited = conn.rate.is_app_limited();
        let idle = recovery.is_idle(&conn.board);
        let mut sent = Sent::new(now, number, bytes, conn.board.in_flight());
        sent.outstanding = conn.board.outstanding();
        sent.retransmission = !fresh;
        sent.app_limited = app_limited;
        sent.rto = conn.rtt.timeout();
        let tag = conn.controller.on_sent(&sent);
        let flags = Flags::default()
            .with(Flags::APP_LIMITED, app_limited)
            .with(Flags::WINDOW_LIMITED, conn.window_limited);
        let packet = recovery.on_sent(conn, number, fresh, Slot { sent_at: now, tag, flags });
        conn.forced = false;
        conn.counters.sent += 1;
        conn.counters.retransmitted += !fresh as u64;
        if conn.signals.rates {
            let stamp = conn.rate.on_sent(now, idle, conn.ecn_seen.2);
            conn.board.set_stamp(packet, stamp);
        }
        if sent.in_flight == 0 || conn.decides_in_flight {
            conn.decide(now);
        } else {
            debug_assert!(conn.is_decided(), "a segment in flight changed the decision");
        }
        if let Some(rate) = conn.pacing_after_sent() {
            let quantum = conn.quantum();
            conn.pacer.on_sent(now, bytes + conn.transport.headers, rate, quantum);
        }
        if conn.is_reducing() {
            conn.reduction.on_sent();
        }
        let cwr = fresh && std::mem::take(&mut conn.cwr_wanted);
        let ecn = if fresh { conn.decision.ecn } else { Ecn::NotEct };
        (
            Data {
                number,
                bytes,
                stamp: now,
                packet: packet as u32,
                acked: conn.board.una() as u32,
                retransmission: !fresh,
                cwr,
            },
            ecn,
        )
    }
}
