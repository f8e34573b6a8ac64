//! Upper bounds of volumes.

use super::{Checks, EPSILON, answers_on_the_way};
use narrows_measure::metrics::flow_goodput;
use narrows_measure::{FlowRecord, LinkRecord};
use narrows_scenario::{Icn, What};
use narrows_units::Time;

impl<'a> Checks<'a> {
    /// Checks that no link sends more than its capacity allows, over the run and in each sample.
    pub(super) fn capacity(&mut self) {
        for LinkRecord { name, capacity, steady, samples, .. } in &self.record.links {
            let Some(capacity) = capacity else { continue };
            self.hold(steady.departed_bytes <= *capacity, || {
                format!(
                    "{name} sent {} since warm-up and could have sent {capacity}",
                    steady.departed_bytes
                )
            });
            let over = samples.iter().find(|sample| sample.departed_bytes > sample.capacity);
            self.hold(over.is_none(), || format!("{name} sent more than it could: {over:?}"));
        }
    }

    /// Checks at each sample that no link delivers more to the flows that cross it than it sent.
    pub(super) fn carried(&mut self) {
        let staying = self.staying();
        for (index, link) in self.record.links.iter().enumerate() {
            let crossing = || staying.iter().filter(|flow| flow.route.contains(&index));
            let over = link.samples.iter().find_map(|sample| {
                let latest = |flow: &FlowRecord| {
                    flow.samples
                        .iter()
                        .rev()
                        .find(|own| own.at <= sample.at)
                        .copied()
                        .unwrap_or_default()
                };
                let goodput: u64 = crossing().map(|flow| latest(flow).goodput.get()).sum();
                let wire: u64 = crossing().map(|flow| latest(flow).arrived_wire.get()).sum();
                let sent = sample.departed_bytes.get();
                (goodput.max(wire) > sent).then(|| {
                    format!(
                        "{} sent {sent} B until {}, and flows got {goodput} B in {wire} B from it",
                        link.name, sample.at
                    )
                })
            });
            self.broken.extend(over);
        }
    }

    /// Checks that no flow exceeds the rate of a link on its route. Only flows that begin after the
    /// warm-up are checked: otherwise packets that arrived during the warm-up may be delivered
    /// after it.
    pub(super) fn goodput(&mut self) {
        let warmup = Time::ZERO + self.record.warmup;
        for flow in self.staying().into_iter().filter(|flow| flow.start >= warmup) {
            let goodput = flow_goodput(self.record, flow).unwrap_or(0.0);
            for link in flow.route.iter().map(|index| &self.record.links[*index]) {
                let rate = link.rate.map_or(f64::MAX, |rate| rate.as_bps() as f64 / 1e6);
                self.hold(goodput <= rate * (1.0 + EPSILON), || {
                    format!("flow {} has a goodput of {goodput} Mbit/s over {}, whose rate is {rate} Mbit/s", flow.name, link.name)
                });
            }
        }
    }

    /// Returns the flows whose route does not change.
    fn staying(&self) -> Vec<&'a FlowRecord> {
        let leaves = |flow: usize, what: &What| matches!(what, What::Route { flow: own, .. } if own.0 == flow);
        let changes =
            |flow: usize| self.scenario.changes.iter().any(|change| leaves(flow, &change.what));
        self.record
            .flows
            .iter()
            .enumerate()
            .filter(|(index, _)| !changes(*index))
            .map(|(_, flow)| flow)
            .collect()
    }

    /// Checks that the consumers of a node do not get more Data than comes to the node.
    pub(super) fn data(&mut self, icn: &Icn) {
        if answers_on_the_way(icn) {
            return;
        }
        for (node, named) in self.scenario.nodes.iter().enumerate() {
            let here = icn
                .consumers
                .iter()
                .zip(&self.record.flows)
                .filter(|(consumer, _)| consumer.at.0 == node);
            let got: u64 = here.map(|(_, flow)| flow.total.goodput.get()).sum();
            let leading = self
                .scenario
                .links
                .iter()
                .zip(&self.record.links)
                .filter(|(link, _)| link.to.0 == node);
            let came: u64 = leading.map(|(_, link)| link.total.departed_bytes.get()).sum();
            self.hold(got <= came, || {
                format!("consumers at {} got {got} B, {came} B came there", named.name)
            });
        }
    }
}
