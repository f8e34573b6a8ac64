//! The network of a plan, whose exposed flows are divided between the arms.

use super::job::Parts;
use crate::experiment::EXPOSED;
use narrows_scenario::written::{Frequency, parse_load};
use narrows_scenario::{Scenario, ScenarioError, parse, to_toml};
use narrows_units::{Random, Span};
use serde_json::{Map, Value, json};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Time after the last part in which open transfers may finish.
const TAIL: Span = Span::from_secs(60);

/// Ends of the names of divided flows: of the control, and of the treatment.
const ARMS: [&str; 2] = [" control", " treated"];

/// Reads a file that a scenario names.
type Read = Arc<dyn Fn(&Path) -> io::Result<String> + Send + Sync>;

/// A network with exposed flows.
#[derive(Clone)]
pub struct Exposed {
    /// The keys of the scenario without its exposed flows.
    network: Map<String, Value>,
    /// The keys of each exposed flow.
    flows: Vec<Map<String, Value>>,
    /// Name of the file, for errors.
    file: String,
    /// Reads the files that the scenario names.
    read: Read,
}

impl std::fmt::Debug for Exposed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exposed").field("file", &self.file).field("flows", &self.flows).finish()
    }
}

/// The reason why a scenario cannot be planned on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkError(String);

impl std::fmt::Display for NetworkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NetworkError {}

/// How a flow is divided between the arms.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Divided {
    /// By its load, in percent.
    Load(f64),
    /// By its arrivals per second.
    Arrivals(f64),
    /// By their number.
    Count(u64),
}

impl Exposed {
    /// Returns the network of a scenario's keys, with its flows whose controller is `experiment`.
    ///
    /// # Errors
    ///
    /// There is no such flow, or it cannot be divided.
    pub fn of(
        mut network: Map<String, Value>,
        file: &str,
        read: Read,
    ) -> Result<Exposed, NetworkError> {
        let refuse = |text: String| Err(NetworkError(format!("{file}: {text}")));
        let all = match network.remove("flow") {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        let (mut flows, mut others) = (Vec::new(), Vec::new());
        for flow in all {
            match flow {
                Value::Object(keys) if keys.get("controller") == Some(&json!(EXPOSED)) => {
                    flows.push(keys)
                }
                other => others.push(other),
            }
        }
        if flows.is_empty() {
            return refuse(format!(
                "no flow has controller = \"{EXPOSED}\", so nothing is exposed to the treatment; give it to the flows that the host sends"
            ));
        }
        for key in ["start", "stop", "stagger", "pauses"] {
            if flows.iter().any(|flow| flow.contains_key(key)) {
                return refuse(format!(
                    "an exposed flow has {key}, and the plan starts and stops them in each period; leave it out"
                ));
            }
        }
        network.insert("flow".to_owned(), Value::Array(others));
        let own = Exposed { network, flows, file: file.to_owned(), read };
        for flow in &own.flows {
            divided(flow).map_err(|text| NetworkError(format!("{file}: {text}")))?;
        }
        Ok(own)
    }

    /// Returns a scenario in which parts of the time treat shares of the exposed connections.
    /// `variation` is the deviation of their load from part to part.
    ///
    /// # Errors
    ///
    /// The network does not take the flows.
    pub fn scenario(
        &self,
        arms: &[String; 2],
        parts: &Parts,
        variation: f64,
        seed: u64,
    ) -> Result<Scenario, ScenarioError> {
        let mut keys = self.network.clone();
        let mut flows: Vec<Value> = match keys.remove("flow") {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        let mut random = Random::stream(seed, "load of periods");
        // A lognormal factor with mean 1 and this deviation.
        let spread = libm::log(1.0 + variation * variation).sqrt();
        for (place, share) in parts.shares.iter().enumerate() {
            let factor = match variation {
                0.0 => 1.0,
                _ => libm::exp(spread * random.normal() - 0.5 * spread * spread),
            };
            for (index, flow) in self.flows.iter().enumerate() {
                for (arm, part) in [(0, 1.0 - share), (1, *share)] {
                    let Some(mut own) = divide(flow, part, factor) else { continue };
                    // Runs of one share have the same connections and the same chance, whatever
                    // arm they are in: only divided flows are named after it.
                    let divided = if part < 1.0 { ARMS[arm] } else { "" };
                    let name = format!("{index} {place}{divided}");
                    own.insert("stream".to_owned(), json!(name));
                    own.insert("name".to_owned(), json!(name));
                    own.insert("controller".to_owned(), json!(arms[arm]));
                    let at = |place: usize| json!((parts.length * place as u64).to_string());
                    own.insert("start".to_owned(), at(place));
                    own.insert("stop".to_owned(), at(place + 1));
                    flows.push(Value::Object(own));
                }
            }
        }
        let duration = parts.length * parts.shares.len() as u64 + TAIL;
        keys.insert("flow".to_owned(), Value::Array(flows));
        keys.insert("duration".to_owned(), json!(duration.to_string()));
        keys.insert("warmup".to_owned(), json!("0 s"));
        keys.insert("sample".to_owned(), json!("10 s"));
        keys.insert("seed".to_owned(), json!(seed));
        let text = to_toml(&keys).expect("the keys were read from TOML");
        parse(&text, &format!("{} with the flows of the plan", self.file), &*self.read)
    }

    /// Returns the part and the arm of a flow by its name; `None` of a bystander. The arm is 0 for
    /// the control.
    pub fn place(&self, name: &str, parts: &Parts) -> Option<(usize, usize)> {
        // Flows of a count are numbered after a point.
        let mut words = name.split('.').next().unwrap_or_default().split(' ');
        let index: usize = words.next()?.parse().ok()?;
        let part: usize = words.next()?.parse().ok()?;
        let share = *parts.shares.get(part)?;
        let arm = match words.next() {
            None => usize::from(share > 0.0),
            Some(arm) => ARMS.iter().position(|own| own.trim() == arm)?,
        };
        (index < self.flows.len()).then_some((part, arm))
    }
}

/// Returns how a flow is divided, or why it cannot be.
fn divided(flow: &Map<String, Value>) -> Result<Divided, String> {
    let workload = flow.get("workload").and_then(Value::as_object);
    let text = |key: &str| workload.and_then(|own| own.get(key)).and_then(Value::as_str);
    let named = |key: &str, reason: String| format!("{key} of an exposed flow: {reason}");
    if let Some(load) = text("load") {
        let share = parse_load(load).map_err(|reason| named("load", reason))?;
        return Ok(Divided::Load(100.0 * share));
    }
    if let Some(arrivals) = text("arrivals") {
        let rate: Frequency = arrivals.parse().map_err(|reason| named("arrivals", reason))?;
        return Ok(Divided::Arrivals(rate.0));
    }
    match flow.get("count").map_or(Some(1), Value::as_u64) {
        Some(count) if count >= 2 => Ok(Divided::Count(count)),
        _ => Err(
            "an exposed flow is one connection, which cannot be divided between arms; give it arrivals or a load, or a count of at least 2"
                .to_owned(),
        ),
    }
}

/// Returns the keys of a part of a flow, with its load times a factor; `None` of nothing.
fn divide(flow: &Map<String, Value>, part: f64, factor: f64) -> Option<Map<String, Value>> {
    if part <= 0.0 {
        return None;
    }
    let mut own = flow.clone();
    let how = divided(flow).expect("it was checked");
    let mut put = |key: &str, text: String| {
        let workload = own.get_mut("workload").and_then(Value::as_object_mut);
        workload.expect("it has one").insert(key.to_owned(), json!(text));
    };
    match how {
        Divided::Load(load) => put("load", format!("{} %", load * part * factor)),
        Divided::Arrivals(rate) => put("arrivals", format!("{}/s", rate * part * factor)),
        Divided::Count(count) => {
            let most = if part < 1.0 { count - 1 } else { count };
            let number = (libm::round(count as f64 * part) as u64).clamp(1, most);
            own.insert("count".to_owned(), json!(number));
        }
    }
    Some(own)
}
