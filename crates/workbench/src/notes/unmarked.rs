//! A note on controllers for ECN on a network without marking.

use narrows_control::Choice;
use narrows_params::Need;
use narrows_path::DisciplineChoice;
use narrows_scenario::Scenario;

/// Parameter that turns on marking in queues, and ECN-capable packets in controllers.
const ECN: &str = "ecn";

/// Names the controllers that send ECN-capable packets on a network without a marking queue. They
/// see only losses there.
pub fn note<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for scenario in scenarios.into_iter().filter(|scenario| {
        !scenario.links.iter().any(|link| link.config.queue.as_ref().is_some_and(marks))
    }) {
        for choice in scenario
            .flows
            .iter()
            .filter_map(|flow| flow.controller.as_ref())
            .filter(|choice| ecn_capable(choice))
        {
            if !names.contains(&choice.text()) {
                names.push(choice.text());
            }
        }
    }
    let remedy = "no queue on this network marks packets, so losses are the only signal; set queue = \"step\" or another marking discipline on a link";
    (!names.is_empty()).then(|| format!("ECN with {}: {remedy}", names.join(", ")))
}

fn marks(queue: &DisciplineChoice) -> bool {
    queue.entry().offers.is_empty() && queue.params().text(ECN).is_none_or(|ecn| ecn == "true")
}

fn ecn_capable(controller: &Choice) -> bool {
    let needs = controller.needs();
    // A controller with load codes has routers that write them wherever it runs.
    let by_marks = needs.contains(&Need::EcnCounts) && !needs.contains(&Need::LoadCode);
    by_marks || controller.params().text(ECN).is_some_and(|ecn| ecn == "true")
}
