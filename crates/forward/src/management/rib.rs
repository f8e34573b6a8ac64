//! Commands on routes.

use super::command::Command;
use super::response::Outcome;
use crate::name::PacketName;
use crate::rib::Route;
use crate::state::State;
use narrows_ndn::management::{ControlParameters, route_flags};
use narrows_units::{Span, Time};

/// Origin of the routes of fib/add-nexthop. NFD keeps these outside the RIB.
const FIB_ORIGIN: u64 = 254;

/// Adds a route. A repeated registration replaces cost, flags and expiration.
pub(super) fn register(state: &mut State, now: Time, command: &Command<'_>) -> Outcome {
    let Some(name) = command.parameters.name else {
        return Outcome::refuse(400, "rib/register needs a Name");
    };
    let parameters = ControlParameters {
        name: Some(name),
        face_id: Some(command.face()),
        origin: Some(command.parameters.origin.unwrap_or(0)),
        cost: Some(command.parameters.cost.unwrap_or(0)),
        flags: Some(command.parameters.flags.unwrap_or(route_flags::CHILD_INHERIT)),
        expiration_ms: command.parameters.expiration_ms,
        ..ControlParameters::default()
    };
    add(state, now, &parameters)
}

fn add(state: &mut State, now: Time, parameters: &ControlParameters<'_>) -> Outcome {
    let face = parameters.face_id.unwrap_or(0);
    if !state.ids.contains_key(&face) {
        return Outcome::with(
            410,
            &format!("there is no face {face}"),
            &ControlParameters::default(),
        );
    }
    let prefix = PacketName::new(parameters.name.unwrap_or_default());
    if !state.rib.has(&prefix, face, parameters.origin.unwrap_or(FIB_ORIGIN)) {
        if state.rib.len() >= state.tables.routes {
            return Outcome::refuse(503, "the table of routes is full: raise routes in [tables]");
        }
        if !state.admits_name(&prefix) {
            return Outcome::refuse(
                503,
                "the names of routes and strategies use all their octets: raise names_size in [tables]",
            );
        }
    }
    let flags = parameters.flags.unwrap_or(0);
    let route = Route {
        face,
        origin: parameters.origin.unwrap_or(FIB_ORIGIN),
        cost: parameters.cost.unwrap_or(0),
        child_inherit: flags & route_flags::CHILD_INHERIT != 0,
        capture: flags & route_flags::CAPTURE != 0,
        expires: parameters
            .expiration_ms
            .map(|ms| now + Span::from_millis(ms.min(u64::MAX / 1_000_000))),
    };
    state.rib.register(prefix, route);
    state.update_fib();
    Outcome::done(parameters)
}

/// Removes a route. A missing route is not an error.
pub(super) fn unregister(state: &mut State, command: &Command<'_>) -> Outcome {
    let Some(name) = command.parameters.name else {
        return Outcome::refuse(400, "rib/unregister needs a Name");
    };
    let (face, origin) = (command.face(), command.parameters.origin.unwrap_or(0));
    state.rib.unregister(&PacketName::new(name), face, origin);
    state.update_fib();
    Outcome::done(&ControlParameters {
        name: Some(name),
        face_id: Some(face),
        origin: Some(origin),
        ..ControlParameters::default()
    })
}

/// Adds a next hop: a route with an origin of its own that longer prefixes do not inherit.
pub(super) fn add_next_hop(state: &mut State, command: &Command<'_>) -> Outcome {
    let Some(name) = command.parameters.name else {
        return Outcome::refuse(400, "fib/add-nexthop needs a Name");
    };
    let cost = command.parameters.cost.unwrap_or(0);
    add(
        state,
        Time::ZERO,
        &ControlParameters {
            name: Some(name),
            face_id: Some(command.face()),
            cost: Some(cost),
            ..ControlParameters::default()
        },
    )
}

/// Removes a next hop. A missing next hop is not an error.
pub(super) fn remove_next_hop(state: &mut State, command: &Command<'_>) -> Outcome {
    let Some(name) = command.parameters.name else {
        return Outcome::refuse(400, "fib/remove-nexthop needs a Name");
    };
    let face = command.face();
    state.rib.unregister(&PacketName::new(name), face, FIB_ORIGIN);
    state.update_fib();
    Outcome::done(&ControlParameters {
        name: Some(name),
        face_id: Some(face),
        ..ControlParameters::default()
    })
}
