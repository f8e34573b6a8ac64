//! Segments that leave, and the retransmission timer.

use super::Around;
use super::callbacks::Event;
use crate::socket::fields as f;
use narrows_control::{CaState, Sent, Timeout};
use narrows_units::Span;

impl Around {
    /// A segment leaves: after idleness the window decays first, and the program hears of the first
    /// segment in flight before it counts (`tcp_slow_start_after_idle_check`,
    /// `tcp_event_data_sent`).
    pub(super) fn segment_leaves(&mut self, sent: &Sent) {
        self.at(sent.now);
        if !self.begun {
            self.begin();
        }
        let tick = self.outside.tick();
        if sent.rto != Span::MAX {
            let ticks = self.outside.ticks_again(sent.rto);
            self.set(f::RTO, ticks as u64);
        }
        let idle = tick.wrapping_sub(self.get(f::LSNDTIME) as u32);
        let has_sent = self.get(f::DATA_SEGS_OUT) > 0;
        if has_sent
            && sent.outstanding == 0
            && !sent.retransmission
            && !self.controls()
            && idle as u64 > self.get(f::RTO)
        {
            self.restart(idle);
        }
        if sent.app_limited {
            let in_network = self.get(f::DELIVERED) + sent.in_flight as u64;
            self.set(f::APP_LIMITED, in_network.max(1));
        }
        if sent.in_flight == 0 {
            let now = self.get(f::MSTAMP);
            self.set(f::FIRST_TX_MSTAMP, now);
            self.set(f::DELIVERED_MSTAMP, now);
            self.event(Event::TxStart);
        }
        self.set(f::LSNDTIME, tick as u64);
        if self.details {
            let now = self.get(f::CLOCK_CACHE);
            self.set(f::WSTAMP_NS, now);
            self.add(f::SEGS_OUT, 1);
            self.add(f::BYTES_SENT, sent.bytes.get());
        }
        self.count(sent);
    }

    fn count(&mut self, sent: &Sent) {
        self.add(f::DATA_SEGS_OUT, 1);
        if self.in_reduction() {
            self.add(f::PRR_OUT, 1);
        }
        if sent.retransmission {
            self.add(f::TOTAL_RETRANS, 1);
            self.add(f::BYTES_RETRANS, sent.bytes.get());
            return;
        }
        let end = self.sequence(sent.number).wrapping_add(sent.bytes.get());
        self.set(f::NEXT, end);
        self.set(f::WRITE_SEQ, end);
        if sent.bytes.get() < self.mss {
            self.set(f::SND_SML, end);
        }
        self.set(f::PACKETS_OUT, sent.outstanding as u64 + 1);
    }

    /// `tcp_cwnd_restart`: the window halves for each retransmission timeout of idleness, down to
    /// the initial one.
    #[cold]
    fn restart(&mut self, idle: u32) {
        self.event(Event::CwndRestart);
        let threshold = self.current_threshold();
        self.set(f::SSTHRESH, threshold);
        let mut window = self.get(f::CWND);
        let timeout = self.get(f::RTO).max(1) as i64;
        let least = self.initial_window.min(window);
        let mut rest = idle as i64 - timeout;
        while rest > 0 && window > least {
            window >>= 1;
            rest -= timeout;
        }
        self.set_window(window.max(least));
        self.set(f::CWND_USED, 0);
    }

    /// `tcp_enter_loss`, after everything in flight was presumed lost.
    pub(super) fn timer_expired(&mut self, timeout: &Timeout) {
        self.at(timeout.now);
        let lost = self.get(f::LOST) + timeout.lost as u64;
        self.set(f::LOST, lost);
        if !timeout.repeated {
            let threshold = self.current_threshold();
            self.set(f::PRIOR_SSTHRESH, threshold);
            self.reduce();
            self.event(Event::Loss);
            let una = self.get(f::UNA);
            self.set(f::UNDO_MARKER, una);
        }
        self.set_window(timeout.in_flight_after as u64 + 1);
        self.set(f::CWND_CNT, 0);
        self.add(f::RETRANSMITS, 1);
        self.add(f::BACKOFF, 1);
        self.enter(CaState::Loss);
        let next = self.get(f::NEXT);
        self.set(f::HIGH_SEQ, next);
        self.ask_for_bursts();
    }
}
