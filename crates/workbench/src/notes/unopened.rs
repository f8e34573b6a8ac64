//! A note on flows that opened no connection. Their zeros say nothing about their controllers.

use narrows_measure::Record;

/// Maximum number of flows in the note.
const NAMED: usize = 3;

/// Names the flows that opened no connection in a run. A case is a label with the records of its
/// seeds.
pub fn note<'a>(cases: impl IntoIterator<Item = (&'a str, &'a [Record])>) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for (label, records) in cases {
        for record in records {
            let shut =
                record.flows.iter().filter(|flow| flow.total.syns > 0 && flow.total.sent == 0);
            told.extend(shut.map(|flow| {
                let of = if flow.name == label { String::new() } else { format!(" of {label}") };
                let (syns, dropped) = (flow.total.syns, flow.total.dropped_handshakes);
                let sent = if syns == 1 {
                    "its only SYN got no answer".to_owned()
                } else {
                    format!("none of its {syns} SYNs got an answer")
                };
                let lost = if dropped == 0 {
                    "the run was over before".to_owned()
                } else {
                    format!("the network dropped {dropped}")
                };
                format!("{}{of} with seed {} ({sent}: {lost})", flow.name, record.seed)
            }));
        }
    }
    let more = told.len().saturating_sub(NAMED);
    told.truncate(NAMED);
    if more > 0 {
        told.push(format!("{more} more"));
    }
    (!told.is_empty())
        .then(|| format!("no connection opened in {}; rates and delays of these flows are not of their controllers", told.join(", ")))
}
