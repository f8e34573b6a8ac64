//! Claims: statements of a paper, each with the bounds within which it holds.

use super::asked::{Asked, Limits};
use super::places::RawThan;
use super::raw::{RawBy, RawClaim, RawJudged, RawOver, RawSeeds};
use super::select::{Axes, name_worlds};
use crate::error::{Checked, Problem};
use crate::text::At;
use std::ops::Range;

/// A statement of a paper, with the bounds within which it holds.
#[derive(Clone, Debug)]
pub struct Claim {
    /// The statement.
    pub says: String,
    /// Name of the document's statement that the claim judges; `None` for a claim of this project.
    pub statement: Option<String>,
    /// Number or words in the document.
    pub published: String,
    /// Place in the document.
    pub source: String,
    /// Number of a run that judges the claim.
    pub asked: Asked,
    /// Judged cells.
    pub cells: Vec<usize>,
    /// Comparison with other cells; `None` without a comparison.
    pub than: Option<Than>,
    /// Combination of several cells into one value.
    pub over: Over,
    /// Combination of a cell's seeds into one value.
    pub seeds: Seeds,
    /// Least value with which the claim holds; `None` for no lower bound.
    pub min: Option<f64>,
    /// Greatest value with which the claim holds; `None` for no upper bound.
    pub max: Option<f64>,
    /// Reason for the bounds.
    pub tolerance: String,
    /// Kind of evidence in the document.
    pub judged: Judged,
    /// Reason why the claim is known not to hold; `None` if it holds.
    pub known: Option<String>,
    /// Reason why the kernel's value is far from the simulator's.
    pub apart: Option<String>,
}

/// The cells to which a claim is compared.
#[derive(Clone, Debug)]
pub struct Than {
    /// Number of a run.
    pub asked: Asked,
    /// One cell for each cell of the claim.
    pub cells: Vec<usize>,
    /// Kind of comparison.
    pub by: By,
}

/// The comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Value of the claim divided by the other value.
    Ratio,
    /// Value of the claim minus the other value.
    Difference,
}

/// The combination of several cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The cell farthest outside the bounds.
    Worst,
    /// Mean of the cells.
    Mean,
    /// Median of the cells.
    Median,
}

/// The combination of a cell's seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// Mean of the seeds.
    Mean,
    /// Median of the seeds.
    Median,
    /// Lower quartile of the seeds, interpolated between two of them.
    LowerQuartile,
    /// Upper quartile of the seeds, interpolated between two of them.
    UpperQuartile,
}

impl Seeds {
    /// Returns the name in reports; `None` for the mean, the default.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Seeds::Mean => None,
            Seeds::Median => Some("median of seeds"),
            Seeds::LowerQuartile => Some("lower quartile of seeds"),
            Seeds::UpperQuartile => Some("upper quartile of seeds"),
        }
    }
}

/// The kind of evidence that a document gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// A number.
    Number,
    /// An ordering of the compared values.
    Ordering,
}

impl Judged {
    /// Returns the name in files.
    pub fn name(self) -> &'static str {
        match self {
            Judged::Number => "number",
            Judged::Ordering => "ordering",
        }
    }
}

/// True if a claim is about the kernel alone, because it names worlds.
pub(super) fn is_live_only(raw: &RawClaim) -> bool {
    name_worlds(
        raw.at.iter().map(|at| &at.value).chain(raw.than.iter().map(|than| &than.value.places)),
    )
}

/// Reads a claim, with its changes for `--quick` and `--live`.
pub(super) fn read(raw: &At<RawClaim>, axes: Axes, limits: &mut Limits) -> Checked<Claim> {
    let (span, raw) = (&raw.span, &raw.value);
    let quick = raw.quick.as_ref().filter(|_| axes.mode.quick);
    let own = raw.live.as_ref().filter(|_| axes.mode.live).or(quick).map(|change| &change.value);
    let window = own.and_then(|own| own.window.as_ref()).or(raw.window.as_ref());
    let flows = own.and_then(|own| own.flows.as_ref()).or(raw.flows.as_ref());
    let own_at = own.and_then(|own| own.at.as_ref());
    let mut chosen = axes.chosen(raw.at.as_ref(), own_at)?;
    if axes.mode.live && !name_worlds(own_at.or(raw.at.as_ref()).map(|at| &at.value).into_iter()) {
        chosen[0] = vec![0];
    }
    let cells = axes.product(&chosen);
    let asked = limits.asked(&raw.metric, window, flows, raw.link.as_ref(), &cells)?;
    let than = match own.and_then(|own| own.than.as_ref()).or(raw.than.as_ref()) {
        Some(than) => Some(compared(raw, than, &asked, &cells, axes, limits)?),
        None => None,
    };
    if let (None, Some(_)) = (&than, raw.by) {
        return Err(Problem::at(
            span,
            "the claim has by but no than",
            "add than = { ... }, or leave out by",
        ));
    }
    let (min, max) = bounds(
        span,
        own.and_then(|own| own.min.as_ref()).or(raw.min.as_ref()),
        own.and_then(|own| own.max.as_ref()).or(raw.max.as_ref()),
    )?;
    let known = own
        .and_then(|own| own.known.clone())
        .or(raw.known.clone())
        .filter(|known| !known.trim().is_empty());
    Ok(Claim {
        says: raw.says.clone(),
        statement: raw.statement.as_ref().map(|name| name.value.clone()),
        published: raw.published.clone(),
        source: raw.source.clone(),
        asked,
        cells,
        than,
        over: match raw.over {
            None | Some(RawOver::Worst) => Over::Worst,
            Some(RawOver::Mean) => Over::Mean,
            Some(RawOver::Median) => Over::Median,
        },
        seeds: match raw.seeds {
            None | Some(RawSeeds::Mean) => Seeds::Mean,
            Some(RawSeeds::Median) => Seeds::Median,
            Some(RawSeeds::LowerQuartile) => Seeds::LowerQuartile,
            Some(RawSeeds::UpperQuartile) => Seeds::UpperQuartile,
        },
        min,
        max,
        tolerance: own
            .and_then(|own| own.tolerance.clone())
            .unwrap_or_else(|| raw.tolerance.clone()),
        judged: match raw.judged {
            None | Some(RawJudged::Number) => Judged::Number,
            Some(RawJudged::Ordering) => Judged::Ordering,
        },
        known,
        apart: raw.apart.clone(),
    })
}

fn compared(
    raw: &RawClaim,
    than: &At<RawThan>,
    asked: &Asked,
    cells: &[usize],
    axes: Axes,
    limits: &mut Limits,
) -> Checked<Than> {
    let written = &than.value;
    let moved = axes.single(&written.places)?;
    let others: Vec<usize> = cells
        .iter()
        .map(|cell| {
            let mut places = axes.places(*cell);
            moved.iter().for_each(|(axis, place)| places[*axis] = *place);
            axes.cell(&places)
        })
        .collect();
    let metric = written.metric.as_ref().unwrap_or(&raw.metric);
    let mut other = limits.asked(
        metric,
        written.window.as_ref(),
        written.flows.as_ref(),
        written.link.as_ref(),
        &others,
    )?;
    other.window = other.window.or(asked.window);
    if written.flows.is_none() {
        other.flows.clone_from(&asked.flows);
    }
    other.link = other.link.or_else(|| asked.link.clone());
    if other == *asked && cells.iter().zip(&others).any(|(cell, other)| cell == other) {
        return Err(Problem::at(
            &than.span,
            "a cell is compared with itself",
            "leave it out of at, or compare with another one",
        ));
    }
    let by = match raw.by {
        None | Some(RawBy::Ratio) => By::Ratio,
        Some(RawBy::Difference) => By::Difference,
    };
    Ok(Than { asked: other, cells: others, by })
}

fn bounds(
    claim: &Range<usize>,
    min: Option<&At<f64>>,
    max: Option<&At<f64>>,
) -> Checked<(Option<f64>, Option<f64>)> {
    if let Some(end) = [min, max].into_iter().flatten().find(|end| !end.value.is_finite()) {
        return Err(Problem::at(
            &end.span,
            "a bound must be a finite number",
            "leave it out if there is none",
        ));
    }
    match (min, max) {
        (None, None) => Err(Problem::at(
            claim,
            "this claim has no bound",
            "give min, max or both, in the unit of the metric",
        )),
        (Some(min), Some(max)) if min.value > max.value => Err(Problem::at(
            &min.span,
            format!("no number is at least {} and at most {}", min.value, max.value),
            "exchange min and max",
        )),
        _ => Ok((min.map(|end| end.value), max.map(|end| end.value))),
    }
}
