//! Which scenarios the simulator refuses.

use crate::SimError;
use crate::endpoint::Ends;
use crate::signals;
use narrows_path::{LinkChange, LossModel, RateSource};
use narrows_scenario::{Flow, LinkId, On, OnOff, Scenario, What, Workload};
use narrows_units::Span;
use narrows_wire::Ecn;

/// Refuses a scenario of which a flow cannot be run.
pub(crate) fn check(scenario: &Scenario) -> Result<(), SimError> {
    let network = Network::new(scenario);
    scenario.flows.iter().zip(&network.later).try_for_each(|(flow, later)| {
        network.check_limited(flow, later)?;
        let mut ends = Ends::new(flow, 0, None)?;
        match (&flow.controller, ends.sender()) {
            (Some(choice), Some(sender)) => {
                signals::check(scenario, flow, choice, sender.controller().decision().ecn)
            }
            // Guests send ECT(0) from the first packet on.
            (Some(choice), None) => signals::check(scenario, flow, choice, Ecn::Ect0),
            _ => Ok(()),
        }
    })
}

/// The links of a route, out and back.
type Route<'a> = (&'a [LinkId], &'a [LinkId]);

/// The links during the whole run.
struct Network<'a> {
    scenario: &'a Scenario,
    /// For each link, whether it always has a delay.
    delays: Vec<bool>,
    /// For each flow, the routes that it takes later.
    later: Vec<Vec<Route<'a>>>,
}

impl<'a> Network<'a> {
    fn new(scenario: &'a Scenario) -> Network<'a> {
        let mut delays: Vec<bool> =
            scenario.links.iter().map(|link| !link.config.delay.is_zero()).collect();
        let mut later = vec![Vec::new(); scenario.flows.len()];
        for change in &scenario.changes {
            match &change.what {
                What::Link(link, LinkChange::Delay(Span::ZERO)) => delays[link.0] = false,
                What::Link(..) => {}
                What::Route { flow, route, back } => {
                    later[flow.0].push((route.as_slice(), back.as_slice()))
                }
            }
        }
        Network { scenario, delays, later }
    }

    /// Refuses what no simulation ends: a flow whose packets take no time, or one that nothing
    /// keeps from sending ever more.
    fn check_limited(&self, flow: &Flow, later: &[Route]) -> Result<(), SimError> {
        let config = |id: &LinkId| &self.scenario.links[id.0].config;
        let rated = |id: &LinkId| config(id).rate != RateSource::Unlimited;
        let refuse =
            |problem, remedy| Err(SimError::Endless { flow: flow.name.clone(), problem, remedy });
        if flow.controller.is_none() {
            return Ok(());
        }
        let routes = || {
            std::iter::once((flow.route.as_slice(), flow.back.as_slice()))
                .chain(later.iter().copied())
        };
        if routes().any(|(route, back)| {
            route.iter().chain(back).all(|id| !self.delays[id.0] && !rated(id))
        }) {
            return refuse(
                "its packets take no time on their way",
                "give one of its links a delay or a rate",
            );
        }
        let always = matches!(
            flow.workload,
            Workload::Bulk | Workload::OnOff(OnOff { on: On::Time(_), rate: None, .. })
        );
        let endless = always && flow.transport.receive_window.is_none();
        if endless
            && routes().any(|(route, _)| {
                route.iter().all(|id| !rated(id) && config(id).loss == LossModel::None)
            })
        {
            return refuse(
                "nothing keeps it from sending ever more, because no link of its route has a rate",
                "give one a rate, or the flow a size or a receive_window",
            );
        }
        Ok(())
    }
}
