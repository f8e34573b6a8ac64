//! A connection under an agent.

use crate::{Course, Interval};
use narrows_units::Rate;

/// One connection as an agent sees and steers it.
pub trait Steering: Send {
    /// Takes in the interval that has ended.
    fn observe(&mut self, interval: &Interval);

    /// The latest observation: as many numbers as the preset's [`inputs`](super::LearnedPreset::inputs).
    fn observation(&self) -> &[f32];

    /// The reward of the interval that was observed last.
    fn reward(&self) -> f64;

    /// The action that the outputs of a network mean.
    fn choose(&self, outputs: &[f64]) -> f32;

    /// Takes an action, and says what holds in the next interval.
    fn act(&mut self, action: f32) -> Course;

    /// The pacing rate in force, if it paces by itself.
    fn rate(&self) -> Option<Rate>;
}
