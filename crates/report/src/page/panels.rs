//! The panels: plots over time, one above the other.

use serde::Serialize;

pub(crate) const THROUGHPUT: usize = 0;
pub(crate) const CLASS: usize = 1;
pub(crate) const PATH: usize = 2;
pub(crate) const RTT: usize = 3;
pub(crate) const CWND: usize = 4;
pub(crate) const PACING: usize = 5;
pub(crate) const REFUSED: usize = 6;
pub(crate) const SAID: usize = 7;
pub(crate) const SHAPER: usize = 8;
pub(crate) const QUEUE: usize = 9;
pub(crate) const DELAY: usize = 10;
pub(crate) const DROPS: usize = 11;
pub(crate) const MARKS: usize = 12;
pub(crate) const IN_FLIGHT: usize = 13;
pub(crate) const PANELS: usize = 14;

/// One of the plots over time.
#[derive(Serialize)]
pub(crate) struct Panel {
    /// Title of the panel. `{}` stands for the name of the link.
    pub title: &'static str,
    pub unit: &'static str,
    /// Remark in the title, after the unit.
    pub aside: &'static str,
    /// True if the values are means over some time, which the title states.
    pub mean: bool,
    /// True if the vertical axis begins at zero.
    pub zero: bool,
}

/// One of several lines of a flow or link in a panel, such as a class or a path.
#[derive(Clone, Serialize)]
pub(crate) struct Part {
    /// Index of the line, which determines its dashes.
    pub part: usize,
    /// Name of the line: "secondary", "path 2".
    pub of: String,
}

/// Returns the panels. Queues are in packets, or else in kB.
pub(crate) fn panels(packets: bool, icn: bool) -> [Panel; PANELS] {
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
        panel("In flight", "segments"),
    ]
}
