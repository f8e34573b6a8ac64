//! A network that steers a connection.

use super::network::Network;
use super::preset::LearnedPreset;
use super::steering::Steering;
use crate::{Course, Fault, Interval, Policy};
use narrows_units::{Rate, Span};
use std::sync::Arc;

/// A policy that asks a network at the end of each interval, by the rules of a preset.
pub struct Learned {
    network: Arc<Network>,
    preset: &'static LearnedPreset,
    steering: Box<dyn Steering>,
    room: [Vec<f64>; 2],
    action: f32,
}

impl Learned {
    /// For a new connection. The network has the preset's inputs and outputs; `first` is as [`LearnedPreset::begin`] has it.
    pub fn new(network: Arc<Network>, preset: &'static LearnedPreset, first: Option<Rate>) -> Learned {
        Learned { network, preset, steering: (preset.begin)(first), room: Default::default(), action: 0.0 }
    }
}

impl Policy for Learned {
    fn decide(&mut self, interval: &Interval) -> Result<Course, Fault> {
        self.steering.observe(interval);
        let outputs = self.network.outputs(self.steering.observation(), &mut self.room);
        if let Some(value) = outputs.iter().find(|value| value.is_nan()) {
            return Err(Fault::new(format!("its network gives {value} for what it sees; train it with smaller weights")));
        }
        self.action = self.steering.choose(outputs);
        Ok(self.steering.act(self.action))
    }

    fn length(&self, srtt: Span) -> Span {
        self.preset.interval.unwrap_or(srtt)
    }

    fn inspect(&self, visit: &mut dyn FnMut(&'static str, f64)) {
        visit("action", f64::from(self.action));
        visit("reward", self.steering.reward());
    }
}
