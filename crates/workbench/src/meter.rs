//! CPU time and memory of this process.

use std::time::Duration;

/// Returns the CPU time of this thread.
pub fn cpu_time() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Returns the CPU time of all child processes that have ended, with a resolution of 10 ms. Returns
/// zero if the system does not have it (Linux has it in `/proc/self/stat`).
pub fn cpu_time_of_children() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in parentheses, user and system time of children are the 16th and 17th field
    // (proc(5)).
    let fields =
        stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace().skip(13).take(2);
    Duration::from_millis(fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10)
}

/// Returns the peak resident memory in MiB, or `None` if the system does not have it (Linux has it
/// in `/proc/self/status`).
pub fn peak_memory_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024.0)
}
