//! Which flows compete, and when: fairness is only a question while they all run.

use crate::{FlowRecord, Record};
use narrows_units::{Span, Time};

/// Flows that ran together, and the time in which all of them did.
pub(super) struct Contest<'a> {
    pub flows: Vec<&'a FlowRecord>,
    pub from: Time,
    pub to: Time,
}

impl<'a> Contest<'a> {
    pub fn of(record: &'a Record) -> Option<Contest<'a>> {
        let over = Time::ZERO + record.duration;
        let end = |flow: &FlowRecord| flow.end.unwrap_or(over).min(over);
        let open = record.flows.iter().any(|flow| flow.transfers.is_none());
        let begun = record
            .flows
            .iter()
            .filter(|flow| flow.start < over && (!open || flow.transfers.is_none()));
        let from = begun.clone().map(|flow| flow.start).max()?.max(record.begin());
        let flows: Vec<&FlowRecord> = begun.filter(|flow| end(flow) > from).collect();
        let to = flows.iter().map(|flow| end(flow)).min()?;
        Some(Contest { flows, from, to })
    }

    /// How many samples a window lasts in which rates are compared: 1 s, or 10 of the longest base
    /// round trips where that is longer.
    pub fn window(&self, record: &Record) -> u64 {
        let longest = self.flows.iter().map(|flow| flow.base_rtt).max().unwrap_or(Span::ZERO);
        (longest * 10)
            .max(Span::from_secs(1))
            .as_nanos()
            .div_ceil(record.interval.as_nanos().max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{flow, record};
    use super::*;
    use crate::Transfers;

    fn at(s: u64) -> Time {
        Time::ZERO + Span::from_secs(s)
    }

    #[test]
    fn from_the_last_start_to_the_first_end() {
        let mut gone = flow("gone");
        let mut early = flow("early");
        let mut late = flow("late");
        let mut short = flow("short");
        gone.end = Some(at(5));
        (early.start, early.end) = (at(1), Some(at(25)));
        late.start = at(10);
        (short.start, short.transfers, short.end) =
            (at(12), Some(Transfers::default()), Some(at(13)));
        let run = record(vec![gone, early, late, short], vec![]);
        let contest = Contest::of(&run).unwrap();
        let names: Vec<&str> = contest.flows.iter().map(|flow| flow.name.as_str()).collect();
        assert_eq!((names, contest.from, contest.to), (vec!["early", "late"], at(10), at(25)));
    }

    #[test]
    fn transfers_compete_where_nothing_else_does() {
        let mut a = flow("a");
        let mut b = flow("b");
        (a.transfers, a.end) = (Some(Transfers::default()), Some(at(20)));
        (b.transfers, b.end) = (Some(Transfers::default()), Some(at(10)));
        let run = record(vec![a, b], vec![]);
        let contest = Contest::of(&run).unwrap();
        assert_eq!((contest.flows.len(), contest.from, contest.to), (2, at(0), at(10)));
    }
}
