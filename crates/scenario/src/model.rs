//! The checked scenario, as worlds receive it: every name resolved, every route found, every quantity in its unit.

use crate::node::{Node, NodeId};
use crate::{Icn, Sizes};
use narrows_control::Choice;
use narrows_network::{Change, LinkId, What};
use narrows_params::Need;
use narrows_path::{LinkChange, LinkConfig, RateSource};
use narrows_transport::Transport;
use narrows_units::{Bytes, Rate, Span, Time};
use std::sync::Arc;

/// A network and its traffic. Says nothing of the world that runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// What it is called in reports.
    pub name: String,
    /// Fixes every random draw.
    pub seed: u64,
    /// How long it runs.
    pub duration: Span,
    /// Statistics begin after this.
    pub warmup: Span,
    /// Time between samples of the series.
    pub interval: Span,
    /// Hosts delay each sending by a seeded draw, uniform from zero to one packet time of the slowest link of the route: without it
    /// drop-tail queues lock the phases of flows.
    pub send_overhead: bool,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The links, each in one direction.
    pub links: Vec<Link>,
    /// The flows; none where the network is information-centric.
    pub flows: Vec<Flow>,
    /// What makes the network information-centric.
    pub icn: Option<Icn>,
    /// What changes during the run, by time; at one time in the file's order.
    pub changes: Vec<Change>,
    /// What the results should show, by metric.
    pub expect: Vec<Expectation>,
}

/// A band in which a metric of the run should lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The metric's name in `narrows_measure::metrics`.
    pub metric: String,
    /// The least value that is as expected; `None` for no lower end.
    pub min: Option<f64>,
    /// The greatest value that is as expected; `None` for no upper end.
    pub max: Option<f64>,
}

/// A link in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name; the reverse direction of a two-way link `x` is called `x.back`.
    pub name: String,
    /// The near end.
    pub from: NodeId,
    /// The far end.
    pub to: NodeId,
    /// What it is made of, its buffer resolved to bytes or packets.
    pub config: LinkConfig,
    /// The file of its trace, as the scenario names it, if its rate comes from one.
    pub trace_file: Option<String>,
}

/// Traffic from one node to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// The sender's node.
    pub from: NodeId,
    /// The receiver's node.
    pub to: NodeId,
    /// Links that data crosses, in order.
    pub route: Vec<LinkId>,
    /// Links that acknowledgements cross, in order.
    pub back: Vec<LinkId>,
    /// Its controller. `None` sends at the workload's rate whatever happens and is not acknowledged (UDP).
    pub controller: Option<Choice>,
    /// The transport's settings, one for all copies of the flow.
    pub transport: Arc<Transport>,
    /// What it has to send.
    pub workload: Workload,
    /// The random stream of the workload. That of a flow without a written name is the same for every controller.
    pub stream: String,
    /// When it begins.
    pub start: Time,
    /// When it stops offering data, if before the end.
    pub stop: Option<Time>,
    /// When it offers none in between: in order and apart.
    pub pauses: Vec<Pause>,
}

/// A time in which a flow offers no data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// From then on it offers none.
    pub from: Time,
    /// From then on it does again.
    pub to: Time,
}

/// What a flow has to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Always something.
    Bulk,
    /// So many payload bytes, then nothing.
    Size(Bytes),
    /// Payload at this rate, a full segment at a time.
    Constant(Rate),
    /// Bursts and silence in turn.
    OnOff(OnOff),
    /// Frames of media, one after each interval.
    Frames(Frames),
    /// Transfers that arrive at random, each on a connection of its own.
    Arrivals(Arrivals),
    /// Requests and their responses in turn, on one connection.
    Requests(Requests),
}

impl Workload {
    /// True if its data has units that are complete at some time: files, bursts, frames, responses.
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
}

/// Bursts and silence in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// What a burst is.
    pub on: On,
    /// Silence after it.
    pub off: Span,
    /// How the lengths of both vary.
    pub draw: Draw,
    /// Payload at this rate while on, a full segment at a time; `None` for always something while on.
    pub rate: Option<Rate>,
}

/// What a burst is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// Whatever can be sent in this time. The silence begins at its end.
    Time(Span),
    /// So much payload. The silence begins when it has been delivered, or sent if it has a rate.
    Size(Bytes),
}

/// How lengths vary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    /// Not at all.
    #[default]
    Fixed,
    /// Exponentially, with the given length as the mean.
    Exponential,
}

/// Frames of media.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frames {
    /// Payload on average; of an encoder that follows its controller, at first.
    pub rate: Rate,
    /// The least and the greatest rate of an encoder that follows its controller; `None` for one that keeps its rate.
    pub follows: Option<(Rate, Rate)>,
    /// Time from one to the next.
    pub interval: Span,
    /// Every such frame is a key frame; 0 for none.
    pub key_every: u32,
    /// How many times as large as the others a key frame is.
    pub key_factor: f64,
    /// A frame that has not arrived after this is late.
    pub deadline: Span,
}

/// Transfers that arrive at random.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    /// How many in a second, on average; the times between them are exponential.
    pub per_second: f64,
    /// Their sizes.
    pub sizes: Sizes,
}

/// Requests and their responses in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Requests {
    /// The size of a request.
    pub request: Bytes,
    /// The sizes of responses.
    pub response: Sizes,
    /// From a response's delivery to the next request.
    pub think: Span,
    /// How that time varies.
    pub draw: Draw,
}

impl Frames {
    /// The same at `rate`, or as near to it as an encoder that follows its controller may go. One that does not stays as it is.
    pub fn at(&self, rate: Rate) -> Frames {
        let rate = self.follows.map_or(self.rate, |(least, most)| rate.clamp(least, most));
        Frames { rate, ..*self }
    }

    /// The size of the frame with this number, from 0: key frames are as many times larger as they should be, and all together have the
    /// rate.
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
    /// The signals that the routers on a flow's route give to its controller.
    pub fn offered_by_route(&self, flow: &Flow) -> impl Iterator<Item = Need> {
        let queues = flow.route.iter().filter_map(|id| self.links[id.0].config.queue.as_ref());
        queues.flat_map(|queue| queue.entry().offers.iter().copied())
    }

    /// The names under which what is measured of traffic appears: the flows', or those of an information-centric network's consumers.
    pub fn traffic(&self) -> Vec<String> {
        match &self.icn {
            Some(icn) => icn.names(&self.nodes).collect(),
            None => self.flows.iter().map(|flow| flow.name.clone()).collect(),
        }
    }

    /// A link at the best that it is during the run: its highest rate, or its trace, and its least delay.
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

    /// The round trip of a flow as the field counts it for a bandwidth-delay product: the propagation delays of its routes, out and back,
    /// before anything changes.
    pub fn base_rtt(&self, flow: &Flow) -> Span {
        flow.route
            .iter()
            .chain(&flow.back)
            .fold(Span::ZERO, |sum, id| sum + self.links[id.0].config.delay)
    }
}
