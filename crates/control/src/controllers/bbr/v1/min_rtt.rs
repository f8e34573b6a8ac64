//! The least round trip (`bbr_update_min_rtt`; section 4.1.2).

use crate::controllers::bbr::common::Ack;

/// `bbr_min_rtt_win_sec`: the time for which a least round trip counts, in µs.
const WINDOW: u64 = 10_000_000;

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
    pub fn new(now: u64, equal_renews: bool) -> MinRtt {
        MinRtt { micros: None, stamp: now, equal_renews }
    }

    /// In µs, once measured.
    pub fn get(&self) -> Option<u32> {
        self.micros
    }

    /// The handshake took so many µs.
    pub fn open(&mut self, now: u64, rtt: u32) {
        self.micros = Some(rtt);
        self.stamp = now;
    }

    /// Takes in the acknowledgement's round trip. Returns true if the minimum had expired; any
    /// round trip then replaces it, unless the acknowledgement was delayed (`is_ack_delayed`).
    pub fn update(&mut self, ack: &Ack) -> bool {
        let expired = ack.now > self.stamp + WINDOW;
        if let Some(rtt) = ack.rtt
            && (self.micros.is_none_or(|least| rtt < least || (rtt == least && self.equal_renews))
                || (expired && !ack.delayed))
        {
            self.micros = Some(rtt);
            self.stamp = ack.now;
        }
        expired
    }

    /// PROBE_RTT is over: the minimum counts from `now` (µs) again.
    pub fn refresh(&mut self, now: u64) {
        self.stamp = now;
    }
}
