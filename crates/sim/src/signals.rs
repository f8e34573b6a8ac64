//! Whether the network gives a controller the signals that it needs, and keeps those apart that do not mix.

use crate::SimError;
use narrows_control::registry::{Choice, Need};
use narrows_control::{Controller, Ecn};
use narrows_path::{DisciplineChoice, offering};
use narrows_scenario::{Flow, Scenario};

/// The signals that the simulator offers to controllers on any network.
pub const OFFERS: &[Need] = &[Need::RateSample, Need::Pacing, Need::EcnCounts, Need::Tags];

/// Refuses a flow whose controller would miss a signal, or misread one.
pub(crate) fn check(scenario: &Scenario, flow: &Flow, choice: &Choice, controller: &dyn Controller) -> Result<(), SimError> {
    let refuse = |problem, remedy| Err(SimError::Signal { flow: flow.name.clone(), problem, remedy });
    let needs = choice.needs();
    let offered = |need: &Need| OFFERS.contains(need) || scenario.offered_by_route(flow).any(|offered| offered == *need);
    if let Some(missing) = needs.iter().find(|need| !offered(need)) {
        return refuse(format!("{} needs {missing}, which nothing on its route gives", choice.text()), remedy(*missing));
    }
    for (name, queue) in queues(scenario, flow) {
        let writes_load = queue.entry().offers.contains(&Need::LoadCode);
        if writes_load && !needs.contains(&Need::LoadCode) && controller.decision().ecn != Ecn::NotEct {
            return refuse(
                format!(
                    "{} marks its packets as ECN-capable, and the {} queue of \"{name}\" writes load codes over that",
                    choice.text(),
                    queue.text()
                ),
                "lead it around that link, or set ecn=false".to_owned(),
            );
        }
        if let Some((own, its)) = codes(choice, queue)
            && own != its
        {
            return refuse(
                format!("{} speaks {CODES}={own}, and the queue of \"{name}\" {CODES}={its}", choice.text()),
                format!("give both the same {CODES}"),
            );
        }
    }
    Ok(())
}

fn queues<'a>(scenario: &'a Scenario, flow: &'a Flow) -> impl Iterator<Item = (&'a str, &'a DisciplineChoice)> {
    let links = flow.route.iter().map(|id| &scenario.links[id.0]);
    links.filter_map(|link| Some((link.name.as_str(), link.config.queue.as_ref()?)))
}

/// The parameter that says how codes are written, of routers and senders that have it.
const CODES: &str = "codes";

fn codes(choice: &Choice, queue: &DisciplineChoice) -> Option<(&'static str, &'static str)> {
    let both = [choice.entry().params, queue.entry().params].iter().all(|params| params.iter().any(|param| param.name == CODES));
    both.then(|| (choice.params().choice(CODES), queue.params().choice(CODES)))
}

/// Where a signal would come from.
fn remedy(need: Need) -> String {
    match offering(need) {
        Some(entry) => format!("give the bottleneck queue = \"{}\"", entry.name),
        None => "choose another controller".to_owned(),
    }
}
