//! The observations and actions of agents: by name, for controllers and environments alike.

use super::aurora::Aurora;
use super::mvfst_rl::MvfstRl;
use super::orca::Orca;
use super::steering::Steering;
use crate::Setup;
use narrows_params::Need;
use narrows_units::{Rate, Span};

/// The numbers that actions are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Actions {
    /// Any number of this size at most, negative or not.
    Between(f32),
    /// A whole number below this.
    OneOf(usize),
}

/// How intervals become observations and rewards, and how actions become courses.
pub struct LearnedPreset {
    /// Its name in files.
    pub name: &'static str,
    /// The document that it follows.
    pub source: &'static str,
    /// The shape of an observation: intervals, the oldest first, by features, or features alone.
    pub shape: &'static [usize],
    /// How many numbers a network gives for an action.
    pub outputs: usize,
    /// The actions.
    pub actions: Actions,
    /// How long an interval lasts; `None` for a smoothed round trip.
    pub interval: Option<Span>,
    /// Signals without which it cannot work.
    pub needs: &'static [Need],
    /// Makes one for a new connection. The rate is the first of an agent that chooses rates, of
    /// packets with their headers; without one it is that at which the initial window goes out in a
    /// round trip. Agents that choose windows begin with the initial one.
    pub begin: fn(&Setup, Option<Rate>) -> Box<dyn Steering>,
    /// The action that the outputs of a network mean.
    pub choose: fn(&[f64]) -> f32,
}

impl LearnedPreset {
    /// All of them.
    pub const ALL: [&'static LearnedPreset; 3] =
        [&LearnedPreset::AURORA, &LearnedPreset::MVFST_RL, &LearnedPreset::ORCA];

    /// That of Aurora.
    pub const AURORA: LearnedPreset = LearnedPreset {
        name: "aurora",
        source: "Jay et al., \"A Deep Reinforcement Learning Perspective on Internet Congestion Control\", ICML 2019",
        shape: &Aurora::SHAPE,
        outputs: 1,
        actions: Actions::Between(Aurora::LARGEST_ACTION),
        interval: None,
        needs: &[Need::Pacing],
        begin: |_, first| Box::new(Aurora::new(first)),
        choose: first,
    };

    /// That of MVFST-RL.
    pub const MVFST_RL: LearnedPreset = LearnedPreset {
        name: "mvfst-rl",
        source: "Sivakumar et al., \"MVFST-RL: An Asynchronous RL Framework for Congestion Control with Delayed Actions\", 2019",
        shape: &[MvfstRl::INPUTS],
        outputs: MvfstRl::ACTIONS,
        actions: Actions::OneOf(MvfstRl::ACTIONS),
        interval: Some(MvfstRl::INTERVAL),
        needs: &[],
        begin: |setup, _| Box::new(MvfstRl::new(setup)),
        choose: largest,
    };

    /// That of Orca.
    pub const ORCA: LearnedPreset = LearnedPreset {
        name: "orca",
        source: "Abbasloo, Yen and Chao, \"Classic Meets Modern: A Pragmatic Learning-Based Congestion Control for the Internet\", SIGCOMM 2020",
        shape: &Orca::SHAPE,
        outputs: 1,
        actions: Actions::Between(1.0),
        interval: Some(Orca::INTERVAL),
        needs: &[Need::Pacing, Need::Outstanding, Need::RateSample],
        begin: |setup, _| Box::new(Orca::new(setup)),
        choose: first,
    };

    /// The one of this name.
    pub fn named(name: &str) -> Option<&'static LearnedPreset> {
        LearnedPreset::ALL.into_iter().find(|preset| preset.name == name)
    }

    /// How many numbers an observation has.
    pub fn inputs(&self) -> usize {
        self.shape.iter().product()
    }
}

fn first(outputs: &[f64]) -> f32 {
    outputs[0] as f32
}

/// The place of the largest output; of equal ones the first.
fn largest(outputs: &[f64]) -> f32 {
    let best = (1..outputs.len())
        .fold(0, |best, index| if outputs[index] > outputs[best] { index } else { best });
    best as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_become_actions() {
        assert_eq!((first(&[0.25]), largest(&[1.0, 3.0, -1.0, 3.0])), (0.25, 1.0));
        assert_eq!(LearnedPreset::ALL.map(|preset| preset.inputs()), [30, 220, 70]);
        for preset in LearnedPreset::ALL {
            let steering = (preset.begin)(&Setup::default(), None);
            assert_eq!(steering.observation().len(), preset.inputs(), "{}", preset.name);
        }
    }
}
