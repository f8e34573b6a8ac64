//! Which flow a packet belongs to.

use crate::hosts::number_of;
use crate::sockets::FIRST_PORT;
use crate::wire::Frame;

/// The flows of the network. First those of the scenario, which are known by their ports; then those of programs, two for each pair of hosts, one in each
/// direction, to which everything else between them belongs.
pub struct Lanes {
    /// The places of each flow's hosts.
    pub ends: Vec<(usize, usize)>,
    own: usize,
}

impl Lanes {
    /// Of `ends`, the first `own` are those of the scenario's flows.
    pub fn new(ends: Vec<(usize, usize)>, own: usize) -> Lanes {
        Lanes { ends, own }
    }

    /// How many are the scenario's flows.
    pub fn own(&self) -> usize {
        self.own
    }

    /// The flow of what the host at `place` sends, and whether it goes to the flow's sender. A program's packet without payload goes back to whom it acknowledges.
    pub fn classify(&self, frame: &Frame, place: usize) -> Option<(u32, bool)> {
        let endpoints = frame.endpoints()?;
        let flow_of = |port: u16| port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < self.own);
        if let Some(flow) = flow_of(endpoints.destination_port).filter(|flow| self.ends[*flow].0 == place) {
            return Some((flow as u32, false));
        }
        if let Some(flow) = flow_of(endpoints.source_port).filter(|flow| self.ends[*flow].1 == place) {
            return Some((flow as u32, true));
        }
        if self.own == self.ends.len() {
            return None;
        }
        let back = frame.packets(0).next()?.payload().is_empty();
        let to = usize::from(number_of(endpoints.destination)?);
        let ends = if back { (to, place) } else { (place, to) };
        let flow = self.ends[self.own..].iter().position(|own| *own == ends)?;
        Some(((self.own + flow) as u32, back))
    }
}
