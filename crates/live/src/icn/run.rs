//! Runs an information-centric scenario.

use super::addresses::LinkEnds;
use super::asked::Asked;
use super::egress::IcnEgress;
use super::messages::NodeReport;
use super::plan::{PlannedNode, mtu, node_plans};
use super::process::{NodeProcess, NodeProgram};
use super::record::record;
use crate::emulator::{Progress, Session, Transit};
use crate::error::LiveError;
use crate::host::Host;
use crate::plan::{HostMap, Plan, RouteMetrics, refuse_icn};
use crate::tap::tap;
use crate::wire::WirePacket;
use narrows_measure::{Emulation, Follower, Histogram, Record};
use narrows_scenario::{Icn, Scenario};
use narrows_units::{Bytes, Span, Time};
use std::thread;
use std::time::Duration;

/// Runs the nodes of a scenario as processes of `program`, in real time. `follower` receives
/// samples of the links; measurements of consumers and nodes are known only at the end.
///
/// # Errors
///
/// Real nodes do not support a key; the kernel refuses something; a node fails; `progress` stopped
/// the run.
pub fn run(
    scenario: &Scenario,
    icn: &Icn,
    program: &NodeProgram,
    progress: Progress<'_>,
    follower: &mut dyn Follower,
) -> Result<Record, LiveError> {
    let ends = LinkEnds::of(scenario, icn);
    refuse_icn(scenario, icn, ends.networks)?;
    let asked = Asked::during(scenario, icn)?;
    let planned = node_plans(scenario, icn, &ends, &asked)?;
    let map = HostMap::of_nodes(scenario);
    let data = icn.prefixes.iter().map(|prefix| prefix.data).max().unwrap_or(Bytes::ZERO);
    let plan = Plan {
        classes: vec![RouteMetrics::default(); ends.networks],
        ..Plan::plain(scenario.nodes.len(), mtu(data).into())
    };
    let hosts = Host::all(scenario, &map, &plan)?;
    let mut nodes = Vec::new();
    for (host, PlannedNode { plan, .. }) in hosts.iter().zip(&planned) {
        nodes.push(NodeProcess::start(host, program, plan)?);
    }
    nodes.iter_mut().try_for_each(NodeProcess::wait_until_ready)?;
    // Samples of flows come with the reports at the end.
    let (tap, mut spout) = tap(0, follower);
    if follower.follows() {
        follower.begun(icn.blank_record::<Transit<WirePacket>>(scenario));
    }
    let progress: Progress<'_> = &mut |now| {
        spout.iter_mut().for_each(|spout| spout.pour(follower));
        progress(now)
    };
    let (flows, owners, end) =
        (scenario.traffic().len(), asked.owners(icn), Time::ZERO + scenario.duration);
    let egress = || IcnEgress::new(&ends, &owners, flows);
    let mut session = Session::run(scenario, &hosts, egress, progress, &tap, |clock, go_on| {
        nodes.iter_mut().try_for_each(|node| node.begin(clock))?;
        while go_on() && clock.now() < end {
            nodes.iter_mut().try_for_each(NodeProcess::check)?;
            thread::sleep(Duration::from_millis(20));
        }
        // A run is stopped before its end only if its results are not wanted.
        if clock.now() < end {
            Ok(Vec::new())
        } else {
            nodes.iter_mut().map(NodeProcess::report).collect()
        }
    })?;
    let reports = std::mem::take(&mut session.traffic);
    let emulation = emulation(&session.emulation(scenario, Vec::new(), &wakes(&reports)), &reports);
    Ok(record(
        scenario,
        icn,
        &asked,
        session.emulated,
        reports.into_iter().zip(planned).collect(),
        emulation,
    ))
}

/// Returns the lateness of forwarders and consumers.
fn wakes(reports: &[NodeReport]) -> Histogram {
    let mut all = Histogram::new();
    reports.iter().for_each(|report| all.merge(&Histogram::from(&report.late)));
    all
}

/// Adds the CPU time of the nodes.
fn emulation(emulation: &Emulation, reports: &[NodeReport]) -> Emulation {
    let busiest =
        reports.iter().map(|report| Span::from_nanos(report.busiest)).max().unwrap_or(Span::ZERO);
    Emulation { talking: busiest, ..emulation.clone() }
}
