//! Samples and results of flows, from the kernel's counts for their connections.

use super::flow::{Endpoint, FlowSockets, FlowView, Outcome};
use super::state::Sockets;
use crate::host::{INFINITE_SSTHRESH, TcpInfo};
use crate::plan::UNLIMITED_PACING;
use narrows_measure::FlowSample;
use narrows_params::Need;
use narrows_traffic::Ledger;
use narrows_units::{Rate, Time};

impl Sockets<'_> {
    /// Returns the current state of a flow.
    fn view(&self, flow: usize) -> FlowView {
        let flow_sockets = &self.flows[flow];
        let mut view = FlowView { counters: flow_sockets.closed, ..FlowView::default() };
        for place in &flow_sockets.streams {
            let Some(stream) = &self.streams[*place] else { continue };
            let Some(info) = stream.info() else {
                view.connections += u32::from(stream.acceptor.is_some());
                continue;
            };
            view.add(&info, &stream.opening);
            if matches!(flow_sockets.endpoint, Endpoint::Stream(own) if own == *place) {
                view.own = info;
            }
        }
        view
    }

    pub(super) fn end_warmup(&mut self) {
        for flow in 0..self.flows.len() {
            self.flows[flow].at_warmup = self.view(flow);
        }
    }

    pub(super) fn sample(&mut self, at: Time) {
        for flow in 0..self.flows.len() {
            let view = self.view(flow);
            let FlowView { in_flight, connections, own, .. } = &view;
            let sample = FlowSample {
                at,
                cwnd: own.snd_cwnd.into(),
                ssthresh: (own.snd_cwnd > 0 && own.snd_ssthresh < INFINITE_SSTHRESH)
                    .then(|| own.snd_ssthresh.into()),
                in_flight: *in_flight,
                connections: *connections,
                pacing: self.pacing(flow, own),
                ..FlowSample::default()
            };
            self.flows[flow].samples.push(sample);
        }
    }

    /// Returns the rate at which a flow paces, if it does. The kernel computes a rate for every
    /// connection, of payload only (`tcp_update_pacing_rate`).
    fn pacing(&self, flow: usize, info: &TcpInfo) -> Option<Rate> {
        let plan = &self.scenario.flows[flow];
        let paces = self.plan.flows[flow].paced
            || plan.controller.as_ref()?.entry().needs().contains(&Need::Pacing);
        let known = (1..UNLIMITED_PACING).contains(&info.pacing_rate);
        let (payload, headers) = (plan.transport.mss.get(), plan.transport.headers.get());
        (paces && known).then(|| {
            Rate::from_bps(
                (info.pacing_rate.saturating_mul(8) as f64
                    * (1.0 + headers as f64 / payload as f64)) as u64,
            )
        })
    }

    /// Returns the results of each flow.
    pub fn finish(mut self) -> Vec<Outcome> {
        let views: Vec<FlowView> = (0..self.flows.len()).map(|flow| self.view(flow)).collect();
        let flows = self.flows.into_iter().zip(views);
        let outcome = |(flow_sockets, at_end): (FlowSockets, FlowView)| {
            let ledger = match flow_sockets.endpoint {
                Endpoint::None => Ledger::new(),
                Endpoint::Stream(place) => {
                    self.streams[place].take().map_or_else(Ledger::new, |stream| stream.ledger)
                }
                Endpoint::Datagrams(datagrams) => datagrams.ledger,
            };
            Outcome {
                application: flow_sockets.application,
                ledger,
                samples: flow_sockets.samples,
                at_warmup: flow_sockets.at_warmup,
                at_end,
            }
        };
        flows.map(outcome).collect()
    }
}
