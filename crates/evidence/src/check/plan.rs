//! The runs of a grid with given players.

use super::run::{Run, Variant};
use crate::EvidenceError;
use crate::suite::{Part, Who};
use narrows_scenario::{Axis, Scenario};
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The parts of a grid. All parts have the same cells. The index on the last axis is the pair.
pub struct Planned {
    pub parts: Vec<Part>,
    /// Reason why the controller cannot run in the grid. There are no parts then.
    pub refused: Option<String>,
    /// Cells that are run.
    pub chosen: Vec<usize>,
    /// The last scenario that was parsed. Scenarios of the same cell and pair differ only in seed
    /// and variant.
    last: Mutex<Option<((u8, u64), Scenario)>>,
}

impl Planned {
    pub fn new(parts: Vec<Part>) -> Planned {
        let cells = parts.first().map_or(0, |part| part.sweep.cells() as usize / part.pairs.len());
        Planned { parts, refused: None, chosen: (0..cells).collect(), last: Mutex::new(None) }
    }

    /// Returns a grid without runs.
    pub fn without(refused: Option<String>) -> Planned {
        Planned { refused, ..Planned::new(Vec::new()) }
    }

    /// Returns the error of the first scenario of a pair that is invalid.
    pub fn refusal(&self, (part, pair): (u8, u8)) -> Option<EvidenceError> {
        self.chosen.iter().find_map(|cell| {
            let run =
                Run { grid: 0, part, cell: *cell as u16, pair, variant: Variant::Plain, seed: 1 };
            self.scenario(run).err()
        })
    }

    /// Returns all pairs as part and index in the part.
    pub fn pairs(&self) -> Vec<(u8, u8)> {
        let of_part = |(part, own): (usize, &Part)| {
            (0..own.pairs.len()).map(move |pair| (part as u8, pair as u8)).collect::<Vec<_>>()
        };
        self.parts.iter().enumerate().flat_map(of_part).collect()
    }

    /// Returns the players of a pair.
    pub fn players(&self, part: u8, pair: u8) -> (Option<Who>, Option<Who>) {
        self.parts[usize::from(part)].pairs[usize::from(pair)]
    }

    /// Returns the part and the index of a pair.
    pub fn place(&self, this: Option<Who>, other: Option<Who>) -> Option<(u8, u8)> {
        let in_part = |part: &Part| part.pairs.iter().position(|pair| *pair == (this, other));
        self.parts
            .iter()
            .enumerate()
            .find_map(|(part, own)| Some((part as u8, in_part(own)? as u8)))
    }

    fn axes(&self) -> &[Axis] {
        let axes = self.parts.first().map_or(&[][..], |part| part.sweep.axes());
        axes.split_last().map_or(&[], |(_, cells)| cells)
    }

    fn places(&self, cell: usize) -> Vec<usize> {
        let pairs = self.parts[0].pairs.len();
        let mut places = self.parts[0].sweep.places((cell * pairs) as u64);
        places.pop();
        places
    }

    /// Describes a cell by its label on each axis.
    pub fn label(&self, cell: usize) -> String {
        self.coordinates(cell).into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(", ")
    }

    /// Returns the index and the label of a cell on each axis.
    pub fn coordinates(&self, cell: usize) -> Vec<(usize, String)> {
        self.axes()
            .iter()
            .zip(self.places(cell))
            .map(|(axis, place)| (place, axis.values[place].label.clone()))
            .collect()
    }

    /// Describes the controllers of a run.
    pub fn pair_label(&self, run: Run) -> &str {
        let axis = self.parts[usize::from(run.part)].sweep.axes().last();
        axis.map_or("", |axis| &axis.values[usize::from(run.pair)].label)
    }

    /// Returns the previous cell on an axis; `None` for the first cell, and if there is no such
    /// axis.
    pub fn before(&self, cell: usize, axis: &str) -> Option<usize> {
        let own = self.axes().iter().position(|own| own.name == axis)?;
        let step: usize = self.axes()[own + 1..].iter().map(|axis| axis.values.len()).product();
        (self.places(cell)[own] > 0).then(|| cell - step)
    }

    /// Returns the suite's scenario of a run.
    pub fn scenario(&self, run: Run) -> Result<Scenario, EvidenceError> {
        let part = &self.parts[usize::from(run.part)];
        let index = u64::from(run.cell) * part.pairs.len() as u64 + u64::from(run.pair);
        let key = (run.part, index);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, scenario)) = last.as_ref().filter(|(own, _)| *own == key) {
            return Ok(scenario.clone());
        }
        let none = |_: &Path| Err(io::Error::from(io::ErrorKind::NotFound));
        let scenario = part.sweep.cell(index, &none)?;
        *last = Some((key, scenario.clone()));
        Ok(scenario)
    }
}
