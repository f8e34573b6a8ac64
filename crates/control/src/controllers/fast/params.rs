//! The parameters of FAST TCP. `fast`, `fast-kernel` and `fast-sc2002` share most of them.

use super::delay::Weight;
use super::increase::Spreading;
use crate::parts::ecn::ECN;
use narrows_params::{Need, Param, Spec};

/// When the window doubles: the multiplicative increase (MI) of FAST.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubling {
    /// Only in slow start: until a queue shows or a packet is lost.
    Start,
    /// Whenever the mean queueing delay is below `mi_threshold`.
    Published,
}

pub const ALPHA: Param<Option<f64>> = Param::number_or(
    "alpha",
    "table",
    (1.0, 1e6),
    "packets",
    "packets that each flow keeps queued; table: by measured rate, 8 up to 10 Mbit/s, 20 up to 100, 200 above (flows in different rows then get unequal shares)",
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
    "spreading of an increase over a round trip; none: at once; time: equal intervals; event: after each burst of acknowledgements; both: equal intervals, where one within a burst waits for its end; acks: with acknowledgements, if the window has more than 4 packets and the round trip takes 4 ms or more",
);
pub const RTT_WEIGHT: Param<Weight> = Param::choice(
    "rtt_weight",
    "paper",
    &[("paper", Weight::Paper), ("ns2", Weight::Ns2)],
    "weight of a sample in the mean round trip, at a window of w packets; paper: 3/w, at most 1/4; ns2: 3/w above 768, else 1/256",
);
pub const MI_THRESHOLD: Param<f64> = Param::number(
    "mi_threshold",
    0.75,
    (0.0, 1000.0),
    "ms",
    "queueing delay below which the path counts as free of a queue (with mi=start, if less than alpha/2 is queued); 0: it never does",
);
pub const LOSS_BETA: Param<f64> =
    Param::number("loss_beta", 0.5, (0.1, 1.0), "", "share of the window that a loss leaves");
pub const BASE_RTT_WINDOW: Param<Option<f64>> = Param::number_or(
    "base_rtt_window",
    "unlimited",
    (0.1, 1e6),
    "s",
    "lifetime of the base round trip; unlimited (published) mistakes a change to a longer path for a queue",
);
pub const MI: Param<Doubling> = Param::choice(
    "mi",
    "start",
    &[("start", Doubling::Start), ("published", Doubling::Published)],
    "when the window doubles; start: until the least round trips of two rounds in a row show a queue; published: whenever the mean queueing delay is below mi_threshold",
);
pub const FREE_QUEUE: Param<f64> = Param::number(
    "free_queue",
    0.25,
    (0.0, 1.0),
    "",
    "with mi=start, a queue below this share of alpha does not count, whatever its delay: on slow links or with rare acknowledgements, packets of one burst wait for each other",
);
pub const FREE_SHARE: Param<f64> = Param::number(
    "free_share",
    0.25,
    (0.0, 2.0),
    "",
    "with mi=start, after slow start and while there is no queue, alpha is this share of the window; with gamma=0.5, 0.25 adds an eighth per update",
);
pub const PACKET_PACING: Param<bool> = Param::flag(
    "packet_pacing",
    false,
    "pace packets at 1.2 windows per round trip; the published experiments did not",
)
.needing(Need::Pacing);

/// The parameters of the algorithm of 2004, which `fast` and `fast-kernel` follow. Each has its own
/// `window_pacing` and `packet_pacing`.
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
