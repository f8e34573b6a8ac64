//! Pauses in accepting connections.
//!
//! A listening socket stays readable while a connection waits on it. If the process has no free
//! descriptor for the connection, waiting on that socket would return at once for ever. A daemon
//! that cannot accept therefore ignores its listening sockets for a while.

use super::descriptors::descriptor_limit;
use narrows_units::{Span, Time};
use std::os::fd::AsRawFd;

/// Length of a pause. Our choice.
const PAUSE: Span = Span::from_millis(100);
/// Interval between two lines in the log.
const LOG_INTERVAL: Span = Span::from_secs(60);
/// Descriptors that connections from other hosts leave free for connections from this host. At most
/// an eighth of the limit. Our choice.
const RESERVE: u64 = 64;

/// Decides when the daemon accepts connections, and from which hosts.
pub(super) struct Acceptance {
    /// End of the pause. `Time::NEVER` while the daemon accepts connections.
    resume_at: Time,
    logged: Option<Time>,
    /// Descriptors that connections from other hosts may use.
    for_others: u64,
}

impl Acceptance {
    pub(super) fn new() -> Acceptance {
        let limit = descriptor_limit().unwrap_or(u64::MAX);
        Acceptance {
            resume_at: Time::NEVER,
            logged: None,
            for_others: limit - RESERVE.min(limit / 8),
        }
    }

    /// End of the pause, when the daemon must watch its listening sockets again. `Time::NEVER`
    /// while it watches them.
    pub(super) fn due(&self) -> Time {
        self.resume_at
    }

    /// Begins a pause. True if the log is to say so, which is at most once a minute.
    pub(super) fn pause(&mut self, now: Time) -> bool {
        self.resume_at = now + PAUSE;
        let tells = self.logged.is_none_or(|logged| now.since(logged) >= LOG_INTERVAL);
        if tells {
            self.logged = Some(now);
        }
        tells
    }

    /// Ends the pause if it is over. True if it has ended it.
    pub(super) fn resumes(&mut self, now: Time) -> bool {
        let is_over = self.resume_at <= now;
        if is_over {
            self.resume_at = Time::NEVER;
        }
        is_over
    }

    /// True if a new connection from another host leaves enough descriptors for connections from
    /// this host. Its number shows it, because the kernel assigns the lowest free number.
    pub(super) fn has_descriptors_for_others(&self, connection: &impl AsRawFd) -> bool {
        (connection.as_raw_fd() as u64) < self.for_others
    }
}
