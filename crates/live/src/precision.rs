//! Low wake-up latency of threads.

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};
use std::io;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Nice value with a share of 98.8 % against a thread of nice 0 (`sched_prio_to_weight`,
/// kernel/sched/core.c).
const NICE: i32 = -20;

/// Requested time slice, in nanoseconds: the minimum (`__setparam_fair`, kernel/sched/syscalls.c,
/// since Linux 6.12). A thread with a shorter slice may run as soon as it wakes (`PREEMPT_SHORT`).
const SLICE: u64 = 100_000;

/// Makes the calling thread wake at the requested nanosecond, as far as timers are exact, and run
/// before others then. Without `CAP_SYS_NICE` other threads may delay it; the delay is measured.
///
/// It is not a real-time thread, because the kernel would stop one that uses much of a core, for up
/// to 50 ms at a time, in favour of others (the fair server of kernel/sched/deadline.c,
/// `sched_rt_runtime_us` before it).
pub fn reduce_wakeup_latency() {
    // By default, the kernel may coalesce timers within 50 us (man 2 PR_SET_TIMERSLACK).
    set_current_timer_slack(NonZeroU64::new(1)).ok();
    raise_priority().ok();
}

/// Gives the calling thread priority over others. Needs `CAP_SYS_NICE`.
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
    // SAFETY: the kernel reads the first `size` bytes of `attributes`, which lives through the
    // call; 0 is the calling thread.
    let answer = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Number of runs of this process that reserve a core; all reserve the same one.
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// A core that is reserved for one thread of this process until this is dropped.
pub struct DedicatedCore {
    /// Cores that the process may use.
    all: CpuSet,
    core: CpuSet,
}

/// Keeps the calling thread and its later threads off the core that runs of this process reserve
/// for their emulators.
pub fn leave_emulators_core() {
    if let Some((_, others, _)) = DedicatedCore::divide() {
        sched_setaffinity(None, &others).ok();
    }
}

impl DedicatedCore {
    /// Reserves the last core: the calling thread and its later threads use the others. `None` if
    /// there is only one core.
    pub fn reserve() -> Option<DedicatedCore> {
        let (all, others, core) = DedicatedCore::divide()?;
        sched_setaffinity(None, &others).ok()?;
        RUNS.fetch_add(1, Ordering::Relaxed);
        Some(DedicatedCore { all, core })
    }

    /// Returns the cores of the calling thread: all, all but the last, and the last.
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
