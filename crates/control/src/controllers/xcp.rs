//! XCP's sender: its window changes by the feedback of the routers on its path.
//!
//! Sources: Katabi, Handley and Rohrs, SIGCOMM 2002; draft-falk-xcp-spec and ns-2
//! `xcp/xcp-end-sys.cc`. The last two state the feedback as a change of throughput, and so does
//! this code. As in ns-2, loss, timeout and restart after idleness follow TCP (RFC 5681).
//!
//! Deviation: positive feedback does not raise the window of an application-limited flow, as TCP's
//! window does not grow then. Negative feedback lowers it.

use crate::parts::window::{Window, used};
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Controller, Decision, Feedback, Open, Sent, Tag, Timeout};
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Span, Time};
use narrows_wire::{Ecn, Header, Signal};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "xcp",
    kernel: None,
    summary: "XCP: the window changes by the feedback of XCP routers to each packet",
    source: "Katabi, Handley and Rohrs 2002; draft-falk-xcp-spec; ns-2 xcp/xcp-end-sys.cc",
    basis: Basis::Routers,
    needs: &[Need::Delta],
    numbered: false,
    params: &[PACING.spec],
    build: Build::Function(|setup, params| Ok(Built::new(Xcp::new(setup, params)))),
};

const PACING: Param<bool> = Param::flag(
    "pacing",
    false,
    "pace a window per round trip; the sources send as acknowledgements come",
);

/// Change of throughput that each packet asks for, in bytes per second: more than any link has.
const WISH: f64 = 1e12;
/// Fewest segments of the window.
const MIN_WINDOW: f64 = 1.0;

/// The sender.
#[derive(Clone, Debug)]
struct Xcp {
    window: Window,
    /// Size of a full packet, headers included.
    packet: Bytes,
    paces: bool,
    srtt: Span,
    /// The latest feedback, in bytes per second.
    feedback: f64,
}

impl Xcp {
    fn new(setup: &Setup, params: &Params) -> Xcp {
        Xcp {
            window: Window::new(setup),
            packet: setup.mss + setup.headers,
            paces: params.get(&PACING),
            srtt: Span::ZERO,
            feedback: 0.0,
        }
    }

    /// Throughput of the window, in bytes per second.
    fn throughput(&self) -> f64 {
        self.window.cwnd * self.packet.get() as f64 / self.srtt.as_secs_f64()
    }
}

impl Controller for Xcp {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        self.window.on_sent(sent);
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        if let Some(why) = feedback.congestion {
            self.window.reduce(self.window.cwnd / 2.0, why);
        }
        let Some(Signal::Delta(delta)) = feedback.signal else { return };
        self.feedback = delta;
        let limited = if self.paces {
            used(feedback, self.window.cwnd) > 0
        } else {
            feedback.acked.iter().any(|acked| acked.window_limited)
        };
        if limited || (delta < 0.0 && !feedback.acked.is_empty()) {
            let change = delta * self.srtt.as_secs_f64() / self.packet.get() as f64;
            self.window.cwnd = (self.window.cwnd + change).max(MIN_WINDOW);
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.window.collapse(timeout, self.window.cwnd / 2.0);
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn decision(&self) -> Decision {
        let pacing =
            if self.paces { self.window.pacing((1.0, 1.0), self.packet, self.srtt) } else { None };
        Decision { pacing, ..Decision::clocked(self.window.cwnd, self.packet, Ecn::NotEct) }
    }

    fn header(&self) -> Option<Header> {
        Some(if self.srtt.is_zero() {
            Header::Delta { rtt: Span::ZERO, throughput: 0.0, delta: 0.0 }
        } else {
            Header::Delta { rtt: self.srtt, throughput: self.throughput(), delta: WISH }
        })
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window.cwnd);
        visit("feedback", self.feedback);
    }
}

#[cfg(test)]
mod tests {
    use super::WISH;
    use crate::Choice;
    use crate::testing::{acked, acked_one, at, inspect, setup};
    use crate::{Acked, CaState, Congestion, Controller, Feedback, Open, Timeout};
    use narrows_units::{Rate, Span};
    use narrows_wire::{Header, Signal};

    const RTT: Span = Span::from_millis(100);

    fn xcp(window: f64) -> Box<dyn Controller> {
        let mut xcp = "xcp".parse::<Choice>().unwrap().build(&setup(window)).unwrap();
        xcp.on_open(&Open::new(at(0), RTT));
        xcp
    }

    /// The window after an acknowledgement of `acked` that brings `delta`.
    fn told(xcp: &mut dyn Controller, delta: f64, acked: &[Acked]) -> f64 {
        xcp.on_feedback(&Feedback {
            acked,
            srtt: RTT,
            signal: Some(Signal::Delta(delta)),
            ..Feedback::at(at(100))
        });
        inspect(xcp, "cwnd")
    }

    #[test]
    fn packets_tell_nothing_until_a_round_trip_is_known() {
        let xcp = "xcp".parse::<Choice>().unwrap().build(&setup(10.0)).unwrap();
        assert_eq!(
            xcp.header(),
            Some(Header::Delta { rtt: Span::ZERO, throughput: 0.0, delta: 0.0 })
        );
        // Ten packets of 1500 B in 100 ms.
        assert_eq!(
            self::xcp(10.0).header(),
            Some(Header::Delta { rtt: RTT, throughput: 150_000.0, delta: WISH })
        );
    }

    #[test]
    fn the_window_changes_by_the_feedback_times_the_round_trip() {
        let mut xcp = xcp(10.0);
        // 30 000 bytes per second for 100 ms are two packets.
        assert_eq!(told(&mut *xcp, 30_000.0, &acked(0..2)), 12.0);
        assert_eq!(told(&mut *xcp, -45_000.0, &acked(2..4)), 9.0);
        assert_eq!(told(&mut *xcp, -1e9, &acked(4..6)), 1.0, "one packet at least");
        assert_eq!(
            xcp.header(),
            Some(Header::Delta { rtt: RTT, throughput: 15_000.0, delta: WISH })
        );
    }

    #[test]
    fn nothing_is_added_to_a_window_that_is_not_used_and_nothing_changes_without_new_data() {
        let mut xcp = xcp(10.0);
        assert_eq!(told(&mut *xcp, 30_000.0, &[acked_one(0, false)]), 10.0);
        assert_eq!(told(&mut *xcp, -15_000.0, &[acked_one(1, false)]), 9.0);
        assert_eq!(told(&mut *xcp, -15_000.0, &[]), 9.0);
    }

    #[test]
    fn a_paced_window_leaves_within_one_round_trip_and_may_grow_at_half_of_it_in_flight() {
        let mut xcp = "xcp?pacing=true".parse::<Choice>().unwrap().build(&setup(10.0)).unwrap();
        assert_eq!(xcp.decision().pacing, None, "no round trip is known");
        xcp.on_open(&Open::new(at(0), RTT));
        assert_eq!(xcp.decision().pacing, Some(Rate::from_bytes_per_sec(150_000.0)));
        assert_eq!(self::xcp(10.0).decision().pacing, None);
        let mut told = |in_flight_before| {
            let signal = Some(Signal::Delta(15_000.0));
            let acked = &[Acked { app_limited: false, ..acked_one(0, false) }];
            xcp.on_feedback(&Feedback {
                acked,
                srtt: RTT,
                signal,
                in_flight_before,
                ..Feedback::at(at(100))
            });
            inspect(&*xcp, "cwnd")
        };
        assert_eq!((told(4), told(5)), (10.0, 11.0));
    }

    #[test]
    fn losses_halve_and_timeouts_leave_one_packet_as_in_tcp() {
        let mut xcp = xcp(20.0);
        let loss = Feedback {
            congestion: Some(Congestion::Loss),
            ca_state: CaState::Recovery,
            srtt: RTT,
            ..Feedback::at(at(200))
        };
        xcp.on_feedback(&loss);
        assert_eq!(inspect(&*xcp, "cwnd"), 10.0);
        xcp.on_undo(at(210));
        assert_eq!(inspect(&*xcp, "cwnd"), 20.0);
        xcp.on_timeout(&Timeout::new(at(900), 10, 10, false));
        assert_eq!(inspect(&*xcp, "cwnd"), 1.0);
    }
}
