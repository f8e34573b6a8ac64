//! The hosts of a scenario: a namespace and a device for each node where a flow ends.

use crate::capability::tun_remedy;
use crate::diagnosis::Diagnosis;
use crate::error::LiveError;
use crate::namespace::Namespace;
use crate::netlink::Netlink;
use crate::terms::{Plan, RouteTerms};
use crate::tun::{DEVICE, Tun};
use narrows_scenario::{NodeId, Scenario};
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
    number: u16,
}

/// Settings of a host's kernel that follow neither from the scenario nor from the controller, each with its reason. All belong to the namespace alone.
const SETTINGS: [(&str, &str); 5] = [
    // No connection learns from those before it.
    ("ipv4/tcp_no_metrics_save", "1"),
    // Room for a bandwidth-delay product of 10 Gbit/s and 100 ms: buffers are not what is studied. A receiver begins with the kernel's own 128 KiB: as long as
    // the window that it offers grows, it acknowledges each segment (tcp_grow_window).
    ("ipv4/tcp_rmem", RECEIVE_BUFFERS),
    ("ipv4/tcp_wmem", "4096 4194304 268435456"),
    // Ports of connections that are over are free again after a second: many may follow each other.
    ("ipv4/tcp_tw_reuse", "1"),
    // As in the simulator, whose transport has neither.
    ("ipv4/tcp_fastopen", "0"),
];

/// As [`SETTINGS`], of a kernel that has IPv6.
const SETTING_V6: (&str, &str) = ("ipv6/conf/all/accept_ra", "0");

/// Whether this kernel has IPv6: it has not after `ipv6.disable=1` on its command line, or without its module.
pub fn kernel_has_v6() -> bool {
    fs::exists("/proc/sys/net/ipv6").unwrap_or(false)
}

/// Least, first and greatest buffer of a receiver.
pub const RECEIVE_BUFFERS: &str = "4096 131072 268435456";

/// Packets that the device holds until the emulator takes them.
const DEVICE_QUEUE: u32 = 10_000;

impl Host {
    /// Makes the host of a node. `number` tells its addresses from those of others, and is its place in the plan.
    pub fn new(name: &str, number: u16, plan: &Plan) -> Result<Host, LiveError> {
        let failed = |what: &str| LiveError::system(format!("host \"{name}\": {what}"), "see `narrows doctor`");
        let namespace = Namespace::new().map_err(failed("a network namespace cannot be made"))?;
        let tun = namespace.enter(Tun::create).map_err(|error| {
            let remedy = tun_remedy(&error);
            LiveError::system(format!("host \"{name}\": a TUN device cannot be made"), remedy)(error)
        })?;
        namespace.enter(|| configure(number, plan)).map_err(failed("its network cannot be configured"))?;
        Ok(Host { name: name.to_owned(), namespace, tun, number })
    }

    /// Its address for connections of a class of [`Plan::classes`].
    pub fn address(&self, class: usize, v6: bool) -> IpAddr {
        if v6 { v6_of(class, self.number + 1).into() } else { v4_of(class, self.number + 1).into() }
    }
}

impl Drop for Host {
    /// A connection that is not over when its socket is closed goes on by itself for minutes, with nobody to answer it, and keeps its namespace and its controller. A
    /// kernel that cannot end it at once (CONFIG_INET_DIAG_DESTROY, since Linux 6.12) gives it up soon.
    fn drop(&mut self) {
        let end = || {
            fs::write("/proc/sys/net/ipv4/tcp_orphan_retries", "1")?;
            Diagnosis::open()?.destroy()
        };
        // Where this fails they end later.
        let _ = self.namespace.enter(end);
    }
}

/// Each class of routes is a network of its own, in which every host has an address: so what the kernel keeps with a route is that of the class.
fn v4_of(class: usize, host: u16) -> Ipv4Addr {
    let [high, low] = host.to_be_bytes();
    Ipv4Addr::new(10, 77 + class as u8, high, low)
}

fn v6_of(class: usize, host: u16) -> Ipv6Addr {
    Ipv6Addr::new(0xfd77, class as u16, 0, 0, 0, 0, 0, host)
}

/// The number of the host that has an address.
pub fn number_of(address: IpAddr) -> Option<u16> {
    let host = match address {
        IpAddr::V4(v4) => u16::from_be_bytes([v4.octets()[2], v4.octets()[3]]),
        IpAddr::V6(v6) => v6.segments()[7],
    };
    host.checked_sub(1)
}

fn configure(number: u16, plan: &Plan) -> io::Result<()> {
    let has_v6 = kernel_has_v6();
    let own = plan.settings[usize::from(number)].iter().map(|(key, value)| (*key, value.as_str()));
    for (key, value) in SETTINGS.into_iter().chain(has_v6.then_some(SETTING_V6)).chain(own) {
        fs::write(format!("/proc/sys/net/{key}"), value).map_err(|error| io::Error::new(error.kind(), format!("net/{key}: {error}")))?;
    }
    let mut netlink = Netlink::open()?;
    let loopback = netlink.index("lo")?;
    netlink.up(loopback, None, None)?;
    let device = netlink.index(DEVICE)?;
    // What the kernel sends is at the device at once, and nothing but the device can drop it.
    netlink.set_qdisc(device, "noqueue")?;
    netlink.up(device, Some(plan.mtu), Some(DEVICE_QUEUE))?;
    for (class, terms) in plan.classes.iter().enumerate() {
        join(&mut netlink, device, (class, number + 1), terms, has_v6)?;
    }
    Ok(())
}

/// Gives a host its addresses in the networks of a class, and routes them to its device.
fn join(netlink: &mut Netlink, device: u32, (class, host): (usize, u16), terms: &RouteTerms, has_v6: bool) -> io::Result<()> {
    let v4 = (v4_of(class, host).into(), v4_of(class, 0).into(), 16);
    let v6 = has_v6.then(|| (v6_of(class, host).into(), v6_of(class, 0).into(), 64));
    for (address, network, length) in [Some(v4), v6].into_iter().flatten() {
        netlink.add_address(device, address)?;
        netlink.route(device, (network, length), address, terms.metrics())?;
    }
    Ok(())
}

/// The nodes where flows end, each with its place among the hosts.
pub fn endpoints(scenario: &Scenario) -> BTreeMap<NodeId, usize> {
    let nodes: std::collections::BTreeSet<NodeId> = scenario.flows.iter().flat_map(|flow| [flow.from, flow.to]).collect();
    nodes.into_iter().enumerate().map(|(place, node)| (node, place)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    /// How many sockets TCP has in a namespace, those that no process has any more included.
    fn sockets(namespace: &Namespace) -> usize {
        namespace.enter(|| Diagnosis::open()?.count()).unwrap()
    }

    #[test]
    fn connections_that_nobody_answers_end_with_their_host() {
        if !rustix::process::geteuid().is_root() || crate::capability::ready().is_err() {
            eprintln!("left out: hosts cannot be made here");
            return;
        }
        let host = Host::new("alone", 0, &Plan::plain(1, 1500)).unwrap();
        let namespace = Namespace::of(&host.namespace).unwrap();
        let open = || {
            let listener = TcpListener::bind("127.0.0.1:0")?;
            let mut sender = TcpStream::connect(listener.local_addr()?)?;
            let receiver = listener.accept()?.0;
            assert!(Command::new("ip").args(["link", "set", "lo", "down"]).status()?.success());
            sender.write_all(&[7; 1000])?;
            drop((sender, receiver));
            Ok(())
        };
        namespace.enter(open).unwrap();
        assert_eq!(sockets(&namespace), 2, "each waits for the other");
        drop(host);
        let dropped = Instant::now();
        while sockets(&namespace) > 0 {
            assert!(dropped.elapsed() < Duration::from_secs(10), "{} are left", sockets(&namespace));
            thread::sleep(Duration::from_millis(20));
        }
    }
}
