//! From the values of runs to whether a claim holds.

use narrows_report::JudgedClaim;
use narrows_scenario::paper::{Asked, By, Claim, Over, Than};

/// Judges a claim. `values` gives a number of a cell, one for each seed; `label` a cell in words.
pub fn judge(claim: &Claim, values: &dyn Fn(usize, &Asked) -> Vec<Option<f64>>, label: &dyn Fn(usize) -> String) -> JudgedClaim {
    let mean = |cell: usize, asked: &Asked| mean(&values(cell, asked));
    let compared = |place: usize, than: &Than| {
        let (own, other) = (mean(claim.cells[place], &claim.asked)?, mean(than.cells[place], &than.asked)?);
        match than.by {
            By::Ratio => Some(own / other).filter(|ratio| ratio.is_finite()),
            By::Difference => Some(own - other),
        }
    };
    let measured: Vec<Option<f64>> = (0..claim.cells.len())
        .map(|place| match &claim.than {
            Some(than) => compared(place, than),
            None => mean(claim.cells[place], &claim.asked),
        })
        .collect();
    let (value, place) = match claim.over {
        Over::Worst => worst(claim, &measured),
        Over::Mean => (self::mean(&measured), None),
        Over::Median => (median(&measured), None),
    };
    let cell = place.filter(|_| measured.len() > 1).map(|place| label(claim.cells[place]));
    JudgedClaim { claim: claim.clone(), measured: value, cell }
}

/// The mean; not defined if one of the values is not.
fn mean(values: &[Option<f64>]) -> Option<f64> {
    let sum = values.iter().try_fold(0.0, |sum, value| Some(sum + (*value)?))?;
    (!values.is_empty()).then(|| sum / values.len() as f64)
}

/// The middle value, or the mean of the middle two; not defined if one of the values is not.
fn median(values: &[Option<f64>]) -> Option<f64> {
    let mut sorted: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { Some(sorted[middle]) } else { Some((sorted.get(middle.checked_sub(1)?)? + sorted[middle]) / 2.0) }
}

/// The value that is farthest beyond a bound, or nearest to one from within; one that is not defined is worse than all.
fn worst(claim: &Claim, values: &[Option<f64>]) -> (Option<f64>, Option<usize>) {
    let room = |value: &Option<f64>| match value {
        None => f64::NEG_INFINITY,
        Some(value) => {
            let above = claim.min.map_or(f64::INFINITY, |min| value - min);
            above.min(claim.max.map_or(f64::INFINITY, |max| max - value))
        }
    };
    let place = (0..values.len()).min_by(|a, b| room(&values[*a]).total_cmp(&room(&values[*b])));
    (place.and_then(|place| values[place]), place)
}
