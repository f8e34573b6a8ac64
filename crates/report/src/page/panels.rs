//! The plots over time that stand above each other.

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
    /// `{}` stands for the link that is shown.
    pub title: &'static str,
    pub unit: &'static str,
    /// What the title says behind the unit.
    pub aside: &'static str,
    /// Its values are means over a while, which the title says.
    pub mean: bool,
    /// Its axis begins at zero.
    pub zero: bool,
}

/// One of several lines of a flow or link in one panel: a class, a path.
#[derive(Clone, Serialize)]
pub(super) struct Part {
    /// Its place among them, which says how it is dashed.
    pub part: usize,
    /// What it is called: "secondary", "path 2".
    pub of: String,
}

/// The panels, with queues in packets or in kB.
pub(super) fn panels(packets: bool, icn: bool) -> [Panel; PANELS] {
    let panel = |title, unit| Panel { title, unit, aside: "", mean: false, zero: true };
    let aside = |title, aside| Panel { aside, ..panel(title, "Mbit/s") };
    let mean = |title, unit| Panel { mean: true, ..panel(title, unit) };
    let (window, pacing) = match icn {
        true => (panel("Interests in flight", ""), panel("Requested rate", "Mbit/s")),
        false => (panel("Congestion window", "segments"), panel("Pacing rate", "Mbit/s")),
    };
    [
        mean("Throughput", "Mbit/s"),
        aside("Throughput by class", "secondary dashed"),
        aside("Throughput by path", "the first path of each consumer solid"),
        Panel { zero: false, ..panel("Round trip", "ms") },
        window,
        pacing,
        panel("Interests answered with Nacks", "per second"),
        aside("Rate advertised for {}", "secondary dashed"),
        panel("Interests waiting for {}", ""),
        panel("Queue at {}", if packets { "packets" } else { "kB" }),
        panel("Queueing delay at {}", "ms"),
        mean("Packets dropped at {}", "per second"),
        mean("Packets marked at {}", "per second"),
    ]
}
