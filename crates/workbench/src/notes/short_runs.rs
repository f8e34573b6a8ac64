//! A note on runs that last few round trips.

use narrows_measure::Record;

/// A run of fewer round trips after its warm-up says little about a controller.
const FEW: u64 = 10;

/// Warns of a run that has fewer than [`FEW`] of its shortest base round trip after the warm-up.
pub fn note<'a>(records: impl IntoIterator<Item = &'a Record>) -> Option<String> {
    records.into_iter().find_map(|record| {
        let rtt = record.flows.iter().map(|flow| flow.base_rtt).min()?;
        let counted = record.duration.saturating_sub(record.warmup);
        (rtt.as_nanos().saturating_mul(FEW) > counted.as_nanos()).then(|| {
            format!(
                "statistics cover {counted}, and a base round trip takes {rtt}: numbers over fewer than {FEW} round trips say little; give a longer duration"
            )
        })
    })
}
