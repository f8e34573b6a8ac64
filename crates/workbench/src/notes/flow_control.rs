//! A note on QUIC stacks that flow control kept from sending: their controllers did not decide.

use narrows_measure::Record;

/// Maximum number of flows in the note.
const NAMED: usize = 3;

/// Least share of the time for which flow control is reported.
const SHARE: f64 = 0.01;

/// Names the flows that flow control kept from sending, with the share of their time. A case is a
/// label with the records of its seeds.
pub fn note<'a>(cases: impl IntoIterator<Item = (&'a str, &'a [Record])>) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for (label, records) in cases {
        for record in records {
            told.extend(record.flows.iter().filter_map(|flow| {
                let share = flow.steady.blocked_share(|counts| counts.blocked_flow_control)?;
                let of = if flow.name == label { String::new() } else { format!(" of {label}") };
                (share > SHARE).then(|| {
                    let percent = share * 100.0;
                    format!("{}{of} with seed {} ({percent:.0} %)", flow.name, record.seed)
                })
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
            "flow control, not the controller, kept flows from sending for a part of the time: {}; a \
             larger window lets them, as in \"noq:cubic?window=256\"",
            told.join(", ")
        )
    })
}
