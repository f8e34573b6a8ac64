//! Tables of changes during a run, before they are checked.

use super::link::{RawEcn, RawJitter, RawLoss, RawReorder};
use crate::text::{At, OrUnlimited, Quantity};
use narrows_units::{Depth, Rate, Span};
use schemars::JsonSchema;
use serde::Deserialize;

/// A change of a link or of a flow's routes during the run: at once or on a ramp, once or
/// repeatedly.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Change")]
pub(crate) struct RawChange {
    /// Time of the change; with `every`, of the first one.
    pub at: At<Quantity<Span>>,
    /// The link that changes. For a two-way link `x`, `x` is the forward direction and `x.back` the
    /// reverse direction.
    pub link: Option<At<String>>,
    /// True if both directions of a two-way link change. Default: false.
    pub both: Option<At<bool>>,
    /// New rate. It holds for waiting packets and for the rest of the packet in transmission.
    /// "0 bit/s" sends nothing until the next change of the rate.
    pub rate: Option<At<Quantity<Rate>>>,
    /// New propagation delay, for packets that leave from then on. The change never reorders
    /// packets.
    pub delay: Option<At<Quantity<Span>>>,
    /// New jitter; "0 s" ends the jitter.
    pub jitter: Option<At<RawJitter>>,
    /// New reordering; a share of "0 %" ends the reordering.
    pub reorder: Option<At<RawReorder>>,
    /// New time between bursts of deliveries; "0 s" ends the bursts.
    pub aggregate: Option<At<Quantity<Span>>>,
    /// New treatment of the ECN field, for packets that reach the far end from then on. "keep" ends
    /// bleaching and unmarking.
    pub ecn: Option<At<RawEcn>>,
    /// New losses; "0 %" ends the losses.
    pub loss: Option<At<RawLoss>>,
    /// New limit of the queue; waiting packets stay. A buffer in time or bdp is computed from the
    /// rate and delays right after this change. Without this key the buffer keeps its size in
    /// bytes, even if the rate changes.
    pub buffer: Option<At<OrUnlimited<Depth>>>,
    /// Length of an outage: the link sends nothing, and its queue fills. Packets that have already
    /// left arrive.
    pub down_for: Option<At<Quantity<Span>>>,
    /// The flow whose routes change, instead of a link. Packets in flight keep their old route.
    pub flow: Option<At<String>>,
    /// Links that the flow's data crosses from then on, in order. Default: as before.
    pub route: Option<At<Vec<At<String>>>>,
    /// Links that the flow's acknowledgements cross from then on, in order. Default: as before.
    pub back: Option<At<Vec<At<String>>>>,
    /// Duration of a ramp to the new values, in 100 equal steps, or in fewer steps of 1 ms each.
    /// Default: at once.
    pub over: Option<At<Quantity<Span>>>,
    /// Interval at which the change repeats, until the end of the run. Default: the change happens
    /// once.
    pub every: Option<At<Quantity<Span>>>,
    /// Number of times that the change happens. Needs `every`.
    pub times: Option<At<u64>>,
    /// Time before which the last repetition happens. Needs `every`.
    pub until: Option<At<Quantity<Span>>>,
}
