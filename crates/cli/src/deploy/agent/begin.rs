//! The beginning of an experiment, and its going on after a crash.

use super::super::notify::notify;
use super::super::place::inode;
use super::group::Group;
use super::guard::made;
use super::policy::{interfaces, policy, select, shares};
use super::{Agent, realtime_ns};
use crate::counters::serve;
use narrows_deploy::Experiment;
use narrows_deploy::state::{FORMAT, Phase, State};
use narrows_deploy::trial::Trial;
use narrows_kernel::deployment::{Deployment, Policy, monotonic_ns};
use narrows_units::Span;
use narrows_workbench::Failure;
use narrows_workbench::experiments::{EXPERIMENT, FILE, Own, Writer, stored, write};
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time until the first period begins.
const AHEAD: Duration = Duration::from_millis(200);

/// How an experiment begins.
pub struct Begin {
    /// The experiment, with the kernel's names of controllers.
    pub experiment: Experiment,
    /// The text of its file.
    pub text: String,
    /// Its control groups.
    pub paths: Vec<PathBuf>,
    /// Directory of the states of experiments.
    pub states: PathBuf,
    /// True if it goes on where an earlier agent ended.
    pub resumes: bool,
}

/// The rest of an earlier agent.
struct Earlier {
    trial: Trial,
    started: u64,
    deployment: Option<Deployment>,
}

impl Begin {
    /// Loads and attaches the program, and puts the first policy in force; or goes on.
    pub fn agent(self) -> Result<Agent, Failure> {
        let trial = Trial::new(&self.experiment).map_err(Failure::Other)?;
        let indices = interfaces(&self.experiment.select.interfaces)?;
        let served = self.experiment.result.listen.map(listen).transpose()?;
        let folder = Own::lock(&self.states, &self.experiment.name)?;
        let earlier = match self.earlier(&folder) {
            Ok(earlier) => earlier,
            Err(failure) => {
                folder.give_up();
                return Err(failure);
            }
        };
        let agent = match earlier {
            Some(earlier) => self.go_on(earlier, folder, &indices),
            None => self.anew(trial, folder, &indices),
        };
        let mut agent = agent?;
        if let Some((listener, text)) = served {
            agent.served = Some(Arc::clone(&text));
            std::thread::spawn(move || serve(&listener, move || counters(&text)));
        }
        notify("READY=1\n");
        Ok(agent)
    }

    /// Returns what an earlier agent of this name has left, if the experiment goes on.
    fn earlier(&self, folder: &Own) -> Result<Option<Earlier>, Failure> {
        let name = &self.experiment.name;
        let path = self.states.join(name);
        if !path.join(FILE).exists() {
            // Its agent was killed before anybody was treated.
            if self.resumes {
                Deployment::discard(name)?;
            }
            return match Deployment::names().contains(name) {
                false => Ok(None),
                true => Err(Failure::Other(format!(
                    "pins of an experiment \"{name}\" were left behind in {}; `narrows deploy remove {name}` removes them, --resume begins again",
                    narrows_kernel::deployment::PINS
                ))),
            };
        }
        let pinned = Deployment::adopt(name)?;
        folder.mend()?;
        let kept = stored(&path)?;
        if !kept.state.phase.goes_on() {
            return Err(Failure::Other(format!(
                "the experiment \"{name}\" has ended, {}; `narrows deploy report {name}` shows it, `narrows deploy remove {name}` makes room for another",
                kept.state.phase.word()
            )));
        }
        if !self.resumes {
            return Err(Failure::Other(format!(
                "the experiment \"{name}\" was left behind by its agent; --resume goes on with it, `narrows deploy stop {name}` ends it"
            )));
        }
        if let Some((one, other)) = difference(&kept.text, &self.text) {
            return Err(Failure::Other(format!(
                "the experiment \"{name}\" began with another file: there \"{one}\" was \"{other}\" is; resume it with the file as it was, {}, or end it first",
                path.join(EXPERIMENT).display()
            )));
        }
        let mut trial = Trial::new(&self.experiment).map_err(Failure::Other)?;
        trial.restore(kept.periods).map_err(|error| Failure::Other(error.to_string()))?;
        Ok(Some(Earlier { trial, started: kept.state.started, deployment: pinned }))
    }

    /// Goes on where an earlier agent ended: with its program, or with a new one after a restart of
    /// the host.
    fn go_on(self, earlier: Earlier, mut folder: Own, own: &[u32]) -> Result<Agent, Failure> {
        let Earlier { mut trial, mut started, deployment } = earlier;
        let period = trial.timing().0.as_nanos();
        let (policy, deployment, next) = match deployment {
            Some(deployment) => {
                // The periods until now have nobody who read them.
                let policy = deployment.policy()?;
                let since = monotonic_ns().saturating_sub(policy.start_ns);
                (policy, deployment, (since / period) as usize + 1)
            }
            None => {
                let next = trial.next_group();
                let now = monotonic_ns() + AHEAD.as_nanos() as u64;
                let start_ns = now.saturating_sub(next as u64 * period);
                started = realtime_ns().saturating_sub(next as u64 * period);
                let policy = policy(&self.experiment, &trial, start_ns)?;
                (Policy { epoch: 2, ..policy }, self.load(&trial, own, &policy)?, next)
            }
        };
        let next = next.min(trial.slots().len());
        let void: Vec<usize> = (trial.over()..next).collect();
        void.iter().for_each(|period| trial.void(*period));
        // The present period is written when it is over.
        let over = next.saturating_sub(1).max(trial.over());
        for period in void.iter().filter(|own| **own < over) {
            folder.add(&trial.kept(*period))?;
        }
        trial.judge(over);
        self.ready(trial, deployment, policy, started, folder)
    }

    /// Begins an experiment.
    fn anew(self, trial: Trial, folder: Own, own: &[u32]) -> Result<Agent, Failure> {
        let now = (realtime_ns(), monotonic_ns());
        let started = self.experiment.design.start.unwrap_or(now.0 + AHEAD.as_nanos() as u64);
        if started < now.0 {
            folder.give_up();
            return Err(Failure::Other(format!(
                "the experiment was to start at {}, which is past; write a later time, or \"now\"",
                narrows_deploy::experiment::time::written(started)
            )));
        }
        let policy = policy(&self.experiment, &trial, now.1 + (started - now.0))?;
        let deployment = match self.load(&trial, own, &policy) {
            Ok(deployment) => deployment,
            Err(failure) => {
                folder.give_up();
                return Err(failure);
            }
        };
        folder.keep_experiment(&self.text)?;
        self.ready(trial, deployment, policy, started, folder)
    }

    /// Loads and attaches the program, and gives it a policy and a lease. After a failure nothing
    /// is left.
    fn load(&self, trial: &Trial, own: &[u32], policy: &Policy) -> Result<Deployment, Failure> {
        let open = |path: &PathBuf| super::super::place::open(path);
        let cgroups: Vec<File> = self.paths.iter().map(open).collect::<Result<_, _>>()?;
        let deployment = Deployment::start(&self.experiment.name, &cgroups)?;
        let lease = Duration::from_nanos(self.experiment.roll_back.lease.as_nanos());
        let filled = select(&deployment, &self.experiment, own)
            .and_then(|()| Ok(deployment.set(policy, &shares(trial))?))
            .and_then(|()| Ok(deployment.renew(lease)?));
        match filled {
            Ok(()) => Ok(deployment),
            Err(failure) => {
                let _ = deployment.remove();
                Err(failure)
            }
        }
    }

    /// Writes the first state, and returns the agent.
    fn ready(
        self,
        trial: Trial,
        deployment: Deployment,
        policy: Policy,
        started: u64,
        folder: Own,
    ) -> Result<Agent, Failure> {
        let experiment = self.experiment;
        let state = State {
            format: FORMAT,
            narrows: env!("CARGO_PKG_VERSION").to_owned(),
            name: experiment.name.clone(),
            phase: Phase::Observing,
            reason: String::new(),
            process: std::process::id(),
            host: host(),
            started,
            ended: None,
            arms: [
                experiment.control.clone().unwrap_or_else(|| "default".to_owned()),
                experiment.treatment.clone(),
            ],
            periods: [trial.slots().len(), 0],
            share: 0.0,
            age_s: [0.0, trial.timing().0.as_secs_f64()],
            lease_s: 0.0,
            pairs: [0, trial.groups(), 0],
            counts: Default::default(),
            left_out: Default::default(),
            unrecorded: 0,
            uncalled: 0,
            exposure: None,
            guards: Vec::new(),
            levels: Vec::new(),
            metrics: serde_json::Value::Null,
        };
        let group = |path: PathBuf| Group { inode: inode(&path), path, gone: None };
        let mut agent = Agent {
            groups: self.paths.into_iter().map(group).collect(),
            writer: Writer::start(self.states.clone()),
            trial,
            deployment,
            policy,
            started,
            state,
            states: self.states,
            folder,
            served: None,
            before: None,
            watched: None,
            completion: Default::default(),
            balance: Default::default(),
            lines: String::new(),
            began: Instant::now(),
            looked: Instant::now(),
            made: made(),
            has_told: false,
            suspended: 0,
            last_suspended: None,
            experiment,
        };
        let described = agent
            .describe(0, Span::ZERO)
            .and_then(|_| write(&agent.state, &agent.states))
            .and_then(|()| agent.keep_run());
        match described {
            Ok(()) => Ok(agent),
            Err(failure) => {
                let _ = agent.deployment.roll_back();
                let _ = agent.deployment.remove();
                Err(failure)
            }
        }
    }
}

impl Agent {
    /// Writes what does not change: versions, times, order, control groups.
    fn keep_run(&self) -> Result<(), Failure> {
        let groups: Vec<serde_json::Value> = self
            .groups
            .iter()
            .map(|own| serde_json::json!({ "path": own.path.display().to_string(), "inode": own.inode }))
            .collect();
        let shares: Vec<f64> = self.trial.slots().iter().map(|own| own.share).collect();
        let run = serde_json::json!({
            "format": FORMAT,
            "narrows": self.state.narrows,
            "host": self.state.host,
            "started": narrows_deploy::experiment::time::written(self.started),
            "salt": self.policy.salt,
            "epoch": self.policy.epoch,
            "shares": shares,
            "cgroups": groups,
        });
        let text = serde_json::to_string_pretty(&run).expect("its fields are texts and numbers");
        let path = self.states.join(&self.state.name);
        narrows_files::Folder::open(&path)
            .and_then(|folder| folder.write("run.json", (text + "\n").as_bytes()))
            .map_err(|error| {
                Failure::Other(format!("{} cannot be written: {error}", path.display()))
            })
    }
}

type Served = (TcpListener, Arc<Mutex<String>>);

/// Listens for Prometheus.
fn listen(address: std::net::SocketAddr) -> Result<Served, Failure> {
    let listener = TcpListener::bind(address).map_err(|error| {
        Failure::Other(format!(
            "cannot listen on {address} for Prometheus: {error}; give another address at listen"
        ))
    })?;
    Ok((listener, Arc::default()))
}

fn counters(text: &Mutex<String>) -> Result<String, &'static str> {
    let text = text.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone();
    if text.is_empty() { Err("the experiment begins; try again") } else { Ok(text) }
}

/// Returns the first line in which two files differ; comments and empty lines do not count.
fn difference(one: &str, other: &str) -> Option<(String, String)> {
    let lines = |text: &str| -> Vec<String> {
        let bare = |line: &str| line.trim().to_owned();
        text.lines().map(bare).filter(|own| !own.is_empty() && !own.starts_with('#')).collect()
    };
    let (one, other) = (lines(one), lines(other));
    let count = one.len().max(other.len());
    let at = |lines: &[String], place: usize| lines.get(place).cloned().unwrap_or_default();
    (0..count).map(|place| (at(&one, place), at(&other, place))).find(|(one, other)| one != other)
}

/// The kernel and the name of the host.
fn host() -> String {
    let read = |name: &str| {
        let text = fs::read_to_string(Path::new("/proc/sys/kernel").join(name));
        text.unwrap_or_default().trim().to_owned()
    };
    format!("{}, Linux {}", read("hostname"), read("osrelease"))
}
