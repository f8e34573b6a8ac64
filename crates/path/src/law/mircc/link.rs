//! The state of a link that both laws keep: its capacity, its mean round trip, the lowest rate, and
//! the parameters.

use crate::law::rtt;
use crate::{LawSetup, Observed};
use narrows_params::{Param, Params};
use narrows_units::{Rate, Span};

/// The parameters of both laws.
pub(super) const ETA: Param<f64> =
    Param::number("eta", 0.95, (0.01, 1.0), "", "share of the capacity to fill");
pub(super) const ALPHA: Param<f64> = Param::number(
    "alpha",
    0.5,
    (0.001, 1.0),
    "",
    "weight of a tick in the averages of base and excess rate",
);
pub(super) const BETA: Param<f64> =
    Param::number("beta", 0.1, (0.0, 1.0), "", "least weight of the queue, beta' in the paper");
pub(super) const ETA_CAPS: Param<bool> = Param::choice(
    "cap",
    "capacity",
    &[("capacity", false), ("eta", true)],
    "upper bound of rates: capacity, or eta of it",
);
pub(super) const COUNT: Param<bool> = Param::choice(
    "count",
    "arrivals",
    &[("arrivals", true), ("capacity", false)],
    "flows counted: max(C, y)/R as in equation (2), or C/R as in RCP, y being all traffic of the class",
);
pub(super) const KT: Param<f64> = Param::number(
    "kt",
    1.0,
    (0.01, 10.0),
    "",
    "interval of ticks in mean round trips; unstable above two ticks of feedback delay",
);
pub(super) const SHORTEST: Param<Span> = Param::millis(
    "shortest",
    10.0,
    (1.0, 1000.0),
    "least interval of ticks, or a mean round trip if shorter",
);
pub(super) const WITHIN: Param<bool> = Param::choice(
    "within",
    "rtt",
    &[("rtt", false), ("bounds", true)],
    "the least interval holds while no mean round trip is shorter, or always, for clocks that wake late",
);
pub(super) const LONGEST: Param<Span> = Param::millis(
    "longest",
    1000.0,
    (1.0, 60_000.0),
    "greatest interval of ticks, even below the least",
);
pub(super) const FLOOR: Param<f64> = Param::number(
    "floor",
    0.1,
    (0.0001, 1000.0),
    "packets",
    "lowest rate, Data packets per mean round trip; a secondary class at it gets none",
);

/// Bits in a Data packet before any has been seen.
const FIRST_PACKET: f64 = 8000.0;
/// Bits per second; no rate is lower.
const LEAST_RATE: f64 = 1.0;

/// A link as seen by the laws. Rates are bits of Data per second, times seconds.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) eta: f64,
    pub(super) alpha: f64,
    pub(super) beta: f64,
    /// True if rates end at eta of what their class may fill.
    eta_caps: bool,
    /// True if N counts arrivals beyond the capacity.
    counts_arrivals: bool,
    kt: f64,
    shortest: Span,
    /// True if the least interval holds even where the mean round trip is shorter.
    is_strict: bool,
    longest: Span,
    floor_packets: f64,
    /// C.
    pub(super) capacity: f64,
    /// d.
    rtt: f64,
    /// R_min.
    pub(super) floor: f64,
    discarded: u64,
}

/// Measurements of a link between two ticks.
pub(super) struct TickInterval {
    /// y, primary and secondary.
    pub(super) arrivals: [f64; 2],
    /// q/d: the rate that would empty the queue in a round trip.
    pub(super) drain: f64,
    /// True if it lasted too long, because the process was stopped, for the growth since the last
    /// tick to mean anything.
    pub(super) is_late: bool,
}

/// A tick is late after so many intervals; ours.
const LATE: u64 = 4;

/// The part of a link that one class may fill.
pub(super) struct Share {
    /// C, or C_s.
    pub(super) capacity: f64,
    /// eta C.
    pub(super) target: f64,
    /// The highest rate.
    pub(super) cap: f64,
    /// The fewest flows to count.
    pub(super) flows: f64,
}

impl Link {
    pub(super) fn new(setup: &LawSetup, params: &Params) -> Link {
        let floor_packets = params.get(&FLOOR);
        Link {
            eta: params.get(&ETA),
            alpha: params.get(&ALPHA),
            beta: params.get(&BETA),
            eta_caps: params.get(&ETA_CAPS),
            counts_arrivals: params.get(&COUNT),
            kt: params.get(&KT),
            shortest: params.get(&SHORTEST),
            is_strict: params.get(&WITHIN),
            longest: params.get(&LONGEST),
            floor_packets,
            capacity: setup.capacity.as_bps() as f64,
            rtt: rtt::FIRST,
            floor: floor_packets * FIRST_PACKET / rtt::FIRST,
            discarded: 0,
        }
    }

    pub(super) fn set_capacity(&mut self, capacity: Rate) {
        self.capacity = capacity.as_bps() as f64;
    }

    /// The interval that ends now; none on a link that is down, and none of what is not a number.
    pub(super) fn interval_of(&mut self, observed: &Observed) -> Option<TickInterval> {
        if self.capacity == 0.0 {
            return None;
        }
        let is_late = observed.dt > self.tick_interval() * LATE;
        let rtt = rtt::follow(self.rtt, observed.rtt, |_| rtt::SHARED_GAIN);
        let arrivals = observed.arrivals.map(|bits| bits / observed.dt.as_secs_f64());
        let drain = observed.queue / rtt;
        if !(arrivals[0] + arrivals[1] + drain).is_finite() {
            self.discarded += 1;
            return None;
        }
        self.rtt = rtt;
        self.floor = (self.floor_packets * observed.packet.bits() as f64 / rtt).max(LEAST_RATE);
        Some(TickInterval { arrivals, drain, is_late })
    }

    /// The part of `capacity` that a class may fill if it aims at `target`.
    pub(super) fn share(&self, capacity: f64, target: f64) -> Share {
        Share { capacity, target, cap: if self.eta_caps { target } else { capacity }, flows: 0.0 }
    }

    /// All of the link.
    pub(super) fn whole(&self) -> Share {
        self.share(self.capacity, self.eta * self.capacity)
    }

    /// The rate as Data carries it: of a link that is down, the lowest.
    pub(super) fn stamp(&self, rate: f64) -> Rate {
        Rate::from_bps(if self.capacity > 0.0 { rate.max(self.floor) } else { self.floor } as u64)
    }

    /// The rate of a class that may be without any, as Data carries it: nothing at the floor, or
    /// many flows would fill a link with floors. Primary Data goes on to carry the rate, which
    /// rises from the floor as soon as there is something to share.
    pub(super) fn stamp_or_none(&self, rate: f64) -> Rate {
        if self.capacity > 0.0 && rate > self.floor {
            Rate::from_bps(rate as u64)
        } else {
            Rate::ZERO
        }
    }

    /// N before it is held: how many flows at `rate` fill `capacity`, or make `arrivals` where
    /// these are more.
    pub(super) fn flows(&self, capacity: f64, arrivals: f64, rate: f64) -> f64 {
        (if self.counts_arrivals { capacity.max(arrivals) } else { capacity }) / rate
    }

    /// T: a mean round trip by default, and at most that wherever the least interval is longer
    /// (section 3.1.2) and not strict.
    pub(super) fn tick_interval(&self) -> Span {
        let least = if self.is_strict {
            self.shortest
        } else {
            self.shortest.min(Span::from_secs_f64(self.rtt))
        };
        Span::from_secs_f64(self.kt * self.rtt).max(least).min(self.longest)
    }

    pub(super) fn discarded(&self) -> u64 {
        self.discarded
    }

    pub(super) fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("rtt_s", self.rtt);
        visit("floor_mbps", self.floor / 1e6);
    }
}
