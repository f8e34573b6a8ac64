//! Vegas: once per round trip, one segment more or less, by the number of segments that seem to
//! wait in the queue.
//!
//! Sources: Linux `net/ipv4/tcp_vegas.c`, with the window of [`linux`](crate::parts::linux); Brakmo
//! and Peterson, "TCP Vegas: end to end congestion avoidance on a global Internet", IEEE JSAC
//! 13(8), 1995, for the law, alpha, beta and gamma.
//!
//! Once per round trip diff = w·(rtt − base)/base, with the least round trip of the round and the
//! least since the connection began or was last idle. In slow start diff > gamma ends it at
//! w·base/rtt + 1. Afterwards diff < alpha adds a segment and diff > beta takes one.
//!
//! Deviations from Linux, beside those of [`linux`](crate::parts::linux):
//! * a window that nothing has filled since the round before does not grow. Linux lets it grow and
//!   lowers it again (`tcp_cwnd_application_limited`);
//! * diff has 64 bits: in the kernel's 32 the product wraps from 2^32 segment-microseconds on.

use crate::parts::ecn::ECN;
use crate::parts::linux::{Callbacks, Linux, Socket};
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{CaState, Feedback};
use narrows_params::{Need, Param, Params};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "vegas",
    kernel: Some("vegas"),
    summary: "Vegas: keeps alpha to beta segments of each flow queued, one segment more or less per round trip",
    source: "Linux net/ipv4/tcp_vegas.c; Brakmo and Peterson, JSAC 13(8), 1995",
    basis: Basis::Delay,
    needs: &[Need::Outstanding],
    numbered: false,
    params: &[ALPHA.spec, BETA.spec, GAMMA.spec, ECN.spec],
    build: Build::Function(|setup, params| {
        if params.get(&ALPHA) > params.get(&BETA) {
            params.refuse(&ALPHA, "at most beta")?;
            params.refuse(&BETA, "at least alpha")?;
        }
        Ok(Built::new(Vegas::connection(setup, params)))
    }),
};

const ALPHA: Param<u32> =
    Param::whole("alpha", 2, (0, 1_000_000), "segments", "with less in the queue the window grows");
const BETA: Param<u32> = Param::whole(
    "beta",
    4,
    (0, 1_000_000),
    "segments",
    "with more in the queue the window shrinks",
);
const GAMMA: Param<u32> =
    Param::whole("gamma", 1, (0, 1_000_000), "segments", "with more in the queue slow start ends");

/// Ticks of the kernel's clock per second: Linux's usual choice (`CONFIG_HZ_250`). Only idleness is
/// counted in them.
const HZ: u64 = 250;
/// No round trip yet (`0x7fffffff` in `tcp_vegas_init`, `vegas_enable`).
const NONE: u64 = 0x7fff_ffff;
/// With so few samples in a round, each may be of a delayed acknowledgement: Reno decides (`cntRTT
/// <= 2`).
const FEW: u32 = 2;
/// Fewest segments of the window after a decision, and of the threshold (`tcp_vegas_cong_avoid`,
/// `tcp_reno_ssthresh`).
const LEAST: u32 = 2;

/// The state of a connection (`struct vegas`).
#[derive(Clone, Debug)]
struct Vegas {
    alpha: u64,
    beta: u64,
    gamma: u64,
    /// The law holds; else Reno's (`doing_vegas_now`).
    holds: bool,
    /// The round ends when a segment beyond this one is acknowledged (`beg_snd_nxt`).
    ends_beyond: u64,
    /// Samples of this round (`cntRTT`).
    samples: u32,
    /// The least of this round in µs (`minRTT`).
    least: u64,
    /// The least of all in µs (`baseRTT`).
    base: u64,
    /// Segments that seemed to be in the queue at the latest decision (`diff`).
    queued: u64,
}

impl Vegas {
    fn connection(setup: &Setup, params: &Params) -> Linux<Vegas> {
        let vegas = Vegas {
            alpha: u64::from(params.get(&ALPHA)),
            beta: u64::from(params.get(&BETA)),
            gamma: u64::from(params.get(&GAMMA)),
            holds: true,
            ends_beyond: 0,
            samples: 0,
            least: NONE,
            base: NONE,
            queued: 0,
        };
        Linux::new(vegas, Socket::new(setup, HZ), setup, params)
    }

    /// `vegas_enable`.
    fn enable(&mut self, socket: &Socket) {
        self.holds = true;
        self.begin_round(socket);
    }

    fn begin_round(&mut self, socket: &Socket) {
        self.ends_beyond = socket.next;
        (self.samples, self.least) = (0, NONE);
    }

    /// Once per round trip.
    fn decide(&mut self, socket: &mut Socket, acked: u32) {
        let cwnd = socket.cwnd as u64;
        self.queued = cwnd * (self.least - self.base) / self.base;
        if socket.in_slow_start() {
            if self.queued > self.gamma {
                let target = cwnd * self.base / self.least + 1;
                socket.cwnd = cwnd.min(target) as u32;
                socket.threshold = socket.threshold.min(socket.cwnd);
            } else if socket.is_limited() {
                socket.slow_start(acked);
            }
        } else if self.queued > self.beta {
            socket.cwnd -= 1;
            socket.threshold = socket.threshold.min(socket.cwnd);
        } else if self.queued < self.alpha && socket.is_limited() {
            socket.cwnd += 1;
        }
        socket.cwnd = socket.cwnd.max(LEAST);
        socket.threshold = socket.current_threshold();
    }
}

/// `tcp_reno_cong_avoid`.
fn reno(socket: &mut Socket, acked: u32) {
    if !socket.is_limited() {
        return;
    }
    let rest = if socket.in_slow_start() { socket.slow_start(acked) } else { acked };
    if rest > 0 {
        socket.step(socket.cwnd, rest);
    }
}

impl Callbacks for Vegas {
    fn ssthresh(&mut self, socket: &Socket) -> u32 {
        (socket.cwnd / 2).max(LEAST)
    }

    fn cong_avoid(&mut self, socket: &mut Socket, acked: u32) {
        if !self.holds {
            reno(socket, acked);
        } else if socket.una > self.ends_beyond {
            if self.samples <= FEW {
                reno(socket, acked);
            } else {
                self.decide(socket, acked);
            }
            self.begin_round(socket);
        } else if socket.in_slow_start() && socket.is_limited() {
            socket.slow_start(acked);
        }
    }

    fn set_state(&mut self, socket: &mut Socket, state: CaState) {
        if state == CaState::Open {
            self.enable(socket);
        } else {
            self.holds = false;
        }
    }

    fn pkts_acked(&mut self, _socket: &mut Socket, feedback: &Feedback<'_>, _moved: u32) {
        let Some(rtt) = feedback.rtt else { return };
        // The kernel adds one lest a round trip be zero.
        let rtt = rtt.as_micros().min(NONE - 1) + 1;
        self.base = self.base.min(rtt);
        self.least = self.least.min(rtt);
        self.samples += 1;
    }

    fn tx_start(&mut self, socket: &mut Socket, _idle: u64) {
        self.base = NONE;
        self.enable(socket);
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("base_rtt_s", if self.base == NONE { f64::NAN } else { self.base as f64 / 1e6 });
        visit("queued", self.queued as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{acked, acknowledging, at, setup};
    use crate::{Choice, Controller, Outstanding, Timeout, Totals};
    use narrows_units::{Span, Time};

    fn vegas(text: &str, window: f64) -> Linux<Vegas> {
        Vegas::connection(&setup(window), &text.parse::<Choice>().unwrap().params())
    }

    /// Acknowledges the segments up to `una`, with `next` sent; the round trip is one less than the
    /// kernel counts.
    fn tell(vegas: &mut Linux<Vegas>, una: u64, next: u64, rtt: u64) {
        let Socket { una: before, .. } = vegas.socket;
        let acked = acked(before..una);
        let told = Feedback {
            una,
            next,
            rtt: Some(Span::from_micros(rtt - 1)),
            ..acknowledging(at(una), &acked)
        };
        vegas.on_feedback(&Feedback { totals: Totals { delivered: una, ..told.totals }, ..told });
    }

    /// A round of `window` segments, all acknowledged, the first of them with the least round trip;
    /// the last ends the round before it.
    fn round(vegas: &mut Linux<Vegas>, window: u64, rtt: u64) -> (u32, u32) {
        let first = vegas.socket.una;
        for una in first + 1..=first + window {
            tell(vegas, una, first + 2 * window, if una == first + 1 { rtt } else { rtt + 500 });
        }
        (vegas.socket.cwnd, vegas.socket.threshold)
    }

    fn avoiding(window: u32) -> Linux<Vegas> {
        let mut vegas = vegas("vegas", window as f64);
        vegas.socket.threshold = 5;
        vegas.controller.base = 100_000;
        vegas.controller.enable(&vegas.socket);
        vegas
    }

    #[test]
    fn less_than_alpha_adds_a_segment_more_than_beta_takes_one_and_between_the_window_stays() {
        // The first segment ends the round that began before anything was sent, with one sample,
        // which is too few: Reno. So the end of the round of 40 segments decides.
        let rounds = |rtt| {
            let mut vegas = avoiding(40);
            tell(&mut vegas, 1, 41, rtt);
            for una in 2..=42 {
                tell(&mut vegas, una, 80, rtt);
            }
            (vegas.socket.cwnd, vegas.socket.threshold)
        };
        // 40·4.9/100 = 1.96: 1; 40·5/100 = 2; 40·12.4/100 = 4.96: 4; 40·12.5/100 = 5. Thresholds
        // are three quarters of the window: 20 + 10 of 40 and 41, 19 + 9 of 39.
        assert_eq!(rounds(104_900), (41, 30));
        assert_eq!(rounds(105_000), (40, 30));
        assert_eq!(rounds(112_400), (40, 30));
        assert_eq!(rounds(112_500), (39, 28));
    }

    #[test]
    fn slow_start_doubles_each_round_trip_until_more_than_gamma_is_queued() {
        let mut vegas = vegas("vegas", 10.0);
        assert_eq!(round(&mut vegas, 10, 100_000).0, 20);
        assert_eq!(round(&mut vegas, 20, 100_000).0, 40);
        // 30 segments of 110 ms: the round that the 21st of them ends has a round trip of 100.5 ms,
        // of which 0.3 segments are queued.
        for una in 31..=60 {
            tell(&mut vegas, una, 60, 110_000);
        }
        assert_eq!((vegas.socket.cwnd, vegas.controller.queued), (70, 0));
        // 70·10/100 = 7 are queued, and 70·100/110 + 1 are left.
        tell(&mut vegas, 61, 61, 110_000);
        assert_eq!(
            (vegas.socket.cwnd, vegas.socket.threshold, vegas.controller.queued),
            (64, 64, 7)
        );
    }

    #[test]
    fn two_samples_are_too_few() {
        // An acknowledgement for every 20 segments or so. Reno: a segment for 40.
        let mut vegas = avoiding(40);
        for (una, next) in [(1, 41), (21, 61), (42, 82), (62, 102)] {
            tell(&mut vegas, una, next, 300_000);
        }
        assert_eq!((vegas.socket.cwnd, vegas.socket.credit, vegas.controller.queued), (40, 22, 0));
    }

    #[test]
    fn losses_halve_and_the_law_waits_for_the_end_of_recovery() {
        let mut vegas = avoiding(40);
        let outstanding = Outstanding { packets: 1, ..Outstanding::default() };
        let lost = Feedback { outstanding, window: 40, ..Feedback::at(at(100)) };
        vegas.on_feedback(&Feedback {
            congestion: Some(crate::Congestion::Loss),
            ca_state: CaState::Recovery,
            ..lost
        });
        assert_eq!((vegas.decision().window.whole(), vegas.controller.holds), (20, false));
        vegas.on_feedback(&Feedback { ended: Some(CaState::Recovery), ..lost });
        assert_eq!((vegas.socket.cwnd, vegas.controller.holds), (20, true));
        vegas.on_timeout(&Timeout::new(at(900), 20, 20, false));
        assert_eq!(
            (vegas.socket.cwnd, vegas.socket.threshold, vegas.controller.holds),
            (1, 10, false)
        );
    }

    #[test]
    fn a_window_that_is_not_filled_does_not_grow() {
        let mut vegas = avoiding(40);
        let acked = acked(0..1);
        for una in 1..200 {
            let totals = Totals { delivered: una, ..Totals::default() };
            let told = Feedback {
                una,
                next: una + 3,
                rtt: Some(Span::from_millis(100)),
                totals,
                ..acknowledging(at(una), &acked)
            };
            vegas.on_feedback(&Feedback { cwnd_limited: false, most_outstanding: 3, ..told });
        }
        assert_eq!(vegas.socket.cwnd, 40);
    }

    #[test]
    fn idleness_forgets_the_base() {
        let mut vegas = avoiding(40);
        let sent = |ms| crate::Sent {
            outstanding: 1,
            ..crate::Sent::new(
                Time::ZERO + Span::from_millis(ms),
                ms,
                narrows_units::Bytes::new(1448),
                0,
            )
        };
        vegas.on_sent(&sent(10));
        vegas.on_sent(&sent(900));
        assert_eq!(vegas.controller.base, NONE);
    }
}
