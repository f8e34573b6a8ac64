//! The wall clock of a run, and waiting for times and devices.

use narrows_units::{Span, Time};
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The monotonic clock, counted from the beginning of the run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero: u64,
}

impl Clock {
    /// Makes a clock that begins now.
    pub fn start() -> Clock {
        Clock { zero: nanoseconds(ClockId::Monotonic) }
    }

    /// Returns the beginning of the run on the monotonic clock, in nanoseconds.
    pub fn zero(&self) -> u64 {
        self.zero
    }

    /// Converts a time of the monotonic clock, in nanoseconds; times before the run become zero.
    pub fn at(&self, nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds.saturating_sub(self.zero))
    }

    /// Returns the current time.
    pub fn now(&self) -> Time {
        Time::from_nanos(nanoseconds(ClockId::Monotonic) - self.zero)
    }
}

/// Returns the CPU time of the calling thread.
pub fn thread_time() -> Span {
    Span::from_nanos(nanoseconds(ClockId::ThreadCPUTime))
}

/// Reads a clock in nanoseconds.
fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Waits for a time and for devices together.
pub struct Alarm {
    epoll: OwnedFd,
    events: Vec<Event>,
}

impl Alarm {
    /// Makes an alarm without devices.
    pub fn new() -> io::Result<Alarm> {
        Ok(Alarm { epoll: epoll::create(CreateFlags::CLOEXEC)?, events: Vec::with_capacity(64) })
    }

    /// Adds a device: if `source` is readable, a wait ends and returns `key`.
    pub fn watch(&self, source: impl AsFd, key: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, source, EventData::new_u64(key), EventFlags::IN)?)
    }

    /// Waits for at most `span`, with the nanosecond resolution of `epoll_pwait2`, as far as the
    /// kernel's timers are exact. Returns the keys of readable devices.
    pub fn wait(&mut self, span: Span) -> io::Result<impl Iterator<Item = u64> + '_> {
        let timeout = Timespec {
            tv_sec: (span.as_nanos() / 1_000_000_000) as i64,
            tv_nsec: (span.as_nanos() % 1_000_000_000) as i64,
        };
        self.events.clear();
        match epoll::wait(
            &self.epoll,
            rustix::buffer::spare_capacity(&mut self.events),
            Some(&timeout),
        ) {
            Ok(_) | Err(Errno::INTR) => Ok(self.events.iter().map(|event| event.data.u64())),
            Err(error) => Err(error.into()),
        }
    }
}
