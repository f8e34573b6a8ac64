//! `narrows bench`: what the simulator costs, what the emulator carries, and what controllers in the kernel cost.

mod kernel;
mod live;
mod matrix;
mod ns3;

use crate::cli::BenchArgs;
use crate::error::Failure;
use crate::meter;
use crate::outcome::Outcome;
use matrix::Cell;
use serde::{Deserialize, Serialize};
use std::io::{IsTerminal, Write};
use std::process::Command;

/// One line of the result.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Row {
    topology: String,
    controller: String,
    flows: u32,
    rate_mbps: u64,
    /// CPU time per data packet delivered through the bottleneck, everything included.
    ns_per_packet: f64,
    /// CPU time per packet that crossed a link, of any kind.
    ns_per_hop: f64,
    ns_per_event: f64,
    packets_per_s: f64,
    peak_rss_mib: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ns3_ns_per_packet: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ns3_ratio: Option<f64>,
}

/// Runs the matrix and prints its rows as they come.
pub fn bench(args: BenchArgs) -> Result<Outcome, Failure> {
    if args.live {
        return live::bench(args.json);
    }
    if args.kernel {
        return kernel::bench(args.runs, args.json);
    }
    let all = if args.large { matrix::large() } else { matrix::cells() };
    let cells: Vec<Cell> = all.into_iter().filter(|cell| cell.name().contains(&args.only)).collect();
    if cells.is_empty() {
        return Err(Failure::Other(format!("no row's name contains \"{}\"; names are like \"{}\"", args.only, matrix::cells()[0].name())));
    }
    let peer = if args.against_ns3 { Some(ns3::Peer::build()?) } else { None };
    let mut rows = Vec::new();
    let mut out = std::io::stdout().lock();
    if !args.json {
        writeln!(out, "{}", heading(peer.is_some()))?;
    }
    for cell in &cells {
        if std::io::stderr().is_terminal() {
            eprint!("\r{:<40}\r", cell.name());
        }
        let mut row = if let [only] = cells.as_slice() { measure(only, args.runs)? } else { measure_apart(cell, args.runs, args.large)? };
        if let Some(peer) = &peer {
            let theirs = peer.measure(cell)?;
            row.ns3_ns_per_packet = theirs;
            row.ns3_ratio = theirs.map(|theirs| theirs / row.ns_per_packet);
        }
        if !args.json {
            writeln!(out, "{}", line(&row))?;
        }
        rows.push(row);
    }
    if args.json {
        let text = serde_json::to_string_pretty(&rows).map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
    } else if peer.is_some() {
        writeln!(out, "\n{}", ns3::CAVEAT)?;
    }
    Ok(Outcome::Ok)
}

/// Measures in a process of its own, so that memory kept from other rows does not count.
fn measure_apart(cell: &Cell, runs: u32, large: bool) -> Result<Row, Failure> {
    let large = large.then_some("--large");
    let fail = |problem: String| Failure::Other(format!("{} cannot be measured: {problem}", cell.name()));
    let program = std::env::current_exe().map_err(|error| fail(error.to_string()))?;
    let output = Command::new(program).args(["bench", "--json", "--runs", &runs.to_string(), "--only", &cell.name()]).args(large).output();
    let output = output.map_err(|error| fail(error.to_string()))?;
    if !output.status.success() {
        return Err(fail(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    let rows: Vec<Row> = serde_json::from_slice(&output.stdout).map_err(|error| fail(error.to_string()))?;
    rows.into_iter().next().ok_or_else(|| fail("no row came back".to_owned()))
}

/// The median of several runs by time per packet.
fn measure(cell: &Cell, runs: u32) -> Result<Row, Failure> {
    let scenario = cell.scenario()?;
    let mut costs = Vec::new();
    for _ in 0..runs {
        let before = meter::cpu_time();
        let record = narrows_sim::run(&scenario)?;
        let cost = meter::cpu_time() - before;
        let measured = record.links.iter().filter(|link| link.name.starts_with(matrix::BOTTLENECK) && !link.name.ends_with(".back"));
        let packets: u64 = measured.map(|link| link.total.delivered).sum();
        costs.push((cost.as_nanos() as f64, packets as f64, record.hops as f64, record.events as f64));
    }
    costs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (ns, packets, hops, events) = costs[costs.len() / 2];
    Ok(Row {
        topology: cell.topology.name().to_owned(),
        controller: cell.controller.to_owned(),
        flows: cell.flows,
        rate_mbps: cell.rate.as_bps() / 1_000_000,
        ns_per_packet: ns / packets,
        ns_per_hop: ns / hops,
        ns_per_event: ns / events,
        packets_per_s: packets / ns * 1e9,
        peak_rss_mib: meter::peak_memory_mib().unwrap_or(0.0),
        ns3_ns_per_packet: None,
        ns3_ratio: None,
    })
}

fn heading(ns3: bool) -> String {
    let peer = if ns3 { format!(" {:>14} {:>7}", "ns-3 ns/packet", "ratio") } else { String::new() };
    format!(
        "{:<9} {:<8} {:>5} {:>9} {:>10} {:>7} {:>9} {:>12} {:>9}{peer}",
        "topology", "control", "flows", "rate_mbps", "ns/packet", "ns/hop", "ns/event", "packets/s", "peak MiB"
    )
}

fn line(row: &Row) -> String {
    let mut text = format!(
        "{:<9} {:<8} {:>5} {:>9} {:>10.1} {:>7.1} {:>9.1} {:>12.0} {:>9.1}",
        row.topology,
        row.controller,
        row.flows,
        row.rate_mbps,
        row.ns_per_packet,
        row.ns_per_hop,
        row.ns_per_event,
        row.packets_per_s,
        row.peak_rss_mib
    );
    if let (Some(theirs), Some(ratio)) = (row.ns3_ns_per_packet, row.ns3_ratio) {
        text += &format!(" {theirs:>14.0} {ratio:>6.0}x");
    }
    text
}
