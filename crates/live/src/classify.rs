//! Which flow a packet belongs to.

use crate::sockets::FIRST_PORT;

/// The flow of an IPv4 TCP packet, its direction, and how much payload it has.
pub fn classify(packet: &[u8], place: usize, ends: &[(usize, usize)]) -> Option<(u32, bool, u32)> {
    if packet.len() < 40 || packet[0] >> 4 != 4 || packet[9] != 6 {
        return None;
    }
    let ip = usize::from(packet[0] & 15) * 4;
    let port = |at: usize| packet.get(ip + at..ip + at + 2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]));
    let tcp = usize::from(packet.get(ip + 12)? >> 4) * 4;
    let payload = packet.len().saturating_sub(ip + tcp) as u32;
    let flow_of = |port: u16| port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < ends.len());
    if let Some(flow) = flow_of(port(2)?).filter(|flow| ends[*flow].0 == place) {
        return Some((flow as u32, false, payload));
    }
    flow_of(port(0)?).filter(|flow| ends[*flow].1 == place).map(|flow| (flow as u32, true, payload))
}
