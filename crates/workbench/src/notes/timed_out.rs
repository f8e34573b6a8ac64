//! A note on connections of QUIC stacks that timed out. From then on they sent nothing.

use narrows_control::Choice;
use narrows_measure::{FlowRecord, Record};
use narrows_units::Span;

/// Maximum number of flows in the note.
const NAMED: usize = 3;

/// Silence before an end that only a timeout explains: the stacks wait for 30 s.
const SILENCE: Span = Span::from_secs(25);

/// Names the flows whose connection timed out. A case is a label with the records of its seeds.
pub fn note<'a>(cases: impl IntoIterator<Item = (&'a str, &'a [Record])>) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for (label, records) in cases {
        for record in records {
            told.extend(record.flows.iter().filter(|flow| timed_out(flow)).map(|flow| {
                let of = if flow.name == label { String::new() } else { format!(" of {label}") };
                let at = flow.end.unwrap_or_default().as_secs_f64();
                format!("{}{of} with seed {} at {at:.1} s", flow.name, record.seed)
            }));
        }
    }
    let more = told.len().saturating_sub(NAMED);
    told.truncate(NAMED);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    (!told.is_empty()).then(|| {
        format!(
            "connections timed out because nothing arrived for 30 s: {}; they sent nothing more",
            told.join(", ")
        )
    })
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
