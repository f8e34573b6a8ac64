//! How much a scenario asks of the emulator, before it is run.

use crate::error::LiveError;
use narrows_path::LinkChange;
use narrows_scenario::{Flow, LinkId, Scenario, What, Workload};
use narrows_units::Rate;
use std::collections::BTreeMap;

/// What a host is taken to carry, all flows together, in packets of [`PACKET`] bytes, as long as nobody has measured it. About half of what two cores of 2024 do
/// (docs/live.md); a slower host notices while it runs, and says so.
pub const MAXIMUM: Rate = Rate::from_mbps(1_000);

/// The packets in which the maximum is counted: a packet costs the same whatever its size.
const PACKET: f64 = 1_500.0;

/// Sees whether a host that carries `maximum` (bit/s of 1500-byte packets) carries this scenario.
///
/// # Errors
///
/// What the scenario asks for and what the host can do, if that is less; or a flow that nothing limits.
pub fn affordable(scenario: &Scenario, maximum: Rate) -> Result<(), LiveError> {
    let mut asked: BTreeMap<LinkId, f64> = BTreeMap::new();
    for flow in &scenario.flows {
        let size = (flow.transport.mss + flow.transport.headers).get() as f64;
        let narrowest = routes(scenario, flow).filter_map(|route| narrowest(scenario, route)).max_by_key(|(_, rate)| *rate);
        let (link, rate) = match (narrowest, &flow.workload) {
            (Some((link, rate)), Workload::Constant(own)) => (link, rate.min(*own)),
            (Some(narrowest), _) => narrowest,
            (None, Workload::Constant(own)) => (flow.route.first().copied().unwrap_or(LinkId(0)), *own),
            (None, _) => {
                let problem = "no link of its route has a rate, so it asks for more than any host carries";
                return Err(LiveError::refused(["flow", &flow.name], problem, "give a link of its route a rate"));
            }
        };
        let packets = rate.as_mbps() * PACKET / size;
        let most = peak(scenario, link).map_or(f64::INFINITY, |rate| rate.as_mbps() * PACKET / size);
        let asked = asked.entry(link).or_default();
        *asked = (*asked + packets).min(most.max(*asked));
    }
    let total: f64 = asked.values().sum();
    if total <= maximum.as_mbps() {
        return Ok(());
    }
    let widest = asked.iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or("", |(link, _)| &scenario.links[link.0].name);
    Err(LiveError::refused(
        ["link", widest],
        format!("flows can fill links of {total:.0} Mbit/s together (in 1500-byte packets), and this host is taken to carry {maximum}"),
        "lower the rates, or measure what this host carries with `narrows bench --live` and give it with --maximum",
    ))
}

/// The routes that a flow takes at some time.
fn routes<'a>(scenario: &'a Scenario, flow: &'a Flow) -> impl Iterator<Item = &'a [LinkId]> {
    let later = scenario.changes.iter().filter_map(|change| match &change.what {
        What::Route { flow: changed, route, .. } if scenario.flows[changed.0].name == flow.name => Some(route.as_slice()),
        _ => None,
    });
    std::iter::once(flow.route.as_slice()).chain(later)
}

/// The link of a route that lets through the least, and how much that is at most.
fn narrowest(scenario: &Scenario, route: &[LinkId]) -> Option<(LinkId, Rate)> {
    route.iter().filter_map(|link| Some((*link, peak(scenario, *link)?))).min_by_key(|(_, rate)| *rate)
}

/// The highest rate that a link ever has; on a trace its mean. `None` if unlimited.
fn peak(scenario: &Scenario, link: LinkId) -> Option<Rate> {
    let later = scenario.changes.iter().filter_map(|change| match change.what {
        What::Link(changed, LinkChange::Rate(rate)) if changed == link => Some(rate),
        _ => None,
    });
    scenario.links[link.0].config.rate.mean().map(|rate| later.fold(rate, Rate::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(links: &str, flows: &str) -> Result<(), String> {
        let text = format!("duration = \"10 s\"\n{links}\n{flows}");
        let scenario = narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
        affordable(&scenario, MAXIMUM).map_err(|error| error.to_string())
    }

    fn link(name: &str, from: &str, to: &str, rate: &str) -> String {
        format!("[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"{rate}\"\ndelay = \"5 ms\"\n")
    }

    fn flow(from: &str, to: &str, more: &str) -> String {
        format!("[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n")
    }

    #[test]
    fn a_fast_access_link_before_a_bottleneck_asks_for_nothing_of_its_own() {
        let links = link("access", "a", "r", "40 Gbit/s") + &link("bottleneck", "r", "b", "900 Mbit/s");
        assert_eq!(asks(&links, &flow("a", "b", "controller = \"cubic\"\ncount = 5")), Ok(()));
    }

    #[test]
    fn bottlenecks_of_different_flows_add_up() {
        let links = link("one", "a", "b", "600 Mbit/s") + &link("two", "c", "d", "600 Mbit/s");
        let flows = flow("a", "b", "controller = \"cubic\"") + &flow("c", "d", "controller = \"cubic\"");
        let told = asks(&links, &flows).unwrap_err();
        assert!(told.contains("1200 Mbit/s") && told.contains("1 Gbit/s") && told.contains("narrows bench --live"), "{told}");
        assert_eq!(asks(&links, &flow("a", "b", "controller = \"cubic\"")), Ok(()));
    }

    #[test]
    fn constant_traffic_asks_for_what_it_sends() {
        let links = link("wide", "a", "b", "10 Gbit/s");
        assert_eq!(asks(&links, &flow("a", "b", "workload = { rate = \"100 Mbit/s\" }")), Ok(()));
        assert!(asks(&links, &flow("a", "b", "controller = \"cubic\"")).unwrap_err().contains("10000 Mbit/s"));
    }

    #[test]
    fn a_rate_that_rises_later_and_small_packets_count() {
        let links = link("link", "a", "b", "500 Mbit/s");
        let bulk = flow("a", "b", "controller = \"cubic\"");
        let rises = "[[change]]\nat = \"5 s\"\nlink = \"link\"\nrate = \"1500 Mbit/s\"\n";
        assert_eq!(asks(&links, &bulk), Ok(()));
        assert!(asks(&links, &(bulk.clone() + rises)).is_err());
        assert!(asks(&links, &(bulk + "transport = { mss = \"500 B\" }")).is_err());
    }

    #[test]
    fn a_flow_that_nothing_limits_is_refused_by_name() {
        let links = "[[link]]\nname = \"link\"\nbetween = [\"a\", \"b\"]\ndelay = \"5 ms\"\n";
        assert!(asks(links, &flow("a", "b", "name = \"bulk\"\ncontroller = \"cubic\"")).unwrap_err().contains("flow \"bulk\""));
    }
}
