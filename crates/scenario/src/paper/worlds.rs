//! Worlds that run the cells of a figure.

use crate::sweep::Axis;

/// A world that runs cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The simulator.
    Simulator,
    /// The Linux kernel, over emulated links.
    Kernel,
}

/// Worlds of a figure with `--live`, in the order of their axis.
pub(super) const LIVE: [World; 2] = [World::Kernel, World::Simulator];

/// Name of the axis of worlds.
pub(super) const AXIS: &str = "world";

impl World {
    /// Returns the label on the axis of worlds.
    pub fn name(self) -> &'static str {
        match self {
            World::Simulator => "simulator",
            World::Kernel => "kernel",
        }
    }
}

/// Returns the axis of the worlds of a live figure.
pub(super) fn axis() -> Axis {
    Axis::of_words(AXIS, &LIVE.map(World::name))
}
