//! Flows and their workloads, unchecked.

use super::transport::RawTransport;
use crate::text::{At, Extent, Frequency, Load, Quantity};
use narrows_units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

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
    /// The congestion controller with its parameters: "newreno", "cubic?profile=rfc9438". Left out, the flow sends at its workload's rate
    /// whatever happens (UDP).
    pub controller: Option<At<String>>,
    /// So many such flows, named `name.1`, `name.2` and so on.
    pub count: Option<At<u64>>,
    /// When it begins. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// Each further one of `count` begins this much later. Default: "0 s".
    pub stagger: Option<At<Quantity<Span>>>,
    /// When it stops offering data. Default: at the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
    /// Times, each from one to another, in which it offers no data, on the same connection: [["10 s", "16 s"]]. With bulk data, a rate or frames.
    /// Default: none.
    pub pauses: Option<At<Vec<At<RawPause>>>>,
    /// The links that data crosses, in order. Default: the fewest hops.
    pub route: Option<At<Vec<At<String>>>>,
    /// The links that acknowledgements cross, in order. Default: the route's links in reverse where all are two-way, otherwise the fewest
    /// hops.
    pub back: Option<At<Vec<At<String>>>>,
    /// What it has to send. Default: "bulk".
    pub workload: Option<At<RawWorkload>>,
    /// The random stream of its workload: flows of the same stream send the same at the same seed, whatever their names and controllers. Default: the
    /// flow's name if it is written or its data are bulk, otherwise its place, "flow 1" for the first `[[flow]]`; of `count` numbered like the names.
    pub stream: Option<At<String>>,
    /// The transport's settings; those left out are as the scenario's `[transport]` has them.
    pub transport: Option<At<RawTransport>>,
}

/// When a pause begins and when it ends: ["10 s", "16 s"].
#[derive(Clone, Copy, Debug, JsonSchema)]
#[schemars(rename = "Pause")]
pub(crate) struct RawPause(pub Quantity<Span>, pub Quantity<Span>);

impl<'de> Deserialize<'de> for RawPause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawPause, D::Error> {
        let times = Vec::<Quantity<Span>>::deserialize(deserializer)?;
        match times[..] {
            [from, to] => Ok(RawPause(from, to)),
            _ => {
                let count = times.len();
                Err(D::Error::custom(format!(
                    "a pause has a beginning and an end, not {count} times; write [\"10 s\", \"16 s\"]"
                )))
            }
        }
    }
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

impl<'de> Deserialize<'de> for RawWorkload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawWorkload, D::Error> {
        struct Workload;
        impl<'de> Visitor<'de> for Workload {
            type Value = RawWorkload;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a workload; \"bulk\" or a table such as { size = \"10 MB\" }")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawWorkload, E> {
                if text == "bulk" {
                    return Ok(RawWorkload::Bulk(()));
                }
                Err(E::custom(format!(
                    "\"{text}\" is not a workload; write \"bulk\" or a table: {{ size = \"10 MB\" }}, {{ rate = \"5 Mbit/s\" }}, {{ on = \"2 s\", off = \"1 s\" }}, \
                     {{ rate = \"2 Mbit/s\", frame = \"33 ms\" }}, {{ load = \"60 %\", sizes = \"web\" }}, {{ response = \"50 kB\" }}"
                )))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RawWorkload, A::Error> {
                RawLimited::deserialize(MapAccessDeserializer::new(map))
                    .map(|limited| RawWorkload::Limited(Box::new(limited)))
            }
        }
        deserializer.deserialize_any(Workload)
    }
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
    /// The frames follow the controller, and are at least this rate. `rate` is that of the first.
    pub min_rate: Option<At<Quantity<Rate>>>,
    /// And at most this.
    pub max_rate: Option<At<Quantity<Rate>>>,
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

impl<'de> Deserialize<'de> for RawSizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawSizes, D::Error> {
        struct Sizes;
        impl<'de> Visitor<'de> for Sizes {
            type Value = RawSizes;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "sizes; \"50 kB\", \"web-search\" or [[\"1 kB\", 0.5], [\"1 MB\", 1.0]]",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<RawSizes, E> {
                Ok(RawSizes::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, points: A) -> Result<RawSizes, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(points)).map(RawSizes::Points)
            }
        }
        deserializer.deserialize_any(Sizes)
    }
}
