//! Threads that wake in time.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A weight of 98.8 % beside one thread without a nice value (`sched_prio_to_weight`, kernel/sched/core.c).
const NICE: i32 = -20;

/// How long it asks to run at a time, in nanoseconds: the least that there is (`__setparam_fair`, kernel/sched/syscalls.c, since Linux
/// 6.12). A thread with a shorter slice may run at once when it wakes (`PREEMPT_SHORT`).
const SLICE: u64 = 100_000;

/// Makes the calling thread wake at the nanosecond that it asks for, as far as timers are exact, and run before others then. Without
/// `CAP_SYS_NICE` others may delay it; how much is measured.
///
/// Not a real-time thread: the kernel stops one that uses much of a core for up to 50 ms at a time for the sake of others (the fair server
/// of kernel/sched/deadline.c, `sched_rt_runtime_us` before it).
pub fn reduce_wakeup_latency() {
    // The kernel may otherwise collect timers within 50 us (man 2 PR_SET_TIMERSLACK).
    set_current_timer_slack(NonZeroU64::new(1)).ok();
    raise_priority().ok();
}

/// Lets the calling thread run before others. Needs `CAP_SYS_NICE`.
///
/// # Errors
///
/// The kernel does not allow it.
pub fn raise_priority() -> io::Result<()> {
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_OTHER as u32,
        // Threads that it starts have the usual priority.
        sched_flags: libc::SCHED_FLAG_RESET_ON_FORK as u64,
        sched_nice: NICE,
        sched_priority: 0,
        sched_runtime: SLICE,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the kernel reads as many bytes as `size` says of `attributes`, which lives through the call; 0 is the calling thread.
    let answer = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Runs of this process that keep a core free: the same one.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A core that is kept free for one thread of this process, until this is dropped.
pub struct DedicatedCore {
    /// The cores that the process may use.
    all: CpuSet,
    core: CpuSet,
}

/// Keeps the calling thread, and those that it starts from now on, off the core that runs of this process keep free for their emulators.
pub fn leave_emulators_core() {
    if let Some((_, others, _)) = DedicatedCore::divide() {
        sched_setaffinity(None, &others).ok();
    }
}

impl DedicatedCore {
    /// Keeps the last core free: the calling thread and the threads that it starts from now on use the others. `None` if there is only one.
    pub fn reserve() -> Option<DedicatedCore> {
        let (all, others, core) = DedicatedCore::divide()?;
        sched_setaffinity(None, &others).ok()?;
        RUNS.fetch_add(1, Ordering::Relaxed);
        Some(DedicatedCore { all, core })
    }

    /// The cores of the calling thread: all, those for everything else, and the last.
    fn divide() -> Option<(CpuSet, CpuSet, CpuSet)> {
        let all = sched_getaffinity(None).ok()?;
        let last = (0..CpuSet::MAX_CPU).rev().find(|cpu| all.is_set(*cpu))?;
        let (mut others, mut core) = (all, CpuSet::new());
        others.unset(last);
        core.set(last);
        (others.count() > 0).then_some((all, others, core))
    }

    /// True if no other run of this process uses the core.
    pub fn is_exclusive(&self) -> bool {
        RUNS.load(Ordering::Relaxed) == 1
    }

    /// Moves the calling thread to the core.
    pub fn pin(&self) {
        sched_setaffinity(None, &self.core).ok();
    }
}

impl Drop for DedicatedCore {
    fn drop(&mut self) {
        RUNS.fetch_sub(1, Ordering::Relaxed);
        sched_setaffinity(None, &self.all).ok();
    }
}
