//! Cases T01, T03 and T10 over a set of rates and round trips.

use super::drain::drained_by_flight;
use super::outcome::{Outcome, Trial};
use super::plan::Plan;
use super::probe_rtt::probes;
use super::startup::plateau_at;
use super::subject::Subject;
use narrows_units::{Span, Time};

/// A path of the full set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Rate in wire bits per second.
    pub rate: u64,
    /// Round trip without a queue.
    pub rtt: Span,
}

impl Cell {
    /// Formats the path: `1000 Mbit/s, 40 ms`.
    pub fn name(&self) -> String {
        let rate = if self.rate < 1_000_000 {
            format!("{} kbit/s", self.rate / 1_000)
        } else {
            format!("{} Mbit/s", self.rate / 1_000_000)
        };
        format!("{rate}, {} ms", self.rtt.as_millis_f64())
    }

    /// Returns the bandwidth-delay product in wire bytes.
    fn bdp(&self) -> u64 {
        (self.rate as u128 * self.rtt.as_nanos() as u128 / 8_000_000_000) as u64
    }
}

/// Returns the paths {64 kbit/s, 1, 50, 1000 Mbit/s} × {0.5, 40, 200, 1000 ms} that hold at least
/// one packet.
pub fn grid() -> Vec<Cell> {
    let rates = [64_000, 1_000_000, 50_000_000, 1_000_000_000];
    let rtts = [500, 40_000, 200_000, 1_000_000].map(Span::from_micros);
    let all = rates.into_iter().flat_map(|rate| rtts.map(|rtt| Cell { rate, rtt }));
    all.filter(|cell| cell.bdp() >= 1500).collect()
}

/// Runs T01, T03 and T10 on one path: one run for T01 and T03, and one for T10. The buffer is 2
/// BDP, and at least 20 packets and 10 ms. The minimum is our choice, because three bursts of 1 ms
/// at 2.77 times the rate may be in flight in Startup.
pub fn run_on(cell: &Cell, subject: &Subject) -> Vec<Outcome> {
    let buffer = format!("{} B", (2 * cell.bdp()).max(30_000).max(cell.rate / 800));
    let plan = || Plan::path(subject, cell.rate, cell.rtt, &buffer);
    // With a full buffer, Startup and Drain take at most 40 round trips, or the time of a hundred
    // packets if that is longer.
    let packets = Span::from_secs_f64(100.0 / plan().capacity());
    let start = (cell.rtt * 120 + packets).max(Span::from_secs(1));
    let name = cell.name();
    let mut run = None;
    let plateau = Trial::new(name.clone(), |trial| {
        let plan = plan().lasting(start);
        let ran = plan.run()?;
        let result = plateau_at(trial, &ran.record, plan.capacity(), Time::ZERO).map(drop);
        run = Some(ran);
        result
    });
    let drain = Trial::new(name.clone(), |trial| {
        drained_by_flight(trial, &run.as_ref().ok_or("Startup did not run")?.record)
    });
    let probe = Trial::new(name, |trial| {
        let ran = plan().lasting(Span::from_secs(30)).run()?;
        let count = probes(trial, &ran.record)?;
        trial.note("probes", count as f64);
        Ok(())
    });
    [("T01", plateau), ("T03", drain), ("T10", probe)]
        .into_iter()
        .map(|(id, trial)| trial.judge(id, None, subject))
        .collect()
}
