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
pub enum GenomeKind {
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

impl fmt::Display for GenomeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl GenomeKind {
    /// All kinds.
    pub const ALL: [GenomeKind; 9] = [
        GenomeKind::Steps,
        GenomeKind::Trace,
        GenomeKind::Cross,
        GenomeKind::Pair,
        GenomeKind::Acks,
        GenomeKind::Drops,
        GenomeKind::Pauses,
        GenomeKind::Reorder,
        GenomeKind::Back,
    ];

    /// Returns the definition of the kind.
    pub fn shape(self) -> &'static Shape {
        match self {
            GenomeKind::Steps => &steps::SHAPE,
            GenomeKind::Trace => &trace::SHAPE,
            GenomeKind::Cross => &cross::SHAPE,
            GenomeKind::Pair => &pair::SHAPE,
            GenomeKind::Acks => &acks::SHAPE,
            GenomeKind::Drops => &drops::SHAPE,
            GenomeKind::Pauses => &pauses::SHAPE,
            GenomeKind::Reorder => &reorder::SHAPE,
            GenomeKind::Back => &back::SHAPE,
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
    pub fn named(name: &str) -> Result<GenomeKind, String> {
        let known = || GenomeKind::ALL.map(GenomeKind::name).join(", ");
        GenomeKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("there is no genome \"{name}\"; choose from {}", known()))
    }
}
