//! A note on loss bursts that do not end while no packets arrive.

use narrows_path::LossModel;
use narrows_scenario::Scenario;

/// Names the links with loss states that advance per packet. A sender that waits for a timeout
/// cannot get out of a bad state on them.
pub fn note<'a>(scenarios: impl IntoIterator<Item = &'a Scenario>) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for scenario in scenarios {
        let per_packet = scenario
            .links
            .iter()
            .filter(|link| matches!(link.config.loss, LossModel::GilbertElliott { .. }));
        for link in
            per_packet.filter(|link| !names.contains(&link.name.as_str())).collect::<Vec<_>>()
        {
            names.push(&link.name);
        }
    }
    let effect = "the loss states advance with each packet, as in netem, so a flow that waits for a timeout finds the state in which it stopped";
    (!names.is_empty()).then(|| {
        format!("on {} {effect}; good_for and bad_for instead of to_bad and to_good make states that last in time", names.join(", "))
    })
}
