//! Row of the result table: the cost of a cell, and its text.

use super::matrix::{Cell, Topology};
use narrows_measure::Record;
use serde::{Deserialize, Serialize};

/// One line of the result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    pub topology: String,
    pub controller: String,
    pub flows: u32,
    pub rate_mbps: u64,
    /// CPU time of the whole run per data packet delivered through the bottleneck.
    pub ns_per_packet: f64,
    /// CPU time per packet and crossed link, for packets of any kind.
    pub ns_per_hop: f64,
    pub ns_per_event: f64,
    /// Events per data packet delivered through the bottleneck.
    pub events_per_packet: f64,
    /// Data packets sent (including those that were dropped) plus acknowledgements. In an
    /// information-centric network, Interests sent plus the Data received for them.
    pub packet_events: u64,
    pub ns_per_packet_event: f64,
    pub packets_per_s: f64,
    pub peak_rss_mib: f64,
    /// Cost of the same cell in another simulator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<Beside>,
}

/// Cost of a row in a peer, compared with ours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// Median over the rounds.
    pub ns_per_packet: f64,
    /// Our median time per packet divided by the peer's.
    pub ratio: f64,
    /// Smallest ratio of a round.
    pub ratio_min: f64,
    /// Largest ratio of a round.
    pub ratio_max: f64,
}

impl Row {
    /// Creates the row of one run of a cell that took `ns` nanoseconds of CPU time. `bottleneck` is
    /// the prefix of the names of the measured links.
    pub fn of(cell: &Cell, ns: f64, record: &Record, bottleneck: &str, peak_rss_mib: f64) -> Row {
        let measured = record
            .links
            .iter()
            .filter(|link| link.name.starts_with(bottleneck) && !link.name.ends_with(".back"));
        let packets = measured.map(|link| link.total.delivered).sum::<u64>() as f64;
        let icn = matches!(cell.topology, Topology::IcnLine | Topology::IcnNet);
        let answers =
            record.flows.iter().map(|flow| if icn { flow.total.arrived } else { flow.total.acks });
        let packet_events = record.flows.iter().map(|flow| flow.total.sent).chain(answers).sum();
        Row {
            topology: cell.topology.name().to_owned(),
            controller: cell.controller.to_owned(),
            flows: cell.flows,
            rate_mbps: cell.rate.as_bps() / 1_000_000,
            ns_per_packet: ns / packets,
            ns_per_hop: ns / record.hops as f64,
            ns_per_event: ns / record.events as f64,
            events_per_packet: record.events as f64 / packets,
            packet_events,
            ns_per_packet_event: ns / packet_events as f64,
            packets_per_s: packets / ns * 1e9,
            peak_rss_mib,
            peer: None,
        }
    }

    /// Returns the run with the median time per packet.
    pub fn median(mut runs: Vec<Row>) -> Row {
        runs.sort_by(|a, b| a.ns_per_packet.total_cmp(&b.ns_per_packet));
        runs.swap_remove(runs.len() / 2)
    }

    /// Formats the row as a line of the table.
    pub fn line(&self) -> String {
        let mut text = format!(
            "{:<9} {:<8} {:>6} {:>9} {:>9.1} {:>7.1} {:>8.1} {:>10.2} {:>11} {:>9.1} {:>8.1}",
            self.topology,
            self.controller,
            self.flows,
            self.rate_mbps,
            self.ns_per_packet,
            self.ns_per_hop,
            self.ns_per_event,
            self.events_per_packet,
            self.packet_events,
            self.ns_per_packet_event,
            self.peak_rss_mib
        );
        if let Some(peer) = &self.peer {
            let range = format!("{}–{}", three(peer.ratio_min), three(peer.ratio_max));
            text += &format!(" {:>11.1} {:>9} {range:>13}", peer.ns_per_packet, three(peer.ratio));
        }
        text
    }
}

/// Formats the heading of the table.
pub fn heading(peer: bool) -> String {
    let peer = if peer {
        format!(" {:>11} {:>9} {:>13}", "peer ns/pkt", "ours/peer", "over rounds")
    } else {
        String::new()
    };
    format!(
        "{:<9} {:<8} {:>6} {:>9} {:>9} {:>7} {:>8} {:>10} {:>11} {:>9} {:>8}{peer}",
        "topology",
        "control",
        "flows",
        "rate_mbps",
        "ns/packet",
        "ns/hop",
        "ns/event",
        "events/pkt",
        "pkt events",
        "ns/pkt ev",
        "peak MiB"
    )
}

/// Formats a ratio with three significant digits.
fn three(ratio: f64) -> String {
    let digits = (2.0 - ratio.abs().log10().floor()).clamp(0.0, 9.0);
    format!("{ratio:.0$}", digits as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_three_digits() {
        assert_eq!(
            [0.84, 1.0, 12.34, 0.001487, 730.4].map(three),
            ["0.840", "1.00", "12.3", "0.00149", "730"]
        );
    }
}
