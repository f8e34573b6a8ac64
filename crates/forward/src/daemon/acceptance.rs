//! Whether connections are accepted at the moment.
//!
//! A listening socket stays readable while a connection waits on it. Where the process has no
//! descriptor left for it, waiting for that socket would return at once for ever. So a daemon that
//! cannot accept looks away from its listening sockets for a while.

use super::descriptors::descriptor_limit;
use narrows_units::{Span, Time};
use std::os::fd::AsRawFd;

/// How long the daemon looks away. Ours.
const PAUSE: Span = Span::from_millis(100);
/// The time from one line of the log to the next.
const TOLD: Span = Span::from_secs(60);
/// Descriptors that connections from other hosts leave for those of this host, of which there may
/// be fewer: an eighth of the limit. Ours.
const RESERVE: u64 = 64;

/// When the daemon accepts connections again, and which it accepts.
pub(super) struct Acceptance {
    /// `Time::NEVER` while it accepts them.
    again: Time,
    told: Option<Time>,
    /// The limit of descriptors, without those kept for applications on this host.
    for_others: u64,
}

impl Acceptance {
    pub(super) fn new() -> Acceptance {
        let limit = descriptor_limit().unwrap_or(u64::MAX);
        Acceptance { again: Time::NEVER, told: None, for_others: limit - RESERVE.min(limit / 8) }
    }

    /// When the daemon is to look at its listening sockets again; never while it does.
    pub(super) fn due(&self) -> Time {
        self.again
    }

    /// Stops accepting for a while. True if the log is to say so: it does once a minute.
    pub(super) fn pause(&mut self, now: Time) -> bool {
        self.again = now + PAUSE;
        let tells = self.told.is_none_or(|told| now.since(told) >= TOLD);
        if tells {
            self.told = Some(now);
        }
        tells
    }

    /// True if the pause is over, which ends it.
    pub(super) fn resumes(&mut self, now: Time) -> bool {
        let is_over = self.again <= now;
        if is_over {
            self.again = Time::NEVER;
        }
        is_over
    }

    /// True if a new connection from another host leaves enough descriptors for those of this host.
    /// The kernel gives the lowest free number.
    pub(super) fn has_descriptors_for_others(&self, connection: &impl AsRawFd) -> bool {
        (connection.as_raw_fd() as u64) < self.for_others
    }
}
