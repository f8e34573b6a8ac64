//! The ports of a run: the receivers of the scenario's flows listen on consecutive ports, which tell the flows apart on the wire.

/// Where the receiver of the first flow listens.
pub const FIRST_PORT: u16 = 5001;

/// The first port of those that the kernel takes for sockets that ask for none (`ip_local_port_range`).
const FIRST_EPHEMERAL: u16 = 32_768;

/// The most flows of a scenario, each with a port of its own.
pub const MAX_FLOWS: usize = (FIRST_EPHEMERAL - FIRST_PORT) as usize;

/// Where the receiver of a flow listens, by the flow's number in the scenario.
pub fn port(flow: usize) -> u16 {
    FIRST_PORT + flow as u16
}

/// The number of the flow whose receiver has this port, if the scenario has `flows` flows.
pub fn flow_of(port: u16, flows: usize) -> Option<usize> {
    port.checked_sub(FIRST_PORT).map(usize::from).filter(|flow| *flow < flows)
}
