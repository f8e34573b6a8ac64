//! Which scenarios the simulator refuses.

use crate::SimError;
use crate::endpoint::Ends;
use crate::signals;
use narrows_path::{LinkChange, LossModel, RateSource};
use narrows_scenario::{Change, Flow, LinkId, On, OnOff, Scenario, What, Workload};
use narrows_units::Span;

/// Refuses a flow that cannot be run.
pub(crate) fn check(scenario: &Scenario, flow: &Flow) -> Result<(), SimError> {
    check_limited(scenario, flow)?;
    let mut ends = Ends::new(flow, 0)?;
    match (&flow.controller, ends.sender()) {
        (Some(choice), Some(sender)) => signals::check(scenario, flow, choice, sender.controller()),
        _ => Ok(()),
    }
}

/// Refuses what no simulation ends: a flow whose packets take no time, or one that nothing keeps from sending ever more.
fn check_limited(scenario: &Scenario, flow: &Flow) -> Result<(), SimError> {
    let config = |id: &LinkId| &scenario.links[id.0].config;
    let rated = |id: &LinkId| config(id).rate != RateSource::Unlimited;
    let delays = |id: &LinkId| {
        let never = |change: &Change| change.what == What::Link(*id, LinkChange::Delay(Span::ZERO));
        !config(id).delay.is_zero() && !scenario.changes.iter().any(never)
    };
    let refuse = |problem, remedy| Err(SimError::Endless { flow: flow.name.clone(), problem, remedy });
    if flow.controller.is_none() {
        return Ok(());
    }
    let later = scenario.changes.iter().filter_map(|change| match &change.what {
        What::Route { flow: changed, route, back } if scenario.flows[changed.0].name == flow.name => Some((route, back)),
        _ => None,
    });
    let routes: Vec<_> = std::iter::once((&flow.route, &flow.back)).chain(later).collect();
    if routes.iter().any(|(route, back)| route.iter().chain(*back).all(|id| !delays(id) && !rated(id))) {
        return refuse("its packets take no time on their way", "give one of its links a delay or a rate");
    }
    let always = matches!(flow.workload, Workload::Bulk | Workload::OnOff(OnOff { on: On::Time(_), rate: None, .. }));
    let endless = always && flow.transport.receive_window.is_none();
    if endless && routes.iter().any(|(route, _)| route.iter().all(|id| !rated(id) && config(id).loss == LossModel::None)) {
        return refuse(
            "nothing keeps it from sending ever more, because no link of its route has a rate",
            "give one a rate, or the flow a size or a receive_window",
        );
    }
    Ok(())
}
