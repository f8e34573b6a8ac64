//! What the machine and the devices say of a run.

use crate::emulator::Tally;
use crate::hosts::Host;
use crate::netlink::Netlink;
use crate::tun::DEVICE;
use narrows_measure::Emulation;
use narrows_units::Span;
use std::fs;
use std::io;

/// The state of machine and devices at one moment.
pub struct Gauge {
    cores: Cores,
    overrun: u64,
    refused: u64,
    spoiled: u64,
}

/// What the scheduler has counted of a thread (Documentation/scheduler/sched-stats.rst).
#[derive(Clone, Copy, Debug, Default)]
pub struct Turns {
    /// How long it was ready to run and did not.
    pub waited: Span,
    /// How often it was given a core.
    pub count: u64,
}

impl Turns {
    /// Those of the calling thread so far; none where the kernel does not count.
    pub fn read() -> Turns {
        let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let numbers: Vec<u64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        match numbers[..] {
            [_ran, waited, count, ..] => Turns { waited: Span::from_nanos(waited), count },
            _ => Turns::default(),
        }
    }

    /// Those after `before`.
    pub fn since(&self, before: &Turns) -> Turns {
        Turns { waited: self.waited - before.waited, count: self.count - before.count }
    }
}

/// Ticks of all cores together.
#[derive(Clone, Copy)]
struct Cores {
    idle: u64,
    all: u64,
}

impl Gauge {
    /// Reads it.
    pub fn read(hosts: &[Host]) -> io::Result<Gauge> {
        let (mut overrun, mut refused, mut spoiled) = (0, 0, 0);
        for host in hosts {
            let stats = host.namespace.enter(|| Netlink::open()?.stats(DEVICE))?;
            overrun += stats.tx_dropped;
            refused += stats.rx_dropped;
            spoiled += host.namespace.enter(found_wrong)?;
        }
        Ok(Gauge { cores: Cores::read()?, overrun, refused, spoiled })
    }

    /// What machine, devices and emulator say of the run between this state and `after`, which took `wall`.
    pub fn until(&self, after: &Gauge, tally: &Tally, wall: Span) -> Emulation {
        let late = |share| tally.lateness.quantile(share).unwrap_or(Span::ZERO);
        let ticks = (after.cores.all - self.cores.all).max(1);
        Emulation {
            late_p50: late(0.5),
            late_p99: late(0.99),
            late_max: tally.lateness.max().unwrap_or(Span::ZERO),
            gap_max: tally.gap_max,
            overlooked: tally.overlooked,
            waited: tally.turns.waited,
            turns: tally.turns.count,
            packets: tally.packets,
            crossings: tally.crossings,
            unknown: tally.unknown,
            overrun: after.overrun - self.overrun,
            refused: (after.refused - self.refused).max(tally.refused),
            spoiled: after.spoiled - self.spoiled,
            busy: wall - tally.idle.min(wall),
            wall,
            idle: (after.cores.idle - self.cores.idle) as f64 / ticks as f64,
            ..Emulation::default()
        }
    }
}

/// Packets in which the kernel of the calling thread's namespace found something wrong (Documentation/networking/snmp_counter.rst). Of those over IPv6 the files
/// count UDP's and the headers'; TCP's are counted for both.
fn found_wrong() -> io::Result<u64> {
    const COUNTERS: [&str; 5] = ["Ip InHdrErrors", "Tcp InCsumErrors", "Udp InCsumErrors", "Ip6InHdrErrors", "Udp6InCsumErrors"];
    let (old, new) =
        (fs::read_to_string("/proc/thread-self/net/snmp")?, fs::read_to_string("/proc/thread-self/net/snmp6").unwrap_or_default());
    let lines: Vec<&str> = old.lines().collect();
    let v4 = lines.chunks_exact(2).flat_map(|pair| {
        let group = pair[0].split(':').next().unwrap_or_default();
        let names = pair[0].split_whitespace().skip(1).map(move |name| format!("{group} {name}"));
        names.zip(pair[1].split_whitespace().skip(1))
    });
    let v6 = new.lines().filter_map(|line| line.split_once(char::is_whitespace)).map(|(name, count)| (name.to_owned(), count.trim()));
    Ok(v4.chain(v6).filter(|(name, _)| COUNTERS.contains(&name.as_str())).filter_map(|(_, count)| count.parse::<u64>().ok()).sum())
}

impl Cores {
    /// Of /proc/stat (man 5 proc): user, nice, system, idle, iowait, irq, softirq, steal; what follows is contained in the first two.
    fn read() -> io::Result<Cores> {
        let text = fs::read_to_string("/proc/stat")?;
        let first = text.lines().next().unwrap_or_default();
        let ticks: Vec<u64> = first.split_whitespace().skip(1).take(8).filter_map(|number| number.parse().ok()).collect();
        match ticks[..] {
            [_, _, _, idle, waiting, ..] => Ok(Cores { idle: idle + waiting, all: ticks.iter().sum() }),
            _ => Err(io::Error::other("/proc/stat says nothing of the cores")),
        }
    }
}
