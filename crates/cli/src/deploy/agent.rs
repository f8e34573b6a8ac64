//! The agent of an experiment: sets the policy, renews the lease, reads what the program measures,
//! judges pairs, and puts everything back at the end.

use super::place::inode;
use super::state::{ArmCounts, Phase, State};
use super::writer::{Writer, write};
use narrows_deploy::Experiment;
use narrows_deploy::experiment::{DrawnBy, End, Kind, OpenConnections};
use narrows_deploy::order::Arm;
use narrows_deploy::trial::{Closed, Trial};
use narrows_kernel::deployment::{
    ACCEPTED, CLASSES, Counts, Deployment, OPENED, Policy, class_ends, monotonic_ns, name_bytes,
};
use narrows_measure::Histogram;
use narrows_units::{Random, Span};
use narrows_workbench::Failure;
use narrows_workbench::interruption::{interruption, on_host};
use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

/// Time between two looks at the program.
const LOOK: Duration = Duration::from_millis(50);
/// Looks between two renewals of the lease and two writings of the state.
const LOOKS: u32 = 20;
/// Longest time in which open connections are put back at the end.
const DRAIN: Duration = Duration::from_secs(10);
/// Time until the first period begins.
const AHEAD: Duration = Duration::from_millis(200);

/// An experiment on this host.
pub struct Agent {
    experiment: Experiment,
    trial: Trial,
    deployment: Deployment,
    policy: Policy,
    /// Control groups, with their inodes.
    groups: Vec<(PathBuf, Option<u64>)>,
    state: State,
    writer: Writer,
    /// The traffic of both arms at the beginning of the counted part of a period.
    before: Option<(usize, Traffic)>,
}

/// Bytes and round trips of an arm.
#[derive(Clone, Debug, Default)]
struct Traffic {
    sent: u64,
    again: u64,
    round_trips: Vec<u64>,
}

impl Agent {
    /// Loads and attaches the program, and puts the first policy in force.
    pub fn start(
        experiment: Experiment,
        cgroups: &[File],
        paths: Vec<PathBuf>,
        states: PathBuf,
    ) -> Result<Agent, Failure> {
        let trial = Trial::new(&experiment).map_err(Failure::Other)?;
        let name = |own: &str| {
            name_bytes(own).ok_or_else(|| {
                Failure::Other(format!(
                    "\"{own}\" is longer than the kernel's names of controllers"
                ))
            })
        };
        let select = &experiment.select;
        let mut salt = Random::stream(experiment.design.seed, "salt of draws");
        let policy = Policy {
            start_ns: monotonic_ns() + AHEAD.as_nanos() as u64,
            period_ns: trial.timing().0.as_nanos(),
            control: experiment.control.as_deref().map_or(Ok([0; 2]), name)?,
            treatment: name(&experiment.treatment)?,
            on: 1,
            salt: salt.bits() as u32,
            epoch: 1,
            periods: trial.order().len() as u32,
            ends: match select.end {
                End::Accepted => ACCEPTED,
                End::Opened => OPENED,
                End::Both => ACCEPTED | OPENED,
            },
            respect: select.respect.into(),
            by_client: (select.unit == DrawnBy::Client).into(),
            have_ports: (!select.ports.is_empty()).into(),
            have_prefixes: (!select.prefixes.is_empty()).into(),
            have_interfaces: (!select.interfaces.is_empty()).into(),
            mptcp: select.mptcp.into(),
            loopback: select.loopback.into(),
            ..Policy::default()
        };
        let state = State {
            name: experiment.name.clone(),
            phase: Phase::Observing,
            reason: String::new(),
            process: std::process::id(),
            arms: [
                experiment.control.clone().unwrap_or_else(|| "default".to_owned()),
                experiment.treatment.clone(),
            ],
            periods: [trial.order().len(), 0],
            pairs: [0, trial.order().len() / 2 - experiment.design.observe as usize, 0],
            counts: Default::default(),
            left_alone: 0,
            lapsed: 0,
            unrecorded: 0,
            metrics: serde_json::Value::Null,
        };
        let interfaces = interfaces(&select.interfaces)?;
        // Another agent's state is not touched.
        if Deployment::adopt(&state.name)?.is_some() {
            return Err(Failure::Other(format!(
                "an experiment \"{0}\" goes on or was left behind; `narrows deploy stop {0}` ends it",
                state.name
            )));
        }
        write(&state, &states)?;
        let deployment = Deployment::start(&experiment.name, cgroups)?;
        let groups = paths.into_iter().map(|path| (path.clone(), inode(&path))).collect();
        let agent = Agent {
            trial,
            deployment,
            policy,
            groups,
            state,
            writer: Writer::start(states),
            before: None,
            experiment,
        };
        agent.begin(&interfaces).map_err(|failure| agent.give_up(failure))?;
        Ok(agent)
    }

    /// Fills the maps of the program, and gives it the first lease.
    fn begin(&self, interfaces: &[u32]) -> Result<(), Failure> {
        let select = &self.experiment.select;
        let ports = select.ports.iter().flat_map(|own| own.first..=own.last);
        let prefixes: Vec<([u8; 16], u8, bool)> = select
            .prefixes
            .iter()
            .map(|(own, within)| (own.address.octets(), own.length, *within))
            .collect();
        self.deployment.select(ports, &prefixes, interfaces)?;
        self.deployment.set(&self.policy, &self.shares())?;
        Ok(self.deployment.renew(self.lease())?)
    }

    fn lease(&self) -> Duration {
        Duration::from_nanos(self.experiment.roll_back.lease.as_nanos())
    }

    /// The share that each period treats.
    fn shares(&self) -> Vec<f64> {
        let high = match self.experiment.design.kind {
            Kind::Switchback { high, .. } => high,
            _ => 1.0,
        };
        let share = |arm: &Arm| if *arm == Arm::Treatment { high } else { 0.0 };
        self.trial.order().iter().map(share).collect()
    }

    /// Says what has begun, and how it ends.
    pub fn told(&self) -> String {
        let (period, ..) = self.trial.timing();
        format!(
            "{}: {} to {} for {}, in periods of {period}; Ctrl-C or `narrows deploy stop {}` ends it and puts connections back",
            self.state.name,
            self.state.arms[0],
            self.state.arms[1],
            period * self.trial.order().len() as u64,
            self.state.name
        )
    }

    /// Removes the program after a failure.
    fn give_up(&self, failure: Failure) -> Failure {
        let _ = self.deployment.roll_back();
        if let Ok(Some(own)) = Deployment::adopt(&self.state.name) {
            let _ = own.remove();
        }
        failure
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
        let (period, burn_in, _) = self.trial.timing();
        let periods = self.trial.order().len();
        let mut looks = 0;
        loop {
            if interruption().load(Ordering::Relaxed) {
                return Ok((Phase::Stopped, "by hand".to_owned()));
            }
            let since = monotonic_ns().saturating_sub(self.policy.start_ns);
            let place = (since / period.as_nanos()) as usize;
            let age = Span::from_nanos(since % period.as_nanos());
            self.read();
            self.watch(place, age)?;
            // A pair is judged when what its last connections do is known: a burn-in later.
            let over = if age >= burn_in { place } else { place.saturating_sub(1) };
            if let Some(metric) = self.trial.judge(over.min(periods)) {
                return Ok((
                    Phase::Harmed,
                    format!("harm to {} beyond its bound is shown", metric.name()),
                ));
            }
            if place > periods || (place == periods && age >= burn_in) {
                return Ok((Phase::Completed, String::new()));
            }
            if let Some(ratio) = self.trial.emergency() {
                let text = format!(
                    "an emergency: the latest treated connections took {ratio:.1} times as long as those of the observation"
                );
                return Ok((Phase::Harmed, text));
            }
            if looks % LOOKS == 0 {
                self.deployment.renew(self.lease())?;
                if !self.describe(place)? {
                    return Ok((Phase::Failed, "the state cannot be written".to_owned()));
                }
                if let Some(end) = self.guard(place)? {
                    return Ok(end);
                }
            }
            looks += 1;
            thread::sleep(LOOK);
        }
    }

    /// Reads the records of closed connections.
    fn read(&mut self) {
        let trial = &mut self.trial;
        self.deployment.read(|own| {
            // The rest is neither arm.
            if own.arm > 1 {
                return;
            }
            trial.close(&Closed {
                period: own.period as usize,
                age: Span::from_nanos(own.age_ns),
                treated: own.arm == 1,
                bytes: own.bytes_acked,
                busy: Span::from_nanos(own.busy_us.saturating_mul(1000)),
                timeouts: own.timeouts.into(),
            });
        });
    }

    /// Takes the traffic of the period's arm at both ends of the part that counts.
    fn watch(&mut self, place: usize, age: Span) -> Result<(), Failure> {
        let (period, burn_in, burn_out) = self.trial.timing();
        let Some(arm) = self.trial.order().get(place).copied() else { return Ok(()) };
        let index = usize::from(arm == Arm::Treatment);
        let counted = age >= burn_in && age < period - burn_out;
        match &self.before {
            None if counted => self.before = Some((place, self.traffic(index)?)),
            Some((own, before)) if *own == place && age >= period - burn_out => {
                let now = self.traffic(index)?;
                let trips = round_trips(&before.round_trips, &now.round_trips);
                let (sent, again) = (now.sent - before.sent, now.again - before.again);
                self.trial.traffic(place, &trips, sent, again);
                self.before = None;
            }
            // The agent stood still over the end of a period.
            Some((own, _)) if *own != place => {
                self.trial.void(*own);
                self.before = None;
            }
            _ => {}
        }
        Ok(())
    }

    fn traffic(&self, arm: usize) -> Result<Traffic, Failure> {
        let Counts { sent, again, .. } = self.deployment.counts()?[arm];
        Ok(Traffic { sent, again, round_trips: self.deployment.round_trips(arm)? })
    }

    /// Looks for what ends an experiment without a test.
    fn guard(&mut self, place: usize) -> Result<Option<(Phase, String)>, Failure> {
        let [control, treated] = self.state.counts;
        let assigned = control.assigned + treated.assigned;
        let refused = control.refused + treated.refused;
        if (assigned >= 10 && refused == assigned) || (assigned >= 100 && refused * 100 > assigned)
        {
            let text = format!("the kernel refused {refused} of {assigned} assignments");
            return Ok(Some((Phase::Failed, text)));
        }
        if treated.closed >= 100 && treated.overridden * 100 > treated.closed {
            let text = format!(
                "{} of {} treated connections ended with another controller; something else chooses, too",
                treated.overridden, treated.closed
            );
            return Ok(Some((Phase::Invalid, text)));
        }
        let closed = control.closed + treated.closed;
        if self.state.unrecorded * 1000 > closed.max(1000) {
            let text = format!("{} records were lost", self.state.unrecorded);
            return Ok(Some((Phase::Invalid, text)));
        }
        if !self.deployment.path().exists() {
            let text = "somebody removed its pins".to_owned();
            return Ok(Some((Phase::Failed, text)));
        }
        if let Some((path, _)) = self.groups.iter().find(|(path, own)| inode(path) != *own) {
            let text = format!(
                "the control group {} was made again, and connections in it are not chosen; start the experiment after the service",
                path.display()
            );
            return Ok(Some((Phase::Failed, text)));
        }
        let voided = self.trial.voided();
        if voided >= 3 && voided * 5 > self.trial.judged() && place > 0 {
            let text = format!(
                "{voided} of {} pairs have too few connections; take longer periods",
                self.trial.judged()
            );
            return Ok(Some((Phase::Invalid, text)));
        }
        Ok(None)
    }

    /// Has the state written. Returns false if an earlier state could not be written.
    fn describe(&mut self, place: usize) -> Result<bool, Failure> {
        let counts = self.deployment.counts()?;
        let arm = |own: &Counts| ArmCounts {
            assigned: own.assigned,
            closed: own.closed,
            refused: own.refused,
            overridden: own.overridden,
            restored: own.restored,
            not_restored: own.not_restored,
        };
        self.state.counts = [arm(&counts[0]), arm(&counts[1])];
        self.state.left_alone = counts[2].left_alone;
        self.state.lapsed = counts[2].lapsed;
        self.state.unrecorded = counts.iter().map(|own| own.unrecorded).sum();
        self.state.periods[1] = place.min(self.trial.order().len());
        self.state.pairs[0] = self.trial.judged();
        self.state.pairs[2] = self.trial.voided();
        if self.state.phase == Phase::Observing
            && place >= 2 * self.experiment.design.observe as usize
        {
            self.state.phase = Phase::Running;
        }
        self.state.metrics = serde_json::to_value(self.trial.shown()).unwrap_or_default();
        Ok(self.writer.put(&self.state))
    }

    /// Ends the experiment: nobody is treated any more, open connections are put back, and the
    /// program is removed.
    fn end(mut self, phase: Phase, reason: String) -> Result<State, Failure> {
        if self.experiment.roll_back.open == OpenConnections::Keep {
            let over = Policy { on: 0, epoch: 2, ..self.policy };
            self.deployment.set(&over, &self.shares())?;
        } else {
            self.deployment.roll_back()?;
            self.drain()?;
        }
        self.read();
        let place = self.state.periods[1];
        self.state.phase = phase;
        self.state.reason = reason;
        self.describe(place)?;
        self.deployment.remove()?;
        self.writer.end()?;
        Ok(self.state)
    }

    /// Waits until open treated connections that send are put back: until no more are for a second.
    fn drain(&self) -> Result<(), Failure> {
        let (mut last, mut still) = (0, Duration::ZERO);
        let mut waited = Duration::ZERO;
        while waited < DRAIN && still < Duration::from_secs(1) {
            let treated = self.deployment.counts()?[1];
            let done = treated.restored + treated.not_restored + treated.closed;
            if done >= treated.assigned {
                break;
            }
            still = if done == last { still + LOOK } else { Duration::ZERO };
            last = done;
            waited += LOOK;
            thread::sleep(LOOK);
        }
        Ok(())
    }
}

/// Returns the round trips between two looks, each in the middle of its class.
fn round_trips(before: &[u64], after: &[u64]) -> Histogram {
    let middle = |class: usize| {
        let (low, high) = class_ends(class);
        Span::from_nanos(500 * (low + high))
    };
    let counts: Vec<(Span, u64)> = (0..CLASSES)
        .map(|class| (middle(class), after[class].saturating_sub(before[class])))
        .filter(|(_, count)| *count > 0)
        .collect();
    let ends = [counts.first(), counts.last()].map(|own| own.map_or(Span::ZERO, |own| own.0));
    let sum =
        counts.iter().map(|(own, count)| u128::from(own.as_nanos()) * u128::from(*count)).sum();
    Histogram::restore(counts, sum, ends[0], ends[1])
}

/// Returns the indices of interfaces by their names.
fn interfaces(names: &[String]) -> Result<Vec<u32>, Failure> {
    let index = |name: &String| {
        let path = format!("/sys/class/net/{name}/ifindex");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.trim().parse().map_err(|_| {
            let mut there: Vec<String> = std::fs::read_dir("/sys/class/net")
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            there.sort();
            Failure::Other(format!(
                "there is no interface \"{name}\"; this host has {}",
                there.join(", ")
            ))
        })
    };
    names.iter().map(index).collect()
}
