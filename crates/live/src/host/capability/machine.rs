//! Checks cores, timers, priority, and useful programs.

use super::state::Capability;
use crate::host::kernel::kernel_has_v6;
use crate::plan::MAXIMUM;
use crate::precision::raise_priority;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

pub fn ipv6() -> Capability {
    const NAME: &str = "IPv6";
    match kernel_has_v6() {
        true => Capability::there(NAME, "the kernel has it"),
        false => Capability::absent(
            NAME,
            "the kernel does not have it",
            "only flows whose headers are those of IPv6 need it: start the kernel without ipv6.disable=1",
        ),
    }
}

pub fn cores() -> Capability {
    const NAME: &str = "cores";
    match thread::available_parallelism().map_or(1, usize::from) {
        1 => Capability::absent(
            NAME,
            "1: emulator and TCP share it",
            "expect invalid runs above some Mbit/s; give this machine a second core",
        ),
        count => Capability::there(NAME, count.to_string()),
    }
}

pub fn rate() -> Capability {
    Capability::there(
        "emulator",
        format!(
            "carries {MAXIMUM}, all flows together, unless --maximum says otherwise; narrows lab bench --live measures it"
        ),
    )
}

/// Measures how late this host wakes a thread from a sleep of one millisecond, in microseconds:
/// median and 99th percentile of a hundred sleeps.
fn lateness() -> (u64, u64) {
    let sleep = Duration::from_millis(1);
    let mut late: Vec<u64> = (0..100)
        .map(|_| {
            let before = Instant::now();
            thread::sleep(sleep);
            (before.elapsed().saturating_sub(sleep)).as_micros() as u64
        })
        .collect();
    late.sort_unstable();
    (late[50], late[98])
}

pub fn timers() -> Capability {
    const NAME: &str = "timers";
    let resolution = rustix::time::clock_getres(rustix::time::ClockId::Monotonic);
    // SAFETY: PR_GET_TIMERSLACK has no further arguments and returns the slack.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK) };
    let (median, most) = lateness();
    let found = format!(
        "resolution {} ns, slack {} us; a sleep of 1 ms ends {median} us late (median), {most} us (99 %)",
        resolution.tv_nsec,
        slack / 1000
    );
    if resolution.tv_sec == 0 && resolution.tv_nsec < 1_000_000 {
        Capability::there(NAME, found)
    } else {
        Capability::absent(
            NAME,
            found,
            "take a kernel with high-resolution timers (CONFIG_HIGH_RES_TIMERS)",
        )
    }
}

pub fn priority() -> Capability {
    const NAME: &str = "priority";
    // Use another thread, so that only that thread's priority changes.
    match thread::spawn(raise_priority).join() {
        Ok(Ok(())) => Capability::there(NAME, "the emulator can run before others"),
        Ok(Err(error)) => Capability::absent(
            NAME,
            error.to_string(),
            "root has it (CAP_SYS_NICE); without it others can make packets late, which is measured",
        ),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

/// Checks that a program is installed.
pub fn tool(name: &str, argument: &str, package: &str, purpose: &str) -> Capability {
    let output =
        Command::new(name).arg(argument).stdin(Stdio::null()).stderr(Stdio::null()).output();
    match output {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout)
                .lines()
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned();
            Capability::there(name, text)
        }
        Ok(output) => Capability::absent(
            name,
            format!("it fails: {}", output.status),
            format!("{purpose}; on Debian: apt install {package}"),
        ),
        Err(_) => Capability::absent(
            name,
            "not installed",
            format!("{purpose}; on Debian: apt install {package}"),
        ),
    }
}
