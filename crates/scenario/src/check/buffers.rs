//! Converts buffers to bytes or packets, from any unit.

use crate::error::{Checked, Problem};
use crate::text::At;
use crate::{LinkId, Scenario};
use narrows_path::{Limit, largest_packet};
use narrows_units::{Bytes, Depth, Rate, Span};
use std::ops::Range;

/// Most that an acknowledgement has in addition to its headers: SACK option and padding.
const OPTIONS: Bytes = Bytes::new(40);

/// The flows' demands on a link's buffer.
#[derive(Clone, Copy, Default)]
pub(super) struct Demand {
    /// Longest round trip without queues.
    rtt: Option<Span>,
    /// Largest packet.
    packet: Bytes,
}

/// Sets the limit of every link.
pub(super) fn resolve(scenario: &mut Scenario, buffers: &[Option<At<Depth>>]) -> Checked<()> {
    let demands = demands(scenario);
    for (index, buffer) in buffers.iter().enumerate() {
        if let Some(buffer) = buffer {
            scenario.links[index].config.limit =
                limit(scenario, LinkId(index), buffer, demands[index])?;
        }
    }
    Ok(())
}

/// Refuses policers with a bucket smaller than a packet of a flow, because they would drop all
/// these packets. `written` returns the place of a link's queue in the file.
pub(super) fn check_bursts(
    scenario: &Scenario,
    written: impl Fn(LinkId) -> Range<usize>,
) -> Checked<()> {
    for (index, (link, demand)) in scenario.links.iter().zip(demands(scenario)).enumerate() {
        let Some(largest) = link
            .config
            .queue
            .as_ref()
            .and_then(largest_packet)
            .filter(|largest| *largest < demand.packet)
        else {
            continue;
        };
        let message = format!(
            "a bucket of {largest} never passes a packet of {}, so \"{}\" would drop it always",
            demand.packet, link.name
        );
        let help = "make burst, which is in kB, at least one full packet: 1.5, or some ten of them";
        return Err(Problem::at(&written(LinkId(index)), message, help));
    }
    Ok(())
}

/// Returns the flows' demands on each link, from routes, delays, and packet sizes.
pub(super) fn demands(scenario: &Scenario) -> Vec<Demand> {
    let mut demands = vec![Demand::default(); scenario.links.len()];
    for flow in scenario.flows.iter() {
        let rtt = flow.controller.as_ref().map(|_| scenario.base_rtt(flow));
        let data = flow.transport.mss + flow.transport.headers;
        let ack = flow.transport.headers + OPTIONS;
        let crossings =
            flow.route.iter().map(|id| (id, data)).chain(flow.back.iter().map(|id| (id, ack)));
        for (id, packet) in crossings {
            let demand = &mut demands[id.0];
            demand.rtt = demand.rtt.max(rtt);
            demand.packet = demand.packet.max(packet);
        }
    }
    demands
}

/// Returns the limit of a link with this `buffer`, from the present rate and delays of the
/// scenario.
pub(super) fn limit(
    scenario: &Scenario,
    id: LinkId,
    buffer: &At<Depth>,
    demand: Demand,
) -> Checked<Limit> {
    let link = &scenario.links[id.0];
    let depth = buffer.value;
    let refuse = |message: String, help: &str| Err(Problem::at(&buffer.span, message, help));
    if depth.is_zero() {
        return refuse(
            format!("a buffer of {depth} holds nothing"),
            "give a size above zero, or \"unlimited\"",
        );
    }
    let rate = link.config.rate.mean();
    let rtt = match (depth, demand.rtt) {
        (Depth::MilliBdp(_), None) => {
            let message = format!(
                "\"{depth}\" needs a round trip, but no flow with a controller crosses \"{}\"",
                link.name
            );
            return refuse(message, "write the buffer in bytes, packets or time");
        }
        (_, rtt) => rtt.unwrap_or(Span::ZERO),
    };
    let rate = match (depth, rate) {
        (Depth::MilliBdp(_) | Depth::Time(_), None) => {
            let message = format!("\"{depth}\" needs a rate, but \"{}\" has none", link.name);
            return refuse(
                message,
                "give the link a rate, or write the buffer in bytes or packets",
            );
        }
        (_, rate) => rate.unwrap_or(Rate::ZERO),
    };
    if rtt.is_zero() && matches!(depth, Depth::MilliBdp(_)) {
        let message = format!(
            "\"{depth}\" is nothing here: packets across \"{}\" have no delay on their way and back",
            link.name
        );
        return refuse(
            message,
            "give a link a delay, or write the buffer in bytes, packets or time",
        );
    }
    let Some(bytes) = depth.resolve(rate, rtt) else {
        let Depth::Packets(packets) = depth else { return Ok(Limit::None) };
        return Ok(Limit::Packets(packets));
    };
    if bytes < demand.packet {
        let size = if matches!(depth, Depth::Bytes(_)) {
            format!("{depth}")
        } else {
            format!("{depth}, {bytes} here,")
        };
        let message = format!(
            "a buffer of {size} cannot hold a packet of {}, so \"{}\" would drop everything",
            demand.packet, link.name
        );
        return refuse(
            message,
            "make it at least one full packet; some ten packets or one bdp are usual",
        );
    }
    Ok(Limit::Bytes(bytes))
}
