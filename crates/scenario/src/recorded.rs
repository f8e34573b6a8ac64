//! The parts of a run's record that come from the scenario.

use crate::{FlowId, LinkId, Scenario, What};
use narrows_measure::{Change, Changed, FlowCounters, FlowRecord, Histogram, RecordBuilder};
use narrows_network::Routed;
use narrows_path::{Jitter, JitterDist, Limit, LinkChange, Reorder};
use narrows_units::{Span, Time};
use std::collections::BTreeMap;

impl Scenario {
    /// Begins the record of a run.
    pub fn record(&self) -> RecordBuilder {
        RecordBuilder::new(
            self.seed,
            self.duration,
            self.warmup,
            self.interval,
            self.recorded_changes(),
        )
    }

    /// Builds the record of a run without measurements; `P` is the packet type of the world.
    pub fn blank_record<P: Routed>(&self) -> RecordBuilder {
        let flows = self
            .flows
            .iter()
            .zip(self.flow_records())
            .map(|(flow, record)| FlowRecord { end: flow.stop, ..record });
        self.record()
            .flows(flows.collect())
            .links(self.network::<P>().finish(Time::ZERO, self.link_plans()))
    }

    /// Yields the records of the flows before the run, in the order of the flows.
    pub fn flow_records(&self) -> impl Iterator<Item = FlowRecord> {
        let mut later_routes = self.later_routes();
        self.flows.iter().enumerate().map(move |(place, flow)| FlowRecord {
            name: flow.name.clone(),
            controller: flow
                .controller
                .as_ref()
                .map_or("none".to_owned(), |choice| choice.text().to_owned()),
            start: flow.start,
            end: None,
            completed: false,
            transfers: None,
            route: places(&flow.route),
            later_routes: later_routes.remove(&FlowId(place)).unwrap_or_default(),
            multipath: false,
            mss: flow.transport.mss,
            base_rtt: self.base_rtt(flow),
            total: FlowCounters::default(),
            steady: FlowCounters::default(),
            rtt: Histogram::new(),
            one_way: Histogram::new(),
            samples: Vec::new(),
        })
    }

    /// Returns the routes that flows change to before the end, each with its time.
    fn later_routes(&self) -> BTreeMap<FlowId, Vec<(Time, Vec<usize>)>> {
        let end = Time::ZERO + self.duration;
        let mut later: BTreeMap<FlowId, Vec<(Time, Vec<usize>)>> = BTreeMap::new();
        for change in self.changes.iter().take_while(|change| change.at < end) {
            if let What::Route { flow, route, .. } = &change.what {
                later.entry(*flow).or_default().push((change.at, places(route)));
            }
        }
        later
    }

    /// Returns the changes before the end of the run, as its record describes them.
    pub fn recorded_changes(&self) -> Vec<Change> {
        let end = Time::ZERO + self.duration;
        let name = |link: &LinkId| self.links[link.0].name.as_str();
        let happen = self.changes.iter().take_while(|change| change.at < end);
        let recorded = happen.map(|change| {
            let (of, (what, to)) = match &change.what {
                What::Link(link, change) => (name(link), described(change)),
                What::Route { flow, route, back } => {
                    let [out, back] = [route, back]
                        .map(|links| links.iter().map(name).collect::<Vec<_>>().join(", "));
                    let to = if back.is_empty() { out } else { format!("{out}; back {back}") };
                    (self.flows[flow.0].name.as_str(), (Changed::Route, to))
                }
            };
            Change { at: change.at, of: of.to_owned(), what, to }
        });
        recorded.collect()
    }
}

fn places(links: &[LinkId]) -> Vec<usize> {
    links.iter().map(|id| id.0).collect()
}

fn described(change: &LinkChange) -> (Changed, String) {
    let none = || "none".to_owned();
    match change {
        LinkChange::Rate(rate) => (Changed::Rate, rate.to_string()),
        LinkChange::Down => (Changed::Outage, "begins".to_owned()),
        LinkChange::Up => (Changed::Outage, "ends".to_owned()),
        LinkChange::Delay(delay) => (Changed::Delay, delay.to_string()),
        LinkChange::Jitter(Jitter { spread, .. }) => (
            Changed::Jitter,
            match spread {
                JitterDist::None => none(),
                JitterDist::Uniform(most) => format!("up to {most}"),
                JitterDist::Normal(deviation) => format!("normal, standard deviation {deviation}"),
                JitterDist::Wifi(average) => format!("Wi-Fi, average {average}"),
            },
        ),
        LinkChange::Reorder(Reorder { share, delay }) => {
            (Changed::Reordering, format!("{} of packets, by {delay}", percent(*share)))
        }
        LinkChange::Aggregate(Span::ZERO) => (Changed::Aggregation, none()),
        LinkChange::Aggregate(every) => (Changed::Aggregation, format!("every {every}")),
        LinkChange::Ecn(ecn) => (Changed::Ecn, ecn.name().to_owned()),
        LinkChange::Loss(model) => (Changed::Loss, model.to_string()),
        LinkChange::Limit(limit) => (
            Changed::Buffer,
            match limit {
                Limit::None => "unlimited".to_owned(),
                Limit::Bytes(bytes) => bytes.to_string(),
                Limit::Packets(packets) => format!("{packets} packets"),
            },
        ),
    }
}

/// Formats a share in percent with up to four decimals, without trailing zeros.
fn percent(share: f64) -> String {
    let text = format!("{:.4}", 100.0 * share);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}
