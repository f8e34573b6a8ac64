//! How long a thread has waited for a core.

use narrows_units::Span;
use std::fs;

/// The scheduler's counts of a thread (Documentation/scheduler/sched-stats.rst).
#[derive(Clone, Copy, Debug, Default)]
pub struct SchedStat {
    /// How long it was ready to run and did not (`run_delay`).
    pub run_delay: Span,
    /// How often it was given a core (`pcount`).
    pub timeslices: u64,
}

impl SchedStat {
    /// Of the calling thread so far; zero where the kernel does not count.
    pub fn read() -> SchedStat {
        let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        let numbers: Vec<u64> =
            text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        match numbers[..] {
            [_cpu_time, run_delay, timeslices, ..] => {
                SchedStat { run_delay: Span::from_nanos(run_delay), timeslices }
            }
            _ => SchedStat::default(),
        }
    }

    /// The difference to an earlier reading.
    pub fn since(&self, before: &SchedStat) -> SchedStat {
        SchedStat {
            run_delay: self.run_delay - before.run_delay,
            timeslices: self.timeslices - before.timeslices,
        }
    }
}
