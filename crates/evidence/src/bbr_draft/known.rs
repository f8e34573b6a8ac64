//! Known failures of a profile, with their reasons. Each has an experiment: another variant of its
//! case, or the other profile.

use super::subject::Profile;

/// Case, beginning of the variant's name, condition, and reason.
type Known = (&'static str, &'static str, &'static str, &'static str);

/// Known failures of the draft itself, caused by its pseudocode.
const BOTH: &[Known] = &[
    ("T12", "acknowledgements", "sample", BURST),
    ("T12", "acknowledgements", "bandwidth", BURST),
    ("T12", "data", "sample", BURST),
    ("T12", "data", "bandwidth", BURST),
];

/// Known failures of Linux.
const LINUX: &[Known] = &[
    ("T01", "", "growth", GROWTH),
    ("T03", "", "gain", DRAIN_GAIN),
    ("T04", "", "gain", DRAIN_GAIN),
    ("T04", "rate x 0.4", "time", DRAIN_TIME),
    ("T04", "rate x 0.4", "flight", DRAIN_TIME),
    ("T08", "", "gain", "Linux has a pacing gain of 232/256 in ProbeBW_DOWN"),
    ("T08", "", "first", "Linux judges the flight before the acknowledgement"),
    ("T10", "", "gain", "Linux leaves the gain at 1 and bounds the window by half a product"),
    ("T17", "bucket of 250 kB", "loss", BUCKET),
    ("T16", "", "cut", "Linux leaves 180/256 of the bound"),
    ("T18", "", "returns", UNDO),
    ("T19", "", "returns", UNDO),
    ("T20", "", "growth", GROWTH),
];

const BURST: &str = "a packet that leaves between two acknowledgements of a burst gives a sample with up to a burst too much (section 4.1.2.3 takes \
                     delivered and delivered_time at its departure); bursts a fifth as large give a fifth of the excess";
const BUCKET: &str = "a bucket that fills again lets a probe measure more than the tokens, which max_bw keeps for two cycles; smaller buckets lose less";
const GROWTH: &str =
    "Linux looks for growth at each acknowledgement of a round, the draft at its first";
const DRAIN_GAIN: &str = "Linux drains with a pacing gain of 88/256";
const DRAIN_TIME: &str = "Linux drains until the flight is small, however long";
const UNDO: &str = "Linux restores the bounds, and not the state";

/// Returns the reason why a profile does not meet a condition in a variant of a case, if the
/// failure is known.
pub(super) fn known(
    profile: Profile,
    case: &str,
    variant: &str,
    demand: &str,
) -> Option<&'static str> {
    let own = if profile == Profile::Linux { LINUX } else { &[] };
    BOTH.iter()
        .chain(own)
        .find(|rule| rule.0 == case && variant.starts_with(rule.1) && rule.2 == demand)
        .map(|rule| rule.3)
}
