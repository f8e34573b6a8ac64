//! NewReno: additive increase, halving on loss, in two profiles: as Linux has it, in whole
//! segments, and as RFC 5681 prints it, in fractions.
//!
//! Sources: Linux `net/ipv4/tcp_cong.c` (`tcp_reno_cong_avoid`, `tcp_reno_ssthresh`) with the
//! window of [`linux`](crate::parts::linux); RFC 5681 (slow start, congestion avoidance, restart
//! after idleness), RFC 6582 and RFC 6675 (recovery, carried out by the transport), RFC 6928
//! (initial window), RFC 3168 section 6.1.2 (marks), RFC 3465 with L unlimited (growth by segments
//! acknowledged, as Linux and QUIC count).
//!
//! Deviations of the profile `rfc5681`, both as Linux has them:
//! * the threshold after loss is half of the window, not of the flight; the two differ only when
//!   the application limits sending, and then the window has not grown either;
//! * slow start is not limited to two segments per acknowledgement.

use crate::parts::aimd::{Aimd, Response};
use crate::parts::ecn::ECN;
use crate::parts::linux::{Callbacks, HZ, Linux, Socket};
use crate::parts::start::params::{OwnStarts, with_start};
use crate::{Basis, Build, Built, Entry, Setup};
use narrows_params::{Need, Param, ParamError, Params};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "newreno",
    kernel: Some("reno"),
    summary: "additive increase by one segment per round trip, halving on loss or mark",
    source: "Linux net/ipv4/tcp_cong.c; RFC 5681, RFC 6582, RFC 6675, RFC 6928, RFC 3168",
    basis: Basis::Loss,
    needs: &[Need::Outstanding],
    numbered: false,
    params: with_start!(PROFILE.spec, ECN.spec, PACING.spec),
    build: Build::Function(|setup, params| {
        Ok(match params.get(&PROFILE) {
            Profile::Linux => Built::new(linux(setup, params)?),
            Profile::Rfc5681 => Built::new(Aimd::new(NewReno, setup, params, params.get(&PACING))?),
        })
    }),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "linux",
    &[("linux", Profile::Linux), ("rfc5681", Profile::Rfc5681)],
    "linux: the kernel's whole segments; rfc5681: fractions of segments, and the initial window after idleness",
);

const PACING: Param<bool> = Param::flag(
    "pacing",
    false,
    "pace at 2 windows per round trip in slow start, then 1.2, as Linux does (tcp_update_pacing_rate)",
);

/// Which source is followed.
#[derive(Clone, Copy)]
enum Profile {
    Linux,
    Rfc5681,
}

fn linux(setup: &Setup, params: &Params) -> Result<Linux<NewReno>, ParamError> {
    let paces = params.get(&PACING);
    let starter = OwnStarts::classic(paces).choose(setup, params)?;
    let socket = Socket::new(setup, HZ).starting(starter);
    Ok(Linux::new(NewReno, socket, setup, params).paced(paces))
}

/// One segment per window acknowledged, half of it after a loss.
pub struct NewReno;

impl Response for NewReno {
    fn increase(&self, _: f64) -> f64 {
        1.0
    }

    fn decrease(&self, _: f64) -> f64 {
        0.5
    }
}

impl Callbacks for NewReno {
    /// `tcp_reno_ssthresh`.
    fn ssthresh(&mut self, socket: &Socket) -> u32 {
        (socket.cwnd / 2).max(2)
    }

    /// `tcp_reno_cong_avoid`.
    #[inline(always)]
    fn cong_avoid(&mut self, socket: &mut Socket, acked: u32) {
        if !socket.is_limited() {
            return;
        }
        let rest = if socket.in_slow_start() { socket.slow_start(acked) } else { acked };
        if rest > 0 {
            socket.step(socket.cwnd, rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NewReno, linux};
    use crate::parts::linux::Linux;
    use crate::testing::{acked, acknowledge, at, inspect, lose, setup};
    use crate::{CaState, Choice, Congestion, Controller, Feedback};

    fn kernels(window: f64) -> Linux<NewReno> {
        linux(&setup(window), &"newreno?ecn".parse::<Choice>().unwrap().params()).unwrap()
    }

    fn printed(window: f64) -> Box<dyn Controller> {
        "newreno?profile=rfc5681&ecn".parse::<Choice>().unwrap().build(&setup(window)).unwrap()
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
        let mut newreno = kernels(20.0);
        acknowledge(&mut newreno, at(50), &acked(0..20));
        assert_eq!(newreno.socket.cwnd, 40);
        lose(&mut newreno, at(100), Congestion::Loss);
        assert_eq!((newreno.socket.cwnd, newreno.socket.threshold), (20, 20));
        acknowledge(&mut newreno, at(150), &acked(20..39));
        assert_eq!((newreno.socket.cwnd, newreno.socket.credit), (20, 19));
        acknowledge(&mut newreno, at(200), &acked(39..61));
        assert_eq!((newreno.socket.cwnd, newreno.socket.credit), (22, 1));
    }

    #[test]
    fn losses_and_marks_halve_in_whole_segments_and_leave_two() {
        for (window, left) in [(31.0, 15), (3.0, 2)] {
            for why in [Congestion::Loss, Congestion::Mark] {
                let mut newreno = kernels(window);
                lose(&mut newreno, at(100), why);
                assert_eq!((newreno.socket.cwnd, newreno.socket.threshold), (left, left));
            }
        }
    }

    #[test]
    fn the_printed_window_grows_and_falls_by_fractions() {
        let mut newreno = printed(20.0);
        acknowledge(&mut *newreno, at(50), &acked(0..20));
        assert_eq!(inspect(&*newreno, "cwnd"), 40.0);
        congest(&mut *newreno, Congestion::Loss);
        acknowledge(&mut *newreno, at(150), &acked(20..30));
        assert_eq!(inspect(&*newreno, "cwnd"), 20.5);
        acknowledge(&mut *newreno, at(200), &acked(30..50));
        assert_eq!(inspect(&*newreno, "cwnd"), 20.5 + 20.0 / 20.5);
        assert_eq!(congest(&mut *printed(31.0), Congestion::Loss), (15.5, 15.5));
        assert_eq!(congest(&mut *printed(31.0), Congestion::Mark), (15.5, 15.5));
        assert_eq!(congest(&mut *printed(3.0), Congestion::Loss), (2.0, 2.0));
        assert_eq!(congest(&mut *printed(3.0), Congestion::Mark), (1.5, 2.0));
    }
}
