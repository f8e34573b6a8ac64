//! The information-centric part of a scenario, unchecked. Comments become descriptions in the JSON
//! Schema.

use crate::text::{At, Quantity};
use narrows_units::{Bytes, Span};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Makes the network information-centric: instead of flows there are prefixes, consumers and requests. Links must be two-way.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Icn")]
pub(crate) struct RawIcn {
    /// The law by which links advertise rates: "mircc", "mircc-single", "rcp", with parameters as in "mircc?eta=0.9", or "none". Default:
    /// "mircc".
    pub law: Option<At<String>>,
    /// How consumers ask that do not say it themselves: "mircc", "single", "best-subflow", "total-per-subflow". Default: "mircc" where the
    /// law has two classes, "single" where it has one.
    pub consumer: Option<At<String>>,
    /// The same by a congestion controller, which has a window: "cubic".
    pub controller: Option<At<String>>,
    /// Every neighbour that is nearer to a producer is a next hop; false: only the best one. Default: true.
    pub multipath: Option<bool>,
    /// Nodes hold Interests back so that the Data they ask for fits the link. Default: true.
    pub shaper: Option<bool>,
    /// How the shaper's rate follows from the Interests of the other direction: "boundary", all that they and their Data leave, or
    /// "published", less than that (Wang et al.). Default: "boundary".
    pub shaper_form: Option<RawShaperForm>,
    /// The law's capacity is what the shaper leaves for Data; false: the whole link. They differ where Data crosses a link both ways.
    /// Default: true.
    pub shaped_capacity: Option<At<bool>>,
    /// Where nodes have the capacities of their links from: "known", the links tell them, or "measured", by the Data that they carry, from a guess
    /// of 10 Mbit/s on. Default: "known".
    pub capacity: Option<At<RawCapacity>>,
    /// Interests that the shaper of a face holds. Default: 100.
    pub shaper_queue: Option<At<u32>>,
    /// Nodes pace the Interests of consumers with a window, where links advertise rates: as one that follows rates would send them. Default:
    /// true.
    pub proxy: Option<At<bool>>,
    /// Nodes refuse primary Interests of a consumer that ask for more than 1.25 times the rate in its Data, as a mean over a second. Default:
    /// false.
    pub police: Option<At<bool>>,
    /// How Interests follow paths: by RFC 9531's path labels, by hashes that nodes keep a table of, by a random value, or by a Bloom
    /// filter. Default: "labels".
    pub steering: Option<RawSteering>,
    /// How nodes choose a next hop for Interests that follow no path: "weighted" at random by capacity, "best-route" always the best.
    /// Default: "weighted", "best-route" where links advertise no rates.
    pub strategy: Option<At<String>>,
    /// Data packets that each node caches. Default: 0.
    pub cache: Option<u32>,
    /// Pending Interests that a node accepts from a face; it refuses more. Default: 65536.
    pub pending: Option<At<u32>>,
    /// How long an Interest is pending. Default: "4 s".
    pub lifetime: Option<At<Quantity<Span>>>,
    /// The size of an Interest. Default: "100 B".
    pub interest: Option<At<Quantity<Bytes>>>,
    /// The size of Data of prefixes that do not say it themselves. Default: "1000 B".
    pub data: Option<At<Quantity<Bytes>>>,
}

/// How a shaper's rate follows from the other direction.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ShaperForm")]
pub(crate) enum RawShaperForm {
    /// All that the other direction leaves.
    Boundary,
    /// By the square of the other direction's shortfall from its share.
    Published,
}

/// Where nodes have capacities from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Capacity")]
pub(crate) enum RawCapacity {
    /// The links tell them.
    Known,
    /// They measure what the links carry.
    Measured,
}

/// How Interests follow paths.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "Steering")]
pub(crate) enum RawSteering {
    /// By labels of next hops (RFC 9531).
    Labels,
    /// By the path's hash, which nodes keep a table of.
    Hashes,
    /// By a random value that chooses at each split.
    Random,
    /// By a Bloom filter of the links chosen at splits.
    Bloom,
}

/// Names that begin alike, and who answers.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Prefix")]
pub(crate) struct RawPrefix {
    /// The prefix: "/video".
    pub name: At<String>,
    /// The node of its producer, or the nodes of several that answer alike.
    pub at: At<OneOrMore>,
    /// The size of a Data packet. Default: that of [icn].
    pub data: Option<At<Quantity<Bytes>>>,
    /// Next hops of nodes where they are other than delays and `multipath` say, by their names or, where several links lead to one, those
    /// of the links: F2 = ["F3"]. No Interest may come back to where it has been.
    #[serde(default)]
    pub next_hops: BTreeMap<At<String>, At<Vec<At<String>>>>,
}

/// A name or a list of names.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a name in quotes, or a list of names is expected here")]
pub(crate) enum OneOrMore {
    /// One.
    One(String),
    /// Several.
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

/// Asks for a content.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Consumer")]
pub(crate) struct RawConsumer {
    /// Its name. Default: "consumer", numbered where names would be the same.
    pub name: Option<At<String>>,
    /// Its node.
    pub at: At<String>,
    /// The prefix under which it asks.
    pub prefix: At<String>,
    /// How it asks. Default: as [icn] says.
    pub consumer: Option<At<String>>,
    /// The same by a congestion controller.
    pub controller: Option<At<String>>,
    /// The content: consumers that name the same, under one prefix, ask for the same Data, and have the same `segments`. Default: one of
    /// its own.
    pub content: Option<At<String>>,
    /// Data packets of the content. Default: without end.
    pub segments: Option<At<u64>>,
    /// So many such consumers, named `name.1`, `name.2` and so on.
    pub count: Option<At<u64>>,
    /// When it begins. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// Each further one of `count` begins this much later. Default: "0 s".
    pub stagger: Option<At<Quantity<Span>>>,
    /// When it stops asking. Default: at the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
}

/// Contents asked for at random, each by a consumer of its own.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Request")]
pub(crate) struct RawRequest {
    /// Its name.
    pub name: At<String>,
    /// The node where a content is asked for, or the nodes of which one is drawn each time.
    pub at: At<OneOrMore>,
    /// The prefix, or the prefixes of which one is drawn each time.
    pub prefix: At<OneOrMore>,
    /// The mean time from one content to the next; it is exponential.
    pub every: At<Quantity<Span>>,
    /// Data packets of a content: a number, or numbers with their probabilities, [[1000, 0.99], [50000, 0.01]].
    pub segments: At<RawSegments>,
    /// The contents under each prefix; each may be asked for again and again. Default: every content is asked for once.
    pub catalogue: Option<At<u32>>,
    /// The k-th content of the catalogue is asked for in proportion to k to the power of minus this. Default: 0.8.
    pub zipf: Option<At<f64>>,
    /// How each consumer asks. Default: as [icn] says.
    pub consumer: Option<At<String>>,
    /// The same by a congestion controller.
    pub controller: Option<At<String>>,
    /// When it begins. Default: "0 s".
    pub start: Option<At<Quantity<Span>>>,
    /// When it ends. Default: at the end of the run.
    pub stop: Option<At<Quantity<Span>>>,
}

/// Data packets of a content.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "a number of Data packets, or a list of numbers with their probabilities is expected here"
)]
#[schemars(rename = "Segments")]
pub(crate) enum RawSegments {
    /// Always so many.
    Fixed(u64),
    /// So many, and with which probability.
    Drawn(Vec<(u64, f64)>),
}
