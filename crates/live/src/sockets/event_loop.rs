//! The thread of the sockets, which waits for them and for the times at which flows act.

use super::state::Sockets;
use crate::clock::Clock;
use crate::error::LiveError;
use crate::precision;
use crate::tap::Tap;
use narrows_units::{Span, Time};
use rustix::event::epoll;
use rustix::io::Errno;
use rustix::time::Timespec;

/// Longest wait, and longest time until a stop is noticed.
const MAX_WAIT: Span = Span::from_millis(50);

impl Sockets<'_> {
    /// Runs all flows until the scenario ends. Takes a sample at each interval, and sends it to
    /// `tap`. Moves the calling thread between namespaces.
    pub fn run(
        &mut self,
        clock: Clock,
        tap: &Tap,
        go_on: &dyn Fn() -> bool,
    ) -> Result<(), LiveError> {
        // Applications wait only for their sockets.
        precision::reduce_wakeup_latency();
        let (end, interval) = (Time::ZERO + self.scenario.duration, self.scenario.interval);
        let (mut sample_at, mut warmup) =
            (Time::ZERO + interval, Time::ZERO + self.scenario.warmup);
        let mut events = Vec::with_capacity(256);
        let mut next = Time::NEVER;
        loop {
            let now = clock.now();
            if next <= now {
                self.lateness.record(now.since(next));
                next = Time::NEVER;
            }
            if now < end && !go_on() {
                return Ok(());
            }
            if sample_at <= now.min(end).min(warmup) {
                self.sample(sample_at);
                tap.sockets(
                    sample_at,
                    0,
                    self.flows.iter().filter_map(|flow| flow.samples.last().copied()),
                );
                sample_at += interval;
            } else if warmup <= now {
                self.end_warmup();
                warmup = Time::NEVER;
            } else if now >= end {
                // Transfers that begin before the end count, however late the thread is.
                return self.act(end);
            } else {
                self.act(now)?;
                let due = self.agenda.first().map_or(Time::NEVER, |(at, _)| *at);
                next = due.min(sample_at).min(warmup).min(end).min(now + MAX_WAIT);
                events.clear();
                let wait = next.since(clock.now().min(next)).as_nanos();
                let timeout = Timespec {
                    tv_sec: (wait / 1_000_000_000) as i64,
                    tv_nsec: (wait % 1_000_000_000) as i64,
                };
                match epoll::wait(
                    &self.epoll,
                    rustix::buffer::spare_capacity(&mut events),
                    Some(&timeout),
                ) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => {
                        return Err(LiveError::system("epoll", "see `narrows doctor`")(
                            error.into(),
                        ));
                    }
                }
                for event in &events {
                    self.serve(event.data.u64(), event.flags, clock.now())?;
                }
            }
        }
    }
}
