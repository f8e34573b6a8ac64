//! Which flow a packet belongs to.

use crate::plan::{flow_of, host_of};
use crate::wire::Frame;

/// The flows of the network. First those of the scenario, which are known by their ports; then those of programs, two for each pair of
/// hosts, one in each direction, to which everything else between them belongs.
pub struct Classifier {
    /// The hosts of each flow's sender and receiver.
    pub ends: Vec<(usize, usize)>,
    scenario_flows: usize,
}

impl Classifier {
    /// Of `ends`, the first `scenario_flows` are those of the scenario's flows.
    pub fn new(ends: Vec<(usize, usize)>, scenario_flows: usize) -> Classifier {
        Classifier { ends, scenario_flows }
    }

    /// How many are the scenario's flows.
    pub fn scenario_flows(&self) -> usize {
        self.scenario_flows
    }

    /// The flow of what a host sends, and whether it goes to the flow's sender. A program's packet without payload goes back to whom it
    /// acknowledges.
    pub fn classify(&self, frame: &Frame, host: usize) -> Option<(u32, bool)> {
        let endpoints = frame.endpoints()?;
        if let Some(flow) = flow_of(endpoints.destination_port, self.scenario_flows)
            .filter(|flow| self.ends[*flow].0 == host)
        {
            return Some((flow as u32, false));
        }
        if let Some(flow) = flow_of(endpoints.source_port, self.scenario_flows)
            .filter(|flow| self.ends[*flow].1 == host)
        {
            return Some((flow as u32, true));
        }
        if self.scenario_flows == self.ends.len() {
            return None;
        }
        let back = frame.packets(0).next()?.payload().is_empty();
        let to = usize::from(host_of(endpoints.destination)?);
        let ends = if back { (to, host) } else { (host, to) };
        let flow = self.ends[self.scenario_flows..].iter().position(|known| *known == ends)?;
        Some(((self.scenario_flows + flow) as u32, back))
    }
}
