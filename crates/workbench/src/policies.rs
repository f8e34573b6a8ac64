//! Learned policies from files: weights in JSON that become controllers.

use narrows_control::learned::{
    Activation, Layer, Learned, LearnedPreset, MOST_WEIGHTS, NeuralNetwork,
};
use narrows_control::{
    Basis, Build, Built, ByInterval, EntryRef, FileForm, KeptFile, OwnedEntry, Session, Setup,
};
use narrows_files::{Limit, read};
use narrows_params::{ParamKind, Params, Spec};
use narrows_units::Rate;
use serde::Deserialize;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Maximum size of a file: the largest network, with 32 bytes per weight.
const LONGEST: Limit = Limit::bytes(32 * MOST_WEIGHTS as u64);
/// Required value of the key `format`. The next constant is the supported version.
const FORMAT: &str = "narrows-policy";
const VERSION: u64 = 1;
/// Maximum length of the note, in characters.
const LONGEST_NOTE: usize = 1000;
const FIRST: &str = "first_mbps";

/// Content of a policy file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u64,
    preset: String,
    layers: Vec<Rows>,
    #[serde(default)]
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
    activation: String,
}

/// A learned policy.
#[derive(Clone)]
pub struct LearnedPolicy {
    /// Weights of the policy.
    pub network: Arc<NeuralNetwork>,
    /// Observations and actions of the policy.
    pub preset: &'static LearnedPreset,
    /// Note by the author. May be empty.
    pub note: String,
}

impl LearnedPolicy {
    /// Reads a policy file.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is not a policy. The error has the file, the place in it, the
    /// value and a remedy.
    pub fn read(path: &str) -> Result<LearnedPolicy, String> {
        LearnedPolicy::parse(path, &content(path)?)
    }

    fn parse(path: &str, content: &[u8]) -> Result<LearnedPolicy, String> {
        let document: Document = serde_json::from_slice(content).map_err(|error| {
            format!(
                "{path}: {error}; write a policy as docs/how-to/learn.md describes it, with finite numbers"
            )
        })?;
        document.checked().map_err(|problem| format!("{path}: {problem}"))
    }
}

impl Document {
    fn checked(self) -> Result<LearnedPolicy, String> {
        if self.format != FORMAT {
            return Err(format!("format: it is {:?}; write {FORMAT:?}", shortened(&self.format)));
        }
        if self.version != VERSION {
            return Err(format!(
                "version: it is {}; write {VERSION}, the only one that this program reads",
                self.version
            ));
        }
        let preset = LearnedPreset::named(&self.preset).ok_or_else(|| {
            let known = LearnedPreset::ALL.map(|preset| format!("{:?}", preset.name));
            format!("preset: it is {:?}; write {}", shortened(&self.preset), known.join(" or "))
        })?;
        let length = self.note.chars().count();
        if length > LONGEST_NOTE || self.note.chars().any(char::is_control) {
            return Err(format!(
                "note: it has {length} characters; write at most {LONGEST_NOTE}, in one line"
            ));
        }
        let layers = self
            .layers
            .into_iter()
            .enumerate()
            .map(|(index, rows)| rows.layer(index))
            .collect::<Result<_, _>>()?;
        let network = NeuralNetwork::new(layers, preset.inputs(), preset.outputs)
            .map_err(|error| error.to_string())?;
        Ok(LearnedPolicy { network: Arc::new(network), preset, note: self.note })
    }
}

impl Rows {
    fn layer(self, index: usize) -> Result<Layer, String> {
        let activation = Activation::ALL
            .into_iter()
            .find(|activation| activation.name() == self.activation)
            .ok_or_else(|| {
                let known = Activation::ALL.map(|activation| format!("{:?}", activation.name()));
                format!(
                    "layers[{index}].activation: it is {:?}; write {}",
                    shortened(&self.activation),
                    known.join(" or ")
                )
            })?;
        Ok(Layer { weights: self.weights, biases: self.biases, activation })
    }
}

/// Shortens a text for an error message.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

fn content(path: &str) -> Result<Vec<u8>, String> {
    read(Path::new(path), LONGEST).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => {
            format!("{path}: {error}; give a network of at most {MOST_WEIGHTS} weights")
        }
        _ => format!(
            "{path}: it cannot be read: {error}; give the path of a learned policy ({})",
            FileForm::Policy.end()
        ),
    })
}

/// True if the file name has the extension of policy files.
pub fn is_policy(path: &str) -> bool {
    path.ends_with(FileForm::Policy.end())
}

/// Returns the controller of a file. Loads and registers it in the session at the first call, under
/// the stem of the file name, or as `STEM.policy` if another controller has that name.
///
/// # Errors
///
/// If [`LearnedPolicy::read`] fails, or the name is not valid for a controller.
pub fn entry(session: &Session, path: &str) -> Result<EntryRef, String> {
    let own = fs::canonicalize(path).map_err(|error| {
        format!(
            "{path}: it cannot be read: {error}; give the path of a learned policy ({})",
            FileForm::Policy.end()
        )
    })?;
    session.loaded(&own, || load(session, path))
}

fn load(session: &Session, path: &str) -> Result<EntryRef, String> {
    let object = content(path)?;
    let policy = LearnedPolicy::parse(path, &object)?;
    let file =
        Arc::new(KeptFile { form: FileForm::Policy, object, source: None, notes: Vec::new() });
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.strip_suffix(FileForm::Policy.end()).unwrap_or(name);
    session
        .register_file(stem, "policy", |name| policy.entry(name, path), &file)
        .map_err(|refused| format!("{path}: {refused}"))
}

static PARAMS: [Spec; 1] = [Spec::new(
    FIRST,
    ParamKind::NumberOr { word: "window", min: 0.1, max: 10_000.0, unit: "Mbit/s" },
    "the rate that its first action changes; window: that at which the initial window goes out in a round trip",
)];

impl LearnedPolicy {
    fn entry(&self, name: String, path: &str) -> OwnedEntry {
        let (network, preset) = (Arc::clone(&self.network), self.preset);
        // A policy that sets windows has no initial rate.
        let chooses_rates =
            (preset.begin)(&Setup::default(), Some(Rate::from_mbps(1))).rate().is_some();
        let make = move |setup: &Setup, params: &Params| {
            let first = params.text(FIRST).and_then(|text| text.parse::<f64>().ok());
            let first = first.map(|mbps| Rate::from_bps((1e6 * mbps).round() as u64));
            Ok(Built::new(ByInterval::new(
                setup,
                Learned::of(Arc::clone(&network), preset, setup, first),
            )))
        };
        OwnedEntry {
            name,
            summary: format!("a learned policy of the preset {}, from {path}", preset.name),
            source: path.to_owned(),
            basis: Basis::Model,
            needs: preset.needs.to_vec(),
            params: if chooses_rates { PARAMS.to_vec() } else { Vec::new() },
            build: Build::Shared(Arc::new(make)),
        }
    }

    /// Describes the policy as text.
    pub fn text(&self, path: &str) -> String {
        let mut text = format!(
            "a learned policy, from {path}\npreset        {}: {}\n",
            self.preset.name, self.preset.source
        );
        for (index, layer) in self.network.layers().iter().enumerate() {
            let word = if index == 0 { "layers" } else { "" };
            let (inputs, outputs) = (layer.weights[0].len(), layer.weights.len());
            text += &format!(
                "{word:<14}{inputs} inputs, {outputs} outputs, activation {}\n",
                layer.activation
            );
        }
        text += &format!("numbers       {}, weights and biases\n", self.network.weights());
        if !self.note.is_empty() {
            text += &format!("note          {}\n", self.note);
        }
        text
    }
}
