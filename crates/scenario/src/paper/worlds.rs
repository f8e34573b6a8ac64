//! The worlds that run the cells of a figure.

use crate::sweep::Axis;

/// What runs a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The simulator.
    Simulator,
    /// The Linux kernel, over emulated links.
    Kernel,
}

/// What runs a figure with `--live`, in the order of the axis of worlds.
pub(super) const LIVE: [World; 2] = [World::Kernel, World::Simulator];

/// What that axis is called.
pub(super) const AXIS: &str = "world";

impl World {
    /// Its label on the axis of worlds.
    pub fn name(self) -> &'static str {
        match self {
            World::Simulator => "simulator",
            World::Kernel => "kernel",
        }
    }
}

/// The axis of the worlds of a live figure.
pub(super) fn axis() -> Axis {
    Axis::of_words(AXIS, &LIVE.map(World::name))
}
