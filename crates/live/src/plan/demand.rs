//! Estimates the load of a scenario on the emulator before it runs.

use crate::error::LiveError;
use crate::icn;
use narrows_path::LinkChange;
use narrows_scenario::{Flow, LinkId, Scenario, What, Workload};
use narrows_units::Rate;
use std::collections::BTreeMap;

/// Default capacity of a host for all flows together, in 1500-byte packets, until it is measured:
/// four fifths of the capacity of two cores of 2024 (docs/how-to/live.md). A slower host notices
/// that during the run, and reports it.
pub const MAXIMUM: Rate = Rate::from_mbps(1_000);

/// Packet size in which the maximum is counted; the cost of a packet does not depend on its size.
const PACKET: f64 = 1_500.0;

/// Checks that a host with the capacity `maximum` (bit/s of 1500-byte packets) can carry this
/// scenario.
///
/// # Errors
///
/// The load exceeds the capacity of the host, or nothing limits a flow.
pub fn affordable(scenario: &Scenario, maximum: Rate) -> Result<(), LiveError> {
    if let Some(icn) = &scenario.icn {
        return icn::affordable(scenario, icn, maximum);
    }
    let mut asked: BTreeMap<LinkId, f64> = BTreeMap::new();
    for flow in scenario.flows.iter() {
        let size = (flow.transport.mss + flow.transport.headers).get() as f64;
        let narrowest = routes(scenario, flow)
            .filter_map(|route| narrowest(scenario, route))
            .max_by_key(|(_, rate)| *rate);
        let own = own_rate(scenario, flow).unwrap_or(f64::INFINITY);
        let (link, rate) = match narrowest {
            Some((link, rate)) => (link, rate.as_mbps().min(own)),
            None if own.is_finite() => (flow.route.first().copied().unwrap_or(LinkId(0)), own),
            None => {
                let problem =
                    "no link of its route has a rate, so it asks for more than any host carries";
                return Err(LiveError::refused(
                    ["flow", &flow.name],
                    problem,
                    "give a link of its route a rate",
                ));
            }
        };
        let packets = rate * PACKET / size;
        let most =
            peak(scenario, link).map_or(f64::INFINITY, |rate| rate.as_mbps() * PACKET / size);
        let asked = asked.entry(link).or_default();
        *asked = (*asked + packets).min(most.max(*asked));
    }
    let total: f64 = asked.values().sum();
    if total <= maximum.as_mbps() {
        return Ok(());
    }
    let widest = asked
        .iter()
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or("", |(link, _)| &scenario.links[link.0].name);
    Err(LiveError::refused(
        ["link", widest],
        format!(
            "flows can fill links of {total:.0} Mbit/s together (in 1500-byte packets), and this host is taken to carry {maximum}"
        ),
        "lower the rates, or measure what this host carries with `narrows lab bench --live` and give it with --maximum",
    ))
}

/// Returns the rate that the application of a flow offers, in Mbit/s on the wire with headers: its
/// mean, or the rate while it is on. `None` for an application that always has more data while it
/// sends. Transfers, frames and responses use whole packets. Bursts above the mean fill a link for
/// a while; a run that is too slow for them reports it.
fn own_rate(scenario: &Scenario, flow: &Flow) -> Option<f64> {
    let mss = flow.transport.mss.get() as f64;
    let packets_per_second = match &flow.workload {
        Workload::Bulk | Workload::Size(_) => return None,
        Workload::Constant(rate) => rate.bytes_per_sec() / mss,
        Workload::OnOff(bursts) => bursts.rate?.bytes_per_sec() / mss,
        Workload::Frames(frames) => {
            let interval = frames.interval.as_secs_f64();
            (frames.rate.bytes_per_sec() * interval / mss).ceil() / interval
        }
        Workload::Arrivals(arrivals) => arrivals.per_second * (arrivals.sizes.mean() / mss).ceil(),
        // The next request waits for the response to the last one.
        Workload::Requests(requests) => {
            (requests.response.mean() / mss).ceil()
                / (scenario.base_rtt(flow) + requests.think).as_secs_f64()
        }
    };
    Some(packets_per_second * (flow.transport.mss + flow.transport.headers).get() as f64 * 8e-6)
}

/// Returns all routes of a flow during the run.
fn routes<'a>(scenario: &'a Scenario, flow: &'a Flow) -> impl Iterator<Item = &'a [LinkId]> {
    let later = scenario.changes.iter().filter_map(|change| match &change.what {
        What::Route { flow: changed, route, .. } if scenario.flows[changed.0].name == flow.name => {
            Some(route.as_slice())
        }
        _ => None,
    });
    std::iter::once(flow.route.as_slice()).chain(later)
}

/// Returns the narrowest link of a route, with its highest rate.
fn narrowest(scenario: &Scenario, route: &[LinkId]) -> Option<(LinkId, Rate)> {
    route
        .iter()
        .filter_map(|link| Some((*link, peak(scenario, *link)?)))
        .min_by_key(|(_, rate)| *rate)
}

/// Returns the highest rate of a link during the run; the mean of a trace. `None` if it is
/// unlimited.
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
        let scenario =
            narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
                .unwrap();
        affordable(&scenario, MAXIMUM).map_err(|error| error.to_string())
    }

    fn link(name: &str, from: &str, to: &str, rate: &str) -> String {
        format!(
            "[[link]]\nname = \"{name}\"\nbetween = [\"{from}\", \"{to}\"]\nrate = \"{rate}\"\ndelay = \"5 ms\"\n"
        )
    }

    fn flow(from: &str, to: &str, more: &str) -> String {
        format!("[[flow]]\nfrom = \"{from}\"\nto = \"{to}\"\n{more}\n")
    }

    #[test]
    fn a_fast_access_link_before_a_bottleneck_asks_for_nothing_of_its_own() {
        let links =
            link("access", "a", "r", "40 Gbit/s") + &link("bottleneck", "r", "b", "900 Mbit/s");
        assert_eq!(asks(&links, &flow("a", "b", "controller = \"cubic\"\ncount = 5")), Ok(()));
    }

    #[test]
    fn bottlenecks_of_different_flows_add_up() {
        let links = link("one", "a", "b", "600 Mbit/s") + &link("two", "c", "d", "600 Mbit/s");
        let flows =
            flow("a", "b", "controller = \"cubic\"") + &flow("c", "d", "controller = \"cubic\"");
        let told = asks(&links, &flows).unwrap_err();
        assert!(
            told.contains("1200 Mbit/s")
                && told.contains("1 Gbit/s")
                && told.contains("narrows lab bench --live"),
            "{told}"
        );
        assert_eq!(asks(&links, &flow("a", "b", "controller = \"cubic\"")), Ok(()));
    }

    #[test]
    fn constant_traffic_asks_for_what_it_sends() {
        let links = link("wide", "a", "b", "10 Gbit/s");
        assert_eq!(asks(&links, &flow("a", "b", "workload = { rate = \"100 Mbit/s\" }")), Ok(()));
        assert!(
            asks(&links, &flow("a", "b", "controller = \"cubic\""))
                .unwrap_err()
                .contains("10000 Mbit/s")
        );
    }

    #[test]
    fn workloads_with_a_rate_of_their_own_ask_for_it() {
        let asked = |workload: &str| {
            let links = link("wide", "a", "b", "10 Gbit/s");
            let text = format!(
                "duration = \"10 s\"\n{links}{}",
                flow("a", "b", &format!("controller = \"cubic\"\nworkload = {workload}"))
            );
            let scenario =
                narrows_scenario::parse(&text, "test.toml", &|path| std::fs::read_to_string(path))
                    .unwrap();
            own_rate(&scenario, &scenario.flows[0]).map(|mbps| (mbps * 1000.0).round() / 1000.0)
        };
        // Packets of 1448 B are 1500 B on the wire.
        assert_eq!(asked(r#"{ rate = "1448 kbit/s" }"#), Some(1.5));
        assert_eq!(asked(r#"{ on = "1 s", off = "1 s", rate = "1448 kbit/s" }"#), Some(1.5));
        assert_eq!(asked(r#"{ on = "1 s", off = "1 s" }"#), None);
        assert_eq!(asked(r#"{ size = "1 MB" }"#), None);
        // 5000 B every 40 ms are 4 packets 25 times a second.
        assert_eq!(asked(r#"{ rate = "1 Mbit/s", frame = "40 ms" }"#), Some(1.2));
        assert_eq!(asked(r#"{ arrivals = "50/s", sizes = "2 kB" }"#), Some(1.2));
        // 10 packets every 10 + 30 ms.
        assert_eq!(
            asked(r#"{ response = "14480 B", request = "300 B", think = "30 ms" }"#),
            Some(3.0)
        );
    }

    #[test]
    fn a_workload_asks_for_no_more_than_its_link_has() {
        let links = link("wide", "a", "b", "10 Gbit/s");
        let frames = |rate: &str| {
            flow(
                "a",
                "b",
                &format!(
                    "controller = \"cubic\"\nworkload = {{ rate = \"{rate}\", frame = \"40 ms\" }}"
                ),
            )
        };
        assert_eq!(asks(&links, &frames("1 Mbit/s")), Ok(()));
        assert!(asks(&links, &frames("2 Gbit/s")).is_err());
        assert_eq!(asks(&link("narrow", "a", "b", "900 Mbit/s"), &frames("2 Gbit/s")), Ok(()));
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
        assert!(
            asks(links, &flow("a", "b", "name = \"bulk\"\ncontroller = \"cubic\""))
                .unwrap_err()
                .contains("flow \"bulk\"")
        );
    }
}
