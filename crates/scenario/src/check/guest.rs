//! Refuses settings that a guest, a transport of another implementation, does not support.

use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::raw::flow::RawFlow;
use crate::text::At;
use crate::{Arrivals, Flow, Frames, On, OnOff, Workload};
use narrows_control::Choice;

/// Refuses keys of a flow that have no effect on its guest.
pub(super) fn check(raw: &RawFlow, guest: &Choice, workload: &Workload) -> Checked<()> {
    let name = guest.entry().name();
    if let Some(table) = &raw.transport {
        let message =
            format!("{name} comes with a transport of its own, which has none of these keys");
        let keys: Vec<&str> = guest.entry().params().iter().map(|param| param.name).collect();
        let help = format!(
            "leave the flow's transport out; parameters of {name} are {}, as in \"{name}?{}=...\"",
            keys.join(", "),
            keys.first().unwrap_or(&"key"),
        );
        return Err(Problem::at(&table.span, message, help));
    }
    if let Some(pauses) = raw.pauses.as_ref().filter(|_| *workload == Workload::Bulk) {
        return Err(Problem::at(
            &pauses.span,
            format!(
                "bulk data in {name} cannot pause: what its stream has taken cannot be withdrawn"
            ),
            "leave pauses out, or take a workload with a rate",
        ));
    }
    let problem = match workload {
        Workload::Arrivals(Arrivals { reconnects: true, .. }) => {
            "connections of the stack save nothing for later ones"
        }
        Workload::OnOff(OnOff { reopens: true, .. }) => {
            "bursts on new connections need a connection each, and the stack has one"
        }
        Workload::Frames(Frames { follows: Some(_), .. }) => {
            "frames that follow a controller need its media rate, which the stack does not tell"
        }
        Workload::OnOff(OnOff { on: On::Time(_), rate: None, .. }) => {
            "a burst cannot end after a time: what its stream has taken cannot be withdrawn"
        }
        _ => return Ok(()),
    };
    let Some(place) = &raw.workload else { return Ok(()) };
    Err(Problem::at(
        &place.span,
        format!("{name} does not run this workload: {problem}"),
        "take \"bulk\", a size, a rate, bursts of a size, frames that follow no controller, requests, or arrivals without reconnect; or another controller",
    ))
}

/// Refuses transport keys of a scenario that have no effect on any of its flows.
pub(super) fn check_common(raw: &RawScenario, flows: &[Flow]) -> Checked<()> {
    let is_guest =
        |flow: &Flow| flow.controller.as_ref().is_some_and(|choice| choice.entry().is_guest());
    match &raw.transport {
        Some(At { span, .. }) if flows.iter().all(is_guest) => Err(Problem::at(
            span,
            "all flows come with transports of their own, which have none of these keys",
            "leave [transport] out",
        )),
        _ => Ok(()),
    }
}
