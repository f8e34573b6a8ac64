//! A scenario's network between hosts, for as long as the scenario lasts.

use crate::classify::Lanes;
use crate::clock::{Clock, thread_time};
use crate::emulator::{Seen, emulate, shortest_round_trip};
use crate::error::LiveError;
use crate::gauge::Gauge;
use crate::hosts::Host;
use crate::precision::{self, Cores};
use crate::run::Progress;
use narrows_measure::{Emulation, Histogram, Limit};
use narrows_scenario::Scenario;
use narrows_units::{Span, Time};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// What came of it.
pub struct Played<T> {
    pub seen: Seen,
    /// The talker's answer.
    pub answer: T,
    talking: Span,
    before: Gauge,
    after: Gauge,
}

/// Emulates the scenario's links on a core of its own, while `talk` lets the hosts talk over them; it ends when the scenario or the talk
/// does, or when it is told not to go on.
pub fn play<T: Send>(
    scenario: &Scenario,
    hosts: &[Host],
    lanes: &Lanes,
    progress: Progress<'_>,
    talk: impl FnOnce(Clock, &(dyn Fn() -> bool + Sync)) -> Result<T, LiveError> + Send,
) -> Result<Played<T>, LiveError> {
    let gauge = || Gauge::read(hosts).map_err(LiveError::system("the machine cannot be measured", "see `narrows doctor`"));
    let end = Time::ZERO + scenario.duration;
    let (going, stopped) = (AtomicBool::new(true), AtomicBool::new(false));
    let go_on = || going.load(Ordering::Relaxed);
    let talked_for = AtomicU64::new(0);
    let before = gauge()?;
    let cores = Cores::set_apart();
    let clock = Clock::start();
    let (seen, answer) = thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            precision::sharpen();
            if let Some(cores) = &cores {
                cores.move_apart();
            }
            emulate(scenario, hosts, lanes, clock, cores.as_ref(), &go_on)
        });
        let talker = scope.spawn(|| {
            let answer = talk(clock, &go_on);
            talked_for.store(thread_time().as_nanos(), Ordering::Relaxed);
            answer
        });
        while !emulator.is_finished() && !talker.is_finished() {
            if !progress(clock.now().min(end)) {
                stopped.store(true, Ordering::Relaxed);
                going.store(false, Ordering::Relaxed);
            }
            thread::sleep(std::time::Duration::from_millis(20));
        }
        // Whichever ends first, by time or by failing, ends the other.
        if talker.is_finished() {
            going.store(false, Ordering::Relaxed);
        }
        let seen = emulator.join();
        going.store(false, Ordering::Relaxed);
        (seen, talker.join())
    });
    let seen = seen.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let answer = answer.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    if stopped.into_inner() && answer.is_ok() && seen.is_ok() {
        return Err(LiveError::Stopped);
    }
    // What hosts do fails where their devices do.
    let seen =
        seen.map_err(LiveError::system("the emulator failed", "what runs on the hosts must leave their devices alone; run it again"))?;
    let answer = answer?;
    let talking = Span::from_nanos(talked_for.into_inner());
    Ok(Played { seen, answer, talking, before, after: gauge()? })
}

impl<T> Played<T> {
    /// How exact it was; `wakes` tells how late the thread of the flows' sockets was.
    pub fn emulation(&self, scenario: &Scenario, limits: Vec<Limit>, wakes: &Histogram) -> Emulation {
        let base_rtt = shortest_round_trip(scenario);
        let shared = self.before.until(&self.after, &self.seen.tally, self.seen.ended.since(Time::ZERO));
        let wake_p99 = wakes.quantile(0.99).unwrap_or(Span::ZERO);
        let wake_max = wakes.max().unwrap_or(Span::ZERO);
        Emulation { talking: self.talking, base_rtt, limits, wake_p99, wake_max, ..shared }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn nobody_waits_for_the_end_when_one_has_failed() {
        let link = "duration = \"60 s\"\n[[link]]\nname = \"l\"\nbetween = [\"a\", \"b\"]\nrate = \"1 Mbit/s\"\n";
        let flow = "[[flow]]\nfrom = \"a\"\nto = \"b\"\ncontroller = \"cubic\"\n";
        let scenario = narrows_scenario::parse(&format!("{link}{flow}"), "test.toml", &|path| std::fs::read_to_string(path)).unwrap();
        let begun = Instant::now();
        let played = std::panic::catch_unwind(|| {
            play(&scenario, &[], &Lanes::new(vec![(0, 1)], 1), &mut |_| true, |_, _| -> Result<(), LiveError> { panic!("falls") })
        });
        assert!(played.is_err());
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    }
}
