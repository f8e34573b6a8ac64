//! The hosts of a scenario: a namespace and a device for each node where a flow ends.

use crate::error::LiveError;
use crate::namespace::Namespace;
use crate::netlink::Netlink;
use crate::tun::{DEVICE, Tun};
use narrows_scenario::{NodeId, Scenario};
use netlink_packet_route::AddressFamily;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A node where flows end.
#[derive(Debug)]
pub struct Host {
    /// Its node's name.
    pub name: String,
    /// Where its sockets live.
    pub namespace: Namespace,
    /// Its only device.
    pub tun: Tun,
    /// Its IPv4 address.
    pub v4: Ipv4Addr,
    /// Its IPv6 address.
    pub v6: Ipv6Addr,
}

/// Settings of a host's kernel that follow neither from the scenario nor from the controller, each with its reason. All belong to the namespace alone.
const SETTINGS: [(&str, &str); 5] = [
    // No connection learns from those before it.
    ("ipv4/tcp_no_metrics_save", "1"),
    // Room for a bandwidth-delay product of 10 Gbit/s and 100 ms: buffers are not what is studied.
    ("ipv4/tcp_rmem", "4096 131072 268435456"),
    ("ipv4/tcp_wmem", "4096 4194304 268435456"),
    // As in the simulator, whose transport has neither.
    ("ipv4/tcp_fastopen", "0"),
    ("ipv6/conf/all/accept_ra", "0"),
];

/// Packets that the device holds until the emulator takes them.
const DEVICE_QUEUE: u32 = 10_000;

impl Host {
    /// Makes the host of a node. `number` tells its addresses from those of others; `mtu` is the largest packet.
    pub fn new(name: &str, number: u16, mtu: u32) -> Result<Host, LiveError> {
        let [high, low] = (number + 1).to_be_bytes();
        let v4 = Ipv4Addr::new(10, 77, high, low);
        let v6 = Ipv6Addr::new(0xfd77, 0, 0, 0, 0, 0, 0, number + 1);
        let failed = |what: &str| LiveError::system(format!("host \"{name}\": {what}"), "see `narrows doctor`");
        let namespace = Namespace::new().map_err(failed("a network namespace cannot be made"))?;
        let tun = namespace.enter(Tun::create).map_err(failed("a TUN device cannot be made"))?;
        namespace.enter(|| configure(v4.into(), v6.into(), mtu)).map_err(failed("its network cannot be configured"))?;
        Ok(Host { name: name.to_owned(), namespace, tun, v4, v6 })
    }
}

fn configure(v4: IpAddr, v6: IpAddr, mtu: u32) -> io::Result<()> {
    for (key, value) in SETTINGS {
        fs::write(format!("/proc/sys/net/{key}"), value).map_err(|error| io::Error::new(error.kind(), format!("net/{key}: {error}")))?;
    }
    let mut netlink = Netlink::open()?;
    let loopback = netlink.index("lo")?;
    netlink.up(loopback, None, None)?;
    let device = netlink.index(DEVICE)?;
    netlink.no_queue(device)?;
    netlink.up(device, Some(mtu), Some(DEVICE_QUEUE))?;
    for (address, family) in [(v4, AddressFamily::Inet), (v6, AddressFamily::Inet6)] {
        netlink.add_address(device, address)?;
        netlink.route_all(device, family)?;
    }
    Ok(())
}

/// The nodes where flows end, each with its place among the hosts.
pub fn endpoints(scenario: &Scenario) -> BTreeMap<NodeId, usize> {
    let nodes: std::collections::BTreeSet<NodeId> = scenario.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    nodes.into_iter().enumerate().map(|(place, node)| (node, place)).collect()
}
