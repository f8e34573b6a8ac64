//! Deployments on this kernel. Connections in a network namespace and a control group of the test
//! are assigned by the draw, measured, and put back.

use crate::common::{is_root, name};
use narrows_kernel::deployment::{
    ACCEPTED, Deployment, OPENED, Policy, Record, Tuple, draw, monotonic_ns, name_bytes, name_text,
};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Opens connections over loopback with one byte in each direction. Prints the address family, the
/// peer's port, the cookie and the controller of each accepted connection.
pub const MANY: &str = r#"
import socket, sys
for host, family in (("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)):
    server = socket.create_server((host, 8000), family=family, backlog=512)
    for _ in range(int(sys.argv[1])):
        client = socket.create_connection((host, 8000))
        accepted, peer = server.accept()
        client.sendall(b"x"); accepted.recv(1); accepted.sendall(b"y"); client.recv(1)
        name = accepted.getsockopt(socket.IPPROTO_TCP, 13, 16).rstrip(b"\0").decode()
        cookie = int.from_bytes(accepted.getsockopt(socket.SOL_SOCKET, 57, 8), sys.byteorder)
        print(4 if family == socket.AF_INET else 6, peer[1], cookie, name, flush=True)
        client.close(); accepted.close()
    server.close()
"#;

/// Sends over loopback without end, and prints the sender's controller every 20 ms.
pub const BULK: &str = r#"
import socket, threading, time
server = socket.create_server(("127.0.0.1", 8000))
client = socket.create_connection(("127.0.0.1", 8000))
accepted, _ = server.accept()
def read():
    while client.recv(1 << 16): pass
def write():
    data = bytes(1 << 14)
    while True: accepted.sendall(data); time.sleep(0.001)
for work in (read, write): threading.Thread(target=work, daemon=True).start()
while True:
    print(accepted.getsockopt(socket.IPPROTO_TCP, 13, 16).rstrip(b"\0").decode(), flush=True)
    time.sleep(0.02)
"#;

/// A control group that is removed when dropped.
pub struct Group(pub PathBuf);

impl Group {
    pub fn make(what: &str) -> Group {
        let mount = narrows_kernel::cgroup_mount().expect("cgroup2 is mounted");
        let path = mount.join(name(what));
        fs::create_dir(&path).expect("a control group can be made");
        Group(path)
    }

    pub fn open(&self) -> File {
        File::open(&self.0).expect("it can be opened")
    }

    /// Runs a Python program in the group, in its own network namespace with loopback.
    pub fn python(&self, program: &str, argument: &str) -> Running {
        let enter = "echo $$ > \"$1/cgroup.procs\" && shift && exec unshare -n sh -c 'ip link set lo up && exec python3 -c \"$0\" \"$1\"' \"$@\"";
        let child = Command::new("sh")
            .args(["-c", enter, "sh"])
            .arg(&self.0)
            .args([program, argument])
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh runs");
        Running(child)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A killed process leaves its group a moment later.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub struct Running(pub Child);

impl Running {
    pub fn lines(&mut self) -> impl Iterator<Item = String> + use<> {
        let out = self.0.stdout.take().expect("it is piped");
        BufReader::new(out).lines().map_while(Result::ok)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A deployment that is removed when dropped.
pub struct Deployed(Option<Deployment>);

impl Deployed {
    pub fn start(what: &str, group: &Group) -> Deployed {
        let name = name(what).replace('.', "-");
        Deployed(Some(Deployment::start(&name, &[group.open()]).expect("it starts")))
    }
}

impl std::ops::Deref for Deployed {
    type Target = Deployment;
    fn deref(&self) -> &Deployment {
        self.0.as_ref().expect("it is there until the end")
    }
}

impl Drop for Deployed {
    fn drop(&mut self) {
        let own = self.0.take().expect("it is there until the end");
        let path = own.path().to_owned();
        own.remove().expect("it can be removed");
        assert!(!path.exists());
    }
}

/// Returns a controller of the kernel that is not the default here, and the default.
pub fn controllers() -> [String; 2] {
    let default = narrows_kernel::default();
    let other = if default == "reno" { "cubic" } else { "reno" };
    [other.to_owned(), default]
}

pub fn policy(treatment: &str) -> Policy {
    Policy {
        on: 1,
        salt: 7,
        epoch: 1,
        periods: 1,
        ends: ACCEPTED,
        respect: 1,
        loopback: 1,
        treatment: name_bytes(treatment).expect("it is short"),
        ..Policy::default()
    }
}

#[test]
fn connections_get_the_arm_of_their_draw_and_are_measured() {
    if !is_root() {
        return;
    }
    let [treatment, default] = controllers();
    let group = Group::make("narrows-draw");
    let deployed = Deployed::start("draw", &group);
    deployed.renew(Duration::from_secs(60)).expect("it can be renewed");
    let policy = policy(&treatment);
    deployed.set(&policy, &[0.3.into()]).expect("it can be set");
    const EACH: usize = 150;
    let told: Vec<String> = group.python(MANY, &EACH.to_string()).lines().collect();
    assert_eq!(told.len(), 2 * EACH);
    let mut records = HashMap::new();
    deployed.read(|record: Record| assert!(records.insert(record.cookie, record).is_none()));
    assert_eq!(records.len(), 2 * EACH);
    let mut expected = [0_u64; 3];
    for line in &told {
        let [family, port, cookie, name] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let here: IpAddr = match family {
            "4" => Ipv4Addr::LOCALHOST.into(),
            _ => Ipv6Addr::LOCALHOST.into(),
        };
        let own = match here {
            IpAddr::V4(own) => own.to_ipv6_mapped(),
            IpAddr::V6(own) => own,
        };
        let remote_port = port.parse().expect("a port");
        let tuple = Tuple { remote: own, remote_port, local: own, local_port: 8000 };
        let born = records[&cookie.parse().expect("a cookie")].born;
        let drawn = f64::from(draw(policy.salt, &tuple, born)) / 65536.0;
        let arm = if drawn < 0.3 {
            1
        } else if drawn < 0.6 {
            0
        } else {
            2
        };
        expected[arm] += 1;
        let wanted = if arm == 1 { &treatment } else { &default };
        assert_eq!(name, wanted, "{line}: drawn {drawn}");
    }
    let counts = deployed.counts().expect("they can be read");
    assert_eq!(counts.map(|own| own.assigned), expected);
    assert_eq!(counts.map(|own| own.closed), expected);
    assert!(counts.iter().all(|own| own.refused + own.overridden + own.unrecorded == 0));
    for record in records.values() {
        let wanted = if record.arm == 1 { &treatment } else { &default };
        assert_eq!(&name_text(record.name), wanted);
        assert_eq!((record.port, record.role, record.epoch), (8000, 5, 1));
        assert!(record.bytes_acked >= 1 && record.at > record.born);
    }
    let trips: u64 = (0..3)
        .map(|arm| deployed.round_trips(arm).expect("they can be read").iter().sum::<u64>())
        .sum();
    assert!(trips > 0, "round trips are counted");
}

#[test]
fn ports_networks_and_lapsed_leases_leave_connections_alone() {
    if !is_root() {
        return;
    }
    let [treatment, default] = controllers();
    let group = Group::make("narrows-select");
    let deployed = Deployed::start("select", &group);
    let all_default = |policy: &Policy| {
        deployed.set(policy, &[1.0.into()]).expect("it can be set");
        let told: Vec<String> = group.python(MANY, "5").lines().collect();
        assert_eq!(told.len(), 10);
        told.iter().filter(|line| line.ends_with(&format!(" {default}"))).count()
    };
    // There is no lease yet.
    assert_eq!(all_default(&policy(&treatment)), 10);
    assert_eq!(deployed.counts().expect("they can be read")[2].lapsed, 10);
    deployed.renew(Duration::from_secs(60)).expect("it can be renewed");
    assert_eq!(all_default(&policy(&treatment)), 0);
    // Other ports, other ends, not over loopback, and off.
    deployed.select([443].into_iter(), &[], &[]).expect("they can be set");
    assert_eq!(all_default(&Policy { have_ports: 1, ..policy(&treatment) }), 10);
    deployed.select(7990..8010, &[], &[]).expect("they can be set");
    assert_eq!(all_default(&Policy { have_ports: 1, ..policy(&treatment) }), 0);
    assert_eq!(all_default(&Policy { ends: OPENED, ..policy(&treatment) }), 10);
    assert_eq!(all_default(&Policy { loopback: 0, ..policy(&treatment) }), 10);
    assert_eq!(all_default(&Policy { on: 0, ..policy(&treatment) }), 10);
    // All IPv4 addresses except 127.0.0.0/8, and all IPv6 addresses.
    let mapped = |own: Ipv4Addr| own.to_ipv6_mapped().octets();
    let networks = [
        (mapped(Ipv4Addr::UNSPECIFIED), 96, true),
        (mapped(Ipv4Addr::new(127, 0, 0, 0)), 104, false),
        (Ipv6Addr::LOCALHOST.octets(), 128, true),
    ];
    deployed.select(std::iter::empty(), &networks, &[]).expect("they can be set");
    assert_eq!(all_default(&Policy { have_prefixes: 1, ..policy(&treatment) }), 5);
    // Periods in the past and in the future.
    let second = 1_000_000_000;
    let past = monotonic_ns() - 10 * second;
    let over = Policy { start_ns: past, period_ns: second, ..policy(&treatment) };
    assert_eq!(all_default(&over), 10);
    let future =
        Policy { start_ns: monotonic_ns() + 60 * second, period_ns: second, ..policy(&treatment) };
    assert_eq!(all_default(&future), 10);
}

/// Returns the time from `from` until lines first have this name.
fn until(lines: &mut impl Iterator<Item = String>, name: &str, from: Instant) -> Duration {
    for line in lines.by_ref() {
        if line == name {
            return from.elapsed();
        }
        assert!(from.elapsed() < Duration::from_secs(20), "{line} is not {name}");
    }
    panic!("the program ended");
}

#[test]
fn open_connections_are_put_back_by_order_and_when_the_lease_lapses() {
    if !is_root() {
        return;
    }
    let [treatment, default] = controllers();
    for by_order in [true, false] {
        let group = Group::make(if by_order { "narrows-order" } else { "narrows-lease" });
        let deployed = Deployed::start(if by_order { "order" } else { "lease" }, &group);
        let lease = Duration::from_secs(if by_order { 60 } else { 2 });
        deployed.renew(lease).expect("it can be renewed");
        let began = Instant::now();
        deployed.set(&policy(&treatment), &[1.0.into()]).expect("it can be set");
        let mut running = group.python(BULK, "");
        let mut lines = running.lines();
        until(&mut lines, &treatment, Instant::now());
        if by_order {
            let over = Policy { on: 0, roll_back: 1, ..policy(&treatment) };
            let from = Instant::now();
            deployed.set(&over, &[1.0.into()]).expect("it can be set");
            let took = until(&mut lines, &default, from);
            assert!(took < Duration::from_millis(500), "{took:?}");
        } else {
            let took = until(&mut lines, &default, began);
            assert!(took >= lease && took < lease + Duration::from_millis(500), "{took:?}");
        }
        let counts = deployed.counts().expect("they can be read");
        assert_eq!((counts[1].restored, counts[1].not_restored), (1, 0));
        // Another process finds the deployment and its policy.
        let name = deployed.path().file_name().expect("a name").to_string_lossy().into_owned();
        let adopted = Deployment::adopt(&name).expect("it can be opened").expect("it is there");
        assert_eq!(adopted.policy().expect("it can be read").salt, 7);
    }
    assert!(Deployment::adopt("no-such-deployment").expect("it can be looked for").is_none());
}
