//! The checked scenario that worlds run: names resolved, routes found, quantities parsed.

use crate::node::{Node, NodeId};
use crate::{Icn, Sizes};
use narrows_control::{Choice, Saved};
use narrows_network::{Change, LinkId, What};
use narrows_params::Need;
use narrows_path::{LinkChange, LinkConfig, RateSource};
use narrows_transport::Transport;
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::Arc;

/// A network and its traffic, independent of the world that runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Name in reports.
    pub name: String,
    /// Seed of every random draw.
    pub seed: u64,
    /// Length of the run.
    pub duration: Span,
    /// End of the warm-up, after which statistics begin.
    pub warmup: Span,
    /// Time between samples of the series.
    pub interval: Span,
    /// True if hosts delay each sending by a seeded draw, uniform from zero to one packet time of
    /// the route's slowest link. Without the delay, drop-tail queues lock the phases of flows.
    pub send_overhead: bool,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The links, each in one direction.
    pub links: Vec<Link>,
    /// The flows; empty if the network is information-centric. Copies of a scenario share them.
    pub flows: Arc<Vec<Flow>>,
    /// The information-centric part; `None` for a network with flows.
    pub icn: Option<Icn>,
    /// Changes during the run, in time order; changes at the same time are in the order of the
    /// file.
    pub changes: Vec<Change>,
    /// Expected results.
    pub expect: Vec<Expectation>,
}

/// A band in which a metric of the run should lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// Name of the metric in `narrows_measure::metrics`.
    pub metric: String,
    /// Least expected value; `None` for no lower end.
    pub min: Option<f64>,
    /// Greatest expected value; `None` for no upper end.
    pub max: Option<f64>,
}

/// A link in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Name; the reverse direction of a two-way link `x` is named `x.back`.
    pub name: String,
    /// The near end.
    pub from: NodeId,
    /// The far end.
    pub to: NodeId,
    /// Configuration; its buffer is resolved to bytes or packets.
    pub config: LinkConfig,
    /// File of the trace, as the scenario names it; `None` without a trace.
    pub trace_file: Option<String>,
}

/// Traffic from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name.
    pub name: String,
    /// The sender's node.
    pub from: NodeId,
    /// The receiver's node.
    pub to: NodeId,
    /// Links that data crosses, in order.
    pub route: Vec<LinkId>,
    /// Links that acknowledgements cross, in order.
    pub back: Vec<LinkId>,
    /// Controller; `None` for a flow that sends at the workload's rate and gets no acknowledgements
    /// (UDP).
    pub controller: Option<Choice>,
    /// Settings of the transport, shared by all copies of the flow.
    pub transport: Arc<Transport>,
    /// Source of the flow's data.
    pub workload: Workload,
    /// Name of the workload's random stream. Without a written flow name it does not depend on the
    /// controller.
    pub stream: String,
    /// Time at which the flow starts.
    pub start: Time,
    /// Time at which it stops offering data; `None` for the end of the run.
    pub stop: Option<Time>,
    /// Pauses, in time order and without overlap.
    pub pauses: Vec<Pause>,
    /// State of the path that an earlier connection saved, for a controller that resumes.
    pub saved: Option<Saved>,
}

/// A time in which a flow offers no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Begin of the pause.
    pub from: Time,
    /// End of the pause.
    pub to: Time,
}

/// The source of a flow's data.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Unlimited data.
    Bulk,
    /// This many payload bytes, then nothing.
    Size(Bytes),
    /// Payload at this rate, one full segment at a time.
    Constant(Rate),
    /// Alternating bursts and silences.
    OnOff(OnOff),
    /// Media frames at a fixed interval.
    Frames(Frames),
    /// Transfers that arrive at random, each on its own connection.
    Arrivals(Arrivals),
    /// Alternating requests and responses, on one connection.
    Requests(Requests),
}

impl Workload {
    /// True if the data comes in units with a completion time: files, bursts, frames, responses.
    pub fn is_transfers(&self) -> bool {
        match self {
            Workload::Bulk | Workload::Constant(_) => false,
            Workload::OnOff(bursts) => bursts.rate.is_none(),
            Workload::Size(_)
            | Workload::Frames(_)
            | Workload::Arrivals(_)
            | Workload::Requests(_) => true,
        }
    }

    /// True if each transfer opens a connection of its own.
    pub fn opens_connections(&self) -> bool {
        matches!(self, Workload::Arrivals(_) | Workload::OnOff(OnOff { reopens: true, .. }))
    }
}

/// Alternating bursts and silences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// Length of a burst.
    pub on: On,
    /// Length of the silence after a burst.
    pub off: Span,
    /// Distribution of both lengths.
    pub draw: Draw,
    /// Rate of payload during a burst, one full segment at a time; `None` for unlimited data.
    pub rate: Option<Rate>,
    /// Each burst, which has a size and no rate, is on a new connection.
    pub reopens: bool,
}

/// The length of a burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Everything that can be sent in this time; the silence begins at its end.
    Time(Span),
    /// This much payload. The silence begins when it has been delivered, or, with a rate, when it
    /// has been sent.
    Size(Bytes),
}

/// The distribution of lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    /// Constant.
    #[default]
    Fixed,
    /// Exponential, with the given length as its mean.
    Exponential,
}

/// Media frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Mean payload rate; the initial rate of an encoder that follows its controller.
    pub rate: Rate,
    /// Least and greatest rate of an encoder that follows its controller; `None` for a fixed rate.
    pub follows: Option<(Rate, Rate)>,
    /// Time from one frame to the next.
    pub interval: Span,
    /// Number of frames from one key frame to the next; 0 for no key frames.
    pub key_every: u32,
    /// Size of a key frame, in sizes of the other frames.
    pub key_factor: f64,
    /// Delay after which a frame is late.
    pub deadline: Span,
    /// Time from the start of the flow at which frames end, and the payload of the one transfer
    /// that follows; `None` for frames without end.
    pub then: Option<(Span, Bytes)>,
}

/// Transfers that arrive at random.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    /// Mean number of transfers per second; the times between arrivals are exponential.
    pub per_second: f64,
    /// Sizes of the transfers.
    pub sizes: Sizes,
    /// A connection may resume from what an earlier one of the flow has saved.
    pub reconnects: bool,
}

/// Alternating requests and responses.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// Size of a request.
    pub request: Bytes,
    /// Sizes of the responses.
    pub response: Sizes,
    /// Time from a response's delivery to the next request.
    pub think: Span,
    /// Distribution of the think time.
    pub draw: Draw,
}

impl Frames {
    /// Returns the frames at `rate`, limited to the range of an encoder that follows its
    /// controller. Other encoders keep their rate.
    pub fn at(&self, rate: Rate) -> Frames {
        let rate = self.follows.map_or(self.rate, |(least, most)| rate.clamp(least, most));
        Frames { rate, ..*self }
    }

    /// Returns the size of the frame with this number, from 0. Key frames are larger by
    /// [`key_factor`](Frames::key_factor), and all frames together have the mean rate.
    pub fn size(&self, number: u64) -> Bytes {
        let mean = self.rate.bytes_per_sec() * self.interval.as_secs_f64();
        if self.key_every == 0 {
            return Bytes::new((mean + 0.5) as u64);
        }
        let every = f64::from(self.key_every);
        let plain = mean * every / (every - 1.0 + self.key_factor);
        let key = number.is_multiple_of(u64::from(self.key_every));
        Bytes::new((plain * if key { self.key_factor } else { 1.0 } + 0.5) as u64)
    }
}

impl Scenario {
    /// Yields the signals that the queues on a flow's route give to its controller.
    pub fn offered_by_route(&self, flow: &Flow) -> impl Iterator<Item = Need> {
        let queues = flow.route.iter().filter_map(|id| self.links[id.0].config.queue.as_ref());
        queues.flat_map(|queue| queue.entry().offers.iter().copied())
    }

    /// Returns the names under which results of traffic appear: the flows, or the consumers of an
    /// information-centric network.
    pub fn traffic(&self) -> Vec<String> {
        match &self.icn {
            Some(icn) => icn.names(&self.nodes).collect(),
            None => self.flows.iter().map(|flow| flow.name.clone()).collect(),
        }
    }

    /// Returns the best state of a link during the run: its highest rate, or its trace, and its
    /// least delay.
    pub fn best_of(&self, link: LinkId) -> (RateSource, Span) {
        let config = &self.links[link.0].config;
        self.changes.iter().fold(
            (config.rate.clone(), config.delay),
            |(rate, delay), change| match (&change.what, &rate) {
                (What::Link(changed, LinkChange::Rate(new)), RateSource::Constant(old))
                    if *changed == link =>
                {
                    (RateSource::Constant(*new.max(old)), delay)
                }
                (What::Link(changed, LinkChange::Delay(new)), _) if *changed == link => {
                    (rate, delay.min(*new))
                }
                _ => (rate, delay),
            },
        )
    }

    /// Returns the round trip of a flow that bandwidth-delay products use: the propagation delays
    /// of its route, out and back, before any change.
    pub fn base_rtt(&self, flow: &Flow) -> Span {
        flow.route
            .iter()
            .chain(&flow.back)
            .fold(Span::ZERO, |sum, id| sum + self.links[id.0].config.delay)
    }
}
