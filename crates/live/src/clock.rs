//! The wall clock of a run, and waiting by it.

use narrows_units::{Span, Time};
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The monotonic clock, counted from the moment that a run calls zero.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    zero: u64,
}

impl Clock {
    /// One that begins now.
    pub fn start() -> Clock {
        Clock { zero: nanoseconds(ClockId::Monotonic) }
    }

    /// The moment of the monotonic clock at which it began, in nanoseconds.
    pub fn zero(&self) -> u64 {
        self.zero
    }

    /// The time of a moment of the monotonic clock, in nanoseconds; zero if it was before the run.
    pub fn at(&self, nanoseconds: u64) -> Time {
        Time::from_nanos(nanoseconds.saturating_sub(self.zero))
    }

    /// The time now.
    pub fn now(&self) -> Time {
        Time::from_nanos(nanoseconds(ClockId::Monotonic) - self.zero)
    }
}

/// CPU time that the calling thread has used.
pub fn thread_time() -> Span {
    Span::from_nanos(nanoseconds(ClockId::ThreadCPUTime))
}

/// Nanoseconds of a clock.
fn nanoseconds(clock: ClockId) -> u64 {
    let now = clock_gettime(clock);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Waits for time and for devices at once.
pub struct Alarm {
    epoll: OwnedFd,
    events: Vec<Event>,
}

impl Alarm {
    /// One that waits for nothing yet.
    pub fn new() -> io::Result<Alarm> {
        Ok(Alarm { epoll: epoll::create(CreateFlags::CLOEXEC)?, events: Vec::with_capacity(64) })
    }

    /// From now on, what can be read from `source` ends the wait; `key` stands for it.
    pub fn watch(&self, source: impl AsFd, key: u64) -> io::Result<()> {
        Ok(epoll::add(&self.epoll, source, EventData::new_u64(key), EventFlags::IN)?)
    }

    /// Waits for at most `span`, to the nanosecond as far as the kernel's timers are exact (`epoll_pwait2`). The keys of what can be read
    /// come after.
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
