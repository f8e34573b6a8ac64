//! Packets neither appear nor vanish.

use super::Checks;
use narrows_measure::{FlowRecord, LinkRecord};

impl Checks<'_> {
    /// Checks the packets of a link: an offered packet was dropped, waits, or has left; a packet
    /// that has left arrived or is in flight.
    pub(super) fn links(&mut self) {
        for LinkRecord { name, total, left_queued, left_in_flight, .. } in &self.record.links {
            let fates =
                total.lost + total.overflowed + total.dropped_early + total.departed + left_queued;
            self.hold(total.offered == fates, || {
                format!("of {name} {} packets were offered, {fates} have a fate", total.offered)
            });
            let left = total.delivered + left_in_flight;
            self.hold(total.departed == left, || {
                format!(
                    "of {name} {} packets departed, {left} arrived or are under way",
                    total.departed
                )
            });
        }
    }

    /// Checks that parts of a flow's sent or arrived packets do not exceed the whole.
    pub(super) fn flows(&mut self) {
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
                // Consumers of an information-centric network send Interests and receive Data.
                self.hold(part <= whole || self.scenario.icn.is_some(), || {
                    format!("flow {name} has {part} {what} of {whole}")
                });
            }
        }
    }

    /// Checks that packets that were sent and have not been seen since are in the network.
    pub(super) fn in_the_network(&mut self) {
        if self.scenario.icn.is_some() {
            return;
        }
        let missing: u64 = self
            .record
            .flows
            .iter()
            .map(|flow| {
                flow.total.sent - (flow.total.arrived + flow.total.dropped).min(flow.total.sent)
            })
            .sum();
        let there: u64 =
            self.record.links.iter().map(|link| link.left_queued + link.left_in_flight).sum();
        let alone = self.scenario.flows.iter().all(|flow| flow.controller.is_none());
        self.hold(missing <= there && (missing == there || !alone), || {
            format!("{missing} data packets are missing, {there} packets are in the network")
        });
    }
}
