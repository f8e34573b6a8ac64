//! Tables of flows and their workloads, before they are checked.

use super::transport::RawTransport;
use crate::text::{At, Extent, Frequency, Load, Quantity};
use narrows_units::{Bytes, Rate, Span};
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A flow: traffic from one node to another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Flow")]
pub(crate) struct RawFlow {
    /// Name of the flow. Default: the name of its controller, or "udp" without a controller, with a
    /// number if that name is taken.
    pub name: Option<At<String>>,
    /// Node of the sender.
    pub from: At<String>,
    /// Node of the receiver.
    pub to: At<String>,
    /// Congestion controller with its parameters: "newreno", "cubic?profile=rfc9438". Without a
    /// controller the flow is UDP: it sends at the rate of its workload and does not react to
    /// congestion.
    pub controller: Option<At<String>>,
    /// Number of flows like this one. Several flows are named `name.1`, `name.2` and so on.
    /// Default: 1.
    pub count: Option<At<u64>>,
    /// Time at which the flow begins. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// Time between the starts of the flows of `count`. Default: "0 s".
    pub stagger: Option<At<Quantity<Span>>>,
    /// Time at which the flow stops offering data. Default: the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
    /// Pauses in which the flow offers no data, each with its beginning and its end: [["10 s",
    /// "16 s"]]. The connection stays open. Only for bulk data, a rate or frames. Default: none.
    pub pauses: Option<At<Vec<At<RawPause>>>>,
    /// Links that data crosses, in order. Default: the route with the fewest hops.
    pub route: Option<At<Vec<At<String>>>>,
    /// Links that acknowledgements cross, in order. Default: the links of the route in reverse if
    /// all of them are two-way, otherwise the route with the fewest hops.
    pub back: Option<At<Vec<At<String>>>>,
    /// Data that the flow has to send. Default: "bulk".
    pub workload: Option<At<RawWorkload>>,
    /// State of the path that an earlier connection saved, for a controller that resumes:
    /// "cubic?resume". Other controllers ignore it. A table with `rtt`, `window` and `age`.
    /// Default: nothing.
    pub saved: Option<At<RawSaved>>,
    /// Random stream of the workload. Flows with the same stream send the same data at the same
    /// seed, whatever their names and controllers. Default: the flow's name if the file gives it or
    /// the data are bulk, otherwise the flow's place in the file: "flow 1" for the first
    /// `[[flow]]`. The streams of `count` flows are numbered like their names.
    pub stream: Option<At<String>>,
    /// Transport settings of the flow. Default of each setting: its value in the scenario's
    /// `[transport]`.
    pub transport: Option<At<RawTransport>>,
}

/// State of a path that a connection saved (RFC 9959).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Saved")]
pub(crate) struct RawSaved {
    /// Its least round trip.
    pub rtt: At<Quantity<Span>>,
    /// Segments that it delivered per round trip.
    pub window: At<u32>,
    /// Time since then. After 10 minutes it is of no use. Default: "0 s".
    pub age: Option<At<Quantity<Span>>>,
}

/// A pause, with its beginning and its end: ["10 s", "16 s"].
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

/// Data that a flow has to send: "bulk" if there is always data to send, or a table.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Workload")]
pub(crate) enum RawWorkload {
    /// Always data to send: "bulk".
    Bulk(#[schemars(with = "Bulk")] ()),
    /// A table that describes the data.
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

/// Always data to send.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(dead_code)]
enum Bulk {
    /// Always data to send.
    Bulk,
}

/// A workload, given by one of: `size`; `rate`; `on` and `off`; `rate` and `frame`; `arrivals` or
/// `load` with `sizes`; `response`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Limited")]
pub(crate) struct RawLimited {
    /// Payload of a single transfer; the flow sends nothing after it.
    pub size: Option<At<Quantity<Bytes>>>,
    /// Payload rate. Data is offered one full segment at a time, with `frame` one frame at a time,
    /// and with `on` only during bursts.
    pub rate: Option<At<Quantity<Rate>>>,
    /// Length of a burst: a time in which there is always data to send, or a size.
    pub on: Option<At<Quantity<Extent>>>,
    /// Silence after a burst.
    pub off: Option<At<Quantity<Span>>>,
    /// Distribution of the lengths of `on` and `off`, or of `think`. Default: "fixed".
    pub draw: Option<At<RawDraw>>,
    /// Connections of bursts that have a size, or of requests. Default: "one".
    pub connections: Option<At<RawConnections>>,
    /// Time between media frames.
    pub frame: Option<At<Quantity<Span>>>,
    /// Least rate of frames that follow the congestion controller; `rate` is then the rate of the
    /// first frame. Needs `max_rate`.
    pub min_rate: Option<At<Quantity<Rate>>>,
    /// Greatest rate of frames that follow the congestion controller. Needs `min_rate`.
    pub max_rate: Option<At<Quantity<Rate>>>,
    /// Number n: every n-th frame is a key frame. Needs `key_factor`.
    pub key_every: Option<At<u32>>,
    /// Size of a key frame, as a multiple of the size of other frames. Needs `key_every`.
    pub key_factor: Option<At<f64>>,
    /// Deadline of a frame: a frame that has not arrived after this time is late. Default:
    /// "150 ms".
    pub deadline: Option<At<Quantity<Span>>>,
    /// Time from the start of the flow at which frames end and `then` begins. Default: frames do
    /// not end.
    pub until: Option<At<Quantity<Span>>>,
    /// Payload of a transfer after the frames, on the same connection; the flow sends nothing after
    /// it. Needs `until`.
    pub then: Option<At<Quantity<Bytes>>>,
    /// Rate of transfers that arrive at random, each on a new connection: "20/s".
    pub arrivals: Option<At<Quantity<Frequency>>>,
    /// Load of transfers that arrive at random, each on a new connection, as a share of the slowest
    /// link of the route: "60 %". Instead of `arrivals`.
    pub load: Option<At<Load>>,
    /// Sizes of the transfers that arrive at random: a size, the name of a published distribution,
    /// or points of a distribution.
    pub sizes: Option<At<RawSizes>>,
    /// Saved paths of the connections of `arrivals` or `load`, for a controller that resumes.
    /// Default: "new".
    pub reconnect: Option<At<RawReconnect>>,
    /// Size of a request. Default: "300 B".
    pub request: Option<At<Quantity<Bytes>>>,
    /// Sizes of the responses, written like `sizes`. Each response answers a request on the same
    /// connection, which stays open for the next request unless `connections` is "new".
    pub response: Option<At<RawSizes>>,
    /// Time from the delivery of a response to the next request. Default: "0 s".
    pub think: Option<At<Quantity<Span>>>,
}

/// Distribution of lengths.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Draw")]
pub(crate) enum RawDraw {
    /// Always the given length.
    Fixed,
    /// Exponential, with the given length as the mean.
    Exponential,
}

/// Knowledge of a further connection of its path.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Reconnect")]
pub(crate) enum RawReconnect {
    /// Nothing.
    New,
    /// The state that an earlier connection of the flow saved (RFC 9959). Each entry is for one
    /// connection.
    Saved,
}

/// Connections of bursts or requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Connections")]
pub(crate) enum RawConnections {
    /// One connection for all of them.
    One,
    /// A new connection for each.
    New,
}

/// Sizes of transfers.
#[derive(Clone, Debug, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Sizes")]
pub(crate) enum RawSizes {
    /// A size, "50 kB", or the name of a published distribution: "web-search", "data-mining",
    /// "cache", "web".
    Text(String),
    /// Rising sizes, each with the share of transfers that are at most as large: [["1 kB", 0.5],
    /// ["1 MB", 1.0]]. The distribution is linear between the points.
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
