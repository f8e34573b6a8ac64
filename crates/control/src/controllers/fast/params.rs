//! The parameters of FAST, most of them in all its versions.

use super::delay::Weight;
use super::increase::Spreading;
use narrows_params::{Need, Param};

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
    "packets kept in the queue; table: 8 up to 10 Mbit/s, 20 up to 100 Mbit/s, 200 above, by the rate measured (flows of different rates then have different shares)",
);
pub const GAMMA: Param<f64> = Param::number("gamma", 0.5, (0.01, 1.0), "", "part of the distance from the target that one update takes");
pub const WINDOW_PACING: Param<Spreading> = Param::choice(
    "window_pacing",
    "acks",
    &[("none", Spreading::None), ("time", Spreading::Time), ("event", Spreading::Event), ("acks", Spreading::Acks)],
    "how an increase is spread over a round trip; none: at once; time: in equal intervals; event: with the acknowledgements, after each burst of them; acks: with the acknowledgements, if the window has more than 4 packets and the path at least 4 ms",
);
pub const RTT_WEIGHT: Param<Weight> = Param::choice(
    "rtt_weight",
    "paper",
    &[("paper", Weight::Paper), ("ns2", Weight::Ns2)],
    "of a round trip in the mean at a window of w packets; paper: 3/w, at most 1/4; ns2: 3/w above 768 packets, else 1/256",
);
pub const MI_THRESHOLD: Param<f64> = Param::number(
    "mi_threshold",
    0.75,
    (0.0, 1000.0),
    "ms",
    "a queue of less than this delay is none, so that the window may double (mi); 0: there always is one",
);
pub const LOSS_BETA: Param<f64> = Param::number("loss_beta", 0.5, (0.1, 1.0), "", "part of the window that a loss leaves (7/8 in UDT)");
pub const BASE_RTT_WINDOW: Param<Option<f64>> = Param::number_or(
    "base_rtt_window",
    "unlimited",
    (0.1, 1e6),
    "s",
    "for how long a round trip counts for the base; without a limit, as published, a change to a longer path is taken for queue",
);
pub const MI: Param<Doubling> = Param::choice(
    "mi",
    "start",
    &[("start", Doubling::Start), ("published", Doubling::Published)],
    "when the window doubles; start: while the least round trip of a round shows next to no queue, and only up to where two rounds showed one; published: while the mean round trip shows less queue than mi_threshold, at any time",
);
pub const FREE_QUEUE: Param<f64> = Param::number(
    "free_queue",
    0.25,
    (0.0, 1.0),
    "",
    "with mi=start, a queue of less than this part of alpha is none, however long it lasts: on slow links, or with rare acknowledgements, packets wait for those beside them",
);
pub const FREE_SHARE: Param<f64> = Param::number(
    "free_share",
    0.25,
    (0.0, 2.0),
    "",
    "with mi=start, alpha as a part of the window while there is no queue later; with gamma = 1/2 a quarter is an eighth of the window per update",
);
pub const PACKET_PACING: Param<bool> =
    Param::flag("packet_pacing", false, "pace packets at 1.2 windows per round trip; published results are without").needing(Need::Pacing);
