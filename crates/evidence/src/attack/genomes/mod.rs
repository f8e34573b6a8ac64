//! The kinds of networks that a search builds: for each its genes, how its numbers become a network, and what of them is real.

mod acks;
mod back;
mod common;
mod cross;
mod drops;
mod pair;
mod pauses;
mod reorder;
mod steps;
mod trace;

use super::shape::Shape;
use serde::{Deserialize, Serialize};

/// What a genome's numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A link whose rate and delay change in steps.
    Steps,
    /// A link with a fixed mean rate, of which only the times vary.
    Trace,
    /// A link that bursts of UDP cross.
    Cross,
    /// Several flows of two controllers on a constant link.
    Pair,
    /// Two flows with unlike ways of acknowledgements to a shared link.
    Acks,
    /// A link that loses short runs of packets.
    Drops,
    /// A link whose application has nothing to send now and then.
    Pauses,
    /// A link on which packets overtake others.
    Reorder,
    /// A link with a slow way back.
    Back,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 9] = [
        Kind::Steps,
        Kind::Trace,
        Kind::Cross,
        Kind::Pair,
        Kind::Acks,
        Kind::Drops,
        Kind::Pauses,
        Kind::Reorder,
        Kind::Back,
    ];

    /// What makes it.
    pub fn shape(self) -> &'static Shape {
        match self {
            Kind::Steps => &steps::SHAPE,
            Kind::Trace => &trace::SHAPE,
            Kind::Cross => &cross::SHAPE,
            Kind::Pair => &pair::SHAPE,
            Kind::Acks => &acks::SHAPE,
            Kind::Drops => &drops::SHAPE,
            Kind::Pauses => &pauses::SHAPE,
            Kind::Reorder => &reorder::SHAPE,
            Kind::Back => &back::SHAPE,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.shape().name
    }

    /// The kind of this name.
    ///
    /// # Errors
    /// There is none; the text names those that there are.
    pub fn named(name: &str) -> Result<Kind, String> {
        let known = || Kind::ALL.map(Kind::name).join(", ");
        Kind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("there is no genome \"{name}\"; choose from {}", known()))
    }
}
