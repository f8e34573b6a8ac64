//! What a run tells the process of a node, and what that answers. Times are nanoseconds since the run began, rates bit/s, amounts bytes.

use narrows_measure as measure;
use narrows_measure::{FlowCounters, FlowSample, Histogram, InterestCounters, RatesSample};
use narrows_units::{Bytes, Rate, Span, Time};
use serde::{Deserialize, Serialize};
use std::net::IpAddr;

/// All that a node is to do, in one line of JSON. When it is ready it says `ready`; then it hears when the run begins, in nanoseconds of the
/// monotonic clock, and answers with its report when the run is over, or with a failure as soon as there is one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodePlan {
    /// The rate law of links, as written.
    pub law: String,
    /// Interests are shaped.
    pub shaper: bool,
    /// Interests that a shaper holds.
    pub shaper_queue: usize,
    /// How next hops are chosen, as written.
    pub strategy: String,
    /// Data packets in the content store.
    pub cache: usize,
    /// Pending Interests of a face.
    pub pending: usize,
    /// The UDP port of all nodes.
    pub port: u16,
    /// Octets of the largest packet of a link, without headers of IP and UDP.
    pub mtu: u16,
    /// Octets of these headers.
    pub headers: u16,
    /// One for each link.
    pub faces: Vec<FacePlan>,
    /// Next hops, the best of a prefix first.
    pub routes: Vec<RouteEntry>,
    /// Its producers.
    pub producers: Vec<ProducerPlan>,
    /// Its consumers.
    pub consumers: Vec<ConsumerPlan>,
    /// Their names, in the same order.
    pub consumer_names: Vec<String>,
    /// Of each request process that asks here, the consumers that it starts, in the order of their starts.
    pub requests: Vec<Vec<ConsumerPlan>>,
    /// The names of these processes, in the same order.
    pub request_names: Vec<String>,
    /// The size of Interests on links, headers of IP and UDP included.
    pub interest: u64,
    /// Lifetime of Interests.
    pub lifetime: u64,
    /// Time between samples.
    pub interval: u64,
    /// When statistics begin.
    pub warmup: u64,
    /// When the run ends.
    pub duration: u64,
}

/// One end of a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacePlan {
    /// The neighbour.
    pub neighbour: IpAddr,
    /// The rate of the link towards the node, headers included.
    pub inward: u64,
    /// The same away from it.
    pub out: u64,
    /// Whether the node computes rates of the link.
    pub has_law: bool,
    /// Whether it measures the rate towards it, instead of knowing both.
    pub measured: bool,
}

/// A next hop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RouteEntry {
    /// The prefix.
    pub prefix: String,
    /// The place of the face in [`NodePlan::faces`].
    pub face: usize,
}

/// A producer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProducerPlan {
    /// Its prefix.
    pub prefix: String,
    /// Octets of each of its Data, without headers of the link and below.
    pub data: usize,
}

/// A consumer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsumerPlan {
    /// True if it follows rates, false if it has a window.
    pub by_rates: bool,
    /// True if the node paces its Interests at the rates of links, as those of a neighbour that knows none.
    pub by_proxy: bool,
    /// The consumer, or the congestion controller of the window, as written.
    pub method: String,
    /// The name above its segments.
    pub content: String,
    /// The size of its Data on links, headers of IP and UDP included.
    pub data: u64,
    /// Segments of the content; `None` without end.
    pub segments: Option<u64>,
    /// When it begins.
    pub start: u64,
    /// When it stops.
    pub stop: Option<u64>,
    /// Of its random choices.
    pub seed: u64,
    /// What the links of its node bring together of its Data, without headers.
    pub most: u64,
}

/// What a node answers, in one line of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum NodeAnswer {
    /// The run is over.
    Done(Box<NodeReport>),
    /// The node cannot go on. It says nothing more.
    Failed(NodeFailure),
}

/// Why a node cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeFailure {
    /// Which part of it, for people.
    pub part: String,
    /// When; 0 before the run began.
    pub after: u64,
    /// Why.
    pub cause: String,
}

/// What a node has measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NodeReport {
    /// In the order of the plan.
    pub faces: Vec<FaceReport>,
    /// In the order of the plan.
    pub consumers: Vec<ConsumerReport>,
    /// In the order of the plan.
    pub requests: Vec<RequestsReport>,
    /// Pending Interests at the end.
    pub pending: u64,
    /// Interests whose lifetime ended.
    pub expired: u64,
    /// Interests that the cache answered.
    pub cached: u64,
    /// How late the forwarder and the consumers were for what was due.
    pub late: Times,
    /// CPU time of the busiest thread.
    pub busiest: u64,
}

/// What a node has measured of a link towards it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaceReport {
    /// Time, primary and secondary rate, Interests in the shaper, at each sample.
    pub samples: Vec<(u64, u64, u64, u32)>,
    /// At the end of the warm-up.
    pub at_warmup: Interests,
    /// At the end.
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

/// What a consumer has measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConsumerReport {
    /// At each sample.
    pub samples: Vec<Moment>,
    /// Of each path its hash, and at each sample time, bytes of both classes and rates of both.
    pub subflows: Vec<(u64, Vec<[u64; 5]>)>,
    /// At the end of the warm-up.
    pub at_warmup: Counts,
    /// At the end.
    pub total: Counts,
    /// Goodput when it was stopped.
    pub stopped_with: Option<u64>,
    /// When it had everything.
    pub finished: Option<u64>,
    /// Round trips since the warm-up.
    pub rtt: Times,
}

/// What the consumers of a request process have measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestsReport {
    /// Of all of them together, without paths and rates.
    pub together: ConsumerReport,
    /// When each had everything, in the order of the plan; `None` of one that had not when the run ended.
    pub finished: Vec<Option<u64>>,
}

/// A consumer, or several together, at one moment.
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
    /// As records have them.
    pub fn counters(self) -> InterestCounters {
        let Interests { sent, refused_primary, refused_secondary, evicted } = self;
        InterestCounters { sent, refused_primary, refused_secondary, evicted }
    }
}

impl FaceReport {
    /// The samples, as records have them.
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
    /// Of what worlds record.
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

    /// As records have them. `stopped_with` is the goodput when the consumer was stopped.
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
    /// Of what worlds record. `working` is the number of consumers that still have something to do.
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

    /// As records have them.
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
