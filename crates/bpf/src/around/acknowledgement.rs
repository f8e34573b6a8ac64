//! One acknowledgement, in the order of `tcp_ack`.

use super::callbacks::Event;
use super::{Around, NO_THRESHOLD};
use crate::fault::Reason;
use crate::socket::fields as f;
use narrows_control::{CaState, Congestion, Feedback};

/// `CA_ACK_*` of `in_ack_event`.
const SLOW_PATH: u64 = 1;
const IN_ORDER: u64 = 2;
const ECHO: u64 = 4;

/// `FLAG_*` of net/ipv4/tcp_input.c, as `cong_control` gets them.
const FLAG_WIN_UPDATE: u64 = 0x02;
const FLAG_DATA_ACKED: u64 = 0x04;
const FLAG_RETRANS_DATA_ACKED: u64 = 0x08;
const FLAG_DATA_SACKED: u64 = 0x20;
const FLAG_ECE: u64 = 0x40;
const FLAG_SLOWPATH: u64 = 0x100;
const FLAG_ORIG_SACK_ACKED: u64 = 0x200;
const FLAG_SND_UNA_ADVANCED: u64 = 0x400;
const FLAG_DSACKING_ACK: u64 = 0x800;

/// An acknowledgement as the steps need it.
struct Acknowledgement {
    /// Segments that it acknowledges cumulatively.
    moved: u64,
    /// Segments newly acknowledged, selectively too.
    newly: u64,
    /// It acknowledges something selectively.
    selective: bool,
    /// The kernel would not take its short way: it is not just the next one in order.
    slow: bool,
}

impl Around {
    pub(super) fn acknowledged(&mut self, feedback: &Feedback<'_>) {
        self.at(feedback.now);
        let was_outstanding = self.get(f::PACKETS_OUT) > 0;
        let moved = feedback.una.saturating_sub(self.una);
        let selective = feedback.acked.iter().any(|acked| acked.number >= feedback.una);
        let ack = Acknowledgement {
            moved,
            newly: feedback.totals.delivered.saturating_sub(self.delivered),
            selective,
            slow: selective || feedback.ecn.echo || feedback.duplicate || moved == 0,
        };
        self.update(feedback, &ack);
        let order = if ack.moved > 0 { IN_ORDER } else { 0 };
        let path =
            order | if ack.slow { SLOW_PATH } else { 0 } | if feedback.ecn.echo { ECHO } else { 0 };
        if was_outstanding {
            let prior = feedback.rate.map_or(0, |rate| rate.prior_delivered + 1);
            let in_flight = self.mss.wrapping_mul(self.get(f::DELIVERED).wrapping_sub(prior));
            self.fill_ack_sample(ack.moved, feedback.rtt, in_flight);
            self.tell_of_acknowledged();
        }
        self.call(self.callbacks.in_ack_event, [path]);
        if !was_outstanding {
            return;
        }
        if feedback.probe_loss {
            self.repaired_by_probe(feedback.ca_state);
        }
        if feedback.ended.is_some() {
            self.end_reduction(feedback);
        }
        if feedback.undone || std::mem::take(&mut self.undo) {
            self.undo = false;
            self.take_back(feedback);
        }
        if let Some(congestion) = feedback.congestion {
            self.begin_reduction(feedback, congestion);
        }
        if self.state != feedback.ca_state {
            self.enter(feedback.ca_state);
            let next = self.get(f::NEXT);
            self.set(f::HIGH_SEQ, next);
        }
        self.fill_rate_sample(feedback, ack.newly);
        let limited = self.get(f::APP_LIMITED);
        if limited != 0 && limited != u32::MAX as u64 && self.get(f::DELIVERED) > limited {
            self.set(f::APP_LIMITED, 0);
        }
        self.grow(feedback, &ack);
    }

    /// The socket as `tcp_clean_rtx_queue` leaves it. Losses that this acknowledgement shows are
    /// not marked yet.
    fn update(&mut self, feedback: &Feedback<'_>, ack: &Acknowledgement) {
        let una = self.sequence(feedback.una);
        let next = self.sequence(feedback.next);
        let outstanding = feedback.outstanding;
        let lost = outstanding.lost.saturating_sub(feedback.lost.len() as u32);
        self.marked += feedback.ecn.ce as u64;
        let marked = self.marked;
        let socket = self.machine.socket_mut();
        f::UNA.set(socket, una);
        f::NEXT.set(socket, next);
        f::PACKETS_OUT.set(socket, outstanding.packets as u64);
        f::SACKED_OUT.set(socket, outstanding.sacked as u64);
        f::LOST_OUT.set(socket, lost as u64);
        f::RETRANS_OUT.set(socket, outstanding.resent as u64);
        f::DELIVERED.set(socket, feedback.totals.delivered + 1);
        f::MAX_PACKETS_OUT.set(socket, feedback.most_outstanding as u64);
        f::CWND_LIMITED.set(socket, feedback.cwnd_limited as u64);
        f::CWND_USAGE_SEQ.set(socket, next);
        f::DELIVERED_CE.set(socket, marked);
        if self.details {
            self.update_details(feedback, ack);
        }
        if ack.moved > 0 {
            self.set(f::RETRANSMITS, 0);
            self.set(f::BACKOFF, 0);
        }
        if self.in_reduction() && !self.controls() {
            // That which the transport has spread so far.
            self.set(f::CWND, feedback.window.max(1) as u64);
            self.add(f::PRR_DELIVERED, ack.newly);
        }
        (self.una, self.delivered) = (feedback.una, feedback.totals.delivered);
        // Otherwise the transport tells the smoothed one below, and the timeout with each segment.
        if let Some(rtt) = feedback.rtt.filter(|_| self.details || feedback.srtt.is_zero()) {
            self.measure_round_trip(rtt);
        }
        if !feedback.srtt.is_zero() {
            // The transport's own, of which this one is shown the newest sample of each
            // acknowledgement only.
            self.set(f::SRTT, feedback.srtt.as_nanos() / 125);
        }
    }

    /// Totals and times of what was delivered.
    fn update_details(&mut self, feedback: &Feedback<'_>, ack: &Acknowledgement) {
        let mss = self.mss;
        self.add(f::BYTES_ACKED, ack.moved * mss);
        self.add(f::DELIVERED_ECT1, feedback.ecn.ect1 as u64 * mss);
        self.add(f::DELIVERED_ECT0, feedback.ecn.ect0 as u64 * mss);
        self.add(f::DELIVERED_CE_BYTES, feedback.ecn.ce as u64 * mss);
        if ack.newly > 0 {
            let now = self.get(f::MSTAMP);
            self.set(f::DELIVERED_MSTAMP, now);
            if let Some(newest) = feedback.acked.iter().max_by_key(|acked| acked.sent_at) {
                let sent = self.outside.micros(newest.sent_at);
                let rtt = newest.rtt.as_micros();
                let end = self.sequence(newest.number + 1);
                self.set(f::FIRST_TX_MSTAMP, sent);
                self.set(f::RACK_MSTAMP, sent);
                self.set(f::RACK_RTT, rtt);
                self.set(f::RACK_END_SEQ, end);
            }
        }
    }

    /// `tcp_process_tlp_ack`: a tail loss probe has repaired a loss.
    #[cold]
    fn repaired_by_probe(&mut self, after: CaState) {
        self.set(f::CWND_CNT, 0);
        self.reduce();
        self.set(f::PRIOR_SSTHRESH, 0);
        self.enter(CaState::Cwr);
        self.complete();
        self.enter(if after == CaState::Disorder { CaState::Disorder } else { CaState::Open });
    }

    /// `tcp_end_cwnd_reduction`: the window is what the reduction was to leave. Programs that set
    /// the window themselves are left alone.
    fn complete(&mut self) {
        if self.controls() {
            return;
        }
        let threshold = self.get(f::SSTHRESH);
        if threshold < NO_THRESHOLD {
            self.set_window(threshold);
        }
        self.event(Event::CompleteCwr);
    }

    /// Everything that was sent before a reduction is acknowledged. Recovery is over before the
    /// window is set, a reduction for marks after it.
    #[cold]
    fn end_reduction(&mut self, feedback: &Feedback<'_>) {
        match feedback.ended {
            Some(CaState::Recovery) if self.state == CaState::Recovery => {
                self.enter(CaState::Open);
                self.complete();
            }
            Some(CaState::Cwr) if self.state == CaState::Cwr => {
                self.complete();
                self.enter(CaState::Open);
            }
            Some(CaState::Loss) if self.state == CaState::Loss => self.enter(CaState::Open),
            _ => {}
        }
    }

    /// `tcp_undo_cwnd_reduction`: the latest reduction was for nothing.
    #[cold]
    fn take_back(&mut self, feedback: &Feedback<'_>) {
        let before = self.get(f::PRIOR_SSTHRESH);
        if before > 0 {
            if let Some(window) = self.call(self.callbacks.undo_cwnd, []) {
                let window = window & u32::MAX as u64;
                if window == 0 {
                    self.refuse(self.callbacks.undo_cwnd, &Reason::UndoneToNothing);
                }
                self.set(f::CWND, window);
            }
            let threshold = self.get(f::SSTHRESH).max(before);
            self.set(f::SSTHRESH, threshold);
        }
        let tick = self.outside.tick();
        self.set(f::CWND_STAMP, tick as u64);
        self.set(f::UNDO_MARKER, 0);
        if self.state != CaState::Open {
            self.enter(if feedback.ca_state == CaState::Disorder {
                CaState::Disorder
            } else {
                CaState::Open
            });
        }
    }

    /// `tcp_enter_recovery` and `tcp_enter_cwr`. Only with numbered transmissions may another
    /// reduction be under way: this one begins where that one leads.
    #[cold]
    fn begin_reduction(&mut self, feedback: &Feedback<'_>, congestion: Congestion) {
        // That for the loss which a probe has repaired is over.
        if feedback.probe_loss && !matches!(feedback.ca_state, CaState::Cwr | CaState::Recovery) {
            return;
        }
        if self.in_reduction() {
            self.complete();
        }
        let marked = congestion == Congestion::Mark || feedback.ecn.echo;
        let threshold = if marked { 0 } else { self.current_threshold() };
        let una = self.get(f::UNA);
        let next = self.get(f::NEXT);
        self.set(f::LOST_OUT, feedback.outstanding.lost as u64);
        for (field, value) in [
            (f::PRIOR_SSTHRESH, threshold),
            (f::UNDO_MARKER, if congestion == Congestion::Mark { 0 } else { una }),
            (f::HIGH_SEQ, next),
            (f::CWND_CNT, 0),
            (f::PRR_DELIVERED, 0),
            (f::PRR_OUT, 0),
        ] {
            self.set(field, value);
        }
        self.reduce();
        self.enter(if congestion == Congestion::Mark { CaState::Cwr } else { CaState::Recovery });
    }

    /// `tcp_cong_control`.
    fn grow(&mut self, feedback: &Feedback<'_>, ack: &Acknowledgement) {
        self.set(f::LOST_OUT, feedback.outstanding.lost as u64);
        self.add(f::LOST, feedback.lost.len() as u64);
        let acknowledged = self.get(f::UNA);
        if self.controls() {
            self.control(acknowledged, flags(feedback, ack));
            return;
        }
        if !self.in_reduction() && ack.moved > 0 {
            self.call(self.callbacks.cong_avoid, [acknowledged, ack.newly]);
            let tick = self.outside.tick();
            self.set(f::CWND_STAMP, tick as u64);
        }
        self.update_pacing();
    }
}

fn flags(feedback: &Feedback<'_>, ack: &Acknowledgement) -> u64 {
    [
        (ack.moved > 0, FLAG_WIN_UPDATE | FLAG_DATA_ACKED | FLAG_SND_UNA_ADVANCED),
        (feedback.resent_acked, FLAG_RETRANS_DATA_ACKED),
        (ack.moved > 0 && !feedback.resent_acked, FLAG_ORIG_SACK_ACKED),
        (ack.selective, FLAG_DATA_SACKED),
        (feedback.ecn.echo, FLAG_ECE),
        (ack.slow, FLAG_SLOWPATH),
        (feedback.duplicate, FLAG_DSACKING_ACK),
    ]
    .into_iter()
    .fold(0, |flags, (holds, flag)| if holds { flags | flag } else { flags })
}
