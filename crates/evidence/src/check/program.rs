//! Programs as subjects of a check: the cells that suit a single program, and the numbers that can
//! be measured from outside.

use super::plan::Planned;
use super::run::{Run, Variant};
use crate::judge::Finding;
use crate::number::Number;
use crate::rule::{Rule, RuleKind};
use narrows_scenario::{FlowId, Scenario, Workload};
use narrows_transport::Transport;
use narrows_units::Time;

/// Returns the flow that a program replaces: the only flow of `self`, if it sends segments of the
/// default size from the beginning to the end, to an honest receiver.
pub fn place(scenario: &Scenario) -> Option<FlowId> {
    let mut own =
        scenario.flows.iter().enumerate().filter(|(_, flow)| flow.name.starts_with("self"));
    let (Some((place, flow)), None) = (own.next(), own.next()) else { return None };
    let always = flow.workload == Workload::Bulk
        && flow.start == Time::ZERO
        && flow.stop.is_none()
        && flow.pauses.is_empty();
    // A program has its own receiver, and chooses the size of its segments.
    let honest = flow.transport.ack_pieces == 1 && flow.transport.ack_ahead == 0;
    let usual = flow.transport.mss == Transport::default().mss;
    (always && honest && usual).then_some(FlowId(place))
}

/// Restricts a grid to the cells that suit a program.
pub fn runnable(mut planned: Planned) -> Planned {
    let had_cells = !planned.chosen.is_empty();
    let single = |cell: &usize| {
        let run =
            Run { grid: 0, part: 0, cell: *cell as u16, pair: 0, variant: Variant::Plain, seed: 1 };
        planned.scenario(run).is_ok_and(|scenario| place(&scenario).is_some())
    };
    let chosen: Vec<usize> = planned.chosen.iter().copied().filter(single).collect();
    if had_cells && chosen.is_empty() {
        return Planned::without(Some(
            "a program is one flow that sends all the time, and no cell has only that".to_owned(),
        ));
    }
    planned.chosen = chosen;
    planned
}

/// True if a rule can be applied to the packets of a program. A rule about two programs cannot, nor
/// can a number that needs the payload of packets or the retransmission state of the sender.
pub fn shows(rule: &Rule, number: &Number) -> bool {
    rule.kind != RuleKind::Twins
        && !matches!(number.metric.name, "useful" | "spurious" | "timeouts")
}

/// True if the finding is about round trips that could not be measured: only TCP's acknowledgements
/// can be read.
pub fn unseen(number: &Number, finding: &Finding) -> bool {
    number.metric.name.starts_with("rtt") && finding.subject.1.iter().all(Option::is_none)
}
