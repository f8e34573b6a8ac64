//! Runs a scenario's network between hosts, for the time of the scenario.

use super::egress::Egress;
use super::event_loop::{emulate, shortest_round_trip};
use super::snapshot::Snapshot;
use super::stats::Emulated;
use crate::clock::{Clock, thread_time};
use crate::error::LiveError;
use crate::host::Host;
use crate::precision::{self, DedicatedCore};
use crate::tap::Tap;
use narrows_measure::{Emulation, Histogram, Limit};
use narrows_scenario::Scenario;
use narrows_units::{Span, Time};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// Called from time to time with the current time of the run; false stops the run.
pub type Progress<'a> = &'a mut dyn FnMut(Time) -> bool;

/// A finished run of a scenario's network.
pub struct Session<T, C> {
    /// Results of the emulator.
    pub emulated: Emulated<C>,
    /// Results of the hosts' traffic.
    pub traffic: T,
    /// CPU time of the thread of the hosts' traffic.
    cpu_time: Span,
    before: Snapshot,
    after: Snapshot,
}

impl<T: Send, C: Send> Session<T, C> {
    /// Emulates the scenario's links on their own core, while `traffic` lets the hosts communicate
    /// over them. Ends with the scenario or the traffic, or if `progress` returns false. `egress`
    /// makes the packet counter on the emulator's thread. Sends the network's samples to `tap`.
    ///
    /// # Errors
    ///
    /// The emulator or the traffic failed, or `progress` stopped the run.
    pub fn run<E: Egress<Counts = C>>(
        scenario: &Scenario,
        hosts: &[Host],
        egress: impl FnOnce() -> E + Send,
        progress: Progress<'_>,
        tap: &Tap,
        traffic: impl FnOnce(Clock, &(dyn Fn() -> bool + Sync)) -> Result<T, LiveError> + Send,
    ) -> Result<Session<T, C>, LiveError> {
        let snapshot = || {
            Snapshot::read(hosts).map_err(LiveError::system(
                "the machine cannot be measured",
                "see `narrows doctor`",
            ))
        };
        let end = Time::ZERO + scenario.duration;
        let (going, stopped) = (AtomicBool::new(true), AtomicBool::new(false));
        let go_on = || going.load(Ordering::Relaxed);
        let cpu_time = AtomicU64::new(0);
        let before = snapshot()?;
        let core = DedicatedCore::reserve();
        let clock = Clock::start();
        let controllers = narrows_control::Session::current();
        let (emulated, answer) = thread::scope(|scope| {
            let emulator = scope.spawn(|| {
                precision::reduce_wakeup_latency();
                if let Some(core) = &core {
                    core.pin();
                }
                emulate(scenario, hosts, egress(), clock, tap, core.as_ref(), &go_on)
            });
            let communicating = scope.spawn(|| {
                let _controllers = controllers.enter();
                let answer = traffic(clock, &go_on);
                cpu_time.store(thread_time().as_nanos(), Ordering::Relaxed);
                answer
            });
            while !emulator.is_finished() && !communicating.is_finished() {
                if !progress(clock.now().min(end)) {
                    stopped.store(true, Ordering::Relaxed);
                    going.store(false, Ordering::Relaxed);
                }
                thread::sleep(std::time::Duration::from_millis(20));
            }
            // The first to end or to fail ends the other.
            if communicating.is_finished() {
                going.store(false, Ordering::Relaxed);
            }
            let emulated = emulator.join();
            going.store(false, Ordering::Relaxed);
            (emulated, communicating.join())
        });
        let emulated = emulated.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let answer = answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if stopped.into_inner() && answer.is_ok() && emulated.is_ok() {
            return Err(LiveError::Stopped);
        }
        // If the emulator fails at a device, the traffic of the host fails too: report the
        // emulator's error, which is the cause.
        let emulated = emulated.map_err(LiveError::system(
            "the emulator failed",
            "what runs on the hosts must leave their devices alone; run it again",
        ))?;
        let answer = answer?;
        let cpu_time = Span::from_nanos(cpu_time.into_inner());
        Ok(Session { emulated, traffic: answer, cpu_time, before, after: snapshot()? })
    }

    /// Returns the precision of the emulation; `wakes` has the lateness of the thread of the flows'
    /// sockets.
    pub fn emulation(
        &self,
        scenario: &Scenario,
        limits: Vec<Limit>,
        wakes: &Histogram,
    ) -> Emulation {
        let base_rtt = shortest_round_trip(scenario);
        let shared = self.before.until(
            &self.after,
            &self.emulated.stats,
            self.emulated.ended.since(Time::ZERO),
        );
        let wake_p99 = wakes.quantile(0.99).unwrap_or(Span::ZERO);
        let wake_max = wakes.max().unwrap_or(Span::ZERO);
        Emulation { talking: self.cpu_time, base_rtt, limits, wake_p99, wake_max, ..shared }
    }
}

#[cfg(test)]
mod tests {
    use super::super::classifier::Classifier;
    use super::super::egress::EgressQueue;
    use super::*;
    use std::time::Instant;

    #[test]
    fn nobody_waits_for_the_end_when_one_has_failed() {
        let link = "duration = \"60 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\n";
        let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";
        let scenario = narrows_scenario::parse(&format!("{link}{flow}"), "test.toml", &|path| {
            std::fs::read_to_string(path)
        })
        .unwrap();
        let (begun, classifier) = (Instant::now(), Classifier::new(vec![(0, 1)], 1));
        let played = std::panic::catch_unwind(|| {
            Session::run(
                &scenario,
                &[],
                || EgressQueue::new(&classifier, &scenario.flows),
                &mut |_| true,
                &Tap::default(),
                |_, _| -> Result<(), LiveError> { panic!("falls") },
            )
        });
        assert!(played.is_err());
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    }
}
