//! The worlds that run the cells of a figure.

use super::raw::RawWorld;
use crate::error::{Checked, Problem};
use crate::sweep::Axis;
use crate::text::At;
use std::ops::Range;

/// What runs a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// The simulator, packet by packet.
    Packets,
    /// The Linux kernel, over emulated links.
    Kernel,
}

impl World {
    /// Its label on the axis of worlds.
    pub fn name(self) -> &'static str {
        match self {
            World::Packets => "packets",
            World::Kernel => "kernel",
        }
    }
}

/// The worlds that a figure names, each with its place in the file.
pub(super) fn read(raw: Option<&At<Vec<At<RawWorld>>>>) -> Checked<Vec<(World, Range<usize>)>> {
    let Some(raw) = raw else { return Ok(Vec::new()) };
    if raw.value.is_empty() {
        return Err(Problem::at(&raw.span, "no world is given", "leave worlds out for packets, or write [\"kernel\", \"packets\"]"));
    }
    let mut worlds: Vec<(World, Range<usize>)> = Vec::new();
    for written in &raw.value {
        let world = match written.value {
            RawWorld::Packets => World::Packets,
            RawWorld::Kernel => World::Kernel,
        };
        if worlds.iter().any(|(other, _)| *other == world) {
            return Err(Problem::at(&written.span, format!("\"{}\" is among the worlds already", world.name()), "keep one of the two"));
        }
        worlds.push((world, written.span.clone()));
    }
    Ok(worlds)
}

/// The axis of these worlds, if any are named.
pub(super) fn axis(worlds: &[(World, Range<usize>)]) -> Option<Axis> {
    let labels = worlds.iter().map(|(world, span)| (world.name(), span.clone()));
    (!worlds.is_empty()).then(|| Axis::of_words("world", labels))
}
