//! The plots over time that stand above each other.

use crate::number::plain;
use serde::Serialize;

pub(super) const THROUGHPUT: usize = 0;
pub(super) const CLASS: usize = 1;
pub(super) const PATH: usize = 2;
pub(super) const RTT: usize = 3;
pub(super) const CWND: usize = 4;
pub(super) const PACING: usize = 5;
pub(super) const REFUSED: usize = 6;
pub(super) const SAID: usize = 7;
pub(super) const SHAPER: usize = 8;
pub(super) const QUEUE: usize = 9;
pub(super) const DELAY: usize = 10;
pub(super) const DROPS: usize = 11;
pub(super) const MARKS: usize = 12;
pub(super) const PANELS: usize = 13;

/// One of the plots over time that stand above each other.
#[derive(Serialize)]
pub(super) struct Panel {
    title: String,
    /// Its axis begins at zero.
    zero: bool,
}

/// One of several lines of a flow or link in one panel: a class, a path.
#[derive(Clone, Serialize)]
pub(super) struct Part {
    /// Its place among them, which says how it is dashed.
    pub part: usize,
    /// What it is called: "secondary", "path 2".
    pub of: String,
}

/// The panels, with queues in packets or in kB, and throughput as means over `width` seconds; `{}` in a title stands for the link that is
/// shown.
pub(super) fn panels(packets: bool, icn: bool, width: f64) -> [Panel; PANELS] {
    let queue = if packets { "Queue at {}, packets" } else { "Queue at {}, kB" };
    let panel = |title: &str, zero: bool| Panel { title: title.to_owned(), zero };
    let (window, pacing) = match icn {
        true => ("Interests in flight", "Requested rate, Mbit/s"),
        false => ("Congestion window, segments", "Pacing rate, Mbit/s"),
    };
    [
        panel(&format!("Throughput, Mbit/s (mean over {} s)", plain(width)), true),
        panel("Throughput by class, Mbit/s (secondary dashed)", true),
        panel("Throughput by path, Mbit/s (the first path of each consumer solid)", true),
        panel("Round trip, ms", false),
        panel(window, true),
        panel(pacing, true),
        panel("Interests answered with Nacks, per second", true),
        panel("Rate advertised for {}, Mbit/s (secondary dashed)", true),
        panel("Interests waiting for {}", true),
        panel(queue, true),
        panel("Queueing delay at {}, ms", true),
        panel("Packets dropped at {}, per second", true),
        panel("Packets marked at {}, per second", true),
    ]
}
