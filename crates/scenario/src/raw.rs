//! A scenario as it is written, before anything is checked. The comments here are the descriptions in the JSON Schema.

use crate::icn::{RawConsumer, RawIcn, RawPrefix, RawRequest};
use crate::paper::{RawClaim, RawFigure, RawLive, RawPlot, RawQuick, Unread};
use crate::text::{At, Extent, Frequency, Load, OrUnlimited, Quantity, Share};
use narrows_units::{Bytes, Depth, Rate, Span};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A network and its traffic. Quantities are strings with their unit: "100 Mbit/s", "30 ms", "750 kB".
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Scenario")]
pub(crate) struct RawScenario {
    /// What reports call it. Default: the name of the file.
    pub name: Option<At<String>>,
    /// A named path between the nodes "sender" and "receiver", whose links are added to those of this file (`narrows list paths`).
    pub path: Option<At<String>>,
    /// Fixes every random draw. Default: 1.
    pub seed: Option<u64>,
    /// How long it runs.
    pub duration: At<Quantity<Span>>,
    /// Statistics leave out what happens before this. Default: "0 s".
    pub warmup: Option<At<Quantity<Span>>>,
    /// Time between samples of the series. Default: about a 600th of the duration, at least 1 ms; more where flows and links together would have more than a
    /// million samples.
    pub sample: Option<At<Quantity<Span>>>,
    /// Hosts delay each sending by a random time, up to one packet time of the slowest link of the route, because exactly periodic senders lock their phases at
    /// drop-tail queues. Default: true.
    pub send_overhead: Option<bool>,
    /// Hosts and routers. May be left out altogether: then the ends of the links are the nodes.
    #[serde(default)]
    pub node: Vec<RawNode>,
    /// Links.
    #[serde(default)]
    pub link: Vec<At<RawLink>>,
    /// Settings of every flow's transport that the flow does not set itself.
    pub transport: Option<At<RawTransport>>,
    /// Traffic.
    #[serde(default)]
    pub flow: Vec<At<RawFlow>>,
    /// Makes the network information-centric: instead of flows there are prefixes, consumers and requests.
    pub icn: Option<At<RawIcn>>,
    /// What can be asked for, and who answers.
    #[serde(default)]
    pub prefix: Vec<At<RawPrefix>>,
    /// Who asks for one content.
    #[serde(default)]
    pub consumer: Vec<At<RawConsumer>>,
    /// Contents asked for at random.
    #[serde(default)]
    pub request: Vec<At<RawRequest>>,
    /// What changes during the run.
    #[serde(default)]
    pub change: Vec<At<RawChange>>,
    /// Values that vary, for `narrows sweep`: the path of a value, such as "link.bottleneck.rate", and a list of values, or a range
    /// { from, to, step } or { from, to, count, log }; `seeds` for so many seeds.
    pub sweep: Option<At<RawSweep>>,
    /// Bands in which metrics of the run should lie, by the metric's name and in its unit.
    #[serde(default)]
    pub expect: BTreeMap<At<String>, At<RawBand>>,
    /// The figure of a paper that this is, for `narrows reproduce`; no other command reads it, nor what follows.
    #[serde(rename = "figure")]
    _figure: Option<Unread<RawFigure>>,
    /// What `narrows reproduce --quick` changes: values of the scenario by their paths, and axes of the sweep.
    #[serde(rename = "quick")]
    _quick: Option<Unread<RawQuick>>,
    /// What `narrows reproduce --live` changes: values of the scenario by their paths, and axes of the sweep.
    #[serde(rename = "live")]
    _live: Option<Unread<RawLive>>,
    /// Plots of the figure.
    #[serde(rename = "plot")]
    _plot: Option<Unread<Vec<RawPlot>>>,
    /// What the paper states about the figure, and what would show that it holds.
    #[serde(rename = "claim")]
    _claim: Option<Unread<Vec<RawClaim>>>,
}

/// Axes. They are read from the document itself, because any value can be one.
#[derive(Debug, JsonSchema)]
#[schemars(rename = "Sweep", with = "BTreeMap<String, serde_json::Value>")]
pub(crate) struct RawSweep;

impl<'de> Deserialize<'de> for RawSweep {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<RawSweep, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| RawSweep)
    }
}

/// A host or router.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Node")]
pub(crate) struct RawNode {
    /// Its name.
    pub name: At<String>,
}

/// A link: two-way with `between`, one-way with `from` and `to`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Link")]
pub(crate) struct RawLink {
    /// Its name; the reverse direction of a two-way link `x` is called `x.back`.
    pub name: At<String>,
    /// The two ends of a two-way link; its forward direction leads from the first to the second.
    pub between: Option<At<Vec<At<String>>>>,
    /// Where a one-way link begins.
    pub from: Option<At<String>>,
    /// Where a one-way link ends.
    pub to: Option<At<String>>,
    /// How fast it sends; "unlimited" or left out for a link that only delays.
    pub rate: Option<At<OrUnlimited<Rate>>>,
    /// A file of recorded capacity instead of a rate, relative to the scenario's: one millisecond per line for each 1500-byte delivery opportunity
    /// (mahimahi), or lines "seconds,Mbit/s".
    pub trace: Option<At<String>>,
    /// Propagation delay in one direction. Default: "0 s".
    pub delay: Option<At<Quantity<Span>>>,
    /// Extra delay of each packet: "5 ms" for a uniform draw from zero to this without reordering, or a table. Default: none.
    pub jitter: Option<At<RawJitter>>,
    /// Some packets are late, and others overtake them. Default: none.
    pub reorder: Option<At<RawReorder>>,
    /// Deliveries at the far end come in bursts, one in each such time, as with the grants of a cable network or the frames of a wireless one. Default: none.
    pub aggregate: Option<At<Quantity<Span>>>,
    /// Losses before the queue that have nothing to do with congestion. Default: none.
    pub loss: Option<At<RawLoss>>,
    /// What its queue holds: "750 kB", "100 packets", "60 ms" (at the link's rate), "1.5 bdp" (rate times the longest round trip of the flows that cross it,
    /// counting propagation), or "unlimited". On a trace its mean rate counts. Default: "unlimited".
    pub buffer: Option<At<OrUnlimited<Depth>>>,
    /// The queue discipline with its parameters: "fifo", "codel?target=5&interval=100". Default: "fifo".
    pub queue: Option<At<String>>,
    /// What is different in the reverse direction of a two-way link. Left out, it has the same rate or trace, delay, buffer and queue, but no losses and no
    /// jitter.
    pub back: Option<At<RawBack>>,
}

/// What is different in the reverse direction of a two-way link.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Back")]
pub(crate) struct RawBack {
    /// How fast it sends.
    pub rate: Option<At<OrUnlimited<Rate>>>,
    /// A file of recorded capacity instead of a rate.
    pub trace: Option<At<String>>,
    /// Propagation delay.
    pub delay: Option<At<Quantity<Span>>>,
    /// Extra delay of each packet. Default: none.
    pub jitter: Option<At<RawJitter>>,
    /// Some packets are late, and others overtake them. Default: none.
    pub reorder: Option<At<RawReorder>>,
    /// Deliveries at the far end come in bursts, one in each such time. Default: none.
    pub aggregate: Option<At<Quantity<Span>>>,
    /// Losses before the queue. Default: none.
    pub loss: Option<At<RawLoss>>,
    /// What its queue holds.
    pub buffer: Option<At<OrUnlimited<Depth>>>,
    /// The queue discipline.
    pub queue: Option<At<String>>,
}

/// Extra delay of each packet: "5 ms" for a uniform draw from zero to this, or a table.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Jitter")]
pub(crate) enum RawJitter {
    /// Uniform from zero to this, without reordering.
    Uniform(Quantity<Span>),
    /// A distribution, and whether packets may overtake.
    Spread(RawSpread),
}

/// Either `uniform` or `normal`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Spread")]
pub(crate) struct RawSpread {
    /// Uniform from zero to this.
    pub uniform: Option<At<Quantity<Span>>>,
    /// Normal with this standard deviation, truncated at three of them, and a mean of three of them so that nothing comes too early (RFC 8868, section 4.5).
    pub normal: Option<At<Quantity<Span>>>,
    /// Packets may overtake each other. Default: false.
    pub reorders: Option<bool>,
}

/// Some packets are late, and others overtake them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Reorder")]
pub(crate) struct RawReorder {
    /// The share of packets that are late: "1 %", or a probability.
    pub share: Share,
    /// How late they are.
    pub delay: Quantity<Span>,
}

/// Losses: a share such as "1 %" or 0.01, or a table with the model's parameters.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Loss")]
pub(crate) enum RawLoss {
    /// Each packet with this probability, independently: "0.1 %".
    Share(Share),
    /// A table with the model's parameters.
    Model(RawLossModel),
}

/// Either `probability`, or `every`, or the four of Gilbert and Elliott: `to_bad`, `to_good`, `loss_good`, `loss_bad`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "LossModel")]
pub(crate) struct RawLossModel {
    /// Each packet is lost with this probability, independently.
    pub probability: Option<At<f64>>,
    /// Every n-th packet is lost.
    pub every: Option<At<u64>>,
    /// Probability of going from the good to the bad state after a packet.
    pub to_bad: Option<At<f64>>,
    /// Probability of going from the bad to the good state after a packet.
    pub to_good: Option<At<f64>>,
    /// Loss probability in the good state. Default: 0.
    pub loss_good: Option<At<f64>>,
    /// Loss probability in the bad state. Default: 1.
    pub loss_bad: Option<At<f64>>,
}

/// Traffic from one node to another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub(crate) struct RawFlow {
    /// Its name. Default: that of its controller, "udp" without one, numbered where names would be the same.
    pub name: Option<At<String>>,
    /// The sender's node.
    pub from: At<String>,
    /// The receiver's node.
    pub to: At<String>,
    /// The congestion controller with its parameters: "newreno", "cubic?profile=rfc9438". Left out, the flow sends at its workload's rate whatever happens (UDP).
    pub controller: Option<At<String>>,
    /// So many such flows, named `name.1`, `name.2` and so on.
    pub count: Option<At<u64>>,
    /// When it begins. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// Each further one of `count` begins this much later. Default: "0 s".
    pub stagger: Option<At<Quantity<Span>>>,
    /// When it stops offering data. Default: at the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
    /// The links that data crosses, in order. Default: the fewest hops.
    pub route: Option<At<Vec<At<String>>>>,
    /// The links that acknowledgements cross, in order. Default: the route's links in reverse where all are two-way, otherwise the fewest hops.
    pub back: Option<At<Vec<At<String>>>>,
    /// What it has to send. Default: "bulk".
    pub workload: Option<At<RawWorkload>>,
    /// The transport's settings; those left out are as the scenario's `[transport]` has them.
    pub transport: Option<At<RawTransport>>,
}

/// What a flow has to send: "bulk" for always something, or a table that says what.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Workload")]
pub(crate) enum RawWorkload {
    /// Always something: "bulk".
    Bulk(#[schemars(with = "Bulk")] ()),
    /// A table that says what.
    Limited(Box<RawLimited>),
}

/// Always something to send.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum Bulk {
    /// Always something.
    Bulk,
}

/// One of: `size`; `rate`; `on` and `off`; `rate` and `frame`; `arrivals` or `load` with `sizes`; `response`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limited")]
pub(crate) struct RawLimited {
    /// So many payload bytes, then nothing.
    pub size: Option<At<Quantity<Bytes>>>,
    /// Payload at this rate: a full segment at a time, or with `frame` that many bytes at a time, or with `on` only then.
    pub rate: Option<At<Quantity<Rate>>>,
    /// A burst: a time in which there is always something to send, or a size.
    pub on: Option<At<Quantity<Extent>>>,
    /// The silence after a burst.
    pub off: Option<At<Quantity<Span>>>,
    /// How the lengths of `on` and `off`, or of `think`, vary. Default: "fixed".
    pub draw: Option<At<RawDraw>>,
    /// Time between frames of media.
    pub frame: Option<At<Quantity<Span>>>,
    /// Every such frame is a key frame.
    pub key_every: Option<At<u32>>,
    /// How many times as large as the others a key frame is.
    pub key_factor: Option<At<f64>>,
    /// A frame that has not arrived after this is late. Default: "150 ms".
    pub deadline: Option<At<Quantity<Span>>>,
    /// Transfers that arrive at random, each on a new connection: "20/s".
    pub arrivals: Option<At<Quantity<Frequency>>>,
    /// The same, as many as make this share of the slowest link of the route: "60 %".
    pub load: Option<At<Load>>,
    /// Sizes of the transfers that arrive: a size, the name of a published distribution, or points of one.
    pub sizes: Option<At<RawSizes>>,
    /// The size of a request. Default: "300 B".
    pub request: Option<At<Quantity<Bytes>>>,
    /// Sizes of the responses, each to a request on the same connection: as `sizes`.
    pub response: Option<At<RawSizes>>,
    /// From a response's delivery to the next request. Default: "0 s".
    pub think: Option<At<Quantity<Span>>>,
}

/// How lengths vary.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Draw")]
pub(crate) enum RawDraw {
    /// Not at all.
    Fixed,
    /// Exponentially, with the given length as the mean.
    Exponential,
}

/// Sizes of transfers.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Sizes")]
pub(crate) enum RawSizes {
    /// "50 kB", or the name of a published distribution: "web-search", "data-mining", "cache", "web".
    Text(String),
    /// Sizes, rising, and which share of transfers is at most as large: [["1 kB", 0.5], ["1 MB", 1.0]]. Linear between.
    Points(Vec<(Quantity<Bytes>, f64)>),
}

/// The transport's settings. A flow that names no preset begins with the scenario's `[transport]`; what neither sets is as the preset has it.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Transport")]
pub(crate) struct RawTransport {
    /// The settings to begin with. Default: the scenario's, "linux" without any.
    pub preset: Option<RawPreset>,
    /// Payload of a full segment. Linux on Ethernet: "1448 B".
    pub mss: Option<At<Quantity<Bytes>>>,
    /// Headers of a data packet, from IP on. Linux: "52 B".
    pub headers: Option<At<Quantity<Bytes>>>,
    /// Connections open with a handshake of one round trip. Linux: true.
    pub handshake: Option<bool>,
    /// Segments that may be sent before the first acknowledgement. Linux: 10.
    pub initial_window: Option<At<u32>>,
    /// Least retransmission timeout. Linux: "200 ms".
    pub min_rto: Option<At<Quantity<Span>>>,
    /// Retransmission timeout before the first round trip is known. Linux: "1 s".
    pub initial_rto: Option<At<Quantity<Span>>>,
    /// Longest retransmission timeout. Linux: "120 s".
    pub max_rto: Option<At<Quantity<Span>>>,
    /// What acknowledgements name. Default: "cumulative"; "numbered" for PCC in user space.
    pub acks: Option<At<RawAcks>>,
    /// Full segments after which an acknowledgement must be sent. Linux: 2; where a controller chose numbered acknowledgements: 1.
    pub ack_every: Option<At<u32>>,
    /// How long a single segment may wait for its acknowledgement. Linux: "40 ms".
    pub ack_delay: Option<At<Quantity<Span>>>,
    /// Segments at the start that are acknowledged one by one. Linux: 16.
    pub quick_acks: Option<u32>,
    /// Segments that arrive in order within this time of the first of them are taken in together and acknowledged once: receive offload and interrupt
    /// coalescing. Default: "0 s", each by itself.
    pub gro: Option<At<Quantity<Span>>>,
    /// What the receiver can hold; "unlimited" for everything. Default: "unlimited".
    pub receive_window: Option<At<OrUnlimited<Bytes>>>,
    /// How much a paced sender hands to the network card at once, to leave back to back: "off" for what the controller says, "auto" for what its rate gives in
    /// 1/1024 s as Linux has it, or a size such as "64 kB". Default: "off".
    pub tso: Option<At<RawTso>>,
    /// Selective acknowledgements. Linux: true.
    pub sack: Option<At<bool>>,
    /// Time stamps: a round trip from each acknowledgement, and knowledge of which transmission arrived. Linux: true.
    pub timestamps: Option<bool>,
    /// How the retransmission timeout follows from round trips. Default: "linux".
    pub rto: Option<RawRto>,
    /// Which acknowledgements give a round trip to the mean. Linux: "every".
    pub rtt_samples: Option<RawRttSamples>,
    /// Round trips for the mean are whole multiples of this; "0 s" for exact ones. Linux: "0 s".
    pub tick: Option<At<Quantity<Span>>>,
    /// What proves a segment lost. Linux: "rack".
    pub loss_detection: Option<At<RawLossDetection>>,
    /// Segments that must arrive beyond a hole before it counts as lost. Linux: 3.
    pub dupthresh: Option<At<u32>>,
    /// How a reduction takes effect while losses are repaired. Linux: "prr".
    pub recovery: Option<At<RawRecovery>>,
    /// Tail loss probes. Linux: true.
    pub tail_loss_probe: Option<bool>,
    /// After a timeout, only the first segment is repeated until it is clear whether the others were lost or late (F-RTO). Linux: true.
    pub frto: Option<bool>,
    /// Reductions that prove needless are taken back. Linux: true.
    pub undo: Option<bool>,
}

/// What acknowledgements name.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Acks")]
pub(crate) enum RawAcks {
    /// Segments: all below a number, and ranges above it (TCP).
    Cumulative,
    /// Transmissions, each with a number of its own (QUIC, PCC in user space); losses by count and time, probes after silence (RFC 9002).
    Numbered,
}

/// How the retransmission timeout follows from round trips.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Rto")]
pub(crate) enum RawRto {
    /// The floor bounds the variation, which is the largest of late.
    Linux,
    /// The mean and four variations; the floor bounds the sum (RFC 6298).
    Rfc6298,
}

/// Which acknowledgements give a round trip to the mean.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "RttSamples")]
pub(crate) enum RawRttSamples {
    /// Every one that can.
    Every,
    /// One per window of data.
    OncePerWindow,
}

/// How much a paced sender hands to the network card at once.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Tso")]
pub(crate) enum RawTso {
    /// "off" or "auto".
    Word(RawTsoWord),
    /// So much payload.
    Size(Quantity<Bytes>),
}

/// Without a size.
#[derive(Clone, Copy, Debug, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TsoWord")]
pub(crate) enum RawTsoWord {
    /// What the controller says.
    Off,
    /// What the rate gives in 1/1024 s.
    Auto,
}

/// What proves a segment lost.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "LossDetection")]
pub(crate) enum RawLossDetection {
    /// Time: something sent later has arrived, and a reordering window has passed (RFC 8985).
    Rack,
    /// Count: `dupthresh` segments beyond it have arrived (RFC 6675).
    Dupack,
    /// Distance: a segment `dupthresh` beyond it has arrived, until reordering is seen (Linux 2.4).
    Fack,
}

/// How a reduction takes effect while losses are repaired.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Recovery")]
pub(crate) enum RawRecovery {
    /// In proportion to what is delivered (RFC 6937).
    Prr,
    /// One segment less for every second acknowledgement, then slow start (Linux 2.4).
    RateHalving,
    /// At once: nothing leaves until the flight is below the new window (RFC 6675; without SACK RFC 6582, NewReno).
    Pipe,
    /// At once, and recovery ends with the first acknowledgement of new data (RFC 5681); only without SACK.
    Reno,
}

/// A complete set of transport settings.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Preset")]
pub(crate) enum RawPreset {
    /// What Linux 6.x does with its default settings.
    Linux,
    /// What Linux 2.4 did.
    #[serde(rename = "linux-2.4")]
    Linux24,
    /// What the one-way TCP agents of ns-2.29 do.
    #[serde(rename = "ns2-2005")]
    Ns2,
}

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
    /// The new losses; "0 %" ends them.
    pub loss: Option<At<RawLoss>>,
    /// What the queue holds from then on; what waits stays. A buffer in time or bdp counts with the rate and delays right after this change. A buffer that is not
    /// given here keeps its size in bytes whatever the rate becomes.
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

/// A band with a lower end, an upper end or both.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Band")]
pub(crate) struct RawBand {
    /// The least value that is as expected.
    pub min: Option<At<f64>>,
    /// The greatest value that is as expected.
    pub max: Option<At<f64>>,
}
