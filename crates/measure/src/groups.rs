//! The groups of flows of a run: those that a scenario made of one `[[flow]]`.

use crate::part::copy_of;
use crate::{FlowRecord, Histogram, LinkRecord, Record};

/// Flows of one run that belong together, apart from the others.
#[derive(Clone, Debug)]
pub struct Group {
    /// The name that they have in common: `name` of `name.1`, `name.2` and so on.
    pub name: String,
    /// Their controller as written; "none" without one.
    pub controller: String,
    /// The run with these flows alone, for the metrics [`OF_FLOWS`](crate::metrics::OF_FLOWS).
    /// Series are left out.
    pub record: Record,
}

/// The group that a flow of this name is in.
pub fn group_of(flow: &str) -> &str {
    copy_of(flow).unwrap_or(flow)
}

impl Record {
    /// Splits the flows into groups: flows of one name and one controller, in the order of their
    /// first flows. Nothing if there are fewer than two groups, or if the network is
    /// information-centric, where consumers share routes and rates.
    pub fn into_groups(self) -> Vec<Group> {
        let own = |flow: &FlowRecord| (group_of(&flow.name).to_owned(), flow.controller.clone());
        let same = |first: Option<(String, String)>| {
            self.flows.iter().all(|flow| first.as_ref().is_some_and(|first| own(flow) == *first))
        };
        if self.icn.is_some() || same(self.flows.first().map(own)) {
            return Vec::new();
        }
        let links = self.links.into_iter().map(|link| LinkRecord {
            samples: Vec::new(),
            queueing: Histogram::new(),
            ..link
        });
        let empty =
            Record { flows: Vec::new(), links: links.collect(), changes: Vec::new(), ..self };
        let mut groups: Vec<Group> = Vec::new();
        for flow in self.flows {
            let (name, controller) = own(&flow);
            let place = groups
                .iter()
                .position(|group| (&group.name, &group.controller) == (&name, &controller))
                .unwrap_or_else(|| {
                    groups.push(Group { name, controller, record: empty.clone() });
                    groups.len() - 1
                });
            groups[place].record.flows.push(FlowRecord { samples: Vec::new(), ..flow });
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::OF_FLOWS;
    use crate::metrics::fixture::{link, record, sending};
    use narrows_units::Span;

    /// 2 Mbit/s each of `a`, 5 of `b`; round trips of 20 and 40 ms.
    fn run() -> Record {
        let flow = |name: &str, mbps: f64, ms| {
            let mut flow = FlowRecord {
                route: vec![0],
                controller: name[..1].to_owned(),
                ..sending(name, move |_| mbps)
            };
            flow.rtt.record(Span::from_millis(ms));
            flow
        };
        record(
            vec![flow("a.1", 2.0, 20), flow("b", 5.0, 40), flow("a.2", 2.0, 20)],
            vec![link("narrow", 10)],
        )
    }

    #[test]
    fn groups_have_the_metrics_of_their_flows() {
        let groups = run().into_groups();
        let names: Vec<_> = groups
            .iter()
            .map(|group| (group.name.as_str(), group.controller.as_str(), group.record.flows.len()))
            .collect();
        assert_eq!(names, [("a", "a", 2), ("b", "b", 1)]);
        for (group, name) in groups.iter().zip(["a", "b"]) {
            let whole = run().only(&[name]);
            for metric in OF_FLOWS {
                assert_eq!(
                    (metric.compute)(&group.record),
                    (metric.compute)(&whole),
                    "{} of {name}",
                    metric.name
                );
            }
        }
    }

    #[test]
    fn flows_of_one_kind_are_no_groups() {
        let run = record(vec![sending("a.1", |_| 1.0), sending("a.2", |_| 1.0)], vec![]);
        assert!(run.into_groups().is_empty() && record(vec![], vec![]).into_groups().is_empty());
    }
}
