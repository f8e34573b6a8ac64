//! `narrows lab bench --kernel`: CPU cost of the controllers that narrows loads into the kernel,
//! compared with the kernel's built-in controllers.
//!
//! The setup has two hosts with a router between them, each in a network namespace, a token bucket
//! of 200 Mbit/s at the router, and iperf3 as the traffic source. It has no emulator, because the
//! emulator would keep a processor awake all the time. The token bucket is not at the sender: TCP
//! small queues would hold back there the excess that a controller sends. The controllers take
//! turns in slices of some seconds, so that other load on the machine affects all of them alike.

use narrows_control::Choice;
use narrows_control::TWINS;
use narrows_kernel::Loaded;
use narrows_workbench::Failure;
use narrows_workbench::Outcome;
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Start of each slice that is not measured, because controllers with pacing start slowly.
const WARMUP: Duration = Duration::from_millis(1_500);

/// Measured length of each slice.
const SLICE: Duration = Duration::from_secs(5);

/// The kernel's built-in controllers: label, name in the kernel, and whether iperf3 paces them. The
/// first is the baseline.
const OWN: [(&str, &str, bool); 3] =
    [("cubic", "cubic", false), ("cubic, paced", "cubic", true), ("bbr", "bbr", false)];

/// Result of one controller.
#[derive(Serialize)]
struct Row {
    name: String,
    /// Name of the controller in the kernel.
    kernel: String,
    paced: bool,
    /// CPU time of the whole machine, in seconds.
    cpu_s: f64,
    /// Received bytes, with headers.
    bytes: u64,
    mbps: f64,
    ns_per_byte: f64,
    of_cubic: f64,
}

/// Measures each controller in `slices` slices and prints a table or JSON.
pub fn bench(slices: u32, json: bool) -> Result<Outcome, Failure> {
    let mut loaded = Vec::new();
    let mut cases: Vec<(String, String, bool)> =
        OWN.map(|(name, kernel, paced)| (name.to_owned(), kernel.to_owned(), paced)).into();
    for (number, twin) in TWINS.iter().enumerate() {
        let choice: Choice = twin
            .choice
            .parse()
            .map_err(|error| Failure::Other(format!("{}: {error}", twin.choice)))?;
        let constants = twin
            .constants_of(&choice)
            .map_err(|error| Failure::Other(format!("{}: {error}", twin.choice)))?;
        // The process id keeps the name free of names in use.
        let name = format!("cost{}.{number}", std::process::id());
        loaded.push(Loaded::new(twin, &constants, &name)?);
        cases.push((twin.kernel.to_owned(), name, false));
    }
    let row = |(name, kernel, paced)| Row {
        name,
        kernel,
        paced,
        cpu_s: 0.0,
        bytes: 0,
        mbps: 0.0,
        ns_per_byte: 0.0,
        of_cubic: 0.0,
    };
    let mut rows: Vec<Row> = cases.into_iter().map(row).collect();
    let hosts = Hosts::new()?;
    for _ in 0..slices {
        rows.iter_mut().try_for_each(|row| hosts.slice(row))?;
    }
    for row in &mut rows {
        row.mbps = row.bytes as f64 * 8e-6 / (SLICE.as_secs_f64() * f64::from(slices));
        row.ns_per_byte = row.cpu_s * 1e9 / row.bytes.max(1) as f64;
    }
    let cubic = rows[0].ns_per_byte;
    rows.iter_mut().for_each(|row| row.of_cubic = row.ns_per_byte / cubic);
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string_pretty(&rows)
            .map_err(|error| Failure::Other(error.to_string()))?;
        writeln!(out, "{text}")?;
        return Ok(Outcome::Ok);
    }
    writeln!(
        out,
        "One connection, 200 Mbit/s, {slices} slices of {} s each; processor time of the whole machine",
        SLICE.as_secs()
    )?;
    writeln!(
        out,
        "{:<14} {:>8} {:>8} {:>9} {:>9}",
        "controller", "CPU s", "Mbit/s", "ns/byte", "of cubic"
    )?;
    for Row { name, cpu_s, mbps, ns_per_byte, of_cubic, .. } in &rows {
        writeln!(out, "{name:<14} {cpu_s:>8.2} {mbps:>8.1} {ns_per_byte:>9.3} {of_cubic:>9.3}")?;
    }
    Ok(Outcome::Ok)
}

/// A child process that is killed on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Two hosts and a router in network namespaces, with 200 Mbit/s between the hosts.
struct Hosts {
    from: String,
    router: String,
    to: String,
    server: Option<Running>,
}

impl Hosts {
    fn new() -> Result<Hosts, Failure> {
        let id = std::process::id();
        let name = |what: &str| format!("narrows-{what}-{id}");
        let mut hosts =
            Hosts { from: name("from"), router: name("router"), to: name("to"), server: None };
        let Hosts { from, router, to, .. } = &hosts;
        for host in [from, router, to] {
            ip(&format!("netns add {host}"))?;
        }
        for (host, net) in [(from, 0), (to, 1)] {
            ip(&format!("-n {host} link add port type veth peer name port{net} netns {router}"))?;
            ip(&format!("-n {host} addr add 10.9.{net}.2/24 dev port"))?;
            ip(&format!("-n {router} addr add 10.9.{net}.1/24 dev port{net}"))?;
            ip(&format!("-n {host} link set port up"))?;
            ip(&format!("-n {router} link set port{net} up"))?;
            ip(&format!("-n {host} route add default via 10.9.{net}.1"))?;
        }
        ip(&format!("netns exec {router} sysctl -q -w net.ipv4.ip_forward=1"))?;
        ip(&format!(
            "netns exec {router} tc qdisc add dev port1 root tbf rate 200mbit burst 128k latency 25ms"
        ))?;
        hosts.server = Some(started(&format!("netns exec {to} iperf3 -s"))?);
        sleep(Duration::from_millis(300));
        Ok(hosts)
    }

    /// Returns the bytes that the receiver has got so far.
    fn arrived(&self) -> Result<u64, Failure> {
        let text =
            ip(&format!("netns exec {} cat /sys/class/net/port/statistics/rx_bytes", self.to))?;
        text.trim().parse().map_err(|_| Failure::Other(format!("not a number of bytes: {text}")))
    }

    fn slice(&self, row: &mut Row) -> Result<(), Failure> {
        // Turns on pacing. The pacing rate is twice the link rate, so it does not limit the flow.
        let paced = if row.paced { "--fq-rate 400M" } else { "" };
        let client = started(&format!(
            "netns exec {} iperf3 -c 10.9.1.2 -t 60 -C {} {paced}",
            self.from, row.kernel
        ))?;
        sleep(WARMUP);
        let (bytes, seconds) = (self.arrived()?, busy());
        sleep(SLICE);
        row.cpu_s += busy() - seconds;
        row.bytes += self.arrived()? - bytes;
        drop(client);
        sleep(Duration::from_millis(300));
        Ok(())
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        self.server.take();
        for host in [&self.from, &self.router, &self.to] {
            ip(&format!("netns del {host}")).ok();
        }
    }
}

/// Runs `ip` of iproute2 with these arguments and returns its output.
fn ip(words: &str) -> Result<String, Failure> {
    let output = Command::new("ip")
        .args(words.split_whitespace())
        .output()
        .map_err(|error| Failure::Other(format!("ip of iproute2: {error}")))?;
    if !output.status.success() {
        return Err(Failure::Other(format!(
            "ip {words}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn started(words: &str) -> Result<Running, Failure> {
    let child = Command::new("ip")
        .args(words.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    child.map(Running).map_err(|error| Failure::Other(format!("ip of iproute2: {error}")))
}

/// Returns the seconds of CPU time in which the processors of the machine were not idle: user,
/// nice, system, irq and softirq in the first line of `/proc/stat`, in units of 10 ms (proc(5)).
fn busy() -> f64 {
    let text = fs::read_to_string("/proc/stat").unwrap_or_default();
    let ticks: Vec<f64> = text
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|word| word.parse().ok())
        .collect();
    [0, 1, 2, 5, 6].iter().filter_map(|column| ticks.get(*column)).sum::<f64>() / 100.0
}
