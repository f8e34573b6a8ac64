//! Saved paths for the flows of a network (`narrows compare --saved`).

use crate::error::Failure;
use narrows_control::Saved;
use narrows_path::RateSource;
use narrows_scenario::{Flow, Scenario};
use narrows_units::{Segments, Span};
use std::sync::Arc;

/// Gives each flow a saved path: the base round trip and `times` its bandwidth-delay product at the
/// slowest link of its route.
///
/// # Errors
///
/// The route of a flow has no link with a constant rate.
pub fn give(network: &mut Scenario, times: f64) -> Result<(), Failure> {
    for at in 0..network.flows.len() {
        let flow = &network.flows[at];
        if flow.controller.is_none() {
            continue;
        }
        let window = bdp(network, flow).ok_or_else(|| {
            Failure::Other(format!(
                "--saved {times}: the route of {} has no link with a constant rate, so there is no bandwidth-delay product; write --set 'flow.{}.saved={{ rtt = \"600 ms\", \
                 window = 2500 }}'",
                flow.name, flow.name
            ))
        })?;
        let rtt = network.base_rtt(flow);
        let window = Segments::new((times * window).max(1.0));
        Arc::make_mut(&mut network.flows)[at].saved = Some(Saved { rtt, window, age: Span::ZERO });
    }
    Ok(())
}

/// Returns the bandwidth-delay product of a flow in full segments; `None` without a constant rate.
fn bdp(network: &Scenario, flow: &Flow) -> Option<f64> {
    let rates = flow.route.iter().filter_map(|link| match network.links[link.0].config.rate {
        RateSource::Constant(rate) => Some(rate),
        _ => None,
    });
    let slowest = rates.min()?;
    let packet = flow.transport.mss + flow.transport.headers;
    Some(slowest.bytes_per_sec() * network.base_rtt(flow).as_secs_f64() / packet.get() as f64)
}
