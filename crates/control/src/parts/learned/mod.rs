//! Controllers that were learned: a network of weights that decides once per interval, and presets, which say how intervals become observations and how actions
//! become rates or windows. Environments for training use the same presets.

mod aurora;
mod network;
mod policy;
mod preset;
mod steering;

pub use network::{Activation, Layer, MOST_LAYERS, MOST_WEIGHTS, Network, NetworkError};
pub use policy::Learned;
pub use preset::LearnedPreset;
pub use steering::Steering;
