//! The module's Vivace.

use super::{ASSOCIATION, FIRST_RATE, LOSS_MARGIN, PccKernel};
use crate::cores::{Twin, replay};
use crate::{Basis, Build, Built, Entry};
use narrows_cores::pcc::{Association, State};
use narrows_cores::pcc_vivace::{Constants, UtilityChoice};
use narrows_params::{Need, Param, ParamError, Params};

/// The module's Vivace.
pub const CONSTANTS: Constants = Constants {
    first_rate: 524_288,
    interval_packets: 50,
    ignore: 10,
    probe: 5,
    latency: 900,
    loss: 11,
    latency_filter: 30,
    min_difference: 20,
    step: 25,
    amplifier: 2,
    swing_buffer: 2,
    change_bound: 100,
    change_step: 70,
    floor_packets: 2,
    fixed: 0,
    pair_bug: 0,
    utility: UtilityChoice::OwnUtility as u32,
    loss_margin: 5,
    association: Association::ByCount as u32,
    reserved: 0,
};

/// Registry line of the module's Vivace.
pub static ENTRY: Entry = Entry {
    name: "pcc-vivace",
    kernel: Some("pcc_vivace"),
    summary: "PCC Vivace of the Linux kernel module, defects included, to study that module, not to judge the algorithm or to deploy",
    source: "PCC-Kernel, branch vivace, src/tcp_pcc.c",
    basis: Basis::Utility,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[
        FIXED.spec,
        PAIR_BUG.spec,
        FIRST_RATE.spec,
        INTERVAL_PACKETS.spec,
        IGNORE.spec,
        ASSOCIATION.spec,
        PROBE.spec,
        LATENCY.spec,
        LOSS.spec,
        LATENCY_FILTER.spec,
        MIN_DIFFERENCE.spec,
        STEP.spec,
        AMPLIFIER.spec,
        SWING_BUFFER.spec,
        CHANGE_BOUND.spec,
        CHANGE_STEP.spec,
        FLOOR_PACKETS.spec,
        UTILITY.spec,
        LOSS_MARGIN.spec,
    ],
    build: Build::Function(|setup, params| {
        Ok(Built::new(PccKernel::new(constants(params)?, setup, "pcc-kernel")))
    }),
};

const FIXED: Param<bool> = Param::flag(
    "fixed",
    false,
    "repair three defects: double in the start, continue downward moves, begin moves at the winning rate",
);
const PAIR_BUG: Param<bool> = Param::flag(
    "pair_bug",
    false,
    "as before 29 November 2018: the first pair's verdict selects among the second pair's rates",
);
const INTERVAL_PACKETS: Param<u32> = Param::whole(
    "interval_packets",
    CONSTANTS.interval_packets,
    (1, 10_000),
    "packets",
    "least length of an interval",
);
const IGNORE: Param<u32> = Param::whole(
    "ignore",
    CONSTANTS.ignore,
    (0, 1_000),
    "packets",
    "ignored at either end of an interval, as they may belong to its neighbour",
);
const PROBE: Param<u32> =
    Param::whole("probe", CONSTANTS.probe, (1, 99), "%", "distance of probes from the rate");
const LATENCY: Param<u32> = Param::whole(
    "latency",
    CONSTANTS.latency,
    (0, 1_000_000),
    "",
    "weight of the round trip's slope",
);
const LOSS: Param<u32> =
    Param::whole("loss", CONSTANTS.loss, (0, 1_000_000), "", "weight of the loss");
const LATENCY_FILTER: Param<u32> = Param::whole(
    "latency_filter",
    CONSTANTS.latency_filter as u32,
    (0, 1_000_000),
    "thousandths",
    "smaller slopes count as zero",
);
const MIN_DIFFERENCE: Param<u32> = Param::whole(
    "min_difference",
    CONSTANTS.min_difference as u32,
    (0, 1_000),
    "thousandths",
    "closer rates give no gradient; steps are at least 1.1 times this",
);
const STEP: Param<u32> = Param::whole(
    "step",
    CONSTANTS.step,
    (1, 1_000_000),
    "",
    "bytes/s for a gradient of 0.001 and an amplifier of 1",
);
const AMPLIFIER: Param<u32> = Param::whole(
    "amplifier",
    CONSTANTS.amplifier as u32,
    (1, 1_000),
    "",
    "amplifier of the first step in a direction; each further step adds 1",
);
const SWING_BUFFER: Param<u32> = Param::whole(
    "swing_buffer",
    CONSTANTS.swing_buffer as u32,
    (0, 1_000),
    "",
    "most steps without amplification after reversals",
);
const CHANGE_BOUND: Param<u32> = Param::whole(
    "change_bound",
    CONSTANTS.change_bound as u32,
    (1, 1_000),
    "thousandths",
    "bound of a first step, share of the rate",
);
const CHANGE_STEP: Param<u32> = Param::whole(
    "change_step",
    CONSTANTS.change_step as u32,
    (0, 1_000),
    "thousandths",
    "growth of the bound while steps meet it",
);
const FLOOR_PACKETS: Param<u32> = Param::whole(
    "floor_packets",
    CONSTANTS.floor_packets,
    (0, 1_000),
    "packets",
    "least rate, per round trip",
);

const UTILITY: Param<UtilityChoice> = Param::choice(
    "utility",
    "vivace",
    &[("vivace", UtilityChoice::OwnUtility), ("allegro", UtilityChoice::AllegroUtility)],
    "utility whose gradient the rate follows; vivace: rate, latency and loss; allegro: rate and loss, with loss_margin",
);

/// The constants of the core.
///
/// # Errors
/// A parameter belongs to the other utility.
fn constants(params: &Params) -> Result<Constants, ParamError> {
    let utility = params.get(&UTILITY);
    match utility {
        UtilityChoice::OwnUtility => {
            params.refuse(&LOSS_MARGIN, "left out with utility=vivace, which has prices instead")?
        }
        UtilityChoice::AllegroUtility => {
            for price in [LATENCY, LOSS, LATENCY_FILTER] {
                params.refuse(
                    &price,
                    "left out with utility=allegro, which has loss_margin instead",
                )?;
            }
        }
    }
    Ok(Constants {
        first_rate: params.get(&FIRST_RATE),
        interval_packets: params.get(&INTERVAL_PACKETS),
        ignore: params.get(&IGNORE),
        probe: params.get(&PROBE),
        latency: params.get(&LATENCY),
        loss: params.get(&LOSS),
        latency_filter: params.get(&LATENCY_FILTER) as i32,
        min_difference: params.get(&MIN_DIFFERENCE) as i32,
        step: params.get(&STEP),
        amplifier: params.get(&AMPLIFIER) as i32,
        swing_buffer: params.get(&SWING_BUFFER) as i32,
        change_bound: params.get(&CHANGE_BOUND) as i32,
        change_step: params.get(&CHANGE_STEP) as i32,
        floor_packets: params.get(&FLOOR_PACKETS),
        fixed: params.get(&FIXED) as u32,
        pair_bug: params.get(&PAIR_BUG) as u32,
        utility: utility as u32,
        loss_margin: params.get(&LOSS_MARGIN),
        association: params.get(&ASSOCIATION) as u32,
        reserved: 0,
    })
}

/// The kernel's form.
pub static TWIN: Twin = Twin {
    kernel: "pcc_vivace",
    entry: &ENTRY,
    choice: "pcc-vivace",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)?).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};
