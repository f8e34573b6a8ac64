//! Whether connections are accepted at the moment.
//!
//! A listening socket stays readable while a connection waits on it. Where the process has no
//! descriptor left for it, waiting for that socket would return at once for ever. So a daemon that
//! cannot accept looks away from its listening sockets for a while.

use super::Daemon;
use super::descriptors::descriptor_limit;
use crate::event::Event;
use crate::forwarder::Sockets;
use crate::sockets::poller::Key;
use narrows_units::{Span, Time};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

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

    /// True if a new connection from another host leaves enough descriptors for those of this host.
    /// The kernel gives the lowest free number.
    pub(super) fn has_descriptors_for_others(&self, connection: &impl AsRawFd) -> bool {
        (connection.as_raw_fd() as u64) < self.for_others
    }
}

impl Daemon {
    /// A connection could not be accepted. True if the next one may be.
    pub(super) fn goes_on_accepting(&mut self, now: Time, error: &io::Error) -> bool {
        match error.kind() {
            io::ErrorKind::ConnectionAborted | io::ErrorKind::Interrupted => true,
            io::ErrorKind::WouldBlock => false,
            _ => {
                self.acceptance.again = now + PAUSE;
                self.look_at_listeners(false);
                if self.acceptance.told.is_none_or(|told| now.since(told) >= TOLD) {
                    self.acceptance.told = Some(now);
                    self.io.tell(&Event::AcceptingPaused { problem: &error.to_string() });
                }
                false
            }
        }
    }

    /// Looks at the listening sockets again if it is time to.
    pub(super) fn accept_again(&mut self, now: Time) {
        if self.acceptance.again <= now {
            self.acceptance.again = Time::NEVER;
            self.look_at_listeners(true);
        }
    }

    fn look_at_listeners(&self, looks: bool) {
        let unix = self.unix.iter().map(|socket| (socket.listener().as_fd(), Key::Unix));
        let tcp = self.tcp.iter().zip(0..).map(|(listener, number)| (listener.as_fd(), Key::Tcp(number)));
        for (listener, key) in unix.chain(tcp) {
            // A socket that the kernel does not let go of is looked at too often, or again after
            // the next pause.
            let _ = self.io.poller.watch_reading(listener, key, looks);
        }
    }
}
