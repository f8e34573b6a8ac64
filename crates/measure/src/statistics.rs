//! Means, medians and quantiles of a few numbers.

/// The mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The median: the middle one, or the mean of the middle two; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let ordered = ordered(values);
    let half = values.len() / 2;
    match values.len() {
        0 => None,
        odd if odd % 2 == 1 => Some(ordered[half]),
        _ => Some((ordered[half - 1] + ordered[half]) / 2.0),
    }
}

/// The value below which this share of the values lies, from 0 to 1, between two of them by linear
/// interpolation (Hyndman and Fan's type 7, the default of R and NumPy); `None` of nothing.
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let ordered = ordered(values);
    let place = share.clamp(0.0, 1.0) * ordered.len().checked_sub(1)? as f64;
    let (below, part) = (place as usize, place.fract());
    let above = ordered.get(below + 1).copied().unwrap_or(ordered[below]);
    Some(ordered[below] + part * (above - ordered[below]))
}

/// The deviation of a sample relative to its mean, with one degree of freedom less; `None` of fewer
/// than two values, and where the mean is not above zero.
pub(crate) fn relative_deviation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| values.len() > 1 && *mean > 0.0)?;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt() / mean)
}

/// The values in ascending order.
pub(crate) fn ordered(values: &[f64]) -> Vec<f64> {
    let mut ordered = values.to_vec();
    ordered.sort_unstable_by(f64::total_cmp);
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        assert_eq!((mean(&[1.0, 2.0, 6.0]), mean(&[])), (Some(3.0), None));
        assert_eq!(
            (median(&[9.0, 1.0, 2.0]), median(&[1.0, 4.0]), median(&[])),
            (Some(2.0), Some(2.5), None)
        );
        let five = [5.0, 1.0, 2.0, 4.0, 3.0];
        assert_eq!(
            [0.0, 0.05, 0.5, 0.95, 1.0].map(|share| quantile(&five, share)),
            [1.0, 1.2, 3.0, 4.8, 5.0].map(Some)
        );
        assert_eq!((quantile(&[7.0], 0.95), quantile(&[], 0.5)), (Some(7.0), None));
        // Deviations of -1, 0 and 1 from 2: the sample's deviation is 1.
        assert_eq!(
            (
                relative_deviation(&[1.0, 2.0, 3.0]),
                relative_deviation(&[1.0]),
                relative_deviation(&[0.0, 0.0])
            ),
            (Some(0.5), None, None)
        );
    }
}
