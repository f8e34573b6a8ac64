//! The least round trip, and PROBE_RTT, which empties the pipe to measure it.

use super::Era;
use super::ack::Ack;

/// How long a least round trip counts, in µs.
const WINDOW: u64 = 10_000_000;
/// How long the pipe stays nearly empty at least, in µs.
const DURATION: u64 = 200_000;

/// The least round trip of the last ten seconds.
#[derive(Clone, Debug)]
pub struct MinRtt {
    micros: Option<u32>,
    stamp: u64,
    /// A round trip as short as the least counts as a new one.
    equal_renews: bool,
}

impl MinRtt {
    /// Unknown; the window begins at `now` (µs).
    pub fn new(now: u64, era: Era) -> MinRtt {
        MinRtt { micros: None, stamp: now, equal_renews: era == Era::Linux4_15 }
    }

    /// In µs, once measured.
    pub fn get(&self) -> Option<u32> {
        self.micros
    }

    /// Takes in the acknowledgement's round trip. True if the minimum had expired; then any round trip replaces it that the receiver did not lengthen.
    pub fn update(&mut self, ack: &Ack) -> bool {
        let expired = ack.now > self.stamp + WINDOW;
        if let Some(rtt) = ack.rtt
            && (self.micros.is_none_or(|least| rtt < least || (rtt == least && self.equal_renews)) || (expired && !ack.delayed))
        {
            self.micros = Some(rtt);
            self.stamp = ack.now;
        }
        expired
    }

    /// The pipe was just emptied: the minimum counts from `now` (µs) again.
    pub fn refresh(&mut self, now: u64) {
        self.stamp = now;
    }
}

/// The progress of PROBE_RTT.
#[derive(Clone, Debug, Default)]
pub struct ProbeRtt {
    /// When it may end, in µs; set when the flight has become small.
    done_at: Option<u64>,
    round_done: bool,
    /// Packets sent with this many delivered say nothing of the bandwidth: from and up to, inclusive.
    limited: Option<(u64, u64)>,
}

impl ProbeRtt {
    /// Entered with `delivered` packets delivered so far.
    pub fn enter(&mut self, delivered: u64) {
        *self = ProbeRtt { limited: Some((delivered, delivered)), ..ProbeRtt::default() };
    }

    /// All that is in flight now carries no information on bandwidth.
    pub fn limit(&mut self, ack: &Ack) {
        if let Some((_, until)) = &mut self.limited {
            *until = ack.counts.delivered + ack.in_flight as u64;
        }
    }

    /// True for a packet sent with `delivered` packets delivered, if PROBE_RTT held it back.
    pub fn limits(&self, delivered: u64) -> bool {
        self.limited.is_some_and(|(from, until)| (from..=until).contains(&delivered))
    }

    /// True once `now` (µs) is past the end.
    pub fn is_over(&self, now: u64) -> bool {
        self.done_at.is_some_and(|done| now > done)
    }

    /// Waits for the flight to fall to `floor`, then for the duration and a round.
    pub fn progress(&mut self, ack: &Ack, round_start: bool, floor: u32) -> Progress {
        if self.done_at.is_none() {
            if ack.in_flight > floor {
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

/// What an acknowledgement means to PROBE_RTT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Nothing yet.
    Waiting,
    /// The flight has become small: a round begins.
    Emptied,
    /// Time and round are over.
    Over,
}
