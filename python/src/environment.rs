//! Environments for learning, many of which are stepped together.

use crate::networks::{Networks, Parts, Steered as Who};
use crate::{Error, raised};
use narrows::control::learned::{Actions, LearnedPreset};
use narrows::units::{Random, Rate, Span};
use narrows::workbench::Refused;
use narrows::workbench::policies::LearnedPolicy;
use narrows_agents::{Agents, AgentsError, Steered, Step, scenario};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Returns the random stream of an environment.
fn draws(seed: u64) -> Random {
    Random::stream(seed, "environment")
}

/// Returns the scenario of the first episode of an environment with this seed, with a flow of this
/// controller and this duration.
#[pyfunction]
pub fn network(networks: Parts, seed: u64, controller: &str, duration_s: f64) -> PyResult<String> {
    let networks = Networks::new(networks)?;
    Ok(networks.draw(&mut draws(seed), &Who::Flow { controller, seconds: duration_s }).text)
}

fn named(name: &str) -> PyResult<&'static LearnedPreset> {
    LearnedPreset::named(name).ok_or_else(|| {
        let known = LearnedPreset::ALL.map(|preset| preset.name).join(", ");
        PyValueError::new_err(format!("there is no preset {name:?}; give one of {known}"))
    })
}

/// Returns the shape of a preset's observations, and either the largest action or the number of
/// actions.
#[pyfunction]
pub fn preset(name: &str) -> PyResult<(Vec<usize>, Option<f32>, Option<usize>)> {
    let preset = named(name)?;
    let (largest, count) = match preset.actions {
        Actions::Between(largest) => (Some(largest), None),
        Actions::OneOf(count) => (None, Some(count)),
    };
    Ok((preset.shape.to_vec(), largest, count))
}

/// Converts an error to a Python exception. An invalid network gives the program's message.
fn stuck(error: AgentsError) -> PyErr {
    match error {
        AgentsError::Scenario(error) => raised(Refused::from(error)),
        AgentsError::Thread(_) | AgentsError::Forked | AgentsError::Simulation(_) => {
            Error::new_err(error.to_string())
        }
    }
}

/// An environment: a simulation with its agents.
struct Environment {
    number: u64,
    random: Random,
    simulation: Option<Steered>,
    /// Last step of each agent.
    seen: Vec<Step>,
    steps: u32,
    /// True if the last step ended the episode; the next step begins another episode.
    ended: bool,
}

/// Environments that begin or step between two checks for signals.
const BETWEEN_SIGNALS: usize = 64;

/// Lets Python handle signals, such as Ctrl-C, at every 64th environment.
///
/// # Errors
/// A signal handler raised an exception.
fn hear_signals(count: usize) -> PyResult<()> {
    if count.is_multiple_of(BETWEEN_SIGNALS) {
        Python::attach(|py| py.check_signals())
    } else {
        Ok(())
    }
}

/// Number of the next simulation of this process.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

impl Environment {
    fn new(seed: u64) -> Environment {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        Environment {
            number,
            random: draws(seed),
            simulation: None,
            seen: Vec::new(),
            steps: 0,
            ended: false,
        }
    }

    /// Begins an episode. Its first intervals end later.
    fn begin(
        &mut self,
        networks: &Networks,
        preset: &'static LearnedPreset,
        count: usize,
    ) -> PyResult<()> {
        // The last simulation ends before the next begins, because both have the same number.
        self.simulation = None;
        (self.steps, self.ended) = (0, false);
        let drawn =
            networks.draw(&mut self.random, &Who::Agents { simulation: self.number, count });
        let scenario =
            scenario(&networks.session, &drawn.text, &|name| drawn.read(name)).map_err(stuck)?;
        // Without a common interval of the preset, several agents share intervals of one base round
        // trip: our choice.
        let together =
            (count > 1).then(|| preset.interval.unwrap_or(Span::from_micros(drawn.rtt_us)));
        let first = drawn.first.into_iter().map(Some).collect();
        self.simulation = Some(
            Steered::begin(scenario, self.number, Agents { preset, first, together })
                .map_err(stuck)?,
        );
        Ok(())
    }

    /// Ends the episode without a result. The environment must be reset before its next step.
    fn abandon(&mut self) {
        self.simulation = None;
        self.seen.clear();
    }

    fn act(&mut self, actions: &[f32]) {
        if let Some(simulation) = &mut self.simulation {
            simulation.act(actions.to_vec());
        }
    }

    /// Waits for the next ends of intervals. Returns false if the simulation has ended.
    fn observe(&mut self) -> PyResult<bool> {
        let Some(simulation) = &mut self.simulation else { return Ok(false) };
        let steps = simulation.steps().map_err(stuck)?;
        let goes_on = steps.is_some();
        if let Some(steps) = steps {
            self.seen = steps;
        }
        Ok(goes_on)
    }
}

/// Environments of a preset that are stepped together, with the same number of agents each.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Environments {
    networks: Networks,
    preset: &'static LearnedPreset,
    agents: usize,
    steps: u32,
    environments: Mutex<Vec<Environment>>,
}

/// Raw arrays over all agents of all environments: observations, rewards, ends of episodes, and
/// truncations.
type Stepped<'py> =
    (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl Environments {
    #[new]
    fn new(
        preset: &str,
        count: usize,
        agents: usize,
        networks: Parts,
        steps: u32,
    ) -> PyResult<Environments> {
        let (preset, networks) = (named(preset)?, Networks::new(networks)?);
        if steps == 0 || count == 0 || agents == 0 {
            return Err(PyValueError::new_err(
                "an episode has at least one step, and there is at least one environment and one agent",
            ));
        }
        let environments = Mutex::new((0..count as u64).map(Environment::new).collect());
        Ok(Environments { networks, preset, agents, steps, environments })
    }

    /// Begins the episodes of the `chosen` environments, with the new seeds that `seeds` gives;
    /// both lists have an entry for each environment. Returns the observations: float32, with the
    /// dimensions environments, agents, and shape of an observation.
    fn reset<'py>(
        &self,
        py: Python<'py>,
        seeds: Vec<Option<u64>>,
        chosen: Vec<bool>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut environments = self.locked()?;
        let all = environments.len();
        if seeds.len() != all || chosen.len() != all {
            return Err(PyValueError::new_err(format!(
                "give {all} seeds, one for each environment; these are {}",
                seeds.len()
            )));
        }
        if environments
            .iter()
            .zip(&chosen)
            .any(|(environment, chosen)| !chosen && environment.seen.is_empty())
        {
            return Err(Error::new_err(
                "some environments have not begun; reset all of them once without a mask",
            ));
        }
        let (networks, preset, agents) = (&self.networks, self.preset, self.agents);
        let own = &mut *environments;
        let reset = py.detach(|| {
            let mut begun = Vec::new();
            let chosen = own.iter_mut().zip(seeds).zip(&chosen).filter(|(_, chosen)| **chosen);
            for (count, ((environment, seed), _)) in chosen.enumerate() {
                hear_signals(count)?;
                if let Some(seed) = seed {
                    environment.simulation = None;
                    *environment =
                        Environment { number: environment.number, ..Environment::new(seed) };
                }
                environment.begin(networks, preset, agents)?;
                begun.push(environment);
            }
            begun.into_iter().enumerate().try_for_each(|(count, environment)| {
                hear_signals(count)?;
                environment.observe().map(drop)
            })
        });
        if reset.is_err() {
            own.iter_mut()
                .zip(chosen)
                .filter(|(_, chosen)| *chosen)
                .for_each(|(environment, _)| environment.abandon());
        }
        reset?;
        Ok(PyBytes::new(py, &observations(&environments)))
    }

    /// Steps all environments by these actions, float32, one for each agent. An environment with an
    /// ended episode begins another one instead.
    fn step<'py>(&self, py: Python<'py>, actions: &[u8]) -> PyResult<Stepped<'py>> {
        let mut environments = self.begun()?;
        let actions = numbers(actions);
        let wanted = environments.len() * self.agents;
        if actions.len() != wanted || actions.iter().any(|action| !action.is_finite()) {
            let given = actions.len();
            return Err(PyValueError::new_err(format!(
                "give {wanted} finite actions, one for each environment; these are {given}"
            )));
        }
        let (networks, preset, agents, limit) =
            (&self.networks, self.preset, self.agents, self.steps);
        let own = &mut *environments;
        let stepped = py.detach(|| {
            let begins: Vec<bool> = own.iter().map(|environment| environment.ended).collect();
            for (count, (environment, actions)) in
                own.iter_mut().zip(actions.chunks_exact(agents)).enumerate()
            {
                hear_signals(count)?;
                if environment.ended {
                    environment.begin(networks, preset, agents)?
                } else {
                    environment.act(actions)
                }
            }
            let outcome = |(count, (environment, begins)): (usize, (&mut Environment, bool))| {
                hear_signals(count)?;
                let goes_on = environment.observe()?;
                if begins {
                    return Ok((false, !goes_on, false));
                }
                environment.steps += 1;
                let truncated = environment.steps >= limit;
                environment.ended = !goes_on || truncated;
                Ok((goes_on, !goes_on, truncated))
            };
            own.iter_mut()
                .zip(begins)
                .enumerate()
                .map(outcome)
                .collect::<PyResult<Vec<(bool, bool, bool)>>>()
        });
        if stepped.is_err() {
            own.iter_mut().for_each(Environment::abandon);
        }
        let outcomes = stepped?;
        let reward = |(environment, (rewarded, ..)): (&Environment, &(bool, bool, bool))| {
            let of = |agent: usize| {
                environment.seen.get(agent).filter(|_| *rewarded).map_or(0.0, |step| step.reward)
            };
            (0..agents).flat_map(|agent| of(agent).to_le_bytes()).collect::<Vec<u8>>()
        };
        let rewards: Vec<u8> = environments.iter().zip(&outcomes).flat_map(reward).collect();
        let told = |of: fn(&(bool, bool, bool)) -> bool| -> Vec<u8> {
            outcomes.iter().flat_map(|outcome| vec![u8::from(of(outcome)); agents]).collect()
        };
        let all = [
            observations(&environments),
            rewards,
            told(|outcome| outcome.1),
            told(|outcome| outcome.2),
        ];
        let [observations, rewards, terminated, truncated] =
            all.map(|bytes| PyBytes::new(py, &bytes));
        Ok((observations, rewards, terminated, truncated))
    }

    /// The rates in force, in bit/s; 0 for agents that do not pace.
    fn rates(&self) -> PyResult<Vec<u64>> {
        Ok(seen(&self.begun()?, |step| step.rate.map_or(0, Rate::as_bps)))
    }

    /// The windows in force, in segments.
    fn windows(&self) -> PyResult<Vec<f64>> {
        Ok(seen(&self.begun()?, |step| step.window))
    }

    /// The ends of the intervals, in seconds since the simulation began.
    fn times(&self) -> PyResult<Vec<f64>> {
        Ok(seen(&self.begun()?, |step| step.now.as_secs_f64()))
    }
}

impl Environments {
    fn locked(&self) -> PyResult<MutexGuard<'_, Vec<Environment>>> {
        match self.environments.try_lock() {
            Ok(environments) => Ok(environments),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Error::new_err(
                "another thread steps these environments now; give each thread environments of its own",
            )),
        }
    }

    /// Locks the environments. Refuses environments without a running episode.
    fn begun(&self) -> PyResult<MutexGuard<'_, Vec<Environment>>> {
        let environments = self.locked()?;
        if environments.iter().any(|environment| environment.seen.is_empty()) {
            return Err(Error::new_err("no episode has begun; call reset() first"));
        }
        Ok(environments)
    }
}

fn seen<T>(environments: &[Environment], of: impl Fn(&Step) -> T) -> Vec<T> {
    environments.iter().flat_map(|environment| environment.seen.iter().map(&of)).collect()
}

fn observations(environments: &[Environment]) -> Vec<u8> {
    let bytes = seen(environments, |step| {
        step.observation.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
    });
    bytes.concat()
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes
        .chunks_exact(4)
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

/// A learned policy from a file, which acts like the controller of the same file.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Policy(LearnedPolicy);

#[pymethods]
impl Policy {
    #[new]
    fn new(path: &str) -> PyResult<Policy> {
        LearnedPolicy::read(path).map(Policy).map_err(PyValueError::new_err)
    }

    /// The name of the preset.
    #[getter]
    fn preset(&self) -> &'static str {
        self.0.preset.name
    }

    /// Returns the actions for these concatenated observations, float32: one float32 for each
    /// observation.
    fn actions<'py>(&self, py: Python<'py>, observations: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let LearnedPolicy { network, preset, .. } = &self.0;
        let (numbers, inputs) = (numbers(observations), preset.inputs());
        if !numbers.len().is_multiple_of(inputs) || numbers.iter().any(|number| !number.is_finite())
        {
            let given = numbers.len();
            return Err(PyValueError::new_err(format!(
                "give observations of {inputs} finite numbers each; these are {given}"
            )));
        }
        let mut room = Default::default();
        let action = |observation: &[f32]| {
            (preset.choose)(network.outputs(observation, &mut room)).to_le_bytes()
        };
        let actions: Vec<u8> = numbers.chunks_exact(inputs).flat_map(action).collect();
        Ok(PyBytes::new(py, &actions))
    }
}
