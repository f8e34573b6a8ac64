//! Flows that a note names.

use narrows_measure::{FlowRecord, Record};

/// Maximum number of flows in a note.
const MOST: usize = 3;

/// Lists the flows of which `told` says something: the flow with its case and seed, and what `told`
/// says. Returns `None` if there are no such flows. A case is a label with the records of its
/// seeds.
pub(super) fn flows<'a>(
    cases: impl IntoIterator<Item = (&'a str, &'a [Record])>,
    told: impl Fn(&FlowRecord) -> Option<String>,
) -> Option<String> {
    let mut named: Vec<String> = Vec::new();
    for (label, records) in cases {
        for record in records {
            named.extend(record.flows.iter().filter_map(|flow| {
                let said = told(flow)?;
                let of = if flow.name == label { String::new() } else { format!(" of {label}") };
                Some(format!("{}{of} with seed {} {said}", flow.name, record.seed))
            }));
        }
    }
    let more = named.len().saturating_sub(MOST);
    named.truncate(MOST);
    if more > 0 {
        named.push(format!("{more} more"));
    }
    (!named.is_empty()).then(|| named.join(", "))
}
