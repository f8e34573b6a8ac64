//! Checks that the routers on a flow's route give the signals that its controller needs, and that
//! both read ECN code points alike.

use crate::{Flow, Scenario};
use narrows_control::Choice;
use narrows_params::Need;
use narrows_path::{DisciplineChoice, offering};
use narrows_wire::{CodePoints, Ecn};

impl Scenario {
    /// Returns the problem between a flow's controller and its route, with the remedy: a signal
    /// that no router provides, or ECN code points with two meanings. `ends` are the signals that
    /// the controller gets without routers; its packets carry `ecn`.
    pub fn misheard(
        &self,
        flow: &Flow,
        choice: &Choice,
        ecn: Ecn,
        ends: &[Need],
    ) -> Option<(String, String)> {
        let needs = choice.needs();
        let offered = |need: &Need| {
            ends.contains(need) || self.offered_by_route(flow).any(|offered| offered == *need)
        };
        if let Some(missing) = needs.iter().find(|need| !offered(need) && !choice.spares(**need)) {
            return Some((
                format!("{} needs {missing}, which no router on its route provides", choice.text()),
                remedy(*missing),
            ));
        }
        self.queues_of(flow).find_map(|(name, queue)| {
            if queue.entry().offers.contains(&Need::LoadCode) && !needs.contains(&Need::LoadCode) && ecn != Ecn::NotEct {
                let (chosen, choice, queue) = (choice, choice.text(), queue.text());
                let problem =
                    format!("{choice} marks its packets as ECN-capable, and the {queue} queue of \"{name}\" writes load codes over that");
                let has_ecn = chosen.entry().params().iter().any(|param| param.name == "ecn");
                let remedy = if has_ecn { "lead it around that link, or set ecn=false" } else { "lead it around that link" };
                return Some((problem, remedy.to_owned()));
            }
            let (own, its) = codes(choice, queue).filter(|(own, its)| own != its)?;
            let problem = format!("{} uses {CODES}={own}, but the queue of \"{name}\" uses {CODES}={its}", choice.text());
            Some((problem, format!("give both the same {CODES}")))
        })
    }

    fn queues_of<'a>(
        &'a self,
        flow: &'a Flow,
    ) -> impl Iterator<Item = (&'a str, &'a DisciplineChoice)> {
        let links = flow.route.iter().map(|id| &self.links[id.0]);
        links.filter_map(|link| Some((link.name.as_str(), link.config.queue.as_ref()?)))
    }
}

/// Parameter for the coding of load codes, of routers and senders that have it.
const CODES: &str = CodePoints::PARAM.spec.name;

fn codes(choice: &Choice, queue: &DisciplineChoice) -> Option<(String, String)> {
    Some((choice.params().text(CODES)?, queue.params().text(CODES)?))
}

/// Suggests a router that provides the signal.
fn remedy(need: Need) -> String {
    match offering(need) {
        Some(entry) => format!("give the bottleneck queue = \"{}\"", entry.name),
        None => "choose another controller".to_owned(),
    }
}
