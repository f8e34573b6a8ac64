//! What a fluid needs of a scenario, and what it refuses.

use super::vcp::Router;
use super::{KNOWN, Law, Unfit};
use narrows_path::{DisciplineChoice, LinkConfig, RateSource};
use narrows_scenario::{Flow, LinkId, Scenario, Workload};
use narrows_units::{Bytes, Rate, Span, Time};

/// Sources that meet at one link.
pub(super) struct Network {
    pub(super) sources: Vec<Source>,
    /// Packets per second of the link.
    pub(super) capacity: f64,
    /// Bytes of a packet.
    pub(super) packet: Bytes,
    pub(super) bottleneck: LinkId,
    /// The link's router, if it measures loads.
    pub(super) router: Option<Router>,
}

/// A source; times in seconds.
pub(super) struct Source {
    pub(super) law: Law,
    /// Its round trip without queue.
    pub(super) base: f64,
    /// Of that, from the source to the link.
    pub(super) before: f64,
    /// And from the link to the receiver.
    pub(super) beyond: f64,
    pub(super) start: f64,
    pub(super) stop: Option<f64>,
    /// The window with which it begins, in packets.
    pub(super) initial: f64,
}

impl Network {
    pub(super) fn new(scenario: &Scenario) -> Result<Network, Unfit> {
        if !scenario.changes.is_empty() {
            return Err(unfit("the network changes during the run", "leave out [[change]]"));
        }
        let Some(first) = scenario.flows.first() else { return Err(unfit("there are no flows", "add a [[flow]]")) };
        let (bottleneck, rate) = limited(scenario, first)?;
        let router = scenario.links[bottleneck.0].config.queue.as_ref().map(router);
        let packet = first.transport.mss + first.transport.headers;
        let source = |flow: &Flow| {
            let name = &flow.name;
            let Some(law) = flow.controller.as_ref().and_then(Law::of) else {
                let written = flow.controller.as_ref().map_or("none", |choice| choice.text());
                return Err(unfit(format!("flow \"{name}\": there is no fluid of the controller {written}"), KNOWN));
            };
            if limited(scenario, flow)?.0 != bottleneck {
                return Err(unfit(format!("flow \"{name}\" crosses another limited link than the others"), "let all meet at one"));
            }
            if flow.workload != Workload::Bulk || flow.transport.mss + flow.transport.headers != packet {
                return Err(unfit(format!("flow \"{name}\" does not always send, or other packets"), "leave out workload and mss"));
            }
            match (&law, &router) {
                (Law::Vcp(_), None) => {
                    return Err(unfit(format!("flow \"{name}\": nothing tells it loads"), "write queue = \"vcp\" for the link"));
                }
                (Law::Fast(_), Some(_)) => {
                    return Err(unfit(format!("flow \"{name}\" needs a queue without discipline"), "leave out queue of the link"));
                }
                _ => {}
            }
            let delay = |links: &[LinkId]| links.iter().fold(Span::ZERO, |sum, link| sum + scenario.links[link.0].config.delay);
            let place = flow.route.iter().position(|link| *link == bottleneck).unwrap_or(0);
            let base = scenario.base_rtt(flow).as_secs_f64();
            if base == 0.0 {
                return Err(unfit(format!("flow \"{name}\" has no delay"), "give a link of its route delay = \"10 ms\", for example"));
            }
            Ok(Source {
                law,
                base,
                before: delay(&flow.route[..place]).as_secs_f64(),
                beyond: delay(&flow.route[place..]).as_secs_f64(),
                start: flow.start.since(Time::ZERO).as_secs_f64(),
                stop: flow.stop.map(|stop| stop.since(Time::ZERO).as_secs_f64()),
                initial: flow.transport.initial_window as f64,
            })
        };
        let sources = scenario.flows.iter().map(source).collect::<Result<_, _>>()?;
        Ok(Network { sources, capacity: rate.as_bps() as f64 / packet.bits() as f64, packet, bottleneck, router: router.flatten() })
    }
}

fn unfit(problem: impl Into<String>, remedy: &str) -> Unfit {
    Unfit { problem: problem.into(), remedy: remedy.to_owned() }
}

/// The one link with a rate on a flow's way, which may have a delay and a discipline; the others have a delay only.
fn limited(scenario: &Scenario, flow: &Flow) -> Result<(LinkId, Rate), Unfit> {
    let mut found = None;
    for link in &flow.route {
        let (name, config) = (&scenario.links[link.0].name, &scenario.links[link.0].config);
        let plain = LinkConfig { rate: config.rate.clone(), delay: config.delay, queue: config.queue.clone(), ..LinkConfig::default() };
        if *config != plain {
            return Err(unfit(
                format!("link \"{name}\" has more than a rate, a delay and a queue without limit"),
                "leave out buffer, loss, jitter, reordering and aggregation",
            ));
        }
        match (&config.rate, found) {
            (RateSource::Unlimited, _) => {}
            (RateSource::Constant(rate), None) if !rate.is_zero() => found = Some((*link, *rate)),
            _ => {
                return Err(unfit(
                    format!("flow \"{}\": its way is limited by more than one constant rate", flow.name),
                    "give one link of it a rate",
                ));
            }
        }
    }
    found.ok_or_else(|| unfit(format!("flow \"{}\": nothing limits its rate", flow.name), "give one link of its way a rate"))
}

/// Of a discipline what tells loads.
fn router(choice: &DisciplineChoice) -> Option<Router> {
    let params = choice.params();
    (choice.entry().name == "vcp").then(|| Router {
        gamma: params.number("gamma"),
        kappa_q: params.number("kappa_q"),
        t_rho: params.number("t_rho") / 1e3,
    })
}
