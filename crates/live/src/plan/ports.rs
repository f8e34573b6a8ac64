//! Ports of a run. Receivers of the scenario's flows listen on consecutive ports, which identify
//! the flows on the wire.

/// Port of the first flow's receiver.
pub const FIRST_PORT: u16 = 5001;

/// First ephemeral port of the kernel (`ip_local_port_range`).
const FIRST_EPHEMERAL: u16 = 32_768;

/// Most flows of a scenario, each with its own port.
pub const MAX_FLOWS: usize = (FIRST_EPHEMERAL - FIRST_PORT) as usize;

/// Returns the receiver's port of a flow, by the flow's number in the scenario.
pub fn port(flow: usize) -> u16 {
    FIRST_PORT + flow as u16
}

/// Returns the number of the flow with this receiver port, if the scenario has `flows` flows.
pub fn flow_of(port: u16, flows: usize) -> Option<usize> {
    port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < flows)
}
