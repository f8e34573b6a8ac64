//! Changes during a run, unchecked.

use super::link::{RawEcn, RawJitter, RawLoss, RawReorder};
use crate::text::{At, OrUnlimited, Quantity};
use narrows_units::{Depth, Rate, Span};
use schemars::JsonSchema;
use serde::Deserialize;

/// Something that changes during the run, at once or on a ramp, once or again and again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Change")]
pub(crate) struct RawChange {
    /// When.
    pub at: At<Quantity<Span>>,
    /// The link that changes; `x` is the forward direction of a two-way link, `x.back` the reverse.
    pub link: Option<At<String>>,
    /// Both directions of the two-way link change. Default: false.
    pub both: Option<At<bool>>,
    /// The new rate. What is left of the packet in transmission and what waits go out at it; "0 bit/s" sends nothing until the next change.
    pub rate: Option<At<Quantity<Rate>>>,
    /// The new propagation delay, of packets that leave from then on. It never reorders.
    pub delay: Option<At<Quantity<Span>>>,
    /// The new jitter; "0 s" ends it.
    pub jitter: Option<At<RawJitter>>,
    /// The new reordering; a share of "0 %" ends it.
    pub reorder: Option<At<RawReorder>>,
    /// The new time between bursts of deliveries; "0 s" ends them.
    pub aggregate: Option<At<Quantity<Span>>>,
    /// What becomes of the ECN field of packets that reach the far end from then on; "keep" ends the rest.
    pub ecn: Option<At<RawEcn>>,
    /// The new losses; "0 %" ends them.
    pub loss: Option<At<RawLoss>>,
    /// What the queue holds from then on; what waits stays. A buffer in time or bdp counts with the rate and delays right after this
    /// change. A buffer that is not given here keeps its size in bytes whatever the rate becomes.
    pub buffer: Option<At<OrUnlimited<Depth>>>,
    /// An outage: for so long the link sends nothing. Its queue fills; what has left arrives.
    pub down_for: Option<At<Quantity<Span>>>,
    /// The flow whose routes change, instead of a link. Packets under way keep their old route.
    pub flow: Option<At<String>>,
    /// The links that its data crosses from then on, in order. Default: as before.
    pub route: Option<At<Vec<At<String>>>>,
    /// The links that its acknowledgements cross from then on, in order. Default: as before.
    pub back: Option<At<Vec<At<String>>>>,
    /// A ramp: the new values are reached after this time, in 100 equal steps, or fewer of 1 ms each. Default: at once.
    pub over: Option<At<Quantity<Span>>>,
    /// It happens again and again, so much later each time, until the end of the run.
    pub every: Option<At<Quantity<Span>>>,
    /// It happens so many times.
    pub times: Option<At<u64>>,
    /// The last time is before this.
    pub until: Option<At<Quantity<Span>>>,
}
