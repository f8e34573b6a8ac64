//! The module's Allegro.

use super::{ASSOCIATION, FIRST_RATE, LOSS_MARGIN, PccKernel};
use crate::cores::{Twin, replay};
use crate::{Basis, Build, Built, Entry};
use narrows_cores::pcc::{Association, State};
use narrows_cores::pcc_allegro::Constants;
use narrows_params::{Need, Param, Params};

/// The module's Allegro.
pub const CONSTANTS: Constants = Constants {
    first_rate: 524_288,
    interval_packets: 40,
    ignore: 5,
    epsilon_min: 1,
    epsilon_max: 5,
    loss_margin: 5,
    fixed: 0,
    association: Association::ByCount as u32,
};

/// Registry line of the module's Allegro.
pub static ENTRY: Entry = Entry {
    name: "pcc-allegro",
    kernel: Some("pcc_allegro"),
    summary: "PCC Allegro of the Linux kernel module, defects included: steps of a few percent toward the better of two rates",
    source: "PCC-Kernel, branch master, src/tcp_pcc.c",
    basis: Basis::Utility,
    needs: &[Need::Pacing],
    numbered: false,
    params: &[
        FIXED.spec,
        FIRST_RATE.spec,
        INTERVAL_PACKETS.spec,
        IGNORE.spec,
        ASSOCIATION.spec,
        EPSILON_MIN.spec,
        EPSILON_MAX.spec,
        LOSS_MARGIN.spec,
    ],
    build: Build::Function(|setup, params| {
        Ok(Built::new(PccKernel::new(constants(params), setup, "pcc-kernel-allegro")))
    }),
};

const FIXED: Param<bool> =
    Param::flag("fixed", false, "repair the start: double while the utility rises");
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
const EPSILON_MIN: Param<u32> = Param::whole(
    "epsilon_min",
    CONSTANTS.epsilon_min,
    (1, 99),
    "%",
    "first step, and distance of the first probes from the rate",
);
const EPSILON_MAX: Param<u32> =
    Param::whole("epsilon_max", CONSTANTS.epsilon_max, (1, 99), "%", "the largest");

fn constants(params: &Params) -> Constants {
    Constants {
        first_rate: params.get(&FIRST_RATE),
        interval_packets: params.get(&INTERVAL_PACKETS),
        ignore: params.get(&IGNORE),
        epsilon_min: params.get(&EPSILON_MIN),
        epsilon_max: params.get(&EPSILON_MAX),
        loss_margin: params.get(&LOSS_MARGIN),
        fixed: params.get(&FIXED) as u32,
        association: params.get(&ASSOCIATION) as u32,
    }
}

/// The kernel's form of Allegro.
pub static TWIN: Twin = Twin {
    kernel: "pcc_allegro",
    entry: &ENTRY,
    choice: "pcc-allegro",
    constants: |params| Ok(bytemuck::bytes_of(&constants(params)).to_vec()),
    replay: replay::<Constants>,
    state: size_of::<State>(),
};
