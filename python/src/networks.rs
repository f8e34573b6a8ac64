//! Networks from which episodes are drawn.

use narrows::control::Session;
use narrows::units::{Random, Rate};
use narrows::workbench::session;
use narrows::workbench::text::quoted;
use narrows_agents::{AGENT, Recorded, join};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Range of the first rate, as a share of the link's rate (`create_new_links_and_senders` in the
/// code of Aurora's authors).
const FIRST: (f64, f64) = (0.3, 1.5);
/// Length of simulations of agents, in seconds; they end when the episode is dropped.
const ENDLESS: f64 = 100_000.0;
const ENDLESS_US: u64 = 100_000_000_000;

/// A kind of networks from Python: each value is drawn uniformly from a range, a buffer with a
/// uniform logarithm.
#[derive(FromPyObject)]
struct Ranges {
    rate_mbps: (f64, f64),
    rtt_ms: (f64, f64),
    buffer_packets: (f64, f64),
    loss: (f64, f64),
    traces: Vec<PathBuf>,
    beside: Vec<String>,
}

/// Kinds of networks from Python, with their weights.
#[derive(FromPyObject)]
pub struct Parts {
    parts: Vec<(f64, Ranges)>,
}

/// A checked kind of networks.
struct NetworkKind {
    ranges: Ranges,
    /// Traces, each with its name in scenarios.
    recorded: Vec<(String, Arc<Recorded>)>,
}

/// Kinds of networks; each episode draws one of them.
pub struct Networks {
    /// Kinds, each with the sum of the weights up to and including its weight.
    kinds: Vec<(f64, NetworkKind)>,
    /// The controllers that their flows can have.
    pub session: Session,
}

/// A drawn network, as a scenario.
pub struct Drawn {
    /// Text of the scenario.
    pub text: String,
    /// First rate of each agent.
    pub first: Vec<Rate>,
    /// Base round trip, in microseconds.
    pub rtt_us: u64,
    trace: Option<(String, Arc<Recorded>)>,
}

impl Drawn {
    /// Reads a file that the text names.
    pub fn read(&self, name: &Path) -> io::Result<String> {
        let own = self.trace.as_ref().filter(|(own, _)| Path::new(own) == name);
        own.map(|(_, recorded)| recorded.text.clone())
            .ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

/// The sender in a drawn network.
pub enum Steered<'a> {
    /// Agents of a simulation, which has no end.
    Agents {
        /// Number of the simulation.
        simulation: u64,
        /// Number of agents.
        count: usize,
    },
    /// A flow of a controller.
    Flow {
        /// Name of the controller.
        controller: &'a str,
        /// Duration of the flow.
        seconds: f64,
    },
}

impl Networks {
    /// Checks all kinds, and reads their traces.
    pub fn new(Parts { parts }: Parts) -> PyResult<Networks> {
        let refuse = |text: String| Err(PyValueError::new_err(text));
        let (mut kinds, mut sum) = (Vec::new(), 0.0);
        for (weight, ranges) in parts {
            if !(weight > 0.0 && weight.is_finite()) {
                return refuse(format!(
                    "a part of a mix has the weight {weight}; give a positive number"
                ));
            }
            sum += weight;
            kinds.push((sum, NetworkKind::new(ranges)?));
        }
        if kinds.is_empty() {
            refuse("a mix has no parts; give at least one".to_owned())
        } else {
            let session = session(&[]).map_err(|error| PyValueError::new_err(error.to_string()))?;
            join(&session);
            Ok(Networks { kinds, session })
        }
    }

    /// Draws a network.
    pub fn draw(&self, random: &mut Random, steered: &Steered<'_>) -> Drawn {
        let sum = self.kinds.last().map_or(0.0, |(sum, _)| *sum);
        // A single kind needs no draw.
        let at = if self.kinds.len() > 1 { sum * random.uniform() } else { 0.0 };
        let kind = self.kinds.iter().find(|(upto, _)| at < *upto).unwrap_or(&self.kinds[0]);
        kind.1.draw(random, steered)
    }
}

impl NetworkKind {
    fn new(ranges: Ranges) -> PyResult<NetworkKind> {
        let checked = [
            ("rate_mbps", ranges.rate_mbps, (0.01, 100_000.0)),
            ("rtt_ms", ranges.rtt_ms, (0.1, 60_000.0)),
            ("buffer_packets", ranges.buffer_packets, (1.0, 1e6)),
            ("loss", ranges.loss, (0.0, 0.9)),
        ];
        for (name, (low, high), (least, most)) in checked {
            if !(least <= low && low <= high && high <= most) {
                return Err(PyValueError::new_err(format!(
                    "{name} is ({low}, {high}); give two numbers in order from {least} to {most}"
                )));
            }
        }
        let read = |path: &PathBuf| {
            let whole = std::path::absolute(path)?;
            let recorded = Recorded::read(&whole).map_err(PyValueError::new_err)?;
            Ok((whole.display().to_string(), Arc::new(recorded)))
        };
        let recorded = ranges.traces.iter().map(read).collect::<PyResult<_>>()?;
        Ok(NetworkKind { ranges, recorded })
    }

    fn draw(&self, random: &mut Random, steered: &Steered<'_>) -> Drawn {
        let ranges = &self.ranges;
        let mut between = |(low, high): (f64, f64)| low + (high - low) * random.uniform();
        let rate = (1e6 * between(ranges.rate_mbps)) as u64;
        let delay = (1e3 * between(ranges.rtt_ms) / 2.0).max(1.0) as u64;
        let (least, most) = ranges.buffer_packets;
        let buffer = between((least.ln(), most.ln())).exp().round() as u64;
        let loss = between(ranges.loss);
        let seed = random.below(1 << 31);
        let count = if let Steered::Agents { count, .. } = steered { *count } else { 1 };
        let parts: Vec<f64> =
            (0..count).map(|_| FIRST.0 + (FIRST.1 - FIRST.0) * random.uniform()).collect();
        let trace = (!self.recorded.is_empty())
            .then(|| self.recorded[random.below(self.recorded.len() as u64) as usize].clone());
        // Episodes begin at a random time of the trace.
        let start = trace
            .as_ref()
            .map_or(0, |(_, recorded)| random.below((recorded.length.as_millis_f64()) as u64));
        let (capacity, rate) = match &trace {
            Some((name, recorded)) => (format!("trace = {}", quoted(name)), recorded.mean.as_bps()),
            None => (format!("rate = \"{rate} bit/s\""), rate),
        };
        let (duration, sample) = match steered {
            Steered::Agents { .. } => (ENDLESS, ENDLESS_US),
            Steered::Flow { seconds, .. } => (seconds + start as f64 / 1e3, 2 * delay),
        };
        let begins = if start > 0 { format!("start = \"{start} ms\"\n") } else { String::new() };
        let flow = |name: &str, controller: &str| {
            format!(
                "[[flow]]\nname = \"{name}\"\nfrom = \"a\"\nto = \"b\"\ncontroller = {}\n{begins}",
                quoted(controller)
            )
        };
        let mut text = format!(
            "duration = \"{duration} s\"\nsample = \"{sample} us\"\nseed = {seed}\n\
             [[link]]\nname = \"there\"\nfrom = \"a\"\nto = \"b\"\n{capacity}\ndelay = \"{delay} us\"\nbuffer = \"{buffer} packets\"\nloss = {loss}\n\
             [[link]]\nname = \"back\"\nfrom = \"b\"\nto = \"a\"\ndelay = \"{delay} us\"\n",
        );
        match steered {
            Steered::Flow { controller, .. } => text += &flow("agent", controller),
            Steered::Agents { simulation, count } => {
                for seat in 0..*count {
                    let name =
                        if *count > 1 { format!("agent-{seat}") } else { "agent".to_owned() };
                    text += &flow(&name, &format!("{AGENT}?simulation={simulation}&seat={seat}"));
                }
            }
        }
        for (number, controller) in ranges.beside.iter().enumerate() {
            text += &flow(&format!("beside-{}", number + 1), controller);
        }
        let first = parts.iter().map(|part| Rate::from_bps((rate as f64 * part) as u64)).collect();
        Drawn { text, first, rtt_us: 2 * delay, trace }
    }
}
