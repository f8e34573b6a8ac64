//! What agents see and do: by name, for controllers and environments alike.

use super::aurora::Aurora;
use crate::{Course, Interval};
use narrows_units::{Rate, Span};

/// One connection as an agent sees and steers it.
pub trait Steering: Send {
    /// Takes in the interval that has ended.
    fn observe(&mut self, interval: &Interval);

    /// The latest observation: as many numbers as the preset's [`inputs`](LearnedPreset::inputs).
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

/// How intervals become observations and rewards, and how actions become courses.
pub struct LearnedPreset {
    /// Its name in files.
    pub name: &'static str,
    /// The document that it follows.
    pub source: &'static str,
    /// How many numbers an observation has.
    pub inputs: usize,
    /// How many numbers a network gives for an action.
    pub outputs: usize,
    /// How long an interval lasts; `None` for a smoothed round trip.
    pub interval: Option<Span>,
    /// Makes one for a new connection. The rate is the first that the agent multiplies, of packets with their headers; without one it is that at which the
    /// initial window goes out in a round trip.
    pub begin: fn(Option<Rate>) -> Box<dyn Steering>,
}

impl LearnedPreset {
    /// All of them.
    pub const ALL: [&'static LearnedPreset; 1] = [&LearnedPreset::AURORA];

    /// That of Aurora.
    pub const AURORA: LearnedPreset = LearnedPreset {
        name: "aurora",
        source: "Jay et al., \"A Deep Reinforcement Learning Perspective on Internet Congestion Control\", ICML 2019",
        inputs: Aurora::INPUTS,
        outputs: 1,
        interval: None,
        begin: |first| Box::new(Aurora::new(first)),
    };

    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static LearnedPreset> {
        LearnedPreset::ALL.into_iter().find(|preset| preset.name == name)
    }
}
