//! Commands on strategies.

use super::command::Command;
use super::response::Outcome;
use crate::name::PacketName;
use crate::rib;
use crate::shard::TableChange;
use crate::state::State;
use narrows_icn::{STRATEGIES, StrategyChoice};
use narrows_ndn::management::{ControlParameters, StrategyName};
use narrows_ndn::{Name, NameRef, number};

/// Versions of strategies in other forwarders. All of them are accepted.
const VERSIONS: std::ops::RangeInclusive<u64> = 1..=5;

/// Name of a strategy, with its version.
pub(super) fn name_of(strategy: &str) -> Name {
    Name::new()
        .generic(b"localhost")
        .generic(b"nfd")
        .generic(b"strategy")
        .generic(strategy.as_bytes())
        .version(1)
}

/// Strategy of a name with or without a version.
fn find(name: &NameRef<'_>) -> Option<&'static str> {
    let component = |at: usize| {
        name.component(at)
            .filter(|component| u32::from(component.number) == number::GENERIC)
            .map(|component| component.value)
    };
    let below = [b"localhost".as_slice(), b"nfd", b"strategy"]
        .iter()
        .enumerate()
        .all(|(at, word)| component(at) == Some(word));
    let version = match name.len() {
        4 => true,
        5 => name
            .component(4)
            .and_then(|last| last.nni_of(number::VERSION))
            .is_some_and(|version| VERSIONS.contains(&version)),
        _ => false,
    };
    let known = STRATEGIES.iter().find(|entry| component(3) == Some(entry.name.as_bytes()))?;
    (below && version).then_some(known.name)
}

/// Sets the strategy of a prefix.
pub(super) fn set(state: &mut State, command: &Command<'_>) -> Outcome {
    let (Some(prefix), Some(StrategyName(strategy))) =
        (command.parameters.name, command.parameters.strategy)
    else {
        return Outcome::refuse(400, "strategy-choice/set needs a Name and a Strategy");
    };
    let Some(strategy) = find(&strategy) else {
        let known: Vec<&str> = STRATEGIES.iter().map(|entry| entry.name).collect();
        return Outcome::refuse(
            404,
            &format!("there is no strategy {strategy}: choose one of {}", known.join(", ")),
        );
    };
    let place = PacketName::new(prefix);
    if !state.memory.strategies.contains_key(&place) {
        // The root always has a strategy, which does not count.
        if state.memory.strategies.len() > state.tables.strategies {
            return Outcome::refuse(
                503,
                "the table of strategies is full: raise strategies in [tables]",
            );
        }
        if !state.admits_name(&place) {
            return Outcome::refuse(
                503,
                "the names of routes and strategies use all their octets: raise names_size in [tables]",
            );
        }
        state.memory.strategy_octets += rib::octets(&place);
    }
    let choice: StrategyChoice = strategy.parse().expect("a strategy of the registry");
    state.change_all(&TableChange::Strategy(place.clone(), choice));
    state.memory.strategies.insert(place, strategy);
    state.count_names();
    let name = name_of(strategy);
    Outcome::done(&ControlParameters {
        name: Some(prefix),
        strategy: Some(StrategyName(name.as_ref())),
        ..ControlParameters::default()
    })
}

/// Removes the strategy of a prefix.
pub(super) fn unset(state: &mut State, command: &Command<'_>) -> Outcome {
    let Some(prefix) = command.parameters.name.filter(|prefix| !prefix.is_empty()) else {
        return Outcome::refuse(
            400,
            "strategy-choice/unset needs a Name, and the root keeps its strategy",
        );
    };
    state.change_all(&TableChange::NoStrategy(PacketName::new(prefix)));
    let place = PacketName::new(prefix);
    if state.memory.strategies.remove(&place).is_some() {
        state.memory.strategy_octets -= rib::octets(&place);
        state.count_names();
    }
    Outcome::done(&ControlParameters { name: Some(prefix), ..ControlParameters::default() })
}
