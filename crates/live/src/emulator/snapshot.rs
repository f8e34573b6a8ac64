//! Counters of the machine and the devices, and the precision of a run from two readings.

use super::stats::EmulatorStats;
use crate::host::{DEVICE, Host, Netlink};
use narrows_measure::Emulation;
use narrows_units::Span;
use std::fs;
use std::io;

/// Counters at one time.
pub struct Snapshot {
    cpu: CpuTicks,
    overrun: u64,
    refused: u64,
    spoiled: u64,
}

/// Ticks, summed over all cores.
#[derive(Clone, Copy)]
struct CpuTicks {
    idle: u64,
    all: u64,
}

impl Snapshot {
    /// Reads the counters.
    pub fn read(hosts: &[Host]) -> io::Result<Snapshot> {
        let (mut overrun, mut refused, mut spoiled) = (0, 0, 0);
        for host in hosts {
            let counted = host.namespace.enter(|| Netlink::open()?.stats(DEVICE))?;
            overrun += counted.tx_dropped;
            let (no_room, wrong) = host.namespace.enter(lost_in_kernel)?;
            refused += counted.rx_dropped + no_room;
            spoiled += wrong;
        }
        Ok(Snapshot { cpu: CpuTicks::read()?, overrun, refused, spoiled })
    }

    /// Returns the precision of the run between this reading and `after`, a time of `wall`.
    pub fn until(&self, after: &Snapshot, stats: &EmulatorStats, wall: Span) -> Emulation {
        let late = |share| stats.lateness.quantile(share).unwrap_or(Span::ZERO);
        let ticks = (after.cpu.all - self.cpu.all).max(1);
        Emulation {
            late_p50: late(0.5),
            late_p99: late(0.99),
            late_max: stats.lateness.max().unwrap_or(Span::ZERO),
            gap_max: stats.gap_max,
            overlooked: stats.overlooked,
            waited: stats.scheduler.run_delay,
            turns: stats.scheduler.timeslices,
            packets: stats.packets,
            crossings: stats.crossings,
            unknown: stats.unknown,
            overrun: after.overrun - self.overrun,
            refused: (after.refused - self.refused).max(stats.refused),
            spoiled: after.spoiled - self.spoiled,
            busy: wall - stats.idle.min(wall),
            wall,
            idle: (after.cpu.idle - self.cpu.idle) as f64 / ticks as f64,
            ..Emulation::default()
        }
    }
}

/// Counts the packets that UDP sockets of the calling thread's namespace had no room for, and the
/// packets in which its kernel found errors (Documentation/networking/snmp_counter.rst). For IPv6,
/// the files count errors of UDP and of headers; the TCP counter includes both IP versions.
fn lost_in_kernel() -> io::Result<(u64, u64)> {
    const NO_ROOM: [&str; 2] = ["Udp RcvbufErrors", "Udp6RcvbufErrors"];
    const WRONG: [&str; 5] = [
        "Ip InHdrErrors",
        "Tcp InCsumErrors",
        "Udp InCsumErrors",
        "Ip6InHdrErrors",
        "Udp6InCsumErrors",
    ];
    let (old, new) = (
        fs::read_to_string("/proc/thread-self/net/snmp")?,
        fs::read_to_string("/proc/thread-self/net/snmp6").unwrap_or_default(),
    );
    let lines: Vec<&str> = old.lines().collect();
    let v4 = lines.chunks_exact(2).flat_map(|pair| {
        let group = pair[0].split(':').next().unwrap_or_default();
        let names = pair[0].split_whitespace().skip(1).map(move |name| format!("{group} {name}"));
        names.zip(pair[1].split_whitespace().skip(1))
    });
    let v6 = new
        .lines()
        .filter_map(|line| line.split_once(char::is_whitespace))
        .map(|(name, count)| (name.to_owned(), count.trim()));
    let counters: Vec<(String, u64)> =
        v4.chain(v6).filter_map(|(name, count)| Some((name, count.parse().ok()?))).collect();
    let sum = |names: &[&str]| {
        counters
            .iter()
            .filter(|(name, _)| names.contains(&name.as_str()))
            .map(|(_, count)| count)
            .sum()
    };
    Ok((sum(&NO_ROOM), sum(&WRONG)))
}

impl CpuTicks {
    /// Reads /proc/stat (man 5 proc): user, nice, system, idle, iowait, irq, softirq, steal. The
    /// later fields are part of the first two. The time of programs with a nice value counts as
    /// idle, because they give way to the hosts and the emulator.
    fn read() -> io::Result<CpuTicks> {
        let text = fs::read_to_string("/proc/stat")?;
        let first = text.lines().next().unwrap_or_default();
        let ticks: Vec<u64> = first
            .split_whitespace()
            .skip(1)
            .take(8)
            .filter_map(|number| number.parse().ok())
            .collect();
        match ticks[..] {
            [_, nice, _, idle, waiting, ..] => {
                Ok(CpuTicks { idle: nice + idle + waiting, all: ticks.iter().sum() })
            }
            _ => Err(io::Error::other("/proc/stat has no line for all cores")),
        }
    }
}
