//! Controllers that were learned: a network of weights that decides once per interval, and presets,
//! which say how intervals become observations and how actions become rates or windows.
//! Environments for training use the same presets.

mod aurora;
mod guided;
mod mvfst_rl;
mod network;
mod orca;
mod preset;
mod steering;
mod summary;
#[cfg(test)]
mod testing;
mod weights;

pub use guided::{Chooser, Guided};
pub use network::{
    Activation, Layer, MOST_LAYERS, MOST_WEIGHTS, NeuralNetwork, NeuralNetworkError,
};
pub use preset::{Actions, LearnedPreset};
pub use steering::Steering;
pub use weights::{Learned, Weights};
