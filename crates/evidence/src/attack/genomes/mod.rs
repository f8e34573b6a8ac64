//! The kinds of networks that a search builds: for each kind its genes, the conversion of its
//! numbers into a network, and the limits of realistic numbers.

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
use std::fmt;

/// The meaning of a genome's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A link with steps of rate and delay.
    Steps,
    /// A link with a fixed mean rate and a variable course of the rate.
    Trace,
    /// A link with bursts of UDP cross traffic.
    Cross,
    /// Several flows of two controllers on a constant link.
    Pair,
    /// Two flows over a shared link with different return paths for acknowledgements.
    Acks,
    /// A link that drops short runs of packets.
    Drops,
    /// A link with an application that pauses from time to time.
    Pauses,
    /// A link that reorders packets.
    Reorder,
    /// A link with a slow return path.
    Back,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Kind {
    /// All kinds.
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

    /// Returns the definition of the kind.
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

    /// Returns the name of the kind.
    pub fn name(self) -> &'static str {
        self.shape().name
    }

    /// Returns the kind of this name.
    ///
    /// # Errors
    ///
    /// There is no such kind. The text lists the known kinds.
    pub fn named(name: &str) -> Result<Kind, String> {
        let known = || Kind::ALL.map(Kind::name).join(", ");
        Kind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("there is no genome \"{name}\"; choose from {}", known()))
    }
}
