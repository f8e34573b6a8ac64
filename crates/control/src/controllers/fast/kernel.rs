//! `fast-kernel`: the integer core `cores/fast.h` of the later law, called as Linux calls a
//! controller.

use super::delay::Weight;
use super::free;
use super::params::{
    self, ALPHA, BASE_RTT_WINDOW, Doubling, FREE_QUEUE, FREE_SHARE, GAMMA, LOSS_BETA, MI,
    MI_THRESHOLD, RTT_WEIGHT,
};
use crate::cores::{Twin, replay};
use narrows_cores::fast::{Constants, Rule, Spread, State};

use crate::parts::linux::OfCore;
use crate::{Basis, Build, Built, Entry};
use narrows_params::{Need, Param, ParamError, Params};

/// Registry line.
pub static KERNEL: Entry = Entry {
    name: "fast-kernel",
    kernel: Some("fast_kernel"),
    summary: "FAST TCP in integers, from the fields of a kernel socket",
    source: "Jin, Wei and Low, INFOCOM 2004; crates/cores/c/fast.h",
    basis: Basis::Delay,
    needs: &[Need::Tags, Need::Outstanding],
    numbered: false,
    params: &params::of_later_algorithm(WINDOW_PACING.spec, PACKET_PACING.spec),
    build: Build::Function(|setup, params| {
        let core = OfCore::new(constants(params)?).measuring(inspect);
        Ok(Built::new(core.connection(setup, params).paced(params.get(&PACKET_PACING))))
    }),
};

const WINDOW_PACING: Param<Spread> = Param::choice(
    "window_pacing",
    "acks",
    &[("none", Spread::AtOnce), ("acks", Spread::ByAcks), ("time", Spread::ByTime)],
    "spreading of an increase over a round trip, as in fast; time: what is due comes with the next acknowledgement",
);
const PACKET_PACING: Param<bool> = Param::flag(
    "packet_pacing",
    false,
    "kernel pacing at 2 windows per round trip below half of the threshold, 1.2 above",
)
.needing(Need::Pacing);

/// The kernel's form.
pub static TWIN: Twin = Twin {
    kernel: "fast_kernel",
    entry: &KERNEL,
    choice: "fast-kernel",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)?).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};

/// Binary places of windows and parts.
pub const ONE: f64 = 65_536.0;

/// A share of something, with 16 binary places.
pub fn part(params: &Params, param: &Param<f64>) -> u32 {
    (params.get(param) * ONE) as u32
}

fn constants(params: &Params) -> Result<Constants, ParamError> {
    free::check(params)?;
    let part = |param| part(params, param);
    Ok(Constants {
        alpha: params.get(&ALPHA).map_or(0, |alpha| (alpha * ONE) as u64),
        gamma: part(&GAMMA),
        loss_beta: part(&LOSS_BETA),
        free_queue: part(&FREE_QUEUE),
        free_share: part(&FREE_SHARE),
        mi_threshold: (params.get(&MI_THRESHOLD) * 1e3) as u32,
        base_window: params
            .get(&BASE_RTT_WINDOW)
            .map_or(u32::MAX, |seconds| (seconds * 1e3) as u32),
        rule: match params.get(&MI) {
            Doubling::Start => Rule::Start,
            Doubling::Published => Rule::Published,
        } as u32,
        ns2_weight: (params.get(&RTT_WEIGHT) == Weight::Ns2) as u32,
        spread: params.get(&WINDOW_PACING) as u32,
        packet_pacing: params.get(&PACKET_PACING) as u32,
    })
}

/// Shows base and mean round trip of a connection.
pub fn inspect(state: &State, visit: &mut dyn FnMut(&'static str, f64)) {
    let seconds = |us: f64| if us > 0.0 { us / 1e6 } else { f64::NAN };
    visit("base_rtt_s", seconds(state.base[0].rtt as f64));
    visit("rtt_s", seconds(state.mean as f64 / ONE));
}
