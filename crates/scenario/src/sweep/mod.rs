//! Sweeps: many scenarios from one file. The table `[sweep]` names values of the scenario, and
//! lists the values that they take in turn.
//!
//! Each cell substitutes a value of each axis in the TOML document, and is then read and checked
//! like any other scenario. So every key of a scenario can be an axis.

pub(crate) mod axis;
mod changes;
mod mode;
mod parameter;
mod path;
mod range;
mod set;

pub use axis::{Axis, AxisValue};
pub use changes::Changes;
pub use mode::Mode;
pub(crate) use path::{Path, places};
pub use set::moved;

use crate::error::{Problem, ScenarioError};
use crate::files::{ReadFile, scenario_text};
use crate::read::as_changed;
use crate::whole::{not_toml, read_whole};
use crate::{Scenario, check};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path as FilePath;
use toml_edit::{Document, DocumentMut, Item};

/// Most cells of a sweep; more are probably a mistake.
const MOST_CELLS: u64 = 10_000_000;

/// A scenario file with axes. Each **cell** is one scenario, with one value of each axis. The axis
/// `seed` comes last, so that cells that differ only in their seed are neighbours.
#[derive(Clone, Debug)]
pub struct Sweep {
    file: String,
    /// Name of the text in errors, which may be a changed version of the file.
    called: String,
    text: String,
    base: DocumentMut,
    axes: Vec<Axis>,
    fixed: Vec<Fixed>,
    cells: u64,
}

/// A value that is set in all cells.
#[derive(Clone, Debug)]
struct Fixed {
    path: path::Path,
    span: Range<usize>,
}

impl Sweep {
    /// Reads a scenario file with axes.
    ///
    /// # Errors
    /// The file cannot be read, is not TOML, or has invalid axes. [`check`](Sweep::check) checks
    /// the cells.
    pub fn load(path: &FilePath, changes: &Changes) -> Result<Sweep, ScenarioError> {
        let file = path.display().to_string();
        let text = scenario_text(path).map_err(|error| ScenarioError::unreadable(&file, &error))?;
        Sweep::parse(&text, &file, changes)
    }

    /// Reads the text of a scenario with axes; errors call it `file`.
    ///
    /// # Errors
    /// The errors of [`load`](Sweep::load).
    pub fn parse(text: &str, file: &str, changes: &Changes) -> Result<Sweep, ScenarioError> {
        if changes.seeds.is_some() && changes.set.iter().any(|(path, _)| path == "seed") {
            let problem = Problem::at(
                &(0..0),
                "the seeds are given twice, as an axis and as their number",
                "leave out --seeds, or the axis seed",
            );
            return Err(ScenarioError::new(*problem, file, text).without_place());
        }
        let changed = set::changed(text, changes)
            .map_err(|problem| ScenarioError::new(*problem, file, text))?;
        let called = if changed == text { file.to_owned() } else { as_changed(file) };
        let sweep = Sweep::read(&changed, file)
            .map_err(|problem| ScenarioError::new(*problem, &called, &changed))?;
        Ok(Sweep { called, ..sweep })
    }

    fn read(text: &str, file: &str) -> Result<Sweep, Box<Problem>> {
        let document = Document::parse(text.to_owned()).map_err(|error| not_toml(text, &error))?;
        let first_seed = document.get("seed").and_then(Item::as_integer).unwrap_or(1);
        let axes = axis::read(&document, first_seed)?;
        let mut base = document.into_mut();
        base.remove("sweep");
        Sweep::of(text, file, base, axes, Vec::new())
    }

    fn of(
        text: &str,
        file: &str,
        base: DocumentMut,
        axes: Vec<Axis>,
        fixed: Vec<Fixed>,
    ) -> Result<Sweep, Box<Problem>> {
        let cells = axes
            .iter()
            .try_fold(1u64, |cells, axis| cells.checked_mul(axis.values.len() as u64))
            .unwrap_or(u64::MAX);
        if cells > MOST_CELLS {
            return Err(Problem::at(
                &axes[0].span,
                format!("the axes have {cells} combinations"),
                format!("take fewer values; a sweep has at most {MOST_CELLS} cells"),
            ));
        }
        Ok(Sweep {
            file: file.to_owned(),
            called: file.to_owned(),
            text: text.to_owned(),
            base,
            axes,
            fixed,
            cells,
        })
    }

    /// Returns a sweep whose text does not depend on its place: `files` gives new names of the
    /// files that it names, controllers from files get their registered names, and the name of the
    /// sweep is part of the text.
    ///
    /// # Errors
    /// Only errors that [`parse`](Sweep::parse) has reported before.
    pub fn moved(&self, files: &BTreeMap<String, String>) -> Result<Sweep, ScenarioError> {
        let (name, changes) = (self.name(), Changes::default());
        let folder = FilePath::new(&self.file).parent().unwrap_or(FilePath::new(""));
        let text = set::named(set::loaded(&set::moved(&self.text, files), folder), &name);
        Sweep::parse(&text, "sweep.toml", &changes)
    }

    /// Returns the name in reports.
    pub fn name(&self) -> String {
        let stem = || {
            FilePath::new(&self.file)
                .file_stem()
                .map_or("sweep".to_owned(), |stem| stem.to_string_lossy().into_owned())
        };
        self.base.get("name").and_then(Item::as_str).map_or_else(stem, str::to_owned)
    }

    /// Returns the text with its changes. Parsing it gives an equal sweep.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the axes in the order of the file, `seed` last.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Returns the number of cells: the product of the axes' lengths.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Returns the number of neighbouring cells that differ only in their seed: the length of the
    /// axis `seed`, or 1 without this axis.
    pub fn seeds(&self) -> u64 {
        self.axes.last().filter(|axis| axis.is_seed()).map_or(1, |axis| axis.values.len() as u64)
    }

    /// Returns the seed of a cell, if the axis `seed` gives a valid seed. Apart from the seed, the
    /// scenarios of these neighbouring cells are equal.
    pub fn seed(&self, cell: u64) -> Option<u64> {
        let axis = self.axes.last().filter(|axis| axis.is_seed())?;
        let [value] = &axis.values[(cell % axis.values.len() as u64) as usize].toml[..] else {
            return None;
        };
        value.as_integer()?.try_into().ok()
    }

    /// Returns the place of a cell on each axis. The last axis changes fastest.
    pub fn places(&self, cell: u64) -> Vec<usize> {
        let mut left = cell;
        let mut places: Vec<usize> = self
            .axes
            .iter()
            .rev()
            .map(|axis| {
                let place = left % axis.values.len() as u64;
                left /= axis.values.len() as u64;
                place as usize
            })
            .collect();
        places.reverse();
        places
    }

    /// Describes a cell: `link.bottleneck.rate = "10 Mbit/s", seed = 3`; "all values" without axes.
    pub fn describe(&self, cell: u64) -> String {
        if self.axes.is_empty() {
            return "all values".to_owned();
        }
        let values = self
            .axes
            .iter()
            .zip(self.places(cell))
            .map(|(axis, place)| format!("{} = {}", axis.name, axis.values[place].written()));
        values.collect::<Vec<_>>().join(", ")
    }

    /// Returns the scenario of a cell.
    ///
    /// # Errors
    /// The scenario of the cell is invalid; the error shows the value of the axis that causes it.
    pub fn cell(&self, cell: u64, read: &ReadFile) -> Result<Scenario, ScenarioError> {
        let places = self.places(cell);
        let fail = |problem: Box<Problem>| ScenarioError::new(*problem, &self.called, &self.text);
        let mut text = self.substituted(&places).map_err(fail)?;
        let checked =
            read_whole(&mut text).and_then(|mut raw| check::check(&mut raw, &self.file, read));
        checked.map_err(|problem| {
            if self.axes.is_empty() && self.fixed.is_empty() {
                return ScenarioError::new(*problem, &self.called, &text);
            }
            let touched = |paths: &[path::Path]| {
                path::spans(&text, paths).iter().any(|span| problem.touches(span))
            };
            let of_axis = |axis: usize| self.axes[axis].values[places[axis]].span.clone();
            let mut blamed: Vec<Range<usize>> = (0..self.axes.len())
                .filter(|axis| touched(&self.axes[*axis].paths))
                .map(of_axis)
                .collect();
            blamed.extend(
                self.fixed
                    .iter()
                    .filter(|fixed| touched(std::slice::from_ref(&fixed.path)))
                    .map(|fixed| fixed.span.clone()),
            );
            if blamed.is_empty() {
                // The axes are not the cause if the file has the problem without them.
                let mut whole = self.text.clone();
                let written = read_whole(&mut whole).and_then(|mut raw| {
                    raw.sweep = None;
                    check::check(&mut raw, &self.file, read)
                });
                if let Some(own) = written.err().filter(|own| own.says_as(&problem)) {
                    return ScenarioError::new(*own, &self.called, &whole);
                }
                blamed = (0..self.axes.len())
                    .map(of_axis)
                    .chain(self.fixed.iter().map(|fixed| fixed.span.clone()))
                    .collect();
            }
            let marks = blamed.into_iter().map(|span| (span, "this value".to_owned()));
            fail(problem.of_cell(&self.describe(cell), marks.collect()))
        })
    }

    /// Makes an error that shows the text of this sweep.
    pub(crate) fn fail(&self, problem: Problem) -> ScenarioError {
        ScenarioError::new(problem, &self.called, &self.text)
    }

    /// True if the other sweep has the same runs.
    pub(crate) fn same_runs(&self, other: &Sweep) -> bool {
        self.runs() == other.runs()
    }

    /// Returns a text that identifies the runs: the scenario, and the values of each axis.
    pub(crate) fn runs(&self) -> String {
        let values = |axis: &Axis| {
            axis.values
                .iter()
                .map(|value| value.toml.iter().map(|toml| format!("{toml};")).collect())
                .collect::<Vec<String>>()
        };
        let axes =
            self.axes.iter().map(|axis| format!("{} = {}\n", axis.name, values(axis).join("|")));
        let mut base = self.base.clone();
        ["figure", "quick", "live", "plot", "claim"]
            .iter()
            .for_each(|table| drop(base.remove(table)));
        axes.fold(base.to_string(), |text, axis| text + &axis)
    }

    fn substituted(&self, places: &[usize]) -> Result<String, Box<Problem>> {
        let mut document = self.base.clone();
        // Whole values come first, because an axis over parameters may change the controller that
        // another axis sets.
        for parameters in [false, true] {
            let values = self.axes.iter().zip(places).flat_map(|(axis, place)| {
                let values = axis.paths.iter().zip(&axis.values[*place].toml);
                values.map(move |(path, value)| (axis, path, value))
            });
            for (axis, path, value) in
                values.filter(|(_, path, _)| path.is_parameter() == parameters)
            {
                path.put(&mut document, value).map_err(|(message, help)| match document.get("path").and_then(Item::as_str) {
                    Some(name) if path.is_of("link") => Problem::at(
                        &axis.span,
                        format!("this is no value of a [[link]] in this file, and links of the path {name} cannot be axes"),
                        format!("save the path with `narrows path {name} > FILE`, and sweep that"),
                    ),
                    _ => Problem::at(&axis.span, message, help),
                })?;
            }
        }
        Ok(document.to_string())
    }

    /// Checks all cells.
    ///
    /// # Errors
    /// The first invalid cell.
    pub fn check(&self, read: &ReadFile) -> Result<(), ScenarioError> {
        (0..self.cells).try_for_each(|cell| self.cell(cell, read).map(|_| ()))
    }
}
