//! PROBE_RTT: the flow keeps its flight small until its queue is gone (`bbr_update_min_rtt`; v1
//! section 4.3.5, v3 section 5.3.4.3).

use super::ack::Ack;

/// The least time for which the flight stays small, in µs (`bbr_probe_rtt_mode_ms`).
const DURATION: u64 = 200_000;

/// The progress of PROBE_RTT.
#[derive(Clone, Debug, Default)]
pub struct ProbeRtt {
    /// When it may end, in µs; set when the flight has become small (`probe_rtt_done_stamp`).
    done_at: Option<u64>,
    round_done: bool,
    /// Packets sent at these counts of delivered packets, both inclusive, are no samples of
    /// bandwidth (`tp->app_limited`).
    limited: Option<(u64, u64)>,
}

impl ProbeRtt {
    /// Entered with `delivered` packets delivered so far.
    pub fn enter(&mut self, delivered: u64) {
        *self = ProbeRtt { limited: Some((delivered, delivered)), ..ProbeRtt::default() };
    }

    /// The packets in flight are no samples of bandwidth.
    pub fn limit(&mut self, ack: &Ack) {
        if let Some((_, until)) = &mut self.limited {
            *until = ack.counts.delivered + ack.in_flight as u64;
        }
    }

    /// True for a packet sent with `delivered` packets delivered, if PROBE_RTT held it back.
    pub fn limits(&self, delivered: u64) -> bool {
        self.limited.is_some_and(|(from, until)| (from..=until).contains(&delivered))
    }

    /// True once `now` (µs) is past the end (`bbr_check_probe_rtt_done`).
    pub fn is_over(&self, now: u64) -> bool {
        self.done_at.is_some_and(|done| now > done)
    }

    /// Waits for the flight to fall to `target`, then for the duration and a round.
    pub fn progress(&mut self, ack: &Ack, round_start: bool, target: u32) -> Progress {
        if self.done_at.is_none() {
            if ack.in_flight > target {
                return Progress::Waiting;
            }
            self.done_at = Some(ack.now + DURATION);
            self.round_done = false;
            return Progress::Emptied;
        }
        self.round_done |= round_start;
        if self.round_done && self.is_over(ack.now) { Progress::Over } else { Progress::Waiting }
    }
}

/// The progress of PROBE_RTT at an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing yet.
    Waiting,
    /// The flight has become small: a round begins.
    Emptied,
    /// Time and round are over.
    Over,
}
