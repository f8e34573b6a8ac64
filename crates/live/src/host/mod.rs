//! Hosts of a run: a namespace and a device for each node at the end of a flow, interfaces to the
//! kernel, and features of the machine.

mod capability;
mod kernel;
mod limits;
mod loaded;
mod namespace;
mod netlink;
mod privilege;
mod setup;
mod sock_diag;
mod tcp_info;
mod tun;

pub use capability::{Capability, State, probe, ready};
pub use kernel::running;
pub use limits::raise_file_limit;
pub use loaded::LoadedControllers;
pub use netlink::Netlink;
pub use privilege::acquire;
pub use setup::Host;
pub use sock_diag::{Connection, SockDiag};
pub use tcp_info::{INFINITE_SSTHRESH, TcpInfo};
pub use tun::DEVICE;
