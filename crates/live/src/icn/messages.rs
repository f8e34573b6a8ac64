//! Messages between a run and the process of a node. Times are nanoseconds since the run began,
//! rates bit/s, amounts bytes.

use narrows_measure as measure;
use narrows_measure::{FlowCounters, FlowSample, Histogram, InterestCounters, RatesSample};
use narrows_units::{Bytes, Rate, Span, Time};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// The plan of a node, in one line of JSON. The node says `ready`, and then receives the beginning
/// of the run in nanoseconds of the monotonic clock. It answers with its report after the run, or
/// with a failure as soon as there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodePlan {
    /// Rate law of links, as written.
    pub law: String,
    /// True if Interests are shaped.
    pub shaper: bool,
    /// Most Interests in a shaper.
    pub shaper_queue: usize,
    /// Strategy for the choice of next hops, as written.
    pub strategy: String,
    /// Data packets in the content store.
    pub cache: usize,
    /// Most pending Interests of a face.
    pub pending: usize,
    /// UDP port of all nodes.
    pub port: u16,
    /// Size of the largest packet on a link, in bytes, without headers of IP and UDP.
    pub mtu: u16,
    /// Size of these headers, in bytes.
    pub headers: u16,
    /// Faces, one for each link.
    pub faces: Vec<FacePlan>,
    /// Next hops; for each prefix the best comes first.
    pub routes: Vec<RouteEntry>,
    /// Producers.
    pub producers: Vec<ProducerPlan>,
    /// Consumers.
    pub consumers: Vec<ConsumerPlan>,
    /// Names of the consumers, in the same order.
    pub consumer_names: Vec<String>,
    /// Consumers that each request process starts at this node, in the order of their starts.
    pub requests: Vec<Vec<ConsumerPlan>>,
    /// Names of these processes, in the same order.
    pub request_names: Vec<String>,
    /// Size of Interests on links, with headers of IP and UDP.
    pub interest: u64,
    /// Lifetime of Interests.
    pub lifetime: u64,
    /// Time between samples.
    pub interval: u64,
    /// End of the warm-up.
    pub warmup: u64,
    /// End of the run.
    pub duration: u64,
}

/// An end of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacePlan {
    /// Address of the neighbour.
    pub neighbour: IpAddr,
    /// Rate of the link towards the node, with headers.
    pub inward: u64,
    /// Rate of the link away from the node, with headers.
    pub out: u64,
    /// True if the node computes rates of the link.
    pub has_law: bool,
    /// True if the node measures the rate towards it, instead of knowing both rates.
    pub measured: bool,
}

/// A next hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteEntry {
    /// Prefix.
    pub prefix: String,
    /// Index of the face in [`NodePlan::faces`].
    pub face: usize,
}

/// A producer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProducerPlan {
    /// Prefix.
    pub prefix: String,
    /// Size of each Data packet in bytes, without headers of the link and below.
    pub data: usize,
}

/// A consumer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumerPlan {
    /// True if it follows rates, false if it has a window.
    pub by_rates: bool,
    /// True if the node paces its Interests at the rates of links, like those of a neighbour that
    /// knows no rates.
    pub by_proxy: bool,
    /// Consumer algorithm, or congestion controller of the window, as written.
    pub method: String,
    /// Name of the content, without the segment.
    pub content: String,
    /// Size of its Data on links, with headers of IP and UDP.
    pub data: u64,
    /// Number of segments of the content; `None` for an endless content.
    pub segments: Option<u64>,
    /// Time at which it starts.
    pub start: u64,
    /// Time at which it stops; `None` for the end of the run.
    pub stop: Option<u64>,
    /// Seed of its random choices.
    pub seed: u64,
    /// Greatest rate of its Data over all links of its node together, without headers.
    pub most: u64,
}

/// The answer of a node, in one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NodeAnswer {
    /// The run is over.
    Done(Box<NodeReport>),
    /// The node failed. It says nothing more.
    Failed(NodeFailure),
}

/// A failure of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFailure {
    /// Failed part of the node, for people.
    pub part: String,
    /// Time of the failure; 0 before the run began.
    pub after: u64,
    /// Reason.
    pub cause: String,
}

/// The measurements of a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeReport {
    /// Reports of the faces, in the order of the plan.
    pub faces: Vec<FaceReport>,
    /// Reports of the consumers, in the order of the plan.
    pub consumers: Vec<ConsumerReport>,
    /// Reports of the request processes, in the order of the plan.
    pub requests: Vec<RequestsReport>,
    /// Pending Interests at the end.
    pub pending: u64,
    /// Interests that expired.
    pub expired: u64,
    /// Interests that the cache answered.
    pub cached: u64,
    /// Lateness of the forwarder and the consumers.
    pub late: Times,
    /// CPU time of the busiest thread.
    pub busiest: u64,
}

/// The measurements of a link towards a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaceReport {
    /// Time, primary and secondary rate, and Interests in the shaper at each sample.
    pub samples: Vec<(u64, u64, u64, u32)>,
    /// Counts at the end of the warm-up.
    pub at_warmup: Interests,
    /// Counts at the end.
    pub total: Interests,
}

/// Counts of Interests for a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interests {
    /// See [`InterestCounters::sent`].
    pub sent: u64,
    /// See [`InterestCounters::refused_primary`].
    pub refused_primary: u64,
    /// See [`InterestCounters::refused_secondary`].
    pub refused_secondary: u64,
    /// See [`InterestCounters::evicted`].
    pub evicted: u64,
}

/// The measurements of a consumer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConsumerReport {
    /// State at each sample.
    pub samples: Vec<Moment>,
    /// Hash of each path, with time, bytes of both classes and rates of both classes at each
    /// sample.
    pub subflows: Vec<(u64, Vec<[u64; 5]>)>,
    /// Counts at the end of the warm-up.
    pub at_warmup: Counts,
    /// Counts at the end.
    pub total: Counts,
    /// Goodput when it was stopped.
    pub stopped_with: Option<u64>,
    /// Time at which it had all Data.
    pub finished: Option<u64>,
    /// Round trips since the warm-up.
    pub rtt: Times,
}

/// The measurements of the consumers of a request process.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestsReport {
    /// Measurements of all consumers together, without paths and rates.
    pub together: ConsumerReport,
    /// Time at which each consumer had all Data, in the order of the plan; `None` if it had not at
    /// the end of the run.
    pub finished: Vec<Option<u64>>,
}

/// The state of a consumer, or of several together, at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    at: u64,
    rtt: Option<u64>,
    in_flight: u32,
    primary_rate: u64,
    secondary_rate: u64,
    working: u32,
    counts: Counts,
}

/// Counts of a consumer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    sent: u64,
    retransmitted: u64,
    arrived: u64,
    duplicates: u64,
    goodput: u64,
    declared_lost: u64,
    timeouts: u64,
    primary: u64,
    secondary: u64,
    nacks: u64,
}

/// A histogram.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    counts: Vec<(u64, u64)>,
    sum: u64,
    min: u64,
    max: u64,
}

impl Interests {
    /// Converts the counts to those of records.
    pub fn counters(self) -> InterestCounters {
        let Interests { sent, refused_primary, refused_secondary, evicted } = self;
        InterestCounters { sent, refused_primary, refused_secondary, evicted }
    }
}

impl FaceReport {
    /// Converts the samples to those of records.
    pub fn samples(&self) -> Vec<RatesSample> {
        let sample = |(at, primary, secondary, queue): &(u64, u64, u64, u32)| RatesSample {
            at: Time::from_nanos(*at),
            primary: Rate::from_bps(*primary),
            secondary: Rate::from_bps(*secondary),
            queue: *queue,
        };
        self.samples.iter().map(sample).collect()
    }
}

impl Counts {
    /// Converts counts of records.
    pub fn of(flow: &FlowCounters, consumer: &measure::ConsumerCounters) -> Counts {
        Counts {
            sent: flow.sent,
            retransmitted: flow.retransmitted,
            arrived: flow.arrived,
            duplicates: flow.duplicates,
            goodput: flow.goodput.get(),
            declared_lost: flow.declared_lost,
            timeouts: flow.timeouts,
            primary: consumer.primary.get(),
            secondary: consumer.secondary.get(),
            nacks: consumer.nacks,
        }
    }

    /// Converts the counts to those of records. `stopped_with` is the goodput when the consumer was
    /// stopped.
    pub fn counters(
        &self,
        dropped: u64,
        stopped_with: Option<u64>,
    ) -> (FlowCounters, measure::ConsumerCounters) {
        let (primary, secondary) = (Bytes::new(self.primary), Bytes::new(self.secondary));
        let flow = FlowCounters {
            sent: self.sent,
            retransmitted: self.retransmitted,
            arrived: self.arrived,
            duplicates: self.duplicates,
            dropped,
            goodput: Bytes::new(self.goodput),
            late_goodput: Bytes::new(
                stopped_with.map_or(0, |before| self.goodput.saturating_sub(before)),
            ),
            declared_lost: self.declared_lost,
            timeouts: self.timeouts,
            arrived_wire: primary + secondary,
            ..FlowCounters::default()
        };
        (
            flow,
            measure::ConsumerCounters {
                primary,
                secondary,
                nacks: self.nacks,
                interests: self.sent,
            },
        )
    }
}

impl Moment {
    /// Converts samples of records. `working` is the number of consumers that are not finished.
    pub fn of(
        flow: &FlowSample,
        consumer: &measure::ConsumerSample,
        working: u32,
        counts: Counts,
    ) -> Moment {
        Moment {
            at: flow.at.since(Time::ZERO).as_nanos(),
            rtt: flow.rtt.map(Span::as_nanos),
            in_flight: flow.in_flight,
            primary_rate: consumer.primary_rate.as_bps(),
            secondary_rate: consumer.secondary_rate.as_bps(),
            working,
            counts,
        }
    }

    /// Converts the state to samples of records.
    pub fn samples(&self, dropped: u64) -> (FlowSample, measure::ConsumerSample) {
        let (flow, consumer) = self.counts.counters(dropped, None);
        let (at, primary_rate, secondary_rate) = (
            Time::from_nanos(self.at),
            Rate::from_bps(self.primary_rate),
            Rate::from_bps(self.secondary_rate),
        );
        let both = Rate::from_bps(self.primary_rate.saturating_add(self.secondary_rate));
        let flow = FlowSample {
            at,
            goodput: flow.goodput,
            arrived_wire: flow.arrived_wire,
            sent: flow.sent,
            dropped,
            rtt: self.rtt.map(Span::from_nanos),
            in_flight: self.in_flight,
            cwnd: f64::from(self.in_flight),
            connections: self.working,
            pacing: Some(both).filter(|rate| !rate.is_zero()),
            ..FlowSample::default()
        };
        (flow, measure::ConsumerSample { at, primary_rate, secondary_rate, counters: consumer })
    }
}

impl From<&Histogram> for Times {
    fn from(histogram: &Histogram) -> Times {
        Times {
            counts: histogram.counts().map(|(low, count)| (low.as_nanos(), count)).collect(),
            sum: u64::try_from(histogram.sum()).unwrap_or(u64::MAX),
            min: histogram.min().map_or(0, Span::as_nanos),
            max: histogram.max().map_or(0, Span::as_nanos),
        }
    }
}

impl From<&Times> for Histogram {
    fn from(times: &Times) -> Histogram {
        if times.counts.is_empty() {
            return Histogram::new();
        }
        let counts = times.counts.iter().map(|(low, count)| (Span::from_nanos(*low), *count));
        Histogram::restore(
            counts,
            times.sum.into(),
            Span::from_nanos(times.min),
            Span::from_nanos(times.max),
        )
    }
}
