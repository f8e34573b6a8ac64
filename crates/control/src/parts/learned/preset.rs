//! What agents see and do: by name, for controllers and environments alike.

use super::aurora::Aurora;
use super::steering::Steering;
use narrows_units::{Rate, Span};

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
