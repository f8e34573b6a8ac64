//! Measures how long a thread has waited for a core.

use narrows_units::Span;
use std::fs;

/// The scheduler's counts for a thread (Documentation/scheduler/sched-stats.rst).
#[derive(Clone, Copy, Debug, Default)]
pub struct SchedStat {
    /// Time for which it was ready but did not run (`run_delay`).
    pub run_delay: Span,
    /// Number of times that it got a core (`pcount`).
    pub timeslices: u64,
}

impl SchedStat {
    /// Reads the counts of the calling thread; zero if the kernel does not count.
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

    /// Returns the difference from an earlier reading.
    pub fn since(&self, before: &SchedStat) -> SchedStat {
        SchedStat {
            run_delay: self.run_delay - before.run_delay,
            timeslices: self.timeslices - before.timeslices,
        }
    }
}
