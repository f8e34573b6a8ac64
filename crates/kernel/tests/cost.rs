//! What controllers in the kernel cost: processor time of the whole machine for each byte that arrives, beside the kernel's CUBIC, and the part of their own programs.
//!
//! Two namespaces, a veth pair, a token bucket of 200 Mbit/s in front of it (`ip`, `tc`, `iperf3`). Slices of some seconds take turns, so that what the machine does besides
//! meets all alike.
#![cfg(feature = "bpf")]

use libbpf_rs::query::ProgInfoIter;
use narrows_control::cores::TWINS;
use narrows_control::registry::Choice;
use narrows_kernel::Loaded;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Slices of each controller.
const ROUNDS: usize = 12;
const WARMUP: Duration = Duration::from_millis(1_500);
const SLICE: Duration = Duration::from_secs(5);

fn ip(words: &str) {
    let status = Command::new("ip").args(words.split_whitespace()).status().expect("ip of iproute2");
    assert!(status.success(), "ip {words}");
}

/// Two hosts with 200 Mbit/s between them.
struct Hosts {
    from: String,
    to: String,
    _server: Kill,
}

/// A process that ends with this.
struct Kill(Child);

impl Drop for Kill {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Hosts {
    fn new() -> Hosts {
        let id = std::process::id();
        let (from, to) = (format!("cost-from-{id}"), format!("cost-to-{id}"));
        ip(&format!("netns add {from}"));
        ip(&format!("netns add {to}"));
        ip(&format!("-n {from} link add near type veth peer name far netns {to}"));
        ip(&format!("-n {from} addr add 10.9.0.1/24 dev near"));
        ip(&format!("-n {to} addr add 10.9.0.2/24 dev far"));
        ip(&format!("-n {from} link set near up"));
        ip(&format!("-n {to} link set far up"));
        ip(&format!("netns exec {from} tc qdisc add dev near root tbf rate 200mbit burst 128k latency 25ms"));
        let server = Command::new("ip").args(["netns", "exec", &to, "iperf3", "-s"]).stdout(Stdio::null()).spawn().expect("ip of iproute2");
        sleep(Duration::from_millis(300));
        Hosts { from, to, _server: Kill(server) }
    }

    /// Bytes that have arrived.
    fn arrived(&self) -> u64 {
        let words = ["netns", "exec", &self.to, "cat", "/sys/class/net/far/statistics/rx_bytes"];
        let output = Command::new("ip").args(words).output().expect("ip of iproute2");
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        ip(&format!("netns del {}", self.from));
        ip(&format!("netns del {}", self.to));
    }
}

/// Processor time that was not idle, of all processors, in seconds.
fn busy() -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap();
    let ticks: Vec<f64> = text.lines().next().unwrap().split_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    // user, nice, system, then idle and iowait, then irq and softirq; in hundredths (proc(5)).
    (ticks[..3].iter().sum::<f64>() + ticks[5] + ticks[6]) / 100.0
}

#[derive(Default)]
struct Row {
    seconds: f64,
    bytes: u64,
}

/// How long the programs of this process ran and how often, since they were loaded (`kernel.bpf_stats_enabled`).
fn programs(pid_names: &[String]) -> Vec<(String, u32, usize, u64, u64)> {
    let told = ProgInfoIter::default().map(|program| {
        let name = program.name.to_string_lossy().into_owned();
        (name, program.verified_insns, program.id as usize, program.run_time_ns, program.run_cnt)
    });
    told.filter(|(name, ..)| pid_names.contains(name)).collect()
}

#[test]
#[ignore = "takes minutes of an idle machine"]
fn of_each_controller() {
    assert!(rustix::process::geteuid().is_root(), "only root may give controllers to the kernel");
    let rounds = std::env::var("ROUNDS").map_or(ROUNDS, |text| text.parse().expect("a number"));
    let loaded: Vec<Loaded> = TWINS
        .iter()
        .map(|twin| {
            let constants = twin.constants_of(&twin.choice.parse::<Choice>().unwrap()).unwrap();
            Loaded::new(twin, &constants, &format!("c{}.{}", std::process::id(), &twin.kernel[..twin.kernel.len().min(5)]))
                .unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    let hosts = Hosts::new();
    let mut cases: Vec<(String, String, bool)> =
        vec![("cubic".into(), "cubic".into(), false), ("cubic, paced".into(), "cubic".into(), true)];
    cases.extend(TWINS.iter().zip(&loaded).map(|(twin, loaded)| (twin.kernel.to_owned(), loaded.name().to_owned(), false)));
    let mut rows: Vec<Row> = cases.iter().map(|_| Row::default()).collect();
    for _ in 0..rounds {
        for ((_, controller, paced), row) in cases.iter().zip(&mut rows) {
            let mut words = vec!["netns", "exec", &hosts.from, "iperf3", "-c", "10.9.0.2", "-t", "60", "-C", controller];
            // Paces, and at twice the rate of the link at most holds nothing back.
            words.extend(if *paced { &["--fq-rate", "400M"][..] } else { &[] });
            let client = Kill(Command::new("ip").args(words).stdout(Stdio::null()).spawn().expect("ip of iproute2"));
            sleep(WARMUP);
            let (bytes, seconds) = (hosts.arrived(), busy());
            sleep(SLICE);
            row.seconds += busy() - seconds;
            row.bytes += hosts.arrived() - bytes;
            drop(client);
            sleep(Duration::from_millis(300));
        }
    }
    let per_byte = |row: &Row| row.seconds * 1e9 / row.bytes as f64;
    println!("{:<14} {:>8} {:>9} {:>9} {:>9}", "controller", "CPU s", "Mbit/s", "ns/byte", "of cubic");
    for ((name, ..), row) in cases.iter().zip(&rows) {
        let rate = row.bytes as f64 * 8e-6 / (SLICE.as_secs_f64() * rounds as f64);
        println!("{name:<14} {:>8.2} {rate:>9.1} {:>9.3} {:>9.3}", row.seconds, per_byte(row), per_byte(row) / per_byte(&rows[0]));
    }
    println!("\n{:<16} {:>9} {:>10} {:>9}", "program", "verified", "calls", "ns/call");
    for (name, verified, id, time, calls) in
        programs(&["cong_control", "cong_avoid", "pkts_acked", "set_state", "cwnd_event"].map(str::to_owned))
    {
        let each = time as f64 / calls.max(1) as f64;
        println!("{name:<12} {id:>3} {verified:>9} {calls:>10} {each:>9.0}");
    }
}
