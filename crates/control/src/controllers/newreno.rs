//! NewReno: additive increase, halving on loss.
//!
//! Sources: RFC 5681 (slow start, congestion avoidance, restart after idleness), RFC 6582 and RFC
//! 6675 (recovery, carried out by the transport), RFC 6928 (initial window), RFC 3168 section 6.1.2
//! (marks), RFC 3465 with L unlimited (growth by segments acknowledged, as Linux and QUIC count).
//!
//! Deviations, all as Linux has them (`net/ipv4/tcp_cong.c`, `tcp_output.c`):
//! * the threshold after loss is half of the window, not of the flight; the two differ only when
//!   the application limits sending, and then the window has not grown either;
//! * slow start is not limited to two segments per acknowledgement;
//! * after idleness the window halves once per timeout (`tcp_cwnd_restart`), unless
//!   `restart=rfc5681` asks for the initial window of RFC 5681 section 4.1.

use crate::parts::aimd::{Aimd, Steps};
use crate::parts::ecn::ECN;
use crate::parts::restart::Rule;
use crate::{Basis, Build, Built, Entry};
use narrows_params::Param;

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "newreno",
    kernel: Some("reno"),
    summary: "additive increase by one segment per round trip, halving on loss or mark",
    source: "RFC 5681, RFC 6582, RFC 6675, RFC 6928, RFC 3168",
    basis: Basis::Loss,
    needs: &[],
    numbered: false,
    params: &[ECN.spec, PACING.spec, RESTART.spec],
    build: Build::Function(|setup, params| {
        Ok(Built::new(
            Aimd::new(NewReno, setup, params)
                .paced(params.get(&PACING))
                .restarting(params.get(&RESTART)),
        ))
    }),
};

const PACING: Param<bool> = Param::flag(
    "pacing",
    false,
    "pace at 2 windows per round trip in slow start, then 1.2, as Linux does (tcp_update_pacing_rate)",
);

const RESTART: Param<Rule> = Param::choice(
    "restart",
    "linux",
    &[("linux", Rule::Linux), ("rfc5681", Rule::Rfc5681)],
    "the window after idleness: half of it per timeout, down to the initial one (linux), or the initial one at once (rfc5681, as in ns-2)",
);

/// One segment per window acknowledged, half of it after a loss.
pub struct NewReno;

impl Steps for NewReno {
    fn increase(&self, _: f64) -> f64 {
        1.0
    }

    fn decrease(&self, _: f64) -> f64 {
        0.5
    }
}

#[cfg(test)]
mod tests {
    use crate::Choice;
    use crate::testing::{acked, acknowledge, at, inspect, setup};
    use crate::{CaState, Congestion, Controller, Feedback};

    fn newreno(window: f64) -> Box<dyn Controller> {
        "newreno?ecn".parse::<Choice>().unwrap().build(&setup(window)).unwrap()
    }

    fn congest(newreno: &mut dyn Controller, why: Congestion) -> (f64, f64) {
        newreno.on_feedback(&Feedback {
            congestion: Some(why),
            ca_state: CaState::Recovery,
            ..Feedback::at(at(100))
        });
        (inspect(newreno, "cwnd"), inspect(newreno, "ssthresh"))
    }

    #[test]
    fn slow_start_doubles_and_avoidance_adds_one_segment_per_window() {
        let mut newreno = newreno(20.0);
        acknowledge(&mut *newreno, at(50), &acked(0..20));
        assert_eq!(inspect(&*newreno, "cwnd"), 40.0);
        congest(&mut *newreno, Congestion::Loss);
        acknowledge(&mut *newreno, at(150), &acked(20..30));
        assert_eq!(inspect(&*newreno, "cwnd"), 20.5);
        acknowledge(&mut *newreno, at(200), &acked(30..50));
        assert_eq!(inspect(&*newreno, "cwnd"), 20.5 + 20.0 / 20.5);
    }

    #[test]
    fn losses_and_marks_halve() {
        assert_eq!(congest(&mut *newreno(31.0), Congestion::Loss), (15.5, 15.5));
        assert_eq!(congest(&mut *newreno(31.0), Congestion::Mark), (15.5, 15.5));
        assert_eq!(congest(&mut *newreno(3.0), Congestion::Loss), (2.0, 2.0));
        assert_eq!(congest(&mut *newreno(3.0), Congestion::Mark), (1.5, 2.0));
    }
}
