//! Deployments beside other programs and under load: arms with the same controller, connections
//! whose end another program hides, control groups that are created again, changes of policy, and
//! cost.

use crate::common::is_root;
use crate::deployment::{Deployed, Group, MANY, controllers, policy};
use libbpf_rs::{Object, ObjectBuilder};
use narrows_kernel::deployment::{Deployment, Policy, Share, monotonic_ns, name_bytes, name_text};
use std::fs;
use std::os::fd::AsRawFd;
use std::process::Command;
use std::time::Duration;

/// A program that removes the callbacks of connections, as other programs may do by mistake.
const TAKER: &str = r#"
#include <linux/bpf.h>
static long (*flags_set)(struct bpf_sock_ops *, int) = (void *)59;
__attribute__((section("sockops"), used)) int taker(struct bpf_sock_ops *ops)
{
	if (ops->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		flags_set(ops, 0);
	return 1;
}
char _license[] __attribute__((section("license"), used)) = "GPL";
"#;

/// Compiles and loads the program that takes callbacks away.
fn taker(what: &str) -> Object {
    let folder = std::env::temp_dir().join(format!("narrows-{what}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("it can be made");
    fs::write(folder.join("taker.c"), TAKER).expect("it can be written");
    let compiled = Command::new("clang")
        .args(["-O2", "-g", "-target", "bpf", "-c", "taker.c", "-o", "taker.o"])
        .arg(format!("-I/usr/include/{}-linux-gnu", std::env::consts::ARCH))
        .current_dir(&folder)
        .status()
        .expect("clang runs");
    assert!(compiled.success());
    let object = ObjectBuilder::default()
        .open_file(folder.join("taker.o"))
        .and_then(|open| open.load())
        .expect("it loads");
    fs::remove_dir_all(folder).expect("it can be removed");
    object
}

/// Attaches a pinned program to a control group without any flag, as tools did before there were
/// links (`BPF_PROG_ATTACH`).
const ATTACH: &str = r#"
import ctypes, os, struct, sys
number = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
call = ctypes.CDLL(None, use_errno=True).syscall
path = ctypes.create_string_buffer(sys.argv[1].encode())
get = struct.pack("=QII", ctypes.addressof(path), 0, 0)
program = call(number, 7, get, len(get))
group = os.open(sys.argv[2], os.O_RDONLY)
attach = struct.pack("=IIII", group, program, 3, 0)
if program < 0 or call(number, 8, attach, len(attach)) != 0: sys.exit(os.strerror(ctypes.get_errno()))
"#;

#[test]
fn a_program_that_excludes_others_is_named() {
    if !is_root() {
        return;
    }
    let group = Group::make("narrows-alone");
    let below = group.0.join("below");
    fs::create_dir(&below).expect("it can be made");
    let object = taker("alone");
    let mut program = object.progs_mut().next().expect("there is one");
    let pin = format!("/sys/fs/bpf/narrows-alone-{}", std::process::id());
    program.pin(&pin).expect("it can be pinned");
    let attached = Command::new("python3").args(["-c", ATTACH, &pin]).arg(&group.0).status();
    fs::remove_file(&pin).expect("it can be removed");
    assert!(attached.expect("python3 runs").success());
    for cgroup in [&group.0, &below] {
        let cgroup = fs::File::open(cgroup).expect("it is there");
        let name = format!("alone-{}", std::process::id());
        let told = match Deployment::start(&name, &[cgroup]) {
            Ok(_) => panic!("it is excluded"),
            Err(error) => error.to_string(),
        };
        assert!(told.contains("the program \"taker\""), "{told}");
        assert!(
            told.contains(&format!("the control group {} for itself", group.0.display())),
            "{told}"
        );
        assert!(!Deployment::names().contains(&name));
    }
    fs::remove_dir(&below).expect("it is empty");
}

fn lease() -> Duration {
    Duration::from_secs(60)
}

#[test]
fn both_arms_of_an_observation_have_the_control() {
    if !is_root() {
        return;
    }
    let [treatment, default] = controllers();
    let group = Group::make("narrows-beside");
    let deployed = Deployed::start("beside", &group);
    deployed.renew(lease()).expect("it can be renewed");
    let beside = Share { treated: 0.5, is_beside: true };
    deployed.set(&policy(&treatment), &[beside]).expect("it can be set");
    let told: Vec<String> = group.python(MANY, "100").lines().collect();
    assert!(told.len() == 200 && told.iter().all(|line| line.ends_with(&default)), "{told:?}");
    let [control, treated, rest] = deployed.counts().expect("they can be read");
    assert_eq!(control.assigned + treated.assigned, 200);
    assert!(treated.assigned > 60 && control.assigned > 60 && rest.assigned == 0);
    assert_eq!((treated.closed, treated.overridden, treated.restored), (treated.assigned, 0, 0));
}

#[test]
fn ends_that_another_program_hides_are_counted() {
    if !is_root() {
        return;
    }
    let [treatment, _] = controllers();
    let group = Group::make("narrows-hidden");
    let deployed = Deployed::start("hidden", &group);
    deployed.renew(lease()).expect("it can be renewed");
    deployed.set(&policy(&treatment), &[1.0.into()]).expect("it can be set");
    let object = taker("hidden");
    let program = object.progs_mut().next().expect("there is one");
    // Programs that are attached later run later.
    let link = program.attach_cgroup(group.open().as_raw_fd()).expect("it attaches");
    assert_eq!(group.python(MANY, "20").lines().count(), 40);
    let treated = deployed.counts().expect("they can be read")[1];
    assert_eq!((treated.assigned, treated.closed), (40, 0));
    drop(link);
    assert_eq!(group.python(MANY, "20").lines().count(), 40);
    let treated = deployed.counts().expect("they can be read")[1];
    assert_eq!((treated.assigned, treated.closed), (80, 40));
    // The sockets are gone, so forty ends were hidden.
    assert_eq!(deployed.open_connections().expect("they can be counted"), [0; 3]);
}

/// Opens connections over loopback, and prints a line for each that is reset.
const IDLE: &str = r#"
import socket, sys, time
server = socket.create_server(("127.0.0.1", 8000), backlog=512)
pairs = []
for _ in range(int(sys.argv[1])):
    client = socket.create_connection(("127.0.0.1", 8000))
    pairs.append((client, server.accept()[0]))
print("ready", flush=True)
for client, accepted in pairs:
    client.settimeout(10)
    try: print("ended", client.recv(1), flush=True)
    except ConnectionResetError: print("reset", flush=True)
"#;

#[test]
fn open_treated_connections_are_counted_and_reset_in_their_namespace() {
    if !is_root() {
        return;
    }
    let [treatment, _] = controllers();
    let group = Group::make("narrows-reset");
    let deployed = Deployed::start("reset", &group);
    deployed.renew(lease()).expect("it can be renewed");
    deployed.set(&policy(&treatment), &[1.0.into()]).expect("it can be set");
    let mut running = group.python(IDLE, "50");
    let mut lines = running.lines();
    assert_eq!(lines.next().as_deref(), Some("ready"));
    assert_eq!(deployed.open_connections().expect("they can be counted"), [0, 50, 0]);
    assert_eq!(deployed.reset().expect("they can be reset"), 50);
    assert_eq!(lines.take(50).filter(|line| line == "reset").count(), 50);
    assert_eq!(deployed.open_connections().expect("they can be counted"), [0; 3]);
    let treated = deployed.counts().expect("they can be read")[1];
    assert_eq!((treated.assigned, treated.closed, treated.restored), (50, 50, 0));
    // Once is enough.
    assert_eq!(deployed.reset().expect("there are none"), 0);
}

#[test]
fn idle_connections_are_put_back_by_a_visit() {
    if !is_root() {
        return;
    }
    let [treatment, _] = controllers();
    let group = Group::make("narrows-idle");
    let deployed = Deployed::start("idle", &group);
    deployed.renew(lease()).expect("it can be renewed");
    deployed.set(&policy(&treatment), &[1.0.into()]).expect("it can be set");
    let mut running = group.python(IDLE, "50");
    assert_eq!(running.lines().next().as_deref(), Some("ready"));
    deployed.roll_back().expect("it can be set");
    assert_eq!(deployed.counts().expect("they can be read")[1].restored, 0);
    assert_eq!(deployed.put_back().expect("they can be put back"), 50);
    let treated = deployed.counts().expect("they can be read")[1];
    assert_eq!((treated.restored, treated.not_restored, treated.closed), (50, 0, 0));
    assert_eq!(deployed.put_back().expect("there are none"), 0);
}

#[test]
fn a_control_group_that_is_made_again_gets_the_program_again() {
    if !is_root() {
        return;
    }
    let [treatment, _] = controllers();
    let group = Group::make("narrows-again");
    let deployed = Deployed::start("again", &group);
    deployed.renew(lease()).expect("it can be renewed");
    deployed.set(&policy(&treatment), &[1.0.into()]).expect("it can be set");
    fs::remove_dir(&group.0).expect("it is empty");
    fs::create_dir(&group.0).expect("it can be made again");
    let treated = |told: Vec<String>| {
        assert_eq!(told.len(), 10);
        told.iter().filter(|line| line.ends_with(&format!(" {treatment}"))).count()
    };
    assert_eq!(treated(group.python(MANY, "5").lines().collect()), 0);
    deployed.attach(0, &group.open()).expect("it can be attached");
    assert_eq!(treated(group.python(MANY, "5").lines().collect()), 10);
    // Policies and counts are unchanged.
    assert_eq!(deployed.counts().expect("they can be read")[1].assigned, 10);
    assert_eq!(deployed.policy().expect("it can be read").salt, 7);
}

mod long {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::time::Instant;

    #[test]
    #[ignore = "ten seconds of connections while the policy changes"]
    fn a_thousand_changes_of_policy_leave_nobody_out() {
        if !is_root() {
            return;
        }
        let [one, other] = controllers();
        let group = Group::make("narrows-switch");
        let deployed = Deployed::start("switch", &group);
        deployed.renew(lease()).expect("it can be renewed");
        let policies = [&one, &other].map(|name| policy(name));
        deployed.set(&policies[0], &[1.0.into()]).expect("it can be set");
        let mut running = group.python(MANY, "8000");
        let lines = running.lines();
        let reader = std::thread::spawn(move || lines.collect::<Vec<String>>());
        let mut longest = Duration::ZERO;
        for turn in 0..1000 {
            let began = Instant::now();
            deployed.set(&policies[turn % 2], &[1.0.into()]).expect("it can be set");
            longest = longest.max(began.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        let told = reader.join().expect("it does not panic");
        assert_eq!(told.len(), 16_000);
        let of = |name: &str| told.iter().filter(|own| own.ends_with(&format!(" {name}"))).count();
        println!("{} and {}; longest change {longest:?}", of(&one), of(&other));
        assert_eq!(of(&one) + of(&other), told.len());
        assert!(of(&one) > 1000 && of(&other) > 1000);
        let all = deployed.counts().expect("they can be read");
        assert_eq!(all[1].assigned, 16_000);
        assert_eq!(all.iter().map(|own| own.refused).sum::<u64>(), 0);
    }

    /// Sends on many connections over loopback without end.
    const SENDERS: &str = r#"
import socket, sys, time
server = socket.create_server(("127.0.0.1", 8000), backlog=2048)
pairs = []
for _ in range(int(sys.argv[1])):
    client = socket.create_connection(("127.0.0.1", 8000))
    accepted, _ = server.accept()
    client.setblocking(False); accepted.setblocking(False)
    pairs.append((client, accepted))
print("ready", flush=True)
data = bytes(1000)
while True:
    for client, accepted in pairs:
        try: accepted.send(data)
        except BlockingIOError: pass
        try: client.recv(1 << 16)
        except BlockingIOError: pass
"#;

    #[test]
    #[ignore = "some seconds with 1000 connections"]
    fn a_thousand_senders_are_put_back_by_order_and_by_the_lease() {
        if !is_root() {
            return;
        }
        let [treatment, _] = controllers();
        const SENDING: u64 = 1000;
        for by_order in [true, false] {
            let what = if by_order { "many-order" } else { "many-lease" };
            let group = Group::make(what);
            let deployed = Deployed::start(what, &group);
            deployed.renew(lease()).expect("it can be renewed");
            deployed.set(&policy(&treatment), &[1.0.into()]).expect("it can be set");
            let mut running = group.python(SENDERS, &SENDING.to_string());
            let out = running.0.stdout.take().expect("it is piped");
            let mut line = String::new();
            BufReader::new(out).read_line(&mut line).expect("it tells");
            let began = Instant::now();
            let allowed = if by_order {
                deployed.roll_back().expect("it can be set");
                Duration::from_millis(200)
            } else {
                deployed.renew(Duration::from_secs(1)).expect("it can be renewed");
                Duration::from_millis(1200)
            };
            while deployed.counts().expect("they can be read")[1].restored < SENDING {
                assert!(began.elapsed() < Duration::from_secs(5), "not all are back");
                std::thread::sleep(Duration::from_millis(1));
            }
            let took = began.elapsed();
            println!("{what}: {SENDING} back after {took:?}");
            assert!(took < allowed + Duration::from_millis(800), "{took:?}");
        }
    }

    /// Opens connections over loopback one after another, with one byte in each direction.
    const ONE_BYTE: &str = r#"
import os, socket, sys
server = socket.create_server(("127.0.0.1", 8000), backlog=512)
for _ in range(int(sys.argv[1])):
    client = socket.create_connection(("127.0.0.1", 8000))
    accepted, _ = server.accept()
    client.send(b"x"); accepted.recv(1); accepted.send(b"y"); client.recv(1)
    client.close(); accepted.close()
own = os.times()
print(own.user + own.system, flush=True)
"#;

    /// Measures the CPU time for each end of a connection, with the program attached and off, and
    /// attached and on, in turn. Run it manually on a quiet machine. The build profile does not
    /// matter, because the BPF program is the same.
    #[test]
    #[ignore = "measures: --ignored --nocapture cost_of_each_end"]
    fn cost_of_each_end() {
        if !is_root() {
            return;
        }
        let [treatment, default] = controllers();
        const CONNECTIONS: u32 = 20_000;
        let group = Group::make("narrows-cost");
        let cpu = || {
            let told: Vec<String> =
                group.python(ONE_BYTE, &CONNECTIONS.to_string()).lines().collect();
            told[0].parse::<f64>().expect("seconds") / f64::from(2 * CONNECTIONS) * 1e6
        };
        let mut differences = Vec::new();
        for turn in 0..7 {
            let without = cpu();
            let deployed = Deployed::start("cost", &group);
            deployed.renew(lease()).expect("it can be renewed");
            let own = Policy { ends: 3, ..policy(&treatment) };
            deployed.set(&own, &[0.5.into()]).expect("it can be set");
            let with = cpu();
            let mut records = 0;
            deployed.read(|record| {
                records += 1;
                debug_assert!([&treatment, &default].contains(&&name_text(record.name)));
            });
            let lost: u64 =
                deployed.counts().expect("they can be read").iter().map(|own| own.unrecorded).sum();
            assert_eq!((records, lost), (2 * CONNECTIONS, 0));
            println!("turn {turn}: {without:.2} us without, {with:.2} us with, for each end");
            differences.push(with - without);
        }
        differences.sort_by(f64::total_cmp);
        println!("median difference {:.2} us for each end", differences[3]);
    }

    #[test]
    #[ignore = "some seconds with 20,000 connections"]
    fn counts_and_records_agree() {
        if !is_root() {
            return;
        }
        let [treatment, _] = controllers();
        let group = Group::make("narrows-agree");
        let deployed = Deployed::start("agree", &group);
        deployed.renew(lease()).expect("it can be renewed");
        let own = Policy {
            ends: 3,
            start_ns: monotonic_ns(),
            period_ns: 100_000_000_000,
            treatment: name_bytes(&treatment).expect("it is short"),
            ..policy(&treatment)
        };
        deployed.set(&own, &[0.5.into()]).expect("it can be set");
        assert_eq!(group.python(MANY, "10000").lines().count(), 20_000);
        let (mut acked, mut sent, mut records) = (0, 0, 0);
        deployed.read(|record| {
            acked += record.bytes_acked;
            sent += record.bytes_sent;
            records += 1;
        });
        let all = deployed.counts().expect("they can be read");
        let sum = |of: fn(&narrows_kernel::deployment::Counts) -> u64| -> u64 {
            all.iter().map(of).sum()
        };
        assert_eq!(sum(|own| own.assigned), 40_000);
        assert_eq!(sum(|own| own.closed), 40_000);
        assert_eq!((records, sum(|own| own.acked), sum(|own| own.sent)), (40_000, acked, sent));
    }
}
