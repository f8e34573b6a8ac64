//! A note on QUIC stacks that flow control kept from sending: their controllers did not decide.

use super::named;
use narrows_measure::{FlowRecord, Record};

/// Least share of the time for which flow control is reported.
const SHARE: f64 = 0.01;

/// Names the flows that flow control kept from sending, with the share of their time. A case is a
/// label with the records of its seeds.
pub fn note<'a>(cases: impl IntoIterator<Item = (&'a str, &'a [Record])>) -> Option<String> {
    let blocked = |flow: &FlowRecord| {
        let share = flow.steady.blocked_share(|counts| counts.blocked_flow_control)?;
        (share > SHARE).then(|| format!("({:.0} %)", share * 100.0))
    };
    let flows = named::flows(cases, blocked)?;
    Some(format!(
        "flow control, not the controller, kept flows from sending for a part of the time: {flows}; a \
         larger window lets them, as in \"noq:cubic?window=256\""
    ))
}
