//! The information-centric tables of a scenario, before they are checked. Comments become
//! descriptions in the JSON Schema.

use crate::text::{At, Quantity};
use narrows_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Makes the network information-centric: it has prefixes, consumers and requests instead of flows.
/// Links must be two-way.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Icn")]
pub(crate) struct RawIcn {
    /// The law by which links advertise rates: "mircc", "mircc-single", "rcp", with parameters as
    /// in "mircc?eta=0.9", or "none". Default: "mircc".
    pub law: Option<At<String>>,
    /// Algorithm of consumers that do not choose one themselves: "mircc", "single", "best-subflow",
    /// "total-per-subflow". Default: "mircc" if the law has two classes, "single" if it has one.
    pub consumer: Option<At<String>>,
    /// Congestion controller of consumers that do not choose one themselves, instead of `consumer`:
    /// "cubic". Such consumers have a window.
    pub controller: Option<At<String>>,
    /// True if every neighbour that is nearer to a producer is a next hop, false if only the best
    /// one is. Default: true.
    pub multipath: Option<bool>,
    /// True if nodes delay Interests so that the requested Data fits the link. Default: true.
    pub shaper: Option<bool>,
    /// Rule that computes the shaper's rate from the Interests of the other direction: "boundary"
    /// for all capacity that they and their Data leave, or "published" for less than that (Wang et
    /// al.). Default: "boundary".
    pub shaper_form: Option<RawShaperForm>,
    /// True if the law's capacity is the capacity that the shaper leaves for Data, false if it is
    /// the whole link. The two differ if Data crosses a link in both directions. Default: true.
    pub shaped_capacity: Option<At<bool>>,
    /// Source of the link capacities that nodes use: "known" from the links, or "measured" from the
    /// Data that the links carry, starting from a guess of 10 Mbit/s. Default: "known".
    pub capacity: Option<At<RawCapacity>>,
    /// Most Interests that the shaper of a face holds. Default: 100.
    pub shaper_queue: Option<At<u32>>,
    /// True if nodes pace the Interests of consumers with a window as a consumer that follows rates
    /// would send them. Only where links advertise rates. Default: true.
    pub proxy: Option<At<bool>>,
    /// True if nodes refuse primary Interests of a consumer that request more than 1.25 times the
    /// rate in its Data, as a mean over a second. Default: false.
    pub police: Option<At<bool>>,
    /// Method by which Interests follow paths: path labels (RFC 9531), hashes that nodes look up in
    /// a table, a random value, or a Bloom filter. Default: "labels".
    pub steering: Option<RawSteering>,
    /// Forwarding strategy for Interests that follow no path: "weighted" chooses a next hop at
    /// random by capacity, "best-route" always the best one. Default: "weighted", or "best-route"
    /// if links advertise no rates.
    pub strategy: Option<At<String>>,
    /// Most Data packets in the cache of each node. Default: 0.
    pub cache: Option<u32>,
    /// Most pending Interests that a node accepts from a face; it refuses further ones. Default:
    /// 65536.
    pub pending: Option<At<u32>>,
    /// Interest lifetime: time for which an Interest is pending. Default: "4 s".
    pub lifetime: Option<At<Quantity<Span>>>,
    /// Size of an Interest. Default: "100 B".
    pub interest: Option<At<Quantity<Bytes>>>,
    /// Size of a Data packet of prefixes that do not set it themselves. Default: "1000 B".
    pub data: Option<At<Quantity<Bytes>>>,
}

/// Rule that computes a shaper's rate from the Interests of the other direction.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ShaperForm")]
pub(crate) enum RawShaperForm {
    /// All capacity that the other direction leaves.
    Boundary,
    /// Less than `boundary`: the rate depends on the square of the other direction's shortfall from
    /// its share.
    Published,
}

/// Source of the link capacities that nodes use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Capacity")]
pub(crate) enum RawCapacity {
    /// Nodes know the capacities of their links.
    Known,
    /// Nodes measure the Data that their links carry.
    Measured,
}

/// Method by which Interests follow paths.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Steering")]
pub(crate) enum RawSteering {
    /// Labels of next hops (RFC 9531).
    Labels,
    /// The hash of the path, which nodes look up in a table.
    Hashes,
    /// A random value that chooses at each split.
    Random,
    /// A Bloom filter of the links chosen at splits.
    Bloom,
}

/// A name prefix with its producers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Prefix")]
pub(crate) struct RawPrefix {
    /// Text of the prefix: "/video".
    pub name: At<String>,
    /// Node of the producer, or nodes of several producers that answer alike.
    pub at: At<OneOrMore>,
    /// Size of a Data packet. Default: the size in `[icn]`.
    pub data: Option<At<Quantity<Bytes>>>,
    /// Next hops of nodes for which delays and `multipath` would choose others: F2 = ["F3"]. A next
    /// hop is written as the name of its node, or as the name of a link if several links lead to
    /// that node. No Interest may return to a node where it has been.
    #[serde(default)]
    pub next_hops: BTreeMap<At<String>, At<Vec<At<String>>>>,
}

/// A name or a list of names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a name in quotes, or a list of names is expected here")]
pub(crate) enum OneOrMore {
    /// One name.
    One(String),
    /// Several names.
    More(Vec<String>),
}

impl OneOrMore {
    pub fn list(&self) -> &[String] {
        match self {
            OneOrMore::One(name) => std::slice::from_ref(name),
            OneOrMore::More(names) => names,
        }
    }
}

/// A consumer of one content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Consumer")]
pub(crate) struct RawConsumer {
    /// Name of the consumer. Default: "consumer", with a number if that name is taken.
    pub name: Option<At<String>>,
    /// Node of the consumer.
    pub at: At<String>,
    /// Prefix of the content.
    pub prefix: At<String>,
    /// Algorithm by which the consumer sends Interests. Default: the algorithm in `[icn]`.
    pub consumer: Option<At<String>>,
    /// Congestion controller of the consumer, instead of `consumer`.
    pub controller: Option<At<String>>,
    /// Name of the content. Consumers that give the same name under one prefix request the same
    /// Data, and must have the same `segments`. Default: a content of the consumer's own.
    pub content: Option<At<String>>,
    /// Number of Data packets of the content. Default: unlimited.
    pub segments: Option<At<u64>>,
    /// Number of consumers like this one. Several consumers are named `name.1`, `name.2` and so on.
    /// Default: 1.
    pub count: Option<At<u64>>,
    /// Time at which the consumer starts. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// Time between the starts of the consumers of `count`. Default: "0 s".
    pub stagger: Option<At<Quantity<Span>>>,
    /// Time at which the consumer stops sending Interests. Default: the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
}

/// A process that requests contents at random. Each request has a consumer of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Request")]
pub(crate) struct RawRequest {
    /// Name of the process.
    pub name: At<String>,
    /// Node of the consumers, or nodes of which one is drawn for each request.
    pub at: At<OneOrMore>,
    /// Prefix of the contents, or prefixes of which one is drawn for each request.
    pub prefix: At<OneOrMore>,
    /// Mean time from one request to the next. The times are exponentially distributed.
    pub every: At<Quantity<Span>>,
    /// Number of Data packets of a content: a number, or numbers with their probabilities, [[1000,
    /// 0.99], [50000, 0.01]].
    pub segments: At<RawSegments>,
    /// Number of contents under each prefix. Each may be requested repeatedly. Default: every
    /// content is requested once.
    pub catalogue: Option<At<u32>>,
    /// Zipf exponent z: the k-th content of the catalogue is requested in proportion to k to the
    /// power of -z. Default: 0.8.
    pub zipf: Option<At<f64>>,
    /// Algorithm by which each consumer sends Interests. Default: the algorithm in `[icn]`.
    pub consumer: Option<At<String>>,
    /// Congestion controller of each consumer, instead of `consumer`.
    pub controller: Option<At<String>>,
    /// Time at which the requests begin. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// Time at which the requests end. Default: the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
}

/// Number of Data packets of a content.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a number of Data packets, or a list of numbers with their probabilities is expected here"
)]
#[schemars(rename = "Segments")]
pub(crate) enum RawSegments {
    /// A fixed number.
    Fixed(u64),
    /// Numbers, each with its probability.
    Drawn(Vec<(u64, f64)>),
}
