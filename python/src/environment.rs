//! Environments for learning, stepped many at a time: the one of Aurora (Jay, Rotman, Godfrey, Schapira and Tamar, "A Deep Reinforcement Learning Perspective on
//! Internet Congestion Control", ICML 2019).

use crate::raised;
use narrows::agents::{self, AGENT, Steered};
use narrows::control::learned::{LearnedPreset, Steering};
use narrows::policies::LearnedPolicy;
use narrows::units::{Random, Rate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// The first rate, in parts of the link's (the authors' `create_new_links_and_senders`).
const FIRST: (f64, f64) = (0.3, 1.5);
/// The length in seconds of simulations that end when nobody steers them any more.
const ENDLESS: f64 = 100_000.0;
const ENDLESS_US: u64 = 100_000_000_000;

/// What networks are drawn from, each uniformly between two values; buffers with a uniform logarithm.
#[derive(Clone, Copy, FromPyObject)]
pub struct Networks {
    rate_mbps: (f64, f64),
    rtt_ms: (f64, f64),
    buffer_packets: (f64, f64),
    loss: (f64, f64),
}

impl Networks {
    fn check(&self) -> PyResult<()> {
        let ranges = [
            ("rate_mbps", self.rate_mbps, (0.01, 100_000.0)),
            ("rtt_ms", self.rtt_ms, (0.1, 60_000.0)),
            ("buffer_packets", self.buffer_packets, (1.0, 1e6)),
            ("loss", self.loss, (0.0, 0.9)),
        ];
        for (name, (low, high), (least, most)) in ranges {
            if !(least <= low && low <= high && high <= most) {
                return Err(PyValueError::new_err(format!("{name} is ({low}, {high}); give two numbers in order from {least} to {most}")));
            }
        }
        Ok(())
    }

    /// A network as a scenario with one flow of this controller, and the first rate of an agent in it. Samples are a base round trip apart, or there are none in
    /// simulations without an end.
    fn draw(&self, random: &mut Random, controller: &str, duration_s: Option<f64>) -> (String, Rate) {
        let mut between = |(low, high): (f64, f64)| low + (high - low) * random.uniform();
        let rate = (1e6 * between(self.rate_mbps)) as u64;
        let delay = (1e3 * between(self.rtt_ms) / 2.0).max(1.0) as u64;
        let (least, most) = self.buffer_packets;
        let buffer = between((least.ln(), most.ln())).exp().round() as u64;
        let loss = between(self.loss);
        let seed = random.below(1 << 31);
        let first = rate as f64 * (FIRST.0 + (FIRST.1 - FIRST.0) * random.uniform());
        let (duration, sample) = duration_s.map_or((ENDLESS, ENDLESS_US), |seconds| (seconds, 2 * delay));
        let text = format!(
            "duration = \"{duration} s\"\nsample = \"{sample} us\"\nseed = {seed}\n\
             [[link]]\nname = \"there\"\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate} bit/s\"\ndelay = \"{delay} us\"\nbuffer = \"{buffer} packets\"\nloss = {loss}\n\
             [[link]]\nname = \"back\"\nfrom = \"b\"\nto = \"a\"\ndelay = \"{delay} us\"\n\
             [[flow]]\nname = \"agent\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{controller}\"\n",
        );
        (text, Rate::from_bps(first as u64))
    }
}

/// The draws of an environment.
fn draws(seed: u64) -> Random {
    Random::stream(seed, "environment")
}

/// The network of the first episode of an environment with this seed, as the text of a scenario of that length whose flow has this controller.
#[pyfunction]
pub fn network(networks: Networks, seed: u64, controller: &str, duration_s: f64) -> PyResult<String> {
    networks.check()?;
    Ok(networks.draw(&mut draws(seed), controller, Some(duration_s)).0)
}

/// One environment.
struct Environment {
    number: u64,
    random: Random,
    simulation: Option<Steered>,
    /// What the agent sees and does in this episode. Behind a lock, so that environments can be shared; only one thread steps them.
    steering: Mutex<Box<dyn Steering>>,
    steps: u32,
    /// The step before ended the episode: the next one begins another.
    ended: bool,
}

/// Numbers of simulations in this process.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

impl Environment {
    fn new(seed: u64, preset: &LearnedPreset) -> Environment {
        Environment {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            random: draws(seed),
            simulation: None,
            steering: Mutex::new((preset.begin)(None)),
            steps: 0,
            ended: false,
        }
    }

    /// Begins an episode. Its first interval comes later.
    fn begin(&mut self, networks: &Networks, preset: &LearnedPreset) -> PyResult<()> {
        // The one before ends first: its number is taken.
        self.simulation = None;
        let (text, first) = networks.draw(&mut self.random, &format!("{AGENT}?number={}", self.number), None);
        self.steering = Mutex::new((preset.begin)(Some(first)));
        (self.steps, self.ended) = (0, false);
        let scenario = agents::scenario(&text).map_err(raised)?;
        self.simulation = Some(Steered::begin(scenario, self.number).map_err(raised)?);
        Ok(())
    }

    fn steering(&mut self) -> &mut dyn Steering {
        &mut **self.steering.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    fn act(&mut self, action: f32) {
        let course = self.steering().act(action);
        if let Some(simulation) = &mut self.simulation {
            simulation.steer(course);
        }
    }

    /// Takes in the interval that ends next, and returns its reward; `None` if the simulation has ended.
    fn observe(&mut self) -> Option<f64> {
        let interval = self.simulation.as_mut()?.interval()?;
        let steering = self.steering();
        steering.observe(&interval);
        Some(steering.reward())
    }
}

/// Environments of Aurora that are stepped together.
#[pyclass(module = "narrows._narrows")]
pub struct Aurora {
    networks: Networks,
    preset: &'static LearnedPreset,
    steps: u32,
    environments: Vec<Environment>,
}

/// Observations, rewards, and whether episodes ended and were cut off, of all environments as raw arrays.
type Step<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl Aurora {
    #[new]
    fn new(count: usize, networks: Networks, steps: u32) -> PyResult<Aurora> {
        networks.check()?;
        if steps == 0 || count == 0 {
            return Err(PyValueError::new_err("an episode has at least one step, and there is at least one environment"));
        }
        let preset = &LearnedPreset::AURORA;
        let environments = (0..count as u64).map(|seed| Environment::new(seed, preset)).collect();
        Ok(Aurora { networks, preset, steps, environments })
    }

    /// Begins all episodes, with new seeds where there are some. Returns the observations: float32, environments by intervals by features.
    fn reset<'py>(&mut self, py: Python<'py>, seeds: Vec<Option<u64>>) -> PyResult<Bound<'py, PyBytes>> {
        for (environment, seed) in self.environments.iter_mut().zip(seeds) {
            if let Some(seed) = seed {
                environment.simulation = None;
                *environment = Environment { number: environment.number, ..Environment::new(seed, self.preset) };
            }
        }
        py.detach(|| {
            self.environments.iter_mut().try_for_each(|environment| environment.begin(&self.networks, self.preset))?;
            self.environments.iter_mut().for_each(|environment| _ = environment.observe());
            Ok::<_, PyErr>(())
        })?;
        Ok(PyBytes::new(py, &self.observations()))
    }

    /// Steps all environments by these actions, float32, one for each. One whose episode has ended begins another instead.
    fn step<'py>(&mut self, py: Python<'py>, actions: &[u8]) -> PyResult<Step<'py>> {
        let actions: Vec<f32> = actions.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
        if actions.len() != self.environments.len() || actions.iter().any(|action| !action.is_finite()) {
            let count = self.environments.len();
            return Err(PyValueError::new_err(format!(
                "give {count} finite actions, one for each environment; these are {}",
                actions.len()
            )));
        }
        let outcomes = py.detach(|| {
            let begins: Vec<bool> = self.environments.iter().map(|environment| environment.ended).collect();
            for (environment, action) in self.environments.iter_mut().zip(actions) {
                if environment.ended { environment.begin(&self.networks, self.preset)? } else { environment.act(action) }
            }
            let limit = self.steps;
            let outcome = |(environment, begins): (&mut Environment, bool)| {
                let reward = environment.observe();
                if begins {
                    return (0.0, reward.is_none(), false);
                }
                environment.steps += 1;
                let (terminated, truncated) = (reward.is_none(), environment.steps >= limit);
                environment.ended = terminated || truncated;
                (reward.unwrap_or_default(), terminated, truncated)
            };
            Ok::<_, PyErr>(self.environments.iter_mut().zip(begins).map(outcome).collect::<Vec<_>>())
        })?;
        let rewards: Vec<u8> = outcomes.iter().flat_map(|(reward, ..)| reward.to_le_bytes()).collect();
        let terminated: Vec<u8> = outcomes.iter().map(|(_, terminated, _)| u8::from(*terminated)).collect();
        let truncated: Vec<u8> = outcomes.iter().map(|(.., truncated)| u8::from(*truncated)).collect();
        let [observations, rewards, terminated, truncated] =
            [self.observations(), rewards, terminated, truncated].map(|bytes| PyBytes::new(py, &bytes));
        Ok((observations, rewards, terminated, truncated))
    }

    /// The rates in force, in bit/s.
    fn rates(&mut self) -> Vec<u64> {
        self.environments.iter_mut().map(|environment| environment.steering().rate().map_or(0, Rate::as_bps)).collect()
    }
}

impl Aurora {
    fn observations(&mut self) -> Vec<u8> {
        let of = |environment: &mut Environment| {
            environment.steering().observation().iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
        };
        self.environments.iter_mut().flat_map(of).collect()
    }
}

/// A learned policy of a file, which acts as the controller of the same file does.
#[pyclass(frozen, module = "narrows._narrows")]
pub struct Policy(LearnedPolicy);

#[pymethods]
impl Policy {
    #[new]
    fn new(path: &str) -> PyResult<Policy> {
        LearnedPolicy::read(path).map(Policy).map_err(PyValueError::new_err)
    }

    /// The actions for these observations, float32, one after another. Returns float32, one for each.
    fn actions<'py>(&self, py: Python<'py>, observations: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let LearnedPolicy { network, preset, .. } = &self.0;
        let numbers: Vec<f32> = observations.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect();
        if !numbers.len().is_multiple_of(preset.inputs) || numbers.iter().any(|number| !number.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "give observations of {} finite numbers each; these are {}",
                preset.inputs,
                numbers.len()
            )));
        }
        let (steering, mut room) = ((preset.begin)(None), Default::default());
        let action = |observation: &[f32]| steering.choose(network.outputs(observation, &mut room)).to_le_bytes();
        let actions: Vec<u8> = numbers.chunks_exact(preset.inputs).flat_map(action).collect();
        Ok(PyBytes::new(py, &actions))
    }
}
