//! How the window follows the load: steps scaled by the round trip, in the forms of the paper and
//! of the authors' simulation.

use narrows_params::{Param, Params};

/// Load below which the window grows by factors, of what the router aims at.
const LOW_LOAD: f64 = 0.8;

/// Which description is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The article of SIGCOMM 2005.
    Paper,
    /// The module for ns-2 of February 2006.
    Ns2,
}

pub const DIALECT: Param<Dialect> = Param::choice(
    "dialect",
    "paper",
    &[("paper", Dialect::Paper), ("ns2", Dialect::Ns2)],
    "ns2: additive increase scaled to t_rho / 2, linear outside 0.1 to 2.5 t_rho; tables limit both increases; only overload codes rest after a decrease",
);
pub const T_RHO: Param<f64> = Param::number(
    "t_rho",
    200.0,
    (1.0, 10_000.0),
    "ms",
    "measuring period of the routers; equal to theirs",
);
pub const XI: Param<f64> = Param::number(
    "xi",
    0.0625,
    (0.0, 1.0),
    "",
    "multiplicative increase per t_rho: kappa (1 - 0.8) / 0.8",
);
pub const ALPHA: Param<f64> = Param::number(
    "alpha",
    1.0,
    (0.0, 1000.0),
    "segments",
    "additive increase per round trip of t_rho (ns2: of t_rho / 2)",
);
pub const BETA: Param<f64> =
    Param::number("beta", 0.875, (0.0, 1.0), "", "share of the window left by a decrease");
pub const KAPPA: Param<f64> =
    Param::number("kappa", 0.25, (0.0, 10.0), "", "gain for exact loads (bits=8)");
pub const WEIGHT: Param<f64> =
    Param::number("weight", 1.0, (0.01, 100.0), "", "multiplies alpha: the flow's weight");

/// The constants.
#[derive(Clone, Debug)]
pub struct VcpLaw {
    pub dialect: Dialect,
    /// The factor of multiplicative increase less one, for a round trip of `t_rho`.
    xi: f64,
    /// Segments of additive increase per round trip, for one of `t_d`, times the flow's weight.
    alpha: f64,
    /// The part of the window that multiplicative decrease leaves.
    pub beta: f64,
    /// Gain of the exact law.
    kappa: f64,
    /// Seconds over which routers measure.
    t_rho: f64,
    /// The round trip in seconds to which additive increase is scaled.
    t_d: f64,
}

impl VcpLaw {
    pub fn new(params: &Params) -> VcpLaw {
        let dialect = params.get(&DIALECT);
        let t_rho = params.get(&T_RHO) / 1e3;
        VcpLaw {
            dialect,
            xi: params.get(&XI),
            alpha: params.get(&ALPHA) * params.get(&WEIGHT),
            beta: params.get(&BETA),
            kappa: params.get(&KAPPA),
            t_rho,
            t_d: if dialect == Dialect::Ns2 { t_rho / 2.0 } else { t_rho },
        }
    }

    /// The gain of a factor of 1 + `gain` per `t_rho` over one round trip of `rtt` seconds.
    fn scaled(&self, gain: f64, rtt: f64) -> f64 {
        let ratio = rtt / self.t_rho;
        match self.dialect {
            Dialect::Paper => (libm::pow(1.0 + gain, ratio) - 1.0).min(1.0),
            Dialect::Ns2 => libm::pow(1.0 + gain, ratio.min(2.5)) - 1.0,
        }
    }

    /// Multiplicative increase for one segment acknowledged: ξ_s, the gain over a round trip.
    pub fn multiplicative(&self, cwnd: f64, rtt: f64) -> f64 {
        let xi = match self.dialect {
            Dialect::Paper => self.xi,
            Dialect::Ns2 => self.xi.min(ns2_xi(cwnd)),
        };
        self.scaled(xi, rtt)
    }

    /// Additive increase over a round trip: α_s, in segments.
    fn additive_per_round(&self, rtt: f64) -> f64 {
        let ratio = rtt / self.t_d;
        let scale = match self.dialect {
            Dialect::Paper => ratio * ratio,
            Dialect::Ns2 if ratio <= 0.2 => 0.2 * ratio,
            Dialect::Ns2 if ratio <= 5.0 => ratio * ratio,
            Dialect::Ns2 => 25.0 + (ratio - 5.0),
        };
        self.alpha * scale
    }

    /// Additive increase for one segment acknowledged.
    pub fn additive(&self, cwnd: f64, rtt: f64) -> f64 {
        let step = self.additive_per_round(rtt) / cwnd;
        match self.dialect {
            Dialect::Paper => step,
            Dialect::Ns2 => step.min(ns2_most_additive(cwnd)),
        }
    }

    /// The change for one segment acknowledged when the load is known exactly: both increases at
    /// once, and the first falls below zero as the load exceeds one.
    pub fn exact(&self, load: f64, cwnd: f64, rtt: f64) -> f64 {
        let gain = self.kappa * (1.0 / load.max(LOW_LOAD) - 1.0);
        self.scaled(gain, rtt) + self.additive_per_round(rtt) / cwnd
    }
}

/// Values at windows of 1, 10, 100 ... 10⁷ segments.
type Table = [f64; 8];

const NS2_XI: Table = [1.0, 0.5, 0.2, 0.1, 0.064, 0.044, 0.032, 0.024];
const NS2_MOST_ADDITIVE: Table = [0.1, 0.06, 0.04, 0.02, 0.01, 0.006, 0.004, 0.002];

/// The neighbours of `cwnd` in a table, and how far it is from the lower to the upper on a
/// logarithmic scale.
fn place(table: &Table, cwnd: f64) -> (f64, f64, f64) {
    let place = libm::log10(cwnd).clamp(0.0, 7.0);
    let below = (place as usize).min(6);
    (table[below], table[below + 1], place - below as f64)
}

/// Between the entries ξ falls in proportion to the logarithm of the window.
fn ns2_xi(cwnd: f64) -> f64 {
    // Below 10 000 segments the table is above all that is used.
    if cwnd < 1e4 {
        return f64::INFINITY;
    }
    let (below, above, part) = place(&NS2_XI, cwnd);
    below + part * (above - below)
}

/// Between the entries the most that one segment adds follows a power of the window.
fn ns2_most_additive(cwnd: f64) -> f64 {
    let (below, above, part) = place(&NS2_MOST_ADDITIVE, cwnd);
    below * libm::pow(above / below, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Choice;

    fn law(options: &str) -> VcpLaw {
        VcpLaw::new(&format!("vcp?{options}").parse::<Choice>().unwrap().params())
    }

    fn close(value: f64, expected: f64, within: f64) {
        assert!((value / expected - 1.0).abs() <= within, "{value}, expected {expected}");
    }

    /// Round trip in milliseconds; α_s of the paper and of the module; ξ_s of both.
    const VECTORS: [(f64, f64, f64, f64, f64); 9] = [
        (10.0, 0.0025, 0.020, 0.00304, 0.00304),
        (20.0, 0.010, 0.040, 0.00608, 0.00608),
        (40.0, 0.040, 0.160, 0.0122, 0.0122),
        (80.0, 0.160, 0.640, 0.0245, 0.0245),
        (100.0, 0.25, 1.0, 0.0308, 0.0308),
        (200.0, 1.0, 4.0, 0.0625, 0.0625),
        (400.0, 4.0, 16.0, 0.129, 0.129),
        (500.0, 6.25, 25.0, 0.164, 0.164),
        (1000.0, 25.0, 30.0, 0.354, 0.164),
    ];

    #[test]
    fn steps_scale_with_the_round_trip() {
        let paper = law("");
        let ns2 = law("dialect=ns2");
        for (ms, alpha_paper, alpha_ns2, xi_paper, xi_ns2) in VECTORS {
            let rtt = ms / 1e3;
            close(paper.additive_per_round(rtt), alpha_paper, 1e-12);
            close(ns2.additive_per_round(rtt), alpha_ns2, 1e-12);
            close(paper.multiplicative(50.0, rtt), xi_paper, 5e-3);
            close(ns2.multiplicative(50.0, rtt), xi_ns2, 5e-3);
        }
        // Never more than a doubling: 2.3 s are 11.4 t_rho.
        assert!(paper.multiplicative(50.0, 2.2) < 1.0 && paper.multiplicative(50.0, 2.3) == 1.0);
        close(law("weight=2").additive(10.0, 0.2), 0.2, 1e-12);
        assert_eq!(law("t_rho=100").additive_per_round(0.1), 1.0);
    }

    #[test]
    fn the_modules_tables_by_hand() {
        let ns2 = law("dialect=ns2");
        // 0.64 per round trip of 80 ms would be 0.64 at a window of one.
        assert_eq!(ns2.additive(1.0, 0.08), 0.1);
        close(ns2.additive(10.0, 0.08), 0.06, 1e-12);
        close(ns2.additive(100.0, 0.08), 0.0064, 1e-12);
        // Half a decade above 10 a power of the window between 0.06 and 0.04.
        close(ns2.additive(libm::sqrt(1000.0), 1.0), libm::sqrt(0.06 * 0.04), 1e-9);
        close(law("").additive(1.0, 0.08), 0.16, 1e-12);
        // From 10^4 · 10^0.075 segments on ξ is below 0.0625: a quarter of a decade above 10^4 it
        // is 0.064 - 0.25 · 0.02.
        assert_eq!(ns2.multiplicative(11_800.0, 0.2), 0.0625);
        close(ns2.multiplicative(libm::pow(10.0, 4.25), 0.2), 0.059, 1e-9);
        close(ns2.multiplicative(1e8, 0.2), 0.024, 1e-9);
    }

    #[test]
    fn the_exact_law_grows_by_no_more_than_at_80_percent_and_falls_above_100() {
        let law = law("");
        let additive = 1.0 / 100.0;
        for (load, gain) in [(0.0, 0.0625), (0.8, 0.0625), (1.0, 0.0), (1.25, -0.05), (2.0, -0.125)]
        {
            let step = law.exact(load, 100.0, 0.2);
            assert!((step - gain - additive).abs() < 1e-12, "{load}: {step}");
        }
        // Half of the round trip, a quarter of the additive step and the root of the factor.
        close(law.exact(1.25, 100.0, 0.1), libm::sqrt(0.95) - 1.0 + 0.0025, 1e-9);
    }

    /// Two flows of a round trip of 200 ms and the exact law on a fluid link: a load of `excess`
    /// too much at first, then the farthest the load strays from its mean in the last ten of
    /// `seconds`, and the ratio of the windows.
    fn fluid(kappa: f64, excess: f64, seconds: usize) -> (f64, f64) {
        const ROUND: usize = 200;
        const CAPACITY: f64 = 1000.0;
        let law = law(&format!("kappa={kappa}"));
        let steps = seconds * 1000;
        let mut windows: Vec<[f64; 2]> =
            vec![[0.7 * CAPACITY * excess, 0.3 * CAPACITY * excess]; ROUND];
        let mut loads = vec![excess; ROUND];
        for now in ROUND..ROUND + steps {
            let before = windows[now - 1];
            let round_ago = windows[now - ROUND];
            let load = loads[now - ROUND];
            // Packets sent a round trip ago are acknowledged now, with the load of the period
            // before that.
            windows.push([0, 1].map(|flow| {
                before[flow] + round_ago[flow] / ROUND as f64 * law.exact(load, before[flow], 0.2)
            }));
            let load = if now % ROUND == 0 {
                windows[now - ROUND..now].iter().map(|[one, other]| one + other).sum::<f64>()
                    / ROUND as f64
                    / CAPACITY
            } else {
                loads[now - 1]
            };
            loads.push(load);
        }
        let late = &loads[loads.len() - 10_000..];
        let mean = late.iter().sum::<f64>() / late.len() as f64;
        let [one, other] = windows[windows.len() - 1];
        (late.iter().fold(0.0, |most, load| f64::max(most, (load - mean).abs())), one / other)
    }

    /// The theorem for one bottleneck and equal round trips: a unique fair equilibrium, stable for
    /// κ up to one half.
    #[test]
    fn the_exact_law_is_stable_up_to_half_and_oscillates_at_one() {
        for kappa in [0.1, 0.25, 0.5] {
            let (strays, _) = fluid(kappa, 1.1, 120);
            assert!(strays < 1e-3, "κ = {kappa}: the load strays by {strays}");
        }
        let (strays, _) = fluid(1.0, 1.001, 40);
        assert!(strays > 0.1, "κ = 1: a thousandth too much became {strays}");
        let (_, ratio) = fluid(0.25, 1.1, 1000);
        assert!((ratio - 1.0).abs() < 0.02, "windows in the ratio {ratio}");
    }
}
