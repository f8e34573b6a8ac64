//! Checks the bands of metrics.

use crate::Expectation;
use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use narrows_measure::metrics;
use narrows_params::suggest;

pub(super) fn check(raw: &RawScenario) -> Checked<Vec<Expectation>> {
    let mut all = Vec::new();
    for (metric, band) in &raw.expect {
        let name = &metric.value;
        if metrics::metric(name).is_none() {
            let known = metrics::METRICS.iter().map(|metric| metric.name);
            return Err(Problem::at(
                &metric.span,
                format!("there is no metric \"{name}\""),
                suggest(name, "metrics", known),
            ));
        }
        let (min, max) = (&band.value.min, &band.value.max);
        for end in [min, max].into_iter().flatten() {
            if !end.value.is_finite() {
                return Err(Problem::at(
                    &end.span,
                    "an end of a band must be a finite number",
                    "leave an end out to leave it open",
                ));
            }
        }
        let (min, max) = (min.as_ref().map(|end| end.value), max.as_ref().map(|end| end.value));
        match (min, max) {
            (None, None) => {
                return Err(Problem::at(
                    &band.span,
                    "this band has no bound",
                    "give min, max or both",
                ));
            }
            (Some(min), Some(max)) if min > max => {
                return Err(Problem::at(
                    &band.span,
                    format!("no number is at least {min} and at most {max}"),
                    "exchange min and max",
                ));
            }
            _ => all.push(Expectation { metric: name.clone(), min, max }),
        }
    }
    Ok(all)
}
