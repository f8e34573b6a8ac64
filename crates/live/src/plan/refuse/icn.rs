//! Refuses parts of an information-centric scenario that real forwarders do not support.

use super::super::addresses::{MAX_CLASSES, MAX_HOSTS};
use crate::error::LiveError;
use narrows_icn::{HintForm, ShaperForm};
use narrows_path::LinkChange;
use narrows_scenario::{Icn, Prefix, Scenario, What};
use narrows_units::Bytes;

/// Least size of Data: smaller ones have no room for their name, fields and signature.
const LEAST_DATA: Bytes = Bytes::new(250);
/// Largest NDN packet (`MAX_NDN_PACKET_SIZE` of ndn-cxx), with headers of IPv4 and UDP.
const MOST_DATA: Bytes = Bytes::new(8828);

/// Refuses keys that real nodes do not support.
///
/// # Errors
///
/// The first unsupported key, with a supported value.
pub fn refuse_icn(scenario: &Scenario, icn: &Icn, networks: usize) -> Result<(), LiveError> {
    // No `..` here, so that a new key does not compile until it is handled.
    let Scenario {
        changes,
        nodes,
        // Implemented by the run, the emulator and the nodes. The links are the simulator's,
        // with all their keys.
        duration: _,
        warmup: _,
        interval: _,
        seed: _,
        links: _,
        // Real hosts are late by themselves.
        send_overhead: _,
        // Empty in these scenarios.
        flows: _,
        icn: _,
        // Used by reports only.
        name: _,
        expect: _,
    } = scenario;
    let Icn {
        law,
        shaper,
        shaper_form,
        shaped_capacity,
        police,
        steering,
        prefixes,
        // Implemented by the nodes.
        shaper_queue: _,
        proxy: _,
        measured: _,
        strategy: _,
        cache: _,
        pending: _,
        lifetime: _,
        consumers: _,
        faces: _,
        // Refused if there are too many (`Asked`).
        requests: _,
        // Refused if it is too small (`node_plans`).
        interest: _,
    } = icn;
    let refused = |key: &str, problem: &str, remedy: &str| {
        Err(LiveError::refused(["icn", key], problem, remedy))
    };
    if law.is_none() && *shaper {
        let problem = "a forwarder shapes Interests for links of which it computes rates";
        return refused(
            "law",
            problem,
            "add shaper = false or a law, or simulate it with narrows run",
        );
    }
    if *shaper_form != ShaperForm::Boundary {
        return refused(
            "shaper_form",
            "the forwarder's shaper leaves nothing over",
            "give \"boundary\", or simulate it with narrows run",
        );
    }
    // Without a shaper, the law uses the whole link in any case.
    if *shaper && !shaped_capacity {
        let problem = "the forwarder's laws share out what its shaper leaves for Data";
        return refused(
            "shaped_capacity",
            problem,
            "leave it out, or simulate it with narrows run",
        );
    }
    if *police {
        let problem = "the applications of a forwarder come and go, and only faces of its configuration are policed";
        return refused("police", problem, "leave it out, or simulate it with narrows run");
    }
    if *steering != HintForm::Labels {
        let problem = "Interests on the wire are steered by labels (RFC 9531)";
        return refused("steering", problem, "give \"labels\", or simulate it with narrows run");
    }
    for Prefix { name, data, at: _, next_hops: _ } in prefixes {
        if !(LEAST_DATA..=MOST_DATA).contains(data) {
            let remedy = format!(
                "give data of {LEAST_DATA} to {MOST_DATA}, here or in [icn], or simulate it with narrows run"
            );
            let problem = format!("Data of {data} are no packets of NDN");
            return Err(LiveError::refused(["prefix", name, "data"], problem, remedy));
        }
    }
    for change in changes {
        if let What::Link(link, LinkChange::Rate(_) | LinkChange::Down | LinkChange::Up) =
            &change.what
        {
            let problem =
                "a forwarder does not hear that the rate of a link changes or that it fails";
            let name = &scenario.links[link.0].name;
            return Err(LiveError::refused(
                ["link", name],
                problem,
                "leave this change out, or simulate it with narrows run",
            ));
        }
    }
    if nodes.len() > MAX_HOSTS || networks > MAX_CLASSES {
        let problem =
            format!("{} nodes with up to {networks} links between two are too many", nodes.len());
        return Err(LiveError::refused(["link"], problem, "run a smaller network live"));
    }
    Ok(())
}
