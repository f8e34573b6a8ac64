//! The agent of an experiment: sets the policy, renews the lease, reads what the program measures,
//! judges, and puts everything back at the end.

mod begin;
mod end;
mod group;
mod guard;
mod hidden;
mod policy;
mod reading;
mod traffic;

pub use begin::Begin;

use group::Group;
use narrows_deploy::Experiment;
use narrows_deploy::guards::Balance;
use narrows_deploy::state::{Phase, State};
use narrows_deploy::trial::Trial;
use narrows_kernel::deployment::{Deployment, Policy, monotonic_ns};
use narrows_measure::Histogram;
use narrows_units::Span;
use narrows_workbench::Failure;
use narrows_workbench::experiments::{Own, Writer};
use narrows_workbench::interruption::{interruption, on_host};
use reading::{HEADS, Reading};
use rustix::time::{ClockId, clock_gettime};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time between two looks at the program.
const LOOK: Duration = Duration::from_millis(50);
/// Time between two renewals of the lease and two writings of the state.
const EACH: Duration = Duration::from_secs(1);
/// Drift of the clocks above which the beginning of periods is moved, for hosts that switch
/// together.
const DRIFT_NS: i64 = 1_000_000;

/// An experiment on this host.
pub struct Agent {
    experiment: Experiment,
    trial: Trial,
    deployment: Deployment,
    policy: Policy,
    /// When the first period began, in nanoseconds since 1970.
    started: u64,
    groups: Vec<Group>,
    state: State,
    states: PathBuf,
    folder: Own,
    writer: Writer,
    /// The counters that are served.
    served: Option<Arc<Mutex<String>>>,
    /// The traffic of both arms at the beginning of the counted part of a period.
    before: Option<(usize, Reading)>,
    /// The last period whose traffic was taken.
    watched: Option<usize>,
    /// Completion of closed connections: control and treatment.
    completion: [Histogram; 2],
    balance: Balance,
    /// Lines about kept connections that are not written yet.
    lines: String,
    began: Instant,
    /// When connections that ended unseen were last counted.
    looked: Instant,
    /// Connections that this host had made when the agent began.
    made: u64,
    has_told: bool,
    /// Periods in a row that are void because the agent or the host stood still, and the last one.
    suspended: usize,
    last_suspended: Option<usize>,
}

/// The time since the host started, with and without the time in which it slept.
#[derive(Clone, Copy)]
struct Clocks {
    awake: u64,
    slept: i64,
}

impl Clocks {
    fn now() -> Clocks {
        let boot = clock_gettime(ClockId::Boottime);
        let awake = monotonic_ns();
        let whole = boot.tv_sec * 1_000_000_000 + boot.tv_nsec;
        Clocks { awake, slept: whole - awake as i64 }
    }
}

impl Agent {
    fn lease(&self) -> Duration {
        Duration::from_nanos(self.experiment.roll_back.lease.as_nanos())
    }

    /// Says what has begun, and how it ends.
    pub fn told(&self) -> String {
        let (period, ..) = self.trial.timing();
        format!(
            "{}: {} to {} for {}, in periods of {period}; Ctrl-C or `narrows deploy stop {}` ends it and puts connections back",
            self.state.name,
            self.state.arms[0],
            self.state.arms[1],
            period * self.trial.slots().len() as u64,
            self.state.name
        )
    }

    /// Goes on to the end, and returns the last state.
    pub fn run(mut self) -> Result<State, Failure> {
        let _host = on_host();
        let (phase, reason) = match self.go_on() {
            Ok(end) => end,
            Err(failure) => (Phase::Failed, failure.to_string()),
        };
        self.end(phase, reason)
    }

    /// Works until there is a reason to end, and returns it.
    fn go_on(&mut self) -> Result<(Phase, String), Failure> {
        let (period, ..) = self.trial.timing();
        let (periods, grace) = (self.trial.slots().len(), self.trial.grace());
        let mut clocks = Clocks::now();
        let mut next = Instant::now();
        loop {
            if interruption().load(Ordering::Relaxed) {
                return Ok((Phase::Stopped, "by hand".to_owned()));
            }
            let since = monotonic_ns().saturating_sub(self.policy.start_ns);
            let place = (since / period.as_nanos()) as usize;
            let age = Span::from_nanos(since % period.as_nanos());
            self.look_for_sleep(&mut clocks, place);
            self.read();
            self.watch(place, age)?;
            // A period is final when what its last connections do is known.
            let over = if age >= grace { place } else { place.saturating_sub(1) }.min(periods);
            if over > self.trial.over() {
                let from = self.trial.over();
                let harmed = self.trial.judge(over);
                for period in from..over {
                    self.folder.add(&self.trial.kept(period))?;
                }
                if let Some(metric) = harmed {
                    let name = metric.name();
                    let text = format!("harm to {name} beyond its bound is shown");
                    return Ok((Phase::Harmed, text));
                }
                self.align()?;
            }
            if place > periods || (place == periods && age >= grace) {
                self.count_hidden()?;
                self.describe(periods, age)?;
                let end = self.guard(periods)?;
                return Ok(end.unwrap_or((Phase::Completed, String::new())));
            }
            if let Some(ratio) = self.trial.emergency() {
                let text = format!(
                    "an emergency: the latest treated connections took {ratio:.1} times as long as those of the observation"
                );
                return Ok((Phase::Harmed, text));
            }
            if Instant::now() >= next {
                next = Instant::now() + EACH;
                self.deployment.renew(self.lease())?;
                self.folder.add_connections(HEADS, &std::mem::take(&mut self.lines))?;
                self.look_for_hidden()?;
                if !self.describe(place, age)? {
                    return Ok((Phase::Failed, "the state cannot be written".to_owned()));
                }
                if let Some(end) = self.guard(place)? {
                    return Ok(end);
                }
            }
            thread::sleep(LOOK);
        }
    }

    /// Voids the period if the host slept, or if nobody renewed the lease.
    fn look_for_sleep(&mut self, clocks: &mut Clocks, place: usize) {
        let now = Clocks::now();
        let stood = now.awake.saturating_sub(clocks.awake) > self.lease().as_nanos() as u64;
        let slept = now.slept - clocks.slept > 1_000_000_000;
        *clocks = now;
        if !(stood || slept) {
            return;
        }
        self.trial.void(place);
        let is_next = self.last_suspended.is_some_and(|last| last + 1 == place);
        match self.last_suspended {
            Some(last) if last == place => {}
            _ if is_next => self.suspended += 1,
            _ => self.suspended = 1,
        }
        self.last_suspended = Some(place);
    }

    /// Moves the borders of periods to the time of day, if the experiment has a fixed beginning and
    /// the clocks have drifted apart.
    fn align(&mut self) -> Result<(), Failure> {
        if self.experiment.design.start.is_none() {
            return Ok(());
        }
        let wanted = self.started as i64 + monotonic_ns() as i64 - realtime_ns() as i64;
        let drift = wanted - self.policy.start_ns as i64;
        if drift.abs() > DRIFT_NS && drift.unsigned_abs() < self.trial.timing().0.as_nanos() / 10 {
            self.policy.start_ns = wanted as u64;
            self.deployment.set(&self.policy, &policy::shares(&self.trial))?;
        }
        Ok(())
    }
}

/// The time of day in nanoseconds since 1970.
fn realtime_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |own| own.as_nanos() as u64)
}
