//! Variants of a suite's scenarios, each with a difference that should not matter.

use super::run::Variant;
use narrows_path::Jitter;
use narrows_scenario::{LinkId, Scenario};
use narrows_units::Span;
use std::collections::BTreeSet;

/// Changes a scenario into its variant.
pub fn apply(scenario: &mut Scenario, variant: Variant) {
    match variant {
        Variant::Plain | Variant::Kernel => {}
        Variant::Prompt => scenario.send_overhead = false,
        Variant::Long => scenario.duration = scenario.duration * 2,
        Variant::Jitter => {
            let forward: BTreeSet<LinkId> =
                scenario.flows.iter().flat_map(|flow| flow.route.iter().copied()).collect();
            let back: BTreeSet<LinkId> =
                scenario.flows.iter().filter_map(|flow| flow.back.last().copied()).collect();
            for link in back.difference(&forward) {
                let jitter = &mut scenario.links[link.0].config.delivery.jitter;
                if *jitter == Jitter::default() {
                    *jitter = Jitter::uniform(Span::from_millis(1));
                }
            }
        }
    }
}
