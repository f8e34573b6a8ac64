//! RCP's sender: sends at the rate that the routers on its path stamp.
//!
//! Sources: Dukkipati, Rate Control Protocol (Stanford 2008): the first packet asks for any rate,
//! the receiver echoes the lowest that routers stamp, the sender paces at it at once. Routers
//! answer to queues, senders do not answer to loss.
//!
//! Ours: a window of twice the rate times the round trip as a safety net, and one packet per round
//! trip before the first rate is known and after a timeout.

use crate::{Basis, Build, Built, Entry, Setup};
use crate::{Controller, Decision, Feedback, Open, Reduction, Timeout};
use narrows_params::{Need, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::{Ecn, Header, Signal};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "rcp",
    kernel: None,
    summary: "RCP: paces at the lowest rate stamped by the RCP routers of the path",
    source: "Dukkipati 2008; the RCP code for ns-2",
    basis: Basis::Routers,
    needs: &[Need::StampedRate, Need::Pacing],
    numbered: false,
    params: &[],
    build: Build::Function(|setup, params| Ok(Built::new(Rcp::new(setup, params)))),
};

/// The rate that a packet asks for: whatever routers allow.
const ANY: Rate = Rate::from_bps(u64::MAX);
/// The window over rate times round trip, and the fewest segments of it.
const WINDOW_GAIN: f64 = 2.0;
const MIN_WINDOW: f64 = 4.0;
/// Packets that may leave back to back, as in Linux (`tcp_min_tso_segs`): then what a host is late
/// by lowers no rate.
const BURST: u64 = 2;

/// The sender.
#[derive(Clone, Debug)]
struct Rcp {
    /// The rate of the latest echo; none before the first one and after a timeout.
    rate: Option<Rate>,
    /// A full packet, headers included.
    packet: Bytes,
    srtt: Span,
}

impl Rcp {
    fn new(setup: &Setup, _params: &Params) -> Rcp {
        Rcp { rate: None, packet: setup.mss + setup.headers, srtt: Span::ZERO }
    }

    fn window(&self) -> f64 {
        let carried = |rate: Rate| {
            WINDOW_GAIN * rate.bytes_per_sec() * self.srtt.as_secs_f64() / self.packet.get() as f64
        };
        self.rate.map_or(1.0, |rate| carried(rate).max(MIN_WINDOW))
    }
}

impl Controller for Rcp {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        if let Some(Signal::Rate(rate)) = feedback.signal
            && !rate.is_zero()
        {
            self.rate = Some(rate);
        }
    }

    fn on_timeout(&mut self, _timeout: &Timeout) {
        self.rate = None;
    }

    fn on_undo(&mut self, _now: Time) {}

    fn decision(&self) -> Decision {
        Decision {
            window: Segments::new(self.window()),
            pacing: self.rate,
            quantum: self.packet * BURST,
            ecn: Ecn::NotEct,
            reduction: Reduction::Immediate,
        }
    }

    fn header(&self) -> Option<Header> {
        Some(Header::Rate { rate: ANY, rtt: self.srtt })
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.window());
        visit("rate", self.rate.map_or(0.0, |rate| rate.as_bps() as f64));
    }
}

#[cfg(test)]
mod tests {
    use crate::Choice;
    use crate::testing::{acked, at, inspect, setup};
    use crate::{Controller, Feedback, Lost, Tag, Timeout};
    use narrows_units::{Bytes, Rate, Span, Time};
    use narrows_wire::{Header, Signal};

    fn rcp() -> Box<dyn Controller> {
        "rcp".parse::<Choice>().unwrap().build(&setup(10.0)).unwrap()
    }

    fn echo(rcp: &mut dyn Controller, rate: Rate, rtt_ms: u64) {
        let feedback = Feedback {
            srtt: Span::from_millis(rtt_ms),
            signal: Some(Signal::Rate(rate)),
            acked: &acked(0..1),
            ..Feedback::at(at(100))
        };
        rcp.on_feedback(&feedback);
    }

    fn window(rcp: &dyn Controller) -> f64 {
        rcp.decision().window.get()
    }

    #[test]
    fn the_first_packet_asks_for_any_rate_and_the_echo_is_paced_at_once() {
        let mut rcp = rcp();
        assert_eq!((window(&*rcp), rcp.decision().pacing), (1.0, None));
        assert_eq!(
            rcp.header(),
            Some(Header::Rate { rate: Rate::from_bps(u64::MAX), rtt: Span::ZERO })
        );
        // 12 Mbit/s and 50 ms are 50 packets of 1500 B.
        echo(&mut *rcp, Rate::from_mbps(12), 50);
        assert_eq!((window(&*rcp), rcp.decision().pacing), (100.0, Some(Rate::from_mbps(12))));
        assert_eq!(
            rcp.header(),
            Some(Header::Rate { rate: Rate::from_bps(u64::MAX), rtt: Span::from_millis(50) })
        );
        echo(&mut *rcp, Rate::from_kbps(120), 50);
        assert_eq!(
            (window(&*rcp), rcp.decision().pacing),
            (4.0, Some(Rate::from_kbps(120))),
            "at least four packets"
        );
        assert_eq!(inspect(&*rcp, "rate"), 120e3);
    }

    #[test]
    fn losses_change_nothing_and_a_timeout_leaves_one_packet_until_the_next_echo() {
        let mut rcp = rcp();
        echo(&mut *rcp, Rate::from_mbps(12), 50);
        let lost =
            Lost { number: 3, bytes: Bytes::new(1448), sent_at: Time::ZERO, tag: Tag::default() };
        let congestion = Some(crate::Congestion::Loss);
        rcp.on_feedback(&Feedback {
            congestion,
            lost: &[lost],
            srtt: Span::from_millis(50),
            ..Feedback::at(at(200))
        });
        assert_eq!((window(&*rcp), rcp.decision().pacing), (100.0, Some(Rate::from_mbps(12))));
        rcp.on_timeout(&Timeout::new(at(900), 80, 80, false));
        assert_eq!((window(&*rcp), rcp.decision().pacing), (1.0, None));
        echo(&mut *rcp, Rate::from_mbps(6), 50);
        assert_eq!((window(&*rcp), rcp.decision().pacing), (50.0, Some(Rate::from_mbps(6))));
    }
}
