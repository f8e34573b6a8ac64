//! Makes the hosts of a scenario: a namespace and a device for each node at the end of a flow.

use super::kernel::kernel_has_v6;
use super::namespace::Namespace;
use super::netlink::Netlink;
use super::sock_diag::SockDiag;
use super::tun::{self, DEVICE, Tun};
use crate::error::LiveError;
use crate::plan::{HostMap, Plan, RECEIVE_BUFFERS, RouteMetrics, Subnet, subnet_v4, subnet_v6};
use narrows_scenario::Scenario;
use netlink_packet_route::route::RouteMetric;
use std::fs;
use std::io;
use std::net::IpAddr;

/// A node at the end of a flow.
#[derive(Debug)]
pub struct Host {
    /// Name of the node.
    pub name: String,
    /// Namespace of its sockets.
    pub namespace: Namespace,
    /// Only device of the namespace.
    pub tun: Tun,
    number: u16,
}

/// Settings of a host's kernel that depend neither on the scenario nor on the controller, with
/// their reasons. They affect the namespace only.
const SETTINGS: [(&str, &str); 5] = [
    // Connections do not learn from earlier connections.
    ("ipv4/tcp_no_metrics_save", "1"),
    // Room for a bandwidth-delay product of 10 Gbit/s and 100 ms, because buffers are not under
    // study. A receiver begins with the kernel's default of 128 KiB, because it acknowledges each
    // segment as long as its offered window grows (tcp_grow_window).
    ("ipv4/tcp_rmem", RECEIVE_BUFFERS),
    ("ipv4/tcp_wmem", "4096 4194304 268435456"),
    // Ports of closed connections are free after a second, because many connections may follow each
    // other.
    ("ipv4/tcp_tw_reuse", "1"),
    // Off, because the simulator's transport has no TCP Fast Open.
    ("ipv4/tcp_fastopen", "0"),
];

/// A further setting for kernels with IPv6.
const SETTING_V6: (&str, &str) = ("ipv6/conf/all/accept_ra", "0");

/// Packets that the device queues for the emulator.
const DEVICE_QUEUE: u32 = 10_000;

impl Host {
    /// Makes the host of a node. `number` determines its addresses, and is its place in the plan.
    pub fn new(name: &str, number: u16, plan: &Plan) -> Result<Host, LiveError> {
        let failed = |what: &str| {
            LiveError::system(format!("host \"{name}\": {what}"), "see `narrows doctor`")
        };
        let namespace = Namespace::new().map_err(failed("a network namespace cannot be made"))?;
        let tun = namespace.enter(Tun::create).map_err(|error| {
            let remedy = tun::remedy(&error);
            LiveError::system(format!("host \"{name}\": a TUN device cannot be made"), remedy)(
                error,
            )
        })?;
        namespace
            .enter(|| configure(number, plan))
            .map_err(failed("its network cannot be configured"))?;
        Ok(Host { name: name.to_owned(), namespace, tun, number })
    }

    /// Makes the hosts of a scenario, in the order of their numbers.
    pub fn all(scenario: &Scenario, map: &HostMap, plan: &Plan) -> Result<Vec<Host>, LiveError> {
        super::raise_file_limit();
        let names = map.names(scenario).into_iter().zip(0..);
        names.map(|(name, number)| Host::new(name, number, plan)).collect()
    }

    /// Returns the address for connections of a class of [`Plan::classes`].
    pub fn address(&self, class: usize, v6: bool) -> IpAddr {
        if v6 {
            subnet_v6(class, self.number).address
        } else {
            subnet_v4(class, self.number).address
        }
    }
}

impl Drop for Host {
    /// Ends the connections of the host. Otherwise a connection with a closed socket would continue
    /// for minutes without answers, and keep its namespace and its controller. A kernel that cannot
    /// end it at once (CONFIG_INET_DIAG_DESTROY, since Linux 6.12) gives up soon, because of the
    /// setting.
    fn drop(&mut self) {
        let end = || {
            fs::write("/proc/sys/net/ipv4/tcp_orphan_retries", "1")?;
            SockDiag::open()?.destroy()
        };
        // If this fails, the connections end later.
        let _ = self.namespace.enter(end);
    }
}

fn configure(number: u16, plan: &Plan) -> io::Result<()> {
    let has_v6 = kernel_has_v6();
    let own = plan.sysctls[usize::from(number)].iter().map(|(key, value)| (*key, value.as_str()));
    for (key, value) in SETTINGS.into_iter().chain(has_v6.then_some(SETTING_V6)).chain(own) {
        fs::write(format!("/proc/sys/net/{key}"), value)
            .map_err(|error| io::Error::new(error.kind(), format!("net/{key}: {error}")))?;
    }
    let mut netlink = Netlink::open()?;
    let loopback = netlink.index("lo")?;
    netlink.up(loopback, None, None)?;
    let device = netlink.index(DEVICE)?;
    // Packets reach the device at once, and only the device can drop them.
    netlink.set_qdisc(device, "noqueue")?;
    netlink.up(device, Some(plan.mtu), Some(DEVICE_QUEUE))?;
    for (class, metrics) in plan.classes.iter().enumerate() {
        join(&mut netlink, device, (class, number), metrics, has_v6)?;
    }
    Ok(())
}

/// Adds a host's addresses in the networks of a class, and routes the networks to its device.
fn join(
    netlink: &mut Netlink,
    device: u32,
    (class, host): (usize, u16),
    metrics: &RouteMetrics,
    has_v6: bool,
) -> io::Result<()> {
    for Subnet { address, network, prefix } in
        [Some(subnet_v4(class, host)), has_v6.then(|| subnet_v6(class, host))].into_iter().flatten()
    {
        netlink.add_address(device, address)?;
        netlink.route(device, (network, prefix), address, route_metrics(metrics))?;
    }
    Ok(())
}

/// `RTAX_FEATURE_ECN` of include/uapi/linux/rtnetlink.h.
const FEATURE_ECN: u32 = 1;
/// `RTAX_RTO_MIN`.
const RTO_MIN: u32 = 13;

fn route_metrics(metrics: &RouteMetrics) -> Vec<RouteMetric> {
    let RouteMetrics { ecn, initial_window, min_rto, ack_each } = *metrics;
    let features = ecn.then_some(RouteMetric::Features(FEATURE_ECN));
    let window = initial_window.map(RouteMetric::InitCwnd);
    let rto = min_rto.map(|span| RouteMetric::RtoMin((span.as_micros() / 1000) as u32));
    // TCP uses the value of a route only if it is locked (`tcp_rto_min`).
    let lock = min_rto.map(|_| RouteMetric::Lock(1 << RTO_MIN));
    let each = ack_each.then_some(RouteMetric::QuickAck(1));
    [features, window, rto, lock, each].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::TcpInfo;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::process::Command;
    use std::thread;
    use std::time::{Duration, Instant};

    /// Returns the number of TCP sockets in a namespace, including orphaned ones.
    fn sockets(namespace: &Namespace) -> usize {
        namespace.enter(|| SockDiag::open()?.count()).unwrap()
    }

    #[test]
    fn a_connection_begins_with_the_reordering_of_its_host() {
        if !rustix::process::geteuid().is_root() || !fs::exists("/dev/net/tun").unwrap() {
            eprintln!("skipped: it needs root and /dev/net/tun");
            return;
        }
        let reordering = |asked: Option<&str>| {
            let mut plan = Plan::plain(1, 1500);
            plan.sysctls[0].extend(asked.map(|value| ("ipv4/tcp_reordering", value.to_owned())));
            let host = Host::new("alone", 0, &plan).unwrap();
            let open = || {
                let listener = TcpListener::bind("127.0.0.1:0")?;
                Ok(TcpInfo::of(&TcpStream::connect(listener.local_addr()?)?)?.reordering)
            };
            Namespace::of(&host.namespace).unwrap().enter(open).unwrap()
        };
        assert_eq!((reordering(None), reordering(Some("5"))), (3, 5));
    }

    #[test]
    fn connections_that_nobody_answers_end_with_their_host() {
        if !rustix::process::geteuid().is_root() || !fs::exists("/dev/net/tun").unwrap() {
            eprintln!("skipped: it needs root and /dev/net/tun");
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
            assert!(
                dropped.elapsed() < Duration::from_secs(10),
                "{} are left",
                sockets(&namespace)
            );
            thread::sleep(Duration::from_millis(20));
        }
    }
}
