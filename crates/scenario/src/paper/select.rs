//! Selects cells of a figure by labels of its axes.

use super::places::{RawNames, RawPlaces};
use super::worlds;
use crate::error::{Checked, Problem};
use crate::sweep::{Axis, Mode, Path};
use crate::text::At;
use narrows_params::suggest;
use std::ops::Range;

/// True if some of these places are on the axis of worlds, which only live figures have.
pub(super) fn name_worlds<'a>(mut places: impl Iterator<Item = &'a RawPlaces>) -> bool {
    places.any(|places| places.0.iter().any(|(axis, _)| axis.value == worlds::AXIS))
}

/// The axes of cells, and the mode in which labels are looked up.
#[derive(Clone, Copy)]
pub(super) struct Axes<'a> {
    pub axes: &'a [Axis],
    /// Mode of the run. With `--quick` and `--live`, labels that shorter axes lack are skipped.
    pub mode: Mode,
}

impl Axes<'_> {
    /// Returns the key of claims and plots that holds the changes of this mode.
    fn change(&self) -> Option<&'static str> {
        if self.mode.live { Some("live") } else { self.mode.quick.then_some("quick") }
    }

    /// Returns the places of a claim or plot on each axis; `changed` replaces `at` in this mode.
    /// Skips labels that the axes of this mode lack.
    pub fn chosen(
        &self,
        at: Option<&At<RawPlaces>>,
        changed: Option<&At<RawPlaces>>,
    ) -> Checked<Vec<Vec<usize>>> {
        let lenient = self.mode != Mode::default()
            && (changed.is_none() || self.mode == Mode { quick: true, live: true });
        self.select(changed.or(at).map(|at| &at.value), lenient)
    }

    /// Returns the number of cells.
    pub fn cells(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// Returns the place of a cell on each axis; the last axis changes fastest.
    pub fn places(&self, mut cell: usize) -> Vec<usize> {
        let mut places: Vec<usize> = Vec::with_capacity(self.axes.len());
        for axis in self.axes.iter().rev() {
            places.push(cell % axis.values.len());
            cell /= axis.values.len();
        }
        places.reverse();
        places
    }

    /// Returns the cell at these places.
    pub fn cell(&self, places: &[usize]) -> usize {
        self.axes.iter().zip(places).fold(0, |cell, (axis, place)| cell * axis.values.len() + place)
    }

    /// Finds the axis with this name: all its paths, or some of them.
    pub fn find(&self, name: &At<String>) -> Checked<usize> {
        let paths: Result<Vec<Path>, _> = name.value.split(',').map(Path::parse).collect();
        let found = paths.ok().and_then(|paths| {
            let whole = self.axes.iter().position(|axis| axis.paths == paths);
            whole.or_else(|| {
                self.axes.iter().position(|axis| paths.iter().all(|path| axis.paths.contains(path)))
            })
        });
        found.ok_or_else(|| {
            let help =
                suggest(&name.value, "axes", self.axes.iter().map(|axis| axis.name.as_str()));
            Problem::at(&name.span, format!("the figure has no axis \"{}\"", name.value), help)
        })
    }

    /// Finds the place of a label on an axis.
    fn place(&self, axis: usize, label: &At<String>) -> Checked<usize> {
        let axis = &self.axes[axis];
        axis.values.iter().position(|value| value.label == label.value).ok_or_else(|| {
            let help = suggest(
                &label.value,
                "labels",
                axis.values.iter().map(|value| value.label.as_str()),
            );
            let (help, when) = match self.change() {
                Some(key) => (
                    format!("{help} Or name others with {key} = {{ at = {{ ... }} }}"),
                    format!(" with --{key}"),
                ),
                None => (help, String::new()),
            };
            Problem::at(
                &label.span,
                format!("the axis {} has no \"{}\"{when}", axis.name, label.value),
                help,
            )
        })
    }

    /// Returns the selected places on each axis, or all places of an axis that `at` does not name.
    /// `lenient` skips unknown labels as long as one known label is left.
    fn select(&self, at: Option<&RawPlaces>, lenient: bool) -> Checked<Vec<Vec<usize>>> {
        let mut chosen: Vec<Vec<usize>> =
            self.axes.iter().map(|axis| (0..axis.values.len()).collect()).collect();
        for (name, labels) in at.iter().flat_map(|places| &places.0) {
            let axis = self.find(name)?;
            let found: Vec<Checked<usize>> =
                labels.iter().map(|label| self.place(axis, label)).collect();
            chosen[axis] = if lenient && found.iter().any(Result::is_ok) {
                found.into_iter().flatten().collect()
            } else {
                found.into_iter().collect::<Checked<_>>()?
            };
            if chosen[axis].is_empty() {
                return Err(Problem::at(
                    &name.span,
                    "no label is given",
                    "give at least one, or leave the axis out for all of them",
                ));
            }
        }
        Ok(chosen)
    }

    /// Returns the axes that `at` names, each with its single place.
    pub fn single(&self, at: &RawPlaces) -> Checked<Vec<(usize, usize)>> {
        let one = |(name, labels): &(At<String>, Vec<At<String>>)| {
            let [label] = &labels[..] else {
                return Err(Problem::at(
                    &name.span,
                    "than names several cells",
                    "name one label of each axis",
                ));
            };
            let axis = self.find(name)?;
            Ok((axis, self.place(axis, label)?))
        };
        at.0.iter().map(one).collect()
    }

    /// Returns all cells at these places, in order.
    pub fn product(&self, chosen: &[Vec<usize>]) -> Vec<usize> {
        (0..self.cells())
            .filter(|cell| {
                self.places(*cell).iter().zip(chosen).all(|(place, chosen)| chosen.contains(place))
            })
            .collect()
    }

    /// Returns the labels of a cell on some axes.
    pub fn label(&self, cell: usize, axes: &[usize]) -> String {
        let places = self.places(cell);
        axes.iter()
            .map(|axis| self.axes[*axis].values[places[*axis]].label.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the axes with several chosen places.
    pub fn several(&self, chosen: &[Vec<usize>]) -> Vec<usize> {
        (0..self.axes.len()).filter(|axis| chosen[*axis].len() > 1).collect()
    }

    /// Refuses a plot that does not choose a single place of an axis, unless the axis is in `but`.
    pub fn settled(
        &self,
        chosen: &[Vec<usize>],
        but: &[usize],
        span: &Range<usize>,
    ) -> Checked<()> {
        match self.several(chosen).into_iter().find(|axis| !but.contains(axis)) {
            Some(axis) => Err(Problem::at(
                span,
                format!("the plot leaves open which value of {} it shows", self.axes[axis].name),
                "name the axis in lines, or one label of it in at",
            )),
            None => Ok(()),
        }
    }

    /// Finds the axes with these names.
    pub fn all(&self, names: Option<&RawNames>) -> Checked<Vec<usize>> {
        names.iter().flat_map(|names| &names.0).map(|name| self.find(name)).collect()
    }
}
