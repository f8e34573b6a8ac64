//! Which flow a packet belongs to.

use crate::sockets::FIRST_PORT;
use crate::wire::Frame;

/// The flow of what the host at `place` sends, and whether it goes to the flow's sender. `ends` are the places of each flow's hosts.
pub fn classify(frame: &Frame, place: usize, ends: &[(usize, usize)]) -> Option<(u32, bool)> {
    let endpoints = frame.endpoints()?;
    let flow_of = |port: u16| port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < ends.len());
    if let Some(flow) = flow_of(endpoints.destination_port).filter(|flow| ends[*flow].0 == place) {
        return Some((flow as u32, false));
    }
    flow_of(endpoints.source_port).filter(|flow| ends[*flow].1 == place).map(|flow| (flow as u32, true))
}
