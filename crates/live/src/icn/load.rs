//! How much an information-centric scenario asks of the emulator.

use crate::error::LiveError;
use narrows_scenario::{Icn, Ideal, Scenario};
use narrows_units::Rate;

/// The packets in which a host's maximum is counted: a packet costs the same whatever its size.
const PACKET: f64 = 1_500.0;

/// Sees whether a host that carries `maximum` (bit/s of 1500-byte packets) carries this scenario: all Data that consumers can get at once, over as many
/// links as their best ways have, with an Interest for each.
///
/// # Errors
///
/// The scenario asks for more than the host carries.
pub fn affordable(scenario: &Scenario, icn: &Icn, maximum: Rate) -> Result<(), LiveError> {
    let mut ways: Vec<_> = icn.consumers.iter().map(|consumer| (consumer.at, consumer.prefix)).collect();
    ways.sort();
    ways.dedup();
    let asked = ways.iter().map(|(at, prefix)| {
        let data = icn.prefixes[prefix.0].data.get() as f64;
        let links = icn.way(*at, *prefix).len() as f64;
        Ideal::new(scenario, icn, *at, *prefix).rate().as_mbps() * links * 2.0 * PACKET / data
    });
    let total: f64 = asked.sum();
    if total <= maximum.as_mbps() {
        return Ok(());
    }
    Err(LiveError::refused(
        ["icn"],
        format!("its links can carry {total:.0} Mbit/s together (in 1500-byte packets), and this host is taken to carry {maximum}"),
        "lower the rates, or measure what this host carries with `narrows bench --live` and give it with --maximum",
    ))
}
