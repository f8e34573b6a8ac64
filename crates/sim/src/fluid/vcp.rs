//! VCP with exact loads (Xia, Subramanian, Stoica and Kalyanaraman, SIGCOMM 2005, the model of its theorem): w' = w κ (1/ρ - 1)/T + α/T, with increases of a load below 80 % as at 80 %.

use super::Told;
use narrows_params::Params;

/// The law of a source.
#[derive(Clone, Debug)]
pub(super) struct Vcp {
    kappa: f64,
    alpha: f64,
    /// Seconds over which routers measure, for which gains and steps are given.
    t_rho: f64,
}

impl Vcp {
    /// With the parameters of the controller; none if loads are not exact, or of the dialect.
    pub(super) fn new(params: &Params) -> Option<Vcp> {
        let known = params.choice("bits") == "8" && params.choice("dialect") == "paper";
        known.then(|| Vcp {
            kappa: params.number("kappa"),
            alpha: params.number("alpha") * params.number("weight"),
            t_rho: params.number("t_rho") / 1e3,
        })
    }

    pub(super) fn step(&mut self, w: f64, told: &Told) -> f64 {
        let ratio = (told.base + told.wait) / self.t_rho;
        let factor = libm::pow(1.0 + self.kappa * (1.0 / told.load.max(0.8) - 1.0), ratio) - 1.0;
        (w + told.packets * (factor.min(1.0) + self.alpha * ratio * ratio / w)).max(1.0)
    }
}

/// What a router with the discipline `vcp` measures, without rounding.
#[derive(Clone, Debug)]
pub(super) struct Load {
    /// What it aims at, in packets per second.
    target: f64,
    /// The part of the standing queue that counts as arrived, and the time over which it measures.
    router: Option<Router>,
    /// The latest load, and of the period in progress: its beginning, what had arrived by then, its length so far, and its mean queue times that length.
    told: f64,
    arrived: f64,
    length: f64,
    queued: f64,
    standing: f64,
}

/// Parameters of the discipline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Router {
    pub(super) gamma: f64,
    pub(super) kappa_q: f64,
    pub(super) t_rho: f64,
}

impl Load {
    pub(super) fn new(router: Option<Router>, capacity: f64) -> Load {
        let target = router.map_or(1.0, |router| router.gamma) * capacity;
        Load { target, router, told: 0.0, arrived: 0.0, length: 0.0, queued: 0.0, standing: 0.0 }
    }

    /// A step of so many seconds ends, with so much arrived since the run began and so much queued. Returns the load that is told.
    pub(super) fn step(&mut self, seconds: f64, arrived: f64, queue: f64) -> f64 {
        let Some(router) = self.router else { return 0.0 };
        self.length += seconds;
        self.queued += queue * seconds;
        if self.length >= router.t_rho {
            self.standing += (self.queued / self.length - self.standing) / 4.0;
            self.told = (arrived - self.arrived + router.kappa_q * self.standing) / (self.target * self.length);
            (self.arrived, self.length, self.queued) = (arrived, 0.0, 0.0);
        }
        self.told
    }
}
