//! What holds of every run, whatever the scenario: nothing is faster than its links, nothing appears or vanishes, and numbers are numbers.

use narrows_measure::metrics::{METRICS, Metric, flow_goodput};
use narrows_measure::{FlowRecord, LinkRecord, Record};
use narrows_path::LinkChange;
use narrows_scenario::{Icn, LinkId, Scenario, What};
use narrows_units::{Span, Time};
use serde_json::Value;

/// What rounding of floats may do to a ratio.
const EPSILON: f64 = 1e-9;
/// Metrics that cannot exceed a bound.
const BOUNDED: [(&str, f64); 6] = [
    ("utilisation", 100.0),
    ("utilisation_min", 100.0),
    ("jain", 1.0),
    ("buffer_max", 100.0),
    ("late_frames", 100.0),
    ("ecn_marked", 100.0),
];
/// Metrics that may be below zero: a delay is measured against one that may have changed.
const SIGNED: [&str; 1] = ["self_inflicted"];

/// Says which metric of a `summary.json` cannot be.
pub fn of_summary(text: &str) -> Result<(), String> {
    let summary: Value = serde_json::from_str(text).map_err(|error| format!("summary.json is no JSON: {error}"))?;
    for case in summary["cases"].as_array().ok_or("summary.json has no cases")? {
        for metric in METRICS {
            let values = case["metrics"][metric.name]["values"].as_array().into_iter().flatten();
            values.filter_map(Value::as_f64).try_for_each(|value| possible(metric, value))?;
        }
    }
    Ok(())
}

fn possible(metric: &Metric, value: f64) -> Result<(), String> {
    let (name, unit) = (metric.name, metric.unit);
    let most = BOUNDED.iter().find(|(bounded, _)| *bounded == name).map_or(f64::MAX, |(_, most)| *most);
    let least = if SIGNED.contains(&name) { f64::MIN } else { 0.0 };
    if (least..=most * (1.0 + EPSILON)).contains(&value) { Ok(()) } else { Err(format!("{name} is {value} {unit}")) }
}

/// What does not hold of a run, in words.
pub fn broken(scenario: &Scenario, record: &Record) -> Vec<String> {
    let mut checks = Checks { scenario, record, broken: Vec::new() };
    checks.metrics();
    checks.links();
    checks.flows();
    checks.in_the_network();
    checks.capacity();
    match &scenario.icn {
        Some(icn) => checks.data(icn),
        None => checks.goodput(),
    }
    checks.delays();
    checks.slowdowns();
    checks.times();
    checks.broken
}

struct Checks<'a> {
    scenario: &'a Scenario,
    record: &'a Record,
    broken: Vec<String>,
}

impl Checks<'_> {
    fn hold(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.broken.push(otherwise());
        }
    }

    fn metrics(&mut self) {
        let values = METRICS.iter().filter_map(|metric| Some((metric, (metric.compute)(self.record)?)));
        self.broken.extend(values.filter_map(|(metric, value)| possible(metric, value).err()));
    }

    /// Packets of a link: what was offered was dropped, waits, or has left; what has left arrived or is under way.
    fn links(&mut self) {
        for LinkRecord { name, total, left_queued, left_in_flight, .. } in &self.record.links {
            let fates = total.lost + total.overflowed + total.dropped_early + total.departed + left_queued;
            self.hold(total.offered == fates, || format!("of {name} {} packets were offered, {fates} have a fate", total.offered));
            let left = total.delivered + left_in_flight;
            self.hold(total.departed == left, || format!("of {name} {} packets departed, {left} arrived or are under way", total.departed));
        }
    }

    fn flows(&mut self) {
        for FlowRecord { name, total, mss, .. } in &self.record.flows {
            let parts = [
                ("retransmitted", total.retransmitted, total.sent),
                ("arrived or dropped", total.arrived + total.dropped, total.sent),
                ("duplicates", total.duplicates, total.arrived),
                ("code points", total.ect0 + total.ect1 + total.ce, total.arrived),
                ("bytes of goodput", total.goodput.get(), total.arrived * mss.get()),
                ("bytes of goodput", total.goodput.get(), total.arrived_wire.get()),
            ];
            for (what, part, whole) in parts {
                // Consumers of an information-centric network send Interests, and what arrives is Data.
                self.hold(part <= whole || self.scenario.icn.is_some(), || format!("flow {name} has {part} {what} of {whole}"));
            }
        }
    }

    /// What flows sent and nobody has seen since is in the network.
    fn in_the_network(&mut self) {
        if self.scenario.icn.is_some() {
            return;
        }
        let missing: u64 =
            self.record.flows.iter().map(|flow| flow.total.sent - (flow.total.arrived + flow.total.dropped).min(flow.total.sent)).sum();
        let there: u64 = self.record.links.iter().map(|link| link.left_queued + link.left_in_flight).sum();
        let alone = self.scenario.flows.iter().all(|flow| flow.controller.is_none());
        self.hold(missing <= there && (missing == there || !alone), || {
            format!("{missing} data packets are missing, {there} packets are in the network")
        });
    }

    /// No link sends more than it can, at any time.
    fn capacity(&mut self) {
        for LinkRecord { name, capacity, steady, samples, .. } in &self.record.links {
            let Some(capacity) = capacity else { continue };
            self.hold(steady.departed_bytes <= *capacity, || {
                format!("{name} sent {} since warm-up and could have sent {capacity}", steady.departed_bytes)
            });
            let over = samples.iter().find(|sample| sample.departed_bytes > sample.capacity);
            self.hold(over.is_none(), || format!("{name} sent more than it could: {over:?}"));
        }
    }

    /// No link delivers more to the flows that cross it than it sent, at any time; no flow is faster than a link of its route.
    fn goodput(&mut self) {
        let rerouted =
            |index: usize| self.scenario.changes.iter().any(|change| matches!(change.what, What::Route { flow, .. } if flow.0 == index));
        let steady: Vec<&FlowRecord> =
            self.record.flows.iter().enumerate().filter(|(index, _)| !rerouted(*index)).map(|(_, flow)| flow).collect();
        let mut broken = Vec::new();
        for (index, link) in self.record.links.iter().enumerate() {
            let crossing: Vec<&&FlowRecord> = steady.iter().filter(|flow| flow.route.contains(&index)).collect();
            for (place, sample) in link.samples.iter().enumerate() {
                let at = |flow: &FlowRecord| {
                    flow.samples
                        .iter()
                        .rev()
                        .find(|own| own.at <= sample.at)
                        .map_or((0, 0), |own| (own.goodput.get(), own.arrived_wire.get()))
                };
                let (goodput, wire) = crossing.iter().map(|flow| at(flow)).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
                if goodput.max(wire) > sample.departed_bytes.get() {
                    broken.push(format!(
                        "{} sent {} until sample {place}, and flows got {goodput} B of payload in {wire} B from it",
                        link.name, sample.departed_bytes
                    ));
                    break;
                }
            }
            let warmup = Time::ZERO + self.record.warmup;
            for flow in crossing.iter().filter(|flow| flow.start >= warmup) {
                let rate = link.rate.map(|rate| rate.as_bps() as f64 / 1e6);
                if let Some((goodput, rate)) =
                    flow_goodput(self.record, flow).zip(rate).filter(|(goodput, rate)| *goodput > rate * (1.0 + EPSILON))
                {
                    broken.push(format!(
                        "flow {} has a goodput of {goodput} Mbit/s over {}, whose rate is {rate} Mbit/s",
                        flow.name, link.name
                    ));
                }
            }
        }
        self.broken.extend(broken);
    }

    /// No node's consumers get more Data than comes to the node.
    fn data(&mut self, icn: &Icn) {
        if answers_on_the_way(icn) {
            return;
        }
        for (node, named) in self.scenario.nodes.iter().enumerate() {
            let here = icn.consumers.iter().zip(&self.record.flows).filter(|(consumer, _)| consumer.at.0 == node);
            let got: u64 = here.map(|(_, flow)| flow.total.goodput.get()).sum();
            let leading = self.scenario.links.iter().zip(&self.record.links).filter(|(link, _)| link.to.0 == node);
            let came: u64 = leading.map(|(_, link)| link.total.departed_bytes.get()).sum();
            self.hold(got <= came, || format!("consumers at {} got {got} B, {came} B came there", named.name));
        }
    }

    /// No packet is faster than propagation.
    fn delays(&mut self) {
        if self.scenario.icn.as_ref().is_some_and(answers_on_the_way) {
            return;
        }
        for (index, flow) in self.record.flows.iter().enumerate() {
            let (way, back) = self.least_delays(index).unwrap_or((Span::ZERO, Span::ZERO));
            let round = if self.scenario.icn.is_some() { flow.base_rtt } else { way + back };
            let measured = [("round trip", flow.rtt.min(), round), ("one-way delay", flow.one_way.min(), way)];
            for (what, measured, least) in measured {
                self.hold(measured.is_none_or(|measured| measured >= least), || {
                    format!("flow {} has a {what} of {measured:?}, propagation takes {least}", flow.name)
                });
            }
        }
    }

    /// The least propagation delays of a flow's data and acknowledgements, on any route and with any delay of the run.
    fn least_delays(&self, flow: usize) -> Option<(Span, Span)> {
        let own = self.scenario.flows.get(flow)?;
        let later = self.scenario.changes.iter().filter_map(|change| match &change.what {
            What::Route { flow: changed, route, back } if changed.0 == flow => Some((route, back)),
            _ => None,
        });
        let sum = |links: &[LinkId]| links.iter().fold(Span::ZERO, |sum, link| sum + self.least_delay(*link));
        let delays = std::iter::once((&own.route, &own.back)).chain(later).map(|(route, back)| (sum(route), sum(back)));
        delays.reduce(|least, next| (least.0.min(next.0), least.1.min(next.1)))
    }

    fn least_delay(&self, link: LinkId) -> Span {
        let changed = self.scenario.changes.iter().filter_map(|change| match change.what {
            What::Link(changed, LinkChange::Delay(delay)) if changed == link => Some(delay),
            _ => None,
        });
        changed.fold(self.scenario.links[link.0].config.delay, Span::min)
    }

    /// No transfer is faster than alone on its path. Where links change or follow traces, alone is another thing at each time.
    fn slowdowns(&mut self) {
        let steady = self.scenario.changes.is_empty() && self.scenario.links.iter().all(|link| link.trace_file.is_none());
        if !steady || self.scenario.icn.as_ref().is_some_and(answers_on_the_way) {
            return;
        }
        for flow in &self.record.flows {
            let Some(transfers) = &flow.transfers else { continue };
            let fast = transfers.list.iter().find(|transfer| transfer.took < transfer.ideal);
            self.hold(fast.is_none(), || format!("flow {} has a transfer faster than alone on its path: {fast:?}", flow.name));
        }
    }

    fn times(&mut self) {
        let end = Time::ZERO + self.record.duration;
        let samples = self.record.flows.iter().flat_map(|flow| flow.samples.iter().map(|sample| sample.at));
        let samples = samples.chain(self.record.links.iter().flat_map(|link| link.samples.iter().map(|sample| sample.at)));
        let events = self
            .record
            .changes
            .iter()
            .map(|change| change.at)
            .chain(self.record.flows.iter().flat_map(|flow| [Some(flow.start), flow.end]).flatten());
        let transfers = self.record.flows.iter().filter_map(|flow| flow.transfers.as_ref()).flat_map(|transfers| &transfers.list);
        let late = samples.chain(events).chain(transfers.map(|transfer| transfer.start + transfer.took)).find(|at| *at > end);
        self.hold(late.is_none(), || format!("something is at {late:?}, after the end of the run"));
    }
}

/// True if Data may come from a cache, or with that for somebody else's Interest.
fn answers_on_the_way(icn: &Icn) -> bool {
    icn.cache > 0
        || icn.consumers.iter().any(|consumer| consumer.content.is_some())
        || icn.requests.iter().any(|request| request.catalogue.is_some())
}
