//! Lower bounds of times.

use super::{Checks, answers_on_the_way};
use narrows_path::LinkChange;
use narrows_scenario::{LinkId, What};
use narrows_units::Span;

impl Checks<'_> {
    /// Checks that no packet is faster than propagation.
    pub(super) fn delays(&mut self) {
        if self.scenario.icn.as_ref().is_some_and(answers_on_the_way) {
            return;
        }
        for (index, flow) in self.record.flows.iter().enumerate() {
            let (way, back) = self.least_delays(index).unwrap_or((Span::ZERO, Span::ZERO));
            let round = if self.scenario.icn.is_some() { flow.base_rtt } else { way + back };
            let measured =
                [("round trip", flow.rtt.min(), round), ("one-way delay", flow.one_way.min(), way)];
            for (what, measured, least) in measured {
                self.hold(measured.is_none_or(|measured| measured >= least), || {
                    format!(
                        "flow {} has a {what} of {measured:?}, propagation takes {least}",
                        flow.name
                    )
                });
            }
        }
    }

    /// Returns the least propagation delays of a flow's data and acknowledgements, over all routes
    /// and delays during the run.
    fn least_delays(&self, flow: usize) -> Option<(Span, Span)> {
        let own = self.scenario.flows.get(flow)?;
        let later = self.scenario.changes.iter().filter_map(|change| match &change.what {
            What::Route { flow: changed, route, back } if changed.0 == flow => Some((route, back)),
            _ => None,
        });
        let sum = |links: &[LinkId]| {
            links.iter().fold(Span::ZERO, |sum, link| sum + self.least_delay(*link))
        };
        let delays = std::iter::once((&own.route, &own.back))
            .chain(later)
            .map(|(route, back)| (sum(route), sum(back)));
        delays.reduce(|least, next| (least.0.min(next.0), least.1.min(next.1)))
    }

    fn least_delay(&self, link: LinkId) -> Span {
        let changed = self.scenario.changes.iter().filter_map(|change| match change.what {
            What::Link(changed, LinkChange::Delay(delay)) if changed == link => Some(delay),
            _ => None,
        });
        changed.fold(self.scenario.links[link.0].config.delay, Span::min)
    }

    /// Checks that no transfer is faster than alone on its path. Skipped if the ideal time is only
    /// approximate: the ideal for contents uses the mean of a trace, and ignores caches.
    pub(super) fn slowdowns(&mut self) {
        let traced = self.scenario.links.iter().any(|link| link.trace_file.is_some());
        if self.scenario.icn.as_ref().is_some_and(|icn| traced || answers_on_the_way(icn)) {
            return;
        }
        for flow in &self.record.flows {
            let Some(transfers) = &flow.transfers else { continue };
            let fast = transfers.list.iter().find(|transfer| transfer.took < transfer.ideal);
            self.hold(fast.is_none(), || {
                format!("flow {} has a transfer faster than alone on its path: {fast:?}", flow.name)
            });
        }
    }
}
