//! Routers for controllers that depend on feedback from routers, for commands that build or change
//! the network.

use crate::error::Failure;
use crate::quote::quote;
use narrows_control::Choice;
use narrows_path::{DisciplineChoice, DisciplineEntry, RateSource, offering};
use narrows_scenario::{LinkId, Scenario};
use std::collections::BTreeSet;

/// Returns the router that a controller needs, or `None`.
pub fn needed(choice: &Choice) -> Option<&'static DisciplineEntry> {
    choice.needs().into_iter().find_map(offering)
}

/// Refuses controllers that need routers. `why` is the reason that the command cannot provide them.
pub fn refuse<'a>(choices: impl IntoIterator<Item = &'a Choice>, why: &str) -> Result<(), Failure> {
    let choices: Vec<&Choice> = choices.into_iter().collect();
    let in_need = choices.iter().find_map(|choice| Some((choice, needed(choice)?)));
    let Some((choice, router)) = in_need else { return Ok(()) };
    let mut words: Vec<_> = choices.iter().map(|own| quote(own.text())).collect();
    words.dedup();
    Err(Failure::Other(format!(
        "{} needs the {} router, but {why}; use narrows compare {}, which gives each controller its own router",
        choice.text(),
        router.name,
        words.join(" ")
    )))
}

/// Returns the router for a controller. Parameters with the same name get the controller's values.
fn made_for(choice: &Choice, entry: &'static DisciplineEntry) -> Result<DisciplineChoice, Failure> {
    let params = choice.params();
    let shared = entry.params.iter().filter_map(|param| Some((param, params.text(param.name)?)));
    let set = shared.filter(|(param, value)| *value != param.default_text());
    let settings: Vec<String> =
        set.map(|(param, value)| format!("{}={value}", param.name)).collect();
    let text = if settings.is_empty() {
        entry.name.to_owned()
    } else {
        format!("{}?{}", entry.name, settings.join("&"))
    };
    text.parse()
        .map_err(|error| Failure::Other(format!("the router for {}: {error}", choice.text())))
}

/// Puts the router that `choice` needs on the rate-limited links of all routes of its flows, in
/// both directions. Skips flows with such a router on their route. Returns a description of the
/// changes.
pub fn equip(scenario: &mut Scenario, choice: &Choice) -> Result<Option<String>, Failure> {
    let Some(entry) = needed(choice) else { return Ok(None) };
    let driven = scenario.flows.iter().filter(|flow| flow.controller.as_ref() == Some(choice));
    let lacking = driven.filter(|flow| {
        !scenario.offered_by_route(flow).any(|offered| entry.offers.contains(&offered))
    });
    let routes: BTreeSet<LinkId> =
        lacking.flat_map(|flow| flow.route.iter().chain(&flow.back)).copied().collect();
    let router = made_for(choice, entry)?;
    let (mut names, mut replaced) = (Vec::new(), BTreeSet::new());
    for id in routes {
        let link = &mut scenario.links[id.0];
        if !matches!(link.config.rate, RateSource::Unlimited) {
            replaced.extend(
                link.config.queue.replace(router.clone()).map(|queue| queue.text().to_owned()),
            );
            names.push(link.name.clone());
        }
    }
    let replaced: Vec<String> = replaced.into_iter().map(|queue| format!("\"{queue}\"")).collect();
    let instead = if replaced.is_empty() {
        String::new()
    } else {
        format!(" instead of {}", replaced.join(" and "))
    };
    let done = format!(
        "{} over queue = \"{}\"{instead} on {}",
        choice.text(),
        router.text(),
        names.join(", ")
    );
    Ok((!names.is_empty()).then_some(done))
}
