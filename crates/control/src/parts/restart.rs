//! Restart of a window after idleness.
//!
//! Sources: RFC 5681 section 4.1; Linux `net/ipv4/tcp_output.c` (`tcp_cwnd_restart`),
//! `include/net/tcp.h` (`tcp_slow_start_after_idle_check`, `tcp_current_ssthresh`).

use crate::Sent;
use narrows_units::{Span, Time};

/// The rule by which a window restarts once a flow was idle for longer than a retransmission
/// timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// At the initial window, or the present one if that is smaller; the threshold stays (RFC 5681
    /// section 4.1).
    Rfc5681,
    /// Half of the window per timeout, down to the initial one; the threshold is at least three
    /// quarters of the window before.
    Linux,
}

/// Times that Linux halves a window after `idle`, in any unit of time: once per `timeout`, and once
/// more for a part of one (`tcp_cwnd_restart`).
pub fn halvings(idle: u64, timeout: u64) -> u32 {
    u32::try_from(idle.saturating_sub(timeout).div_ceil(timeout.max(1))).unwrap_or(u32::MAX)
}

/// Watches departures for idleness.
#[derive(Clone, Debug)]
pub struct Restart {
    rule: Rule,
    /// Segments before the first acknowledgement.
    initial: f64,
    last_sent: Option<Time>,
}

impl Restart {
    /// At the start of a connection with this initial window.
    pub fn new(rule: Rule, initial: f64) -> Restart {
        Restart { rule, initial, last_sent: None }
    }

    /// Returns the state with another rule.
    pub fn by(self, rule: Rule) -> Restart {
        Restart { rule, ..self }
    }

    /// A segment leaves. Returns the new window and threshold if it ends idleness of more than a
    /// timeout.
    #[inline]
    pub fn on_sent(&mut self, sent: &Sent, (cwnd, threshold): (f64, f64)) -> Option<(f64, f64)> {
        let idle = self.last_sent.replace(sent.now).map_or(Span::ZERO, |last| sent.now.since(last));
        if sent.in_flight > 0 || sent.retransmission || idle <= sent.rto {
            return None;
        }
        let least = self.initial.min(cwnd);
        Some(match self.rule {
            Rule::Rfc5681 => (least, threshold),
            Rule::Linux => {
                let times =
                    halvings(idle.as_nanos(), sent.rto.as_nanos()).min(i32::MAX as u32) as i32;
                ((cwnd * libm::ldexp(1.0, -times)).max(least), threshold.max(0.75 * cwnd))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::at;
    use narrows_units::Bytes;

    /// Window and threshold, 64 and 40 before, after the pause, with a timeout of 200 ms.
    fn after(rule: Rule, pause: u64) -> Option<(f64, f64)> {
        let mut restart = Restart::new(rule, 10.0);
        let sent =
            |ms| Sent { rto: Span::from_millis(200), ..Sent::new(at(ms), ms, Bytes::new(1448), 0) };
        assert_eq!(restart.on_sent(&sent(1_000), (64.0, 40.0)), None);
        restart.on_sent(&sent(1_000 + pause), (64.0, 40.0))
    }

    #[test]
    fn linux_halves_the_window_once_per_timeout_and_keeps_the_initial_one() {
        // The threshold becomes three quarters of 64.
        for (pause, cwnd) in
            [(201, 32.0), (400, 32.0), (401, 16.0), (600, 16.0), (601, 10.0), (100_000_000, 10.0)]
        {
            assert_eq!(after(Rule::Linux, pause), Some((cwnd, 48.0)), "{pause} ms");
        }
        assert_eq!(after(Rule::Linux, 200), None);
    }

    #[test]
    fn the_rfc_restarts_at_the_initial_window() {
        assert_eq!(
            [200, 201, 601].map(|pause| after(Rule::Rfc5681, pause)),
            [None, Some((10.0, 40.0)), Some((10.0, 40.0))]
        );
    }

    #[test]
    fn flights_and_retransmissions_end_no_idleness() {
        let mut restart = Restart::new(Rule::Linux, 10.0);
        let sent = |ms, in_flight| Sent {
            rto: Span::from_millis(200),
            ..Sent::new(at(ms), ms, Bytes::new(1448), in_flight)
        };
        restart.on_sent(&sent(0, 0), (64.0, 40.0));
        assert_eq!(restart.on_sent(&sent(900, 1), (64.0, 40.0)), None);
        assert_eq!(
            restart.on_sent(&Sent { retransmission: true, ..sent(1_800, 0) }, (64.0, 40.0)),
            None
        );
        assert_eq!(
            restart.on_sent(&sent(1_900, 0), (64.0, 40.0)),
            None,
            "100 ms after the retransmission"
        );
    }
}
