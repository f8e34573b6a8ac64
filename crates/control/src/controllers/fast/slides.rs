//! `fast-sc2002`: the algorithm of the slides, in floating point and as the C core that the kernel
//! loads.

use super::Fast;
use super::delay::Weight;
use super::free::Free;
use super::increase::Spreading;
use super::kernel::{ONE, inspect, part};
use super::params::{ALPHA, BASE_RTT_WINDOW, LOSS_BETA, PACKET_PACING, RTT_WEIGHT};
use super::sc2002::Stepwise;
use crate::cores::{Twin, replay};
use crate::parts::ecn::ECN;
use crate::parts::linux::OfCore;
use crate::{Basis, Build, Built, Entry, Setup};
use narrows_cores::fast::{Constants, Rule, Spread, State};
use narrows_params::{Need, Param, ParamError, Params};

/// Registry line.
pub static SC2002: Entry = Entry {
    name: "fast-sc2002",
    kernel: Some("fast_sc2002"),
    summary: "FAST TCP as demonstrated at SC2002: one packet per acknowledged packet towards the target, every other round trip",
    source: "Jin, Wei and Low, FAST II: Algorithms and Performance, slides; the target's formula from the later algorithm",
    basis: Basis::Delay,
    needs: &[Need::Tags],
    numbered: false,
    params: &[
        PROFILE.spec,
        ALPHA.spec,
        WINDOW_PACING.spec,
        RTT_WEIGHT.spec,
        LOSS_BETA.spec,
        BASE_RTT_WINDOW.spec,
        PACKET_PACING.spec,
        ECN.spec,
    ],
    build: Build::Function(build),
};

const PROFILE: Param<Profile> = Param::choice(
    "profile",
    "slides",
    &[("slides", Profile::Slides), ("linux", Profile::Linux)],
    "slides: floating point, with timers; linux: the integers of the kernel's controller, which has no timer",
)
.needing(Need::Outstanding);

const WINDOW_PACING: Param<Spreading> = Param::choice(
    "window_pacing",
    "none",
    &[
        ("none", Spreading::None),
        ("time", Spreading::Time),
        ("event", Spreading::Event),
        ("both", Spreading::Both),
    ],
    "delay of increments (slides 21 to 24); none: one with each packet acknowledged; time: equal intervals; event: after each burst of acknowledgements; both: equal intervals, but after the burst; profile=linux has none and time, by the next acknowledgement",
);

/// The form of the algorithm.
#[derive(Clone, Copy)]
enum Profile {
    Slides,
    Linux,
}

/// The kernel's form.
pub static SC2002_TWIN: Twin = Twin {
    kernel: "fast_sc2002",
    entry: &SC2002,
    choice: "fast-sc2002?profile=linux",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)?).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};

/// The constants of the core: the stepwise law, which has no rule for a path without a queue.
///
/// # Errors
/// The form of window pacing needs a timer, which the kernel's controllers do not have.
fn constants(params: &Params) -> Result<Constants, ParamError> {
    let spread = match params.get(&WINDOW_PACING) {
        Spreading::None => Spread::AtOnce,
        Spreading::Time => Spread::ByTime,
        Spreading::Event | Spreading::Both | Spreading::Acks => {
            params.refuse(
                &WINDOW_PACING,
                "none or time with profile=linux: a controller in the kernel has no timer",
            )?;
            Spread::AtOnce
        }
    };
    Ok(Constants {
        alpha: params.get(&ALPHA).map_or(0, |alpha| (alpha * ONE) as u64),
        gamma: (0.5 * ONE) as u32,
        loss_beta: part(params, &LOSS_BETA),
        free_queue: 0,
        free_share: 0,
        mi_threshold: 0,
        base_window: params
            .get(&BASE_RTT_WINDOW)
            .map_or(u32::MAX, |seconds| (seconds * 1e3) as u32),
        rule: Rule::Stepwise as u32,
        ns2_weight: (params.get(&RTT_WEIGHT) == Weight::Ns2) as u32,
        spread: spread as u32,
        packet_pacing: params.get(&PACKET_PACING) as u32,
    })
}

fn build(setup: &Setup, params: &Params) -> Result<Built, ParamError> {
    Ok(match params.get(&PROFILE) {
        Profile::Linux => {
            let core = OfCore::new(constants(params)?).measuring(inspect);
            Built::new(core.connection(setup, params).paced(params.get(&PACKET_PACING)))
        }
        Profile::Slides => Built::new(Fast::new(
            Stepwise::new(params.get(&WINDOW_PACING)),
            Free::NEVER,
            setup,
            params,
        )),
    })
}
