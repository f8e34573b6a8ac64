//! VCP: routers say in two bits how loaded they are, and the window grows by factors, grows by
//! steps or falls accordingly.
//!
//! Sources: Xia, Subramanian, Stoica and Kalyanaraman, "One more bit is enough", SIGCOMM 2005; the
//! authors' module for ns-2 (vcp-0.1, February 2006), which differs (`dialect=ns2`).
//!
//! In: multiplicative increase at low load, additive increase at high load, both scaled by the
//! round trip so that flows of any round trip grow alike; multiplicative decrease at overload, at
//! once, then a window that rests for one measurement of the routers and a round trip of additive
//! increase; with `bits=8` the law of the fluid model on the load itself.
//!
//! Losses are answered as by TCP: half of the window once per window of data, one segment after a
//! timeout. The echo of marks of RFC 3168, which the highest code also is to the transport, is not
//! answered.
//!
//! Ours: `fallback=reno` for routes whose bottleneck tells no load ("end-to-end VCP", slide 23);
//! pacing at one window per round trip; growth only while the window is in use; a flow that was
//! idle acts on fresh codes only.

mod kernel;
mod law;
#[cfg(test)]
mod tests;

pub use kernel::{KERNEL, TWIN};

use crate::parts::marks::Losses;
use crate::parts::prior::Prior;
use crate::parts::window::used;
use crate::{Basis, Build, Built, Entry, Setup};
use crate::{CaState, Controller, Decision, Feedback, Open, Reduction, Sent, Tag, Timeout};
use law::{ALPHA, BETA, DIALECT, Dialect, KAPPA, T_RHO, VcpLaw, WEIGHT, XI};
use narrows_params::{Need, Param, Params};
use narrows_units::{Bytes, Rate, Segments, Span, Time};
use narrows_wire::{CodePoints, Header, LoadCode, Signal};

/// Registry line.
pub static ENTRY: Entry = Entry {
    name: "vcp",
    kernel: None,
    summary: "VCP: multiplicative increase, additive increase or multiplicative decrease by two bits from routers",
    source: "Xia, Subramanian, Stoica, Kalyanaraman, SIGCOMM 2005; the authors' ns-2 module of 2006 (dialect=ns2)",
    basis: Basis::Routers,
    needs: &[Need::LoadCode, Need::EcnCounts, Need::Pacing],
    numbered: false,
    params: &[
        DIALECT.spec,
        CodePoints::PARAM.spec,
        EIGHT_BITS.spec,
        T_RHO.spec,
        XI.spec,
        ALPHA.spec,
        BETA.spec,
        KAPPA.spec,
        WEIGHT.spec,
        SCALE.spec,
        PACING.spec,
        FALLBACK.spec,
    ],
    build: Build::Function(|setup, params| Ok(Built::new(Vcp::new(setup, params)))),
};

const EIGHT_BITS: Param<bool> = Param::choice(
    "bits",
    "2",
    &[("2", false), ("8", true)],
    "8: loads in hundredths, and the window law of the fluid model",
);
const SCALE: Param<bool> = Param::choice(
    "scale",
    "smoothed",
    &[("smoothed", false), ("minimum", true)],
    "round trip that scales the steps: the smoothed one, or the least, which no queue lengthens",
);
const PACING: Param<bool> = Param::flag(
    "pacing",
    true,
    "pace a window per round trip (ns2: up to 64 segments, more than t_rho / 2 apart)",
);

const FALLBACK: Param<bool> = Param::choice(
    "fallback",
    "none",
    &[("none", false), ("reno", true)],
    "reno: grow as NewReno from a loss at low load, so where the bottleneck tells no load, until a higher load is told",
)
.sparing(Need::LoadCode);

/// A window that takes hours to cross the path is still paced.
const SLOWEST: Rate = Rate::from_bps(1);

/// The controller.
#[derive(Clone, Debug)]
struct Vcp {
    law: VcpLaw,
    t_rho: Span,
    codes: CodePoints,
    /// The load that the newest acknowledgement told; none after idleness.
    code: Option<LoadCode>,
    /// With 8 bits the load in hundredths.
    exact: Option<u8>,
    eight_bits: bool,
    cwnd: f64,
    prior: Prior,
    initial: f64,
    rest: Rest,
    losses: Losses,
    srtt: Span,
    /// The least round trip, if it scales the steps.
    least: Option<Span>,
    scales_by_least: bool,
    paces: bool,
    /// A full packet, headers included.
    packet: Bytes,
    last_sent: Option<LastSent>,
    /// Grows as NewReno where the bottleneck tells no load.
    falls_back: bool,
    /// The latest loss came at low load, and no higher load was told since.
    untold: bool,
}

/// The time after a multiplicative decrease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    None,
    /// The routers need one measurement to see the effect.
    Freeze(Time),
    /// The round trip after that.
    Recover(Time),
}

#[derive(Clone, Copy, Debug)]
struct LastSent {
    at: Time,
    /// Segments in flight with it.
    flight: u32,
}

impl Vcp {
    fn new(setup: &Setup, params: &Params) -> Vcp {
        let cwnd = setup.initial_window.get();
        Vcp {
            law: VcpLaw::new(params),
            t_rho: Span::from_secs_f64(params.get(&T_RHO) / 1e3),
            codes: params.get(&CodePoints::PARAM),
            code: None,
            exact: None,
            eight_bits: params.get(&EIGHT_BITS),
            cwnd,
            prior: Prior::default(),
            initial: cwnd,
            rest: Rest::None,
            losses: Losses::default(),
            srtt: Span::ZERO,
            least: None,
            scales_by_least: params.get(&SCALE),
            paces: params.get(&PACING),
            packet: setup.mss + setup.headers,
            last_sent: None,
            falls_back: params.get(&FALLBACK),
            untold: false,
        }
    }

    /// The round trip, in seconds, that scales the steps.
    fn scale(&self) -> f64 {
        if self.scales_by_least { self.least.unwrap_or(self.srtt) } else { self.srtt }.as_secs_f64()
    }

    /// The part of the time after a decrease that holds at `now`.
    fn rest(&mut self, now: Time) -> Rest {
        if let Rest::Freeze(until) = self.rest
            && now >= until
        {
            self.rest = Rest::Recover(until + self.srtt);
        }
        if let Rest::Recover(until) = self.rest
            && now >= until
        {
            self.rest = Rest::None;
        }
        self.rest
    }

    /// The action of the newest code, for `acked` segments that may let the window grow.
    fn follow(&mut self, now: Time, code: LoadCode, acked: u32) {
        let action = match (self.rest(now), self.law.dialect) {
            (Rest::Freeze(_), Dialect::Paper) => return,
            (Rest::Freeze(_), Dialect::Ns2) if code == LoadCode::Overload => return,
            (Rest::Recover(_), Dialect::Paper) => LoadCode::High,
            (Rest::Recover(_), Dialect::Ns2) if code == LoadCode::Overload => LoadCode::High,
            _ => code,
        };
        let rtt = self.scale();
        match action {
            LoadCode::Low if self.untold => self.cwnd += acked as f64 / self.cwnd,
            LoadCode::Low => self.cwnd += acked as f64 * self.law.multiplicative(self.cwnd, rtt),
            LoadCode::High => self.cwnd += acked as f64 * self.law.additive(self.cwnd, rtt),
            LoadCode::Overload => {
                self.cwnd = (self.law.beta * self.cwnd).max(1.0);
                self.rest = Rest::Freeze(now + self.t_rho);
            }
        }
    }

    /// The law for exact loads. A fall does not depend on how much of the window is in use.
    fn follow_exactly(&mut self, load: u8, acked: usize, used: u32) {
        let step = self.law.exact(load as f64 / 100.0, self.cwnd, self.scale());
        let segments = if step < 0.0 { acked as f64 } else { used as f64 };
        self.cwnd = (self.cwnd + segments * step).max(1.0);
    }

    /// A loss that no load announced.
    fn lose(&mut self) {
        self.untold |= self.falls_back && self.code.is_none_or(|code| code == LoadCode::Low);
    }

    fn pacing(&self) -> Option<Rate> {
        if !self.paces || self.srtt.is_zero() {
            return None;
        }
        let rtt = self.srtt.as_secs_f64();
        let packet = self.packet.get() as f64;
        match self.law.dialect {
            Dialect::Paper => Some(Rate::from_bytes_per_sec(self.cwnd * packet / rtt).max(SLOWEST)),
            Dialect::Ns2 => {
                let whole = self.cwnd as u32;
                let per_round = whole.next_power_of_two() as f64;
                let apart =
                    (2..=64).contains(&whole) && rtt / per_round > self.t_rho.as_secs_f64() / 2.0;
                apart.then(|| Rate::from_bytes_per_sec(per_round * packet / rtt).max(SLOWEST))
            }
        }
    }
}

impl Controller for Vcp {
    fn on_open(&mut self, open: &Open) {
        self.srtt = open.rtt;
        self.least = Some(open.rtt);
    }

    fn on_sent(&mut self, sent: &Sent) -> Tag {
        if let Some(last) = self.last_sent
            && sent.in_flight == 0
            && !sent.retransmission
        {
            let idle = sent.now.since(last.at);
            if idle > self.t_rho {
                self.code = None;
                self.exact = None;
            }
            if idle > sent.rto {
                self.cwnd = self.cwnd.min(self.initial.max(last.flight as f64));
            }
        }
        self.last_sent = Some(LastSent { at: sent.now, flight: sent.in_flight + 1 });
        Tag::default()
    }

    fn on_feedback(&mut self, feedback: &Feedback<'_>) {
        self.srtt = feedback.srtt;
        self.least = self.least.into_iter().chain(feedback.rtt).min();
        self.code = self.codes.highest(|code| feedback.ecn.count(code) > 0).or(self.code);
        if let Some(Signal::Load(load)) = feedback.signal {
            self.exact = Some(load);
        }
        if self.code.is_some_and(|code| code != LoadCode::Low) {
            self.untold = false;
        }
        if self.losses.begin_with(feedback) {
            self.lose();
            self.prior.reduce(self.cwnd);
            self.cwnd = (self.cwnd / 2.0).max(1.0);
        } else if feedback.ca_state != CaState::Recovery && !feedback.acked.is_empty() {
            let used = used(feedback, self.cwnd);
            match (self.eight_bits, self.exact, self.code) {
                (true, Some(load), _) => self.follow_exactly(load, feedback.acked.len(), used),
                (false, _, Some(code)) => self.follow(feedback.now, code, used),
                _ => {}
            }
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.lose();
        self.prior.collapse(timeout, self.cwnd);
        self.cwnd = 1.0;
    }

    fn on_undo(&mut self, _now: Time) {
        self.cwnd = self.prior.restore(self.cwnd);
    }

    /// A pacing rate of the window per round trip has the fraction of a segment that the window
    /// rounds up.
    fn decision(&self) -> Decision {
        let pacing = self.pacing();
        let window = if pacing.is_some() && self.law.dialect == Dialect::Paper {
            libm::ceil(self.cwnd)
        } else {
            self.cwnd
        };
        Decision {
            window: Segments::new(window),
            pacing,
            quantum: self.packet,
            ecn: self.codes.of(LoadCode::Low),
            reduction: Reduction::Immediate,
        }
    }

    fn header(&self) -> Option<Header> {
        self.eight_bits.then_some(Header::Load(0))
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("cwnd", self.cwnd);
        visit("code", self.code.map_or(0.0, |code| code as u8 as f64 + 1.0));
        visit("load", self.exact.map_or(0.0, |load| load as f64 / 100.0));
        visit("untold", f64::from(self.untold));
        visit("resting", if let Rest::Freeze(_) = self.rest { 1.0 } else { 0.0 });
    }
}
