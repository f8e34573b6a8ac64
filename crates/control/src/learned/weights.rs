//! A network that chooses actions.

use super::guided::{Chooser, Guided};
use super::network::NeuralNetwork;
use super::preset::LearnedPreset;
use super::steering::Steering;
use crate::{Fault, Setup};
use narrows_units::Rate;
use std::sync::Arc;

/// A network that is asked at the end of each interval, by the rules of a preset.
pub struct Weights {
    network: Arc<NeuralNetwork>,
    choose: fn(&[f64]) -> f32,
    room: [Vec<f64>; 2],
}

/// A policy of a network.
pub type Learned = Guided<Weights>;

impl Learned {
    /// For a new connection. The network has the preset's inputs and outputs; `first` is as
    /// [`LearnedPreset::begin`] has it.
    pub fn of(
        network: Arc<NeuralNetwork>,
        preset: &'static LearnedPreset,
        setup: &Setup,
        first: Option<Rate>,
    ) -> Learned {
        let weights = Weights { network, choose: preset.choose, room: Default::default() };
        Guided::new((preset.begin)(setup, first), preset.interval, weights)
    }
}

impl Chooser for Weights {
    fn choose(&mut self, steering: &dyn Steering) -> Result<f32, Fault> {
        let outputs = self.network.outputs(steering.observation(), &mut self.room);
        if let Some(value) = outputs.iter().find(|value| value.is_nan()) {
            return Err(Fault::new(format!(
                "its network gives {value} for what it sees; train it with smaller weights"
            )));
        }
        Ok((self.choose)(outputs))
    }
}
