//! Our controllers in the transports of the stacks, `copa@noq`: the adaptor `narrows-quic` as
//! applications use it.

use crate::settings::{ACK_EACH, ACK_EVERY, MTU, ORDERED, WINDOW};
use narrows_control::{Build, Entry, Guest, OwnedEntry, Setup};
use narrows_params::{ParamError, Params, Spec};
use narrows_quic::{Refused, Stack};
use std::sync::Arc;

/// The stacks that the program has.
const STACKS: &[Stack] = &[
    #[cfg(feature = "noq")]
    Stack::Noq,
    #[cfg(feature = "quinn")]
    Stack::Quinn,
];

/// Entries of a controller within each stack, called `NAME@STACK`. Those that a stack cannot carry
/// are there, too: they say why when they are chosen.
pub fn adapted(entry: &Entry) -> Vec<OwnedEntry> {
    STACKS.iter().map(|stack| within(entry, *stack)).collect()
}

fn within(entry: &Entry, stack: Stack) -> OwnedEntry {
    let acks = if entry.numbered { ACK_EACH.spec } else { ACK_EVERY.spec };
    let mut params: Vec<Spec> = entry.params.to_vec();
    params.extend([MTU.spec, WINDOW.spec, acks, ORDERED.spec]);
    OwnedEntry {
        name: format!("{}@{stack}", entry.name),
        summary: entry.summary.to_owned(),
        source: entry.source.to_owned(),
        basis: entry.basis,
        needs: Vec::new(),
        params,
        build: Build::Guest(make),
    }
}

fn make(setup: &Setup, params: &Params) -> Result<Box<dyn Guest>, ParamError> {
    let name = params.entry();
    let (own, stack) = name.rsplit_once('@').unwrap_or((name, ""));
    let of_stack = [MTU.spec, WINDOW.spec, ACK_EVERY.spec, ORDERED.spec].map(|spec| spec.name);
    let set: Vec<String> = params
        .texts()
        .filter(|(spec, text)| !of_stack.contains(&spec.name) && *text != spec.default_text())
        .map(|(spec, text)| format!("{}={text}", spec.name))
        .collect();
    let mark = if set.is_empty() { "" } else { "?" };
    let controller = format!("{own}{mark}{}", set.join("&"));
    let refused = |refused: Refused| match refused {
        Refused::Choice(error) => error,
        other => ParamError::Refused { entry: name.to_owned(), reason: other.to_string() },
    };
    match stack {
        #[cfg(feature = "noq")]
        "noq" => {
            let factory = narrows_quic::noq::Factory::new(&controller).map_err(refused)?;
            crate::noq::make(setup, params, Arc::new(factory.seed(setup.seed)))
        }
        #[cfg(feature = "quinn")]
        "quinn" => {
            let factory = narrows_quic::quinn::Factory::new(&controller).map_err(refused)?;
            crate::quinn::make(setup, params, Arc::new(factory.seed(setup.seed)))
        }
        other => unreachable!("no stack is called {other}"),
    }
}
