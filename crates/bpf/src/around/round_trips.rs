//! Round trips as the socket has them: smoothed, their deviation, and the least
//! (`tcp_rtt_estimator`, `tcp_update_rtt_min`, lib/win_minmax.c).

use super::Around;
use crate::socket::fields as f;
use narrows_control::arithmetic::{Extreme, WindowedMax};
use narrows_units::Span;
use std::cmp::Reverse;
use std::num::Wrapping;

/// Seconds for which the least round trip counts (`sysctl_tcp_min_rtt_wlen`).
const WINDOW: u32 = 300;
/// Microseconds below which the deviation does not count (`tcp_rto_min_us`).
const LEAST_DEVIATION: u64 = 200_000;

impl Around {
    /// A round trip was measured: `tcp_rtt_estimator`, in which `srtt_us` is in eighths and the
    /// deviation in quarters of a microsecond.
    pub(super) fn measure_round_trip(&mut self, rtt: Span) {
        let rtt = u32::try_from(rtt.as_micros()).unwrap_or(u32::MAX / 8).max(1);
        let srtt = self.get(f::SRTT) as i64;
        if srtt == 0 {
            self.set(f::SRTT, 8 * rtt as u64);
            let deviation = 2 * rtt as u64;
            self.set(f::MDEV, deviation);
            self.set(f::RTTVAR, deviation.max(LEAST_DEVIATION));
            self.set(f::MDEV_MAX, deviation.max(LEAST_DEVIATION));
            let next = self.get(f::NEXT);
            self.set(f::RTT_SEQ, next);
        } else {
            let mut error = rtt as i64 - (srtt >> 3);
            self.set(f::SRTT, (srtt + error).max(1) as u64);
            let deviation = self.get(f::MDEV) as i64;
            if error < 0 {
                error = -error - (deviation >> 2);
                if error > 0 {
                    error >>= 3;
                }
            } else {
                error -= deviation >> 2;
            }
            let deviation = (deviation + error).max(0) as u64;
            self.set(f::MDEV, deviation);
            if deviation > self.get(f::MDEV_MAX) {
                self.set(f::MDEV_MAX, deviation);
                if deviation > self.get(f::RTTVAR) {
                    self.set(f::RTTVAR, deviation);
                }
            }
            let una = self.get(f::UNA) as u32;
            let since = self.get(f::RTT_SEQ) as u32;
            if (una.wrapping_sub(since) as i32) > 0 {
                let most = self.get(f::MDEV_MAX);
                let variation = self.get(f::RTTVAR);
                if most < variation {
                    self.set(f::RTTVAR, variation - ((variation - most) >> 2));
                }
                let next = self.get(f::NEXT);
                self.set(f::RTT_SEQ, next);
                self.set(f::MDEV_MAX, LEAST_DEVIATION);
            }
        }
        self.update_least(rtt);
        let timeout = Span::from_micros((self.get(f::SRTT) >> 3) + self.get(f::RTTVAR));
        let ticks = self.outside.ticks_of(timeout);
        self.set(f::RTO, ticks as u64);
    }

    /// `minmax_running_min`.
    fn update_least(&mut self, value: u32) {
        let now = self.outside.tick();
        let window = WINDOW.saturating_mul(self.conditions.hz);
        let before = f::RTT_MIN.map(|[time, value]| Extreme {
            at: Wrapping(self.get(time) as u32),
            value: Reverse(self.get(value) as u32),
        });
        let mut least = WindowedMax::resume(before);
        least.update(Wrapping(window), Wrapping(now), Reverse(value));
        if *least.best() == before {
            return;
        }
        for ([time, field], Extreme { at: Wrapping(at), value: Reverse(value) }) in
            f::RTT_MIN.into_iter().zip(*least.best())
        {
            self.set(time, at as u64);
            self.set(field, value as u64);
        }
    }
}
