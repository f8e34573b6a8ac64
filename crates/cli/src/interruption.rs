//! Signals that ask this process to end.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

/// From its first use on, a signal that asks this process to end does no more than to set it: Ctrl-C, SIGTERM, and SIGHUP where nobody has
/// it ignored, as `nohup` does.
static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM].into_iter().chain((!is_ignored(SIGHUP)).then_some(SIGHUP)) {
        // Without it the signal ends the process at once, which is as good.
        let _ = signal_hook::flag::register(signal, Arc::clone(&flag));
    }
    flag
});

/// Whether this process was started with a signal ignored, where the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
    u64::from_str_radix(set.trim(), 16).is_ok_and(|set| set >> (signal - 1) & 1 == 1)
}

/// From now on Ctrl-C and its like do no more than to set what this returns.
pub fn interruption() -> &'static AtomicBool {
    &INTERRUPTED
}
