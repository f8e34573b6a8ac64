//! What the machine and the devices say of a run.

use crate::emulator::Tally;
use crate::hosts::Host;
use crate::netlink::Netlink;
use crate::tun::DEVICE;
use narrows_measure::{Emulation, Limit};
use narrows_units::Span;
use std::fs;
use std::io;

/// The state of machine and devices at one moment.
pub struct Gauge {
    cores: Cores,
    overrun: u64,
    refused: u64,
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
        let (mut overrun, mut refused) = (0, 0);
        for host in hosts {
            let stats = host.namespace.enter(|| Netlink::open()?.stats(DEVICE))?;
            overrun += stats.tx_dropped;
            refused += stats.rx_dropped;
        }
        Ok(Gauge { cores: Cores::read()?, overrun, refused })
    }

    /// What the run between this state and `after` was, which took `wall`.
    pub fn until(&self, after: &Gauge, tally: &Tally, wall: Span, base_rtt: Span, limits: Vec<Limit>) -> Emulation {
        let late = |share| tally.lateness.quantile(share).unwrap_or(Span::ZERO);
        let ticks = (after.cores.all - self.cores.all).max(1);
        Emulation {
            late_p50: late(0.5),
            late_p99: late(0.99),
            late_max: tally.lateness.max().unwrap_or(Span::ZERO),
            packets: tally.packets,
            crossings: tally.crossings,
            unknown: tally.unknown,
            overrun: after.overrun - self.overrun,
            refused: (after.refused - self.refused).max(tally.refused),
            busy: wall - tally.idle.min(wall),
            wall,
            base_rtt,
            idle: (after.cores.idle - self.cores.idle) as f64 / ticks as f64,
            limits,
        }
    }
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
