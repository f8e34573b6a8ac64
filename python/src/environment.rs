//! Environments for learning, stepped many at a time: the one of Aurora (Jay, Rotman, Godfrey, Schapira and Tamar, "A Deep Reinforcement Learning Perspective on
//! Internet Congestion Control", ICML 2019).

use crate::raised;
use narrows::agents::{self, AGENT, Steered};
use narrows::control::{Course, Interval};
use narrows::units::{Random, Rate};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicU64, Ordering};

/// Observations of so many intervals are seen at once (`history_len` of the authors' `network_sim.py`), and each has so many numbers.
const HISTORY: usize = 10;
const FEATURES: usize = 3;
/// An action of a multiplies the rate by 1 + 0.025 a, or divides it by 1 - 0.025 a if a is negative (`apply_rate_delta` and `DELTA_SCALE` of the authors' code).
const DELTA: f64 = 0.025;
/// Weights of throughput in packets per second, of latency in seconds and of loss (the authors' `run_for_dur`, which scales all by 0.001).
const REWARD: [f64; 3] = [10.0, 1000.0, 2000.0];
/// The first rate, in parts of the link's (the authors' `create_new_links_and_senders`).
const FIRST: (f64, f64) = (0.3, 1.5);
/// Rates in bit/s; ours.
const RATES: (f64, f64) = (1e5, 1e10);
/// A ratio of sent to delivered packets above this says nothing (the authors' `sender_obs.py`).
const LARGEST_RATIO: f64 = 1000.0;

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

    /// A network as a scenario, and its rate in bit/s.
    fn draw(&self, random: &mut Random, number: u64) -> (String, f64) {
        let mut between = |(low, high): (f64, f64)| low + (high - low) * random.uniform();
        let rate = (1e6 * between(self.rate_mbps)) as u64;
        let delay = (1e3 * between(self.rtt_ms) / 2.0).max(1.0) as u64;
        let (least, most) = self.buffer_packets;
        let buffer = between((least.ln(), most.ln())).exp().round() as u64;
        let loss = between(self.loss);
        let text = format!(
            "duration = \"100000 s\"\nsample = \"100000 s\"\nseed = {seed}\n\
             [[link]]\nname = \"there\"\nfrom = \"a\"\nto = \"b\"\nrate = \"{rate} bit/s\"\ndelay = \"{delay} us\"\nbuffer = \"{buffer} packets\"\nloss = {loss}\n\
             [[link]]\nname = \"back\"\nfrom = \"b\"\nto = \"a\"\ndelay = \"{delay} us\"\n\
             [[flow]]\nname = \"agent\"\nfrom = \"a\"\nto = \"b\"\ncontroller = \"{AGENT}?number={number}\"\n",
            seed = random.below(1 << 31),
        );
        (text, rate as f64)
    }
}

/// One environment.
struct Environment {
    number: u64,
    random: Random,
    simulation: Option<Steered>,
    rate: f64,
    /// The least mean round trip of an interval so far, in seconds, and the latest.
    least: f64,
    latest: f64,
    /// The oldest first.
    history: [[f32; FEATURES]; HISTORY],
    steps: u32,
    /// The step before ended the episode: the next one begins another.
    ended: bool,
}

/// Numbers of simulations in this process.
static NUMBERS: AtomicU64 = AtomicU64::new(1);

impl Environment {
    fn new(seed: u64) -> Environment {
        Environment {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            random: Random::stream(seed, "environment"),
            simulation: None,
            rate: 0.0,
            least: f64::INFINITY,
            latest: 0.0,
            history: [[0.0, 1.0, 1.0]; HISTORY],
            steps: 0,
            ended: false,
        }
    }

    /// Begins an episode. Its first interval comes later.
    fn begin(&mut self, networks: &Networks) -> PyResult<()> {
        // The one before ends first: its number is taken.
        self.simulation = None;
        let (text, rate) = networks.draw(&mut self.random, self.number);
        self.rate = rate * (FIRST.0 + (FIRST.1 - FIRST.0) * self.random.uniform());
        (self.least, self.latest, self.steps, self.ended) = (f64::INFINITY, 0.0, 0, false);
        self.history = [[0.0, 1.0, 1.0]; HISTORY];
        let scenario = agents::scenario(&text).map_err(raised)?;
        self.simulation = Some(Steered::begin(scenario, self.number).map_err(raised)?);
        Ok(())
    }

    fn act(&mut self, action: f32) {
        let change = DELTA * f64::from(action);
        self.rate = if change >= 0.0 { self.rate * (1.0 + change) } else { self.rate / (1.0 - change) }.clamp(RATES.0, RATES.1);
        let course = Course { window: None, pacing: Some(Rate::from_bps(self.rate as u64)) };
        if let Some(simulation) = &mut self.simulation {
            simulation.steer(course);
        }
    }

    /// What the interval that ends next has brought, and its reward; `None` if the simulation has ended.
    fn observe(&mut self) -> Option<f64> {
        let interval = self.simulation.as_mut()?.interval()?;
        self.latest = interval.rtt.map_or(self.latest, |(mean, _)| mean.as_secs_f64());
        if interval.rtt.is_some() {
            self.least = self.least.min(self.latest);
        }
        self.history.rotate_left(1);
        self.history[HISTORY - 1] = self.features(&interval);
        Some(self.reward(&interval))
    }

    /// Latency gradient, latency ratio and sending ratio (the authors' `sender_obs.py`, whose gradient is the difference between the means of two halves).
    fn features(&self, interval: &Interval) -> [f32; FEATURES] {
        let (sent, delivered) = (interval.sent as f64, interval.delivered as f64);
        let ratio = if self.least.is_finite() { self.latest / self.least } else { 1.0 };
        let sending = if delivered > 0.0 && sent < LARGEST_RATIO * delivered { sent / delivered } else { 1.0 };
        [interval.gradient as f32, ratio as f32, sending as f32]
    }

    fn reward(&self, interval: &Interval) -> f64 {
        let fates = interval.delivered + interval.lost;
        let loss = if fates > 0 { interval.lost as f64 / fates as f64 } else { 0.0 };
        let throughput = interval.delivered as f64 / interval.length.as_secs_f64();
        REWARD[0] * throughput - REWARD[1] * self.latest - REWARD[2] * loss
    }
}

/// Environments of Aurora that are stepped together.
#[pyclass(module = "narrows._narrows")]
pub struct Aurora {
    networks: Networks,
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
        Ok(Aurora { networks, steps, environments: (0..count as u64).map(Environment::new).collect() })
    }

    /// Begins all episodes, with new seeds where there are some. Returns the observations: float32, environments by intervals by features.
    fn reset<'py>(&mut self, py: Python<'py>, seeds: Vec<Option<u64>>) -> PyResult<Bound<'py, PyBytes>> {
        for (environment, seed) in self.environments.iter_mut().zip(seeds) {
            if let Some(seed) = seed {
                environment.simulation = None;
                *environment = Environment { number: environment.number, ..Environment::new(seed) };
            }
        }
        py.detach(|| {
            self.environments.iter_mut().try_for_each(|environment| environment.begin(&self.networks))?;
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
                if environment.ended { environment.begin(&self.networks)? } else { environment.act(action) }
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
    fn rates(&self) -> Vec<f64> {
        self.environments.iter().map(|environment| environment.rate).collect()
    }
}

impl Aurora {
    fn observations(&self) -> Vec<u8> {
        let numbers = self.environments.iter().flat_map(|environment| environment.history.iter().flatten());
        numbers.flat_map(|number| number.to_le_bytes()).collect()
    }
}
