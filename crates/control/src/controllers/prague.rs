//! Prague: a scalable controller for the low-latency service (L4S).
//!
//! Sources: draft-briscoe-iccrg-prague-congestion-control; RFC 9331 section 4 (what ECT(1) asks of
//! a sender); the module `prague` of the L4S team's Linux, with whose default of rate-based
//! independence of the round trip this agrees.
//!
//! In: ECT(1); α from the receiver's counts, kept until the first mark; a reduction by α/2 at the
//! first mark, then at most once per round trip and per 25 ms; growth also while marks come, by
//! what arrived without; growth of one segment per 25 ms in a rate of one segment per 25 ms for
//! shorter round trips; windows in fractions, paced at the window per round trip in bursts of 0.25
//! ms; halving on loss.
//!
//! Left out: falling back to classic growth on queues that mark classically (not in the module's
//! default either); windows below two segments; the 500 round trips after slow start before which
//! the module's growth is not yet independent of the round trip; the other heuristics of that
//! independence; pacing by round trips beyond the transport's smoothed one.

use crate::parts::marks::{Losses, MarkedShare, highest};
use crate::parts::restart::Rule;
use crate::parts::round::LongRound;
use crate::parts::window::{Window, used};
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{
    CaState, Congestion, Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout,
};
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::Ecn;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "prague",
    kernel: None,
    summary: "Prague: paced DCTCP for the low-latency service (L4S)",
    source: "draft-briscoe-iccrg-prague-congestion-control; RFC 9331 section 4",
    basis: Basis::Loss,
    needs: &[Need::EcnCounts, Need::Pacing],
    numbered: false,
    params: &[TARGET_RTT.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Prague::new(setup, params)))),
};

const TARGET_RTT: Param<Span> = Param::millis(
    "target_rtt",
    25.0,
    (0.0, 1000.0),
    "flows with shorter round trips behave as if they had this one; 0: off",
);

/// Weight of the latest window in the average.
const GAIN: f64 = 1.0 / 16.0;
/// Fewest segments of the window after a mark.
const MIN_WINDOW: f64 = 2.0;
/// Pacing rate over window per smoothed round trip, below half of the threshold and above.
const PACING_GAINS: (f64, f64) = (2.0, 1.0);
/// The burst that may leave back to back, in time at the pacing rate (`prague_burst_shift`: 2⁻¹²
/// s).
const BURST: Span = Span::from_nanos(1_000_000_000 >> 12);

/// The controller.
#[derive(Clone, Debug)]
struct Prague {
    window: Window,
    share: MarkedShare,
    losses: Losses,
    /// No second reduction for marks within one of these.
    calm: LongRound,
    target: Span,
    srtt: Span,
    /// A full packet, headers included.
    packet: Bytes,
}

impl Prague {
    fn new(setup: &Setup, params: &Params) -> Prague {
        let target = params.get(&TARGET_RTT);
        Prague {
            window: Window::new(setup).restarting(Rule::Linux),
            share: MarkedShare::new(1.0, GAIN, target).waiting_for_a_mark(),
            losses: Losses::default(),
            calm: LongRound::new(target),
            target,
            srtt: Span::ZERO,
            packet: setup.mss + setup.headers,
        }
    }

    /// Segments of growth per window acknowledged: below the target round trip as much less as
    /// makes the rate grow as it does there.
    fn increase(&self) -> f64 {
        if self.srtt >= self.target {
            return 1.0;
        }
        let ratio = self.srtt.as_secs_f64() / self.target.as_secs_f64();
        ratio * ratio
    }

    fn grow(&mut self, acked: f64) {
        let rest = self.window.slow_start(acked, 1.0);
        self.window.cwnd += self.increase() * rest / self.window.cwnd;
    }

    /// The reduction for losses serves marks too, and one for marks lasts a round.
    fn may_give_way(&mut self, feedback: &Feedback<'_>) -> bool {
        !self.losses.repairing()
            && highest(feedback).is_some_and(|highest| self.calm.ends_with(highest, feedback.now))
    }

    fn pacing(&self) -> Option<Rate> {
        self.window.pacing(PACING_GAINS, self.packet, self.srtt)
    }
}

impl Controller for Prague {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.window.on_sent(sent);
        self.share.on_sent(sent.number);
        self.calm.on_sent(sent.number);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        let cwnd = self.window.cwnd;
        let marked = feedback.ecn.ce;
        if self.losses.begin_with(feedback) {
            self.window.reduce(cwnd / 2.0, Congestion::Loss);
        } else if feedback.ca_state != CaState::Recovery {
            if marked > 0 && self.may_give_way(feedback) {
                let left = cwnd * (1.0 - self.share.alpha() / 2.0);
                self.window.reduce(left.max(MIN_WINDOW), Congestion::Mark);
            }
            self.grow(used(feedback, self.window.cwnd).saturating_sub(marked) as f64);
        }
        self.share.on_feedback(feedback);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.collapse(timeout, self.window.cwnd / 2.0);
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    /// The pacing rate has the fraction of a segment that the window rounds up.
    fn decision(&self) -> Decision {
        let pacing = self.pacing();
        let burst = pacing.map_or(Bytes::ZERO, |rate| rate.bytes_in(BURST));
        Decision {
            window: Segments::new(libm::ceil(self.window.cwnd)),
            pacing,
            quantum: burst.max(self.packet),
            ecn: Ecn::Ect1,
            reduction: if self.losses.repairing() {
                Reduction::Transport
            } else {
                Reduction::Immediate
            },
        }
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        self.window.inspect(visit);
        visit("alpha", self.share.alpha());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;
    use crate::testing::{acked, acked_one, acknowledge, at, send, setup};
    use crate::{Acked, EcnDelta};

    fn prague(options: &str, window: f64, threshold: f64) -> Prague {
        let params = format!("prague?{options}").parse::<Choice>().unwrap().params();
        let mut prague = Prague::new(&setup(window), &params);
        prague.window.threshold = threshold;
        prague
    }

    /// Ten new segments leave and are acknowledged together after a round trip of `rtt_ms`, `ce` of
    /// them marked.
    fn round(prague: &mut Prague, ms: u64, rtt_ms: u64, ce: u32) -> f64 {
        let numbers = ms * 10..ms * 10 + 10;
        send(prague, at(ms - rtt_ms), numbers.clone());
        let ecn = EcnDelta { ce, ect1: 10 - ce, echo: ce > 0, ..EcnDelta::default() };
        prague.on_feedback(&Feedback {
            acked: &acked(numbers),
            ecn,
            srtt: Span::from_millis(rtt_ms),
            ..Feedback::at(at(ms))
        });
        prague.window.cwnd
    }

    #[test]
    fn growth_below_the_target_round_trip_is_by_its_square() {
        for (rtt_ms, options, increase) in [
            (25, "", 1.0),
            (100, "", 1.0),
            (5, "", 0.04),
            (10, "", 0.16),
            (5, "target_rtt=0", 1.0),
            (5, "target_rtt=10", 0.25),
        ] {
            let grown = round(&mut prague(options, 40.0, 2.0), 200, rtt_ms, 0) - 40.0;
            assert!(
                (grown - increase * 10.0 / 40.0).abs() < 1e-12,
                "{options} at {rtt_ms} ms: {grown}"
            );
        }
    }

    #[test]
    fn the_first_mark_halves_and_the_next_takes_half_of_alpha_a_target_round_trip_later() {
        let mut prague = prague("", 100.0, f64::INFINITY);
        assert_eq!(round(&mut prague, 100, 10, 0), 110.0, "slow start");
        // α is 1 before the first mark; what came unmarked grows by 0.16 per window.
        let first = 55.0 + 0.16 * 9.0 / 55.0;
        assert_eq!((round(&mut prague, 110, 10, 1), prague.window.threshold), (first, 55.0));
        let second = first + 0.16 * 9.0 / first;
        assert_eq!(round(&mut prague, 120, 10, 1), second, "10 ms later");
        // The window of data that ended at 125 ms or later had 2 marks in 20, or 3 in 30: a tenth.
        let third = round(&mut prague, 135, 10, 1);
        let alpha = 1.0 + (0.1 - 1.0) / 16.0;
        assert_eq!(prague.share.alpha(), alpha);
        let left = second * (1.0 - 0.5);
        assert_eq!(third, left + 0.16 * 9.0 / left, "by the α of before");
        let left = third * (1.0 - alpha / 2.0);
        assert_eq!(round(&mut prague, 170, 10, 1), left + 0.16 * 9.0 / left);
    }

    #[test]
    fn what_the_pace_limited_counts_while_half_of_the_window_is_in_flight() {
        let mut prague = prague("", 40.0, 2.0);
        let paced = |app_limited| [Acked { app_limited, ..acked_one(0, false) }; 10];
        let mut grown = |in_flight_before, app_limited| {
            prague.window.cwnd = 40.0;
            let srtt = Span::from_millis(50);
            prague.on_feedback(&Feedback {
                acked: &paced(app_limited),
                in_flight_before,
                srtt,
                ..Feedback::at(at(100))
            });
            prague.window.cwnd - 40.0
        };
        assert_eq!([grown(20, false), grown(19, false), grown(20, true)], [0.25, 0.0, 0.0]);
    }

    #[test]
    fn losses_halve_and_the_transports_answer_to_the_echo_changes_nothing() {
        let mut prague = prague("", 64.0, 2.0);
        prague.on_feedback(&Feedback {
            congestion: Some(Congestion::Mark),
            ca_state: CaState::Cwr,
            ..Feedback::at(at(50))
        });
        assert_eq!(prague.window.cwnd, 64.0, "no new mark was counted");
        assert_eq!(prague.decision().reduction, Reduction::Immediate);
        prague.on_feedback(&Feedback { ca_state: CaState::Recovery, ..Feedback::at(at(60)) });
        assert_eq!((prague.window.cwnd, prague.decision().reduction), (32.0, Reduction::Transport));
        prague.on_feedback(&Feedback {
            acked: &acked(0..5),
            ca_state: CaState::Recovery,
            ..Feedback::at(at(70))
        });
        assert_eq!(prague.window.cwnd, 32.0);
        prague.on_timeout(&Timeout::new(at(900), 20, 20, false));
        assert_eq!((prague.window.cwnd, prague.window.threshold), (1.0, 16.0));
        acknowledge(&mut prague, at(950), &acked(5..7));
        assert_eq!(prague.window.cwnd, 3.0);
    }

    #[test]
    fn the_pace_has_the_fraction_that_the_window_rounds_up() {
        let mut prague = prague("", 10.5, 2.0);
        prague.on_feedback(&Feedback { srtt: Span::from_millis(10), ..Feedback::at(at(10)) });
        let decision = prague.decision();
        // 10.5 packets of 1500 B in 10 ms; 0.25 ms of that are less than a packet.
        assert_eq!(
            (decision.window.get(), decision.pacing, decision.quantum),
            (11.0, Some(Rate::from_kbps(12_600)), Bytes::new(1500))
        );
        assert_eq!(decision.ecn, Ecn::Ect1);
        prague.window.cwnd = 1_000.0;
        // 1.2 Gbit/s · 2⁻¹² s = 36,621 B.
        assert_eq!(prague.decision().quantum, Bytes::new(36_621));
    }
}
