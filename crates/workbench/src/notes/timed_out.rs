//! A note on connections of QUIC stacks that timed out. From then on they sent nothing.

use super::named;
use narrows_control::Choice;
use narrows_measure::{FlowRecord, Record};
use narrows_units::Span;

/// Silence before an end that only a timeout explains: the stacks wait for 30 s.
const SILENCE: Span = Span::from_secs(25);

/// Names the flows whose connection timed out. A case is a label with the records of its seeds.
pub fn note<'a>(cases: impl IntoIterator<Item = (&'a str, &'a [Record])>) -> Option<String> {
    let told = |flow: &FlowRecord| {
        let at = flow.end.unwrap_or_default().as_secs_f64();
        timed_out(flow).then(|| format!("at {at:.1} s"))
    };
    let flows = named::flows(cases, told)?;
    Some(format!(
        "connections timed out because nothing arrived for 30 s: {flows}; they sent nothing more"
    ))
}

fn timed_out(flow: &FlowRecord) -> bool {
    let Some(end) = flow.end.filter(|_| !flow.completed) else { return false };
    let guest = flow.controller.parse::<Choice>().is_ok_and(|choice| choice.entry().is_guest());
    let silent = flow
        .samples
        .iter()
        .find(|sample| sample.at + SILENCE >= end)
        .is_some_and(|sample| sample.arrived_wire == flow.total.arrived_wire);
    guest && silent
}
