//! The parameters of FAST, most of them in all its versions.

use super::delay::Weight;
use super::increase::Spreading;
use crate::parts::ecn::ECN;
use narrows_params::{Need, Param, Spec};

/// When the window doubles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubling {
    /// Up to the first queue.
    Start,
    /// Whenever there is next to no queue.
    Published,
}

pub const ALPHA: Param<Option<f64>> = Param::number_or(
    "alpha",
    "table",
    (1.0, 1e6),
    "packets",
    "packets kept queued; table: 8 up to 10 Mbit/s, 20 up to 100, 200 above, by measured rate (unequal rates then have unequal shares)",
);
pub const GAMMA: Param<f64> =
    Param::number("gamma", 0.5, (0.01, 1.0), "", "share of the distance to the target per update");
pub const WINDOW_PACING: Param<Spreading> = Param::choice(
    "window_pacing",
    "acks",
    &[
        ("none", Spreading::None),
        ("time", Spreading::Time),
        ("event", Spreading::Event),
        ("both", Spreading::Both),
        ("acks", Spreading::Acks),
    ],
    "spreading of an increase over a round trip; none: at once; time: equal intervals; event: after each burst of acknowledgements; both: equal intervals, but after the burst; acks: with acknowledgements, above 4 packets and from 4 ms on",
);
pub const RTT_WEIGHT: Param<Weight> = Param::choice(
    "rtt_weight",
    "paper",
    &[("paper", Weight::Paper), ("ns2", Weight::Ns2)],
    "weight of a round trip in the mean at a window of w; paper: 3/w, at most 1/4; ns2: 3/w above 768, else 1/256",
);
pub const MI_THRESHOLD: Param<f64> = Param::number(
    "mi_threshold",
    0.75,
    (0.0, 1000.0),
    "ms",
    "a shorter queueing delay counts as no queue (mi); 0: never",
);
pub const LOSS_BETA: Param<f64> = Param::number(
    "loss_beta",
    0.5,
    (0.1, 1.0),
    "",
    "share of the window left by a loss (7/8 in UDT)",
);
pub const BASE_RTT_WINDOW: Param<Option<f64>> = Param::number_or(
    "base_rtt_window",
    "unlimited",
    (0.1, 1e6),
    "s",
    "lifetime of the base round trip; unlimited (published) takes a longer path for queue",
);
pub const MI: Param<Doubling> = Param::choice(
    "mi",
    "start",
    &[("start", Doubling::Start), ("published", Doubling::Published)],
    "when the window doubles; start: until two rounds show a queue in their least round trip; published: whenever the mean round trip shows less than mi_threshold",
);
pub const FREE_QUEUE: Param<f64> = Param::number(
    "free_queue",
    0.25,
    (0.0, 1.0),
    "",
    "with mi=start, less than this share of alpha counts as no queue at any delay: packets wait for each other on slow links or with rare acknowledgements",
);
pub const FREE_SHARE: Param<f64> = Param::number(
    "free_share",
    0.25,
    (0.0, 2.0),
    "",
    "with mi=start, alpha as a share of the window while there is no queue after the start; with gamma = 1/2, 0.25 adds an eighth per update",
);
pub const PACKET_PACING: Param<bool> = Param::flag(
    "packet_pacing",
    false,
    "pace at 1.2 windows per round trip; published results do not",
)
.needing(Need::Pacing);

/// The parameters of the later algorithm; two of them are its own in each of its forms.
pub const fn of_later_algorithm(window_pacing: Spec, packet_pacing: Spec) -> [Spec; 12] {
    [
        ALPHA.spec,
        GAMMA.spec,
        window_pacing,
        RTT_WEIGHT.spec,
        MI.spec,
        MI_THRESHOLD.spec,
        FREE_QUEUE.spec,
        FREE_SHARE.spec,
        LOSS_BETA.spec,
        BASE_RTT_WINDOW.spec,
        packet_pacing,
        ECN.spec,
    ]
}
