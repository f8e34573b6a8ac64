//! Assigns packets to flows.

use crate::plan::{flow_of, host_of};
use crate::wire::Frame;

/// The flows of the network. The scenario's flows come first, and are recognised by their ports.
/// The flows of programs follow, two for each pair of hosts, one in each direction; all other
/// packets between the two hosts belong to them.
pub struct Classifier {
    /// Hosts of the sender and the receiver of each flow.
    pub ends: Vec<(usize, usize)>,
    scenario_flows: usize,
}

impl Classifier {
    /// Makes a classifier; the first `scenario_flows` of `ends` belong to the scenario's flows.
    pub fn new(ends: Vec<(usize, usize)>, scenario_flows: usize) -> Classifier {
        Classifier { ends, scenario_flows }
    }

    /// Returns the number of the scenario's flows.
    pub fn scenario_flows(&self) -> usize {
        self.scenario_flows
    }

    /// Returns the flow of a packet from a host, and true if it goes to the flow's sender. A
    /// program's packet without payload belongs to the flow that it acknowledges.
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
