//! Checks nodes and links.

use super::common::{checked_name, choice};
use super::traces::Traces;
use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::raw::link::{
    Direction, RawEcn, RawJitter, RawLink, RawLoss, RawLossModel, RawReorder, RawSpread,
};
use crate::text::{At, Quantity};
use crate::{Link, LinkId, Node, NodeId, ReadFile};
use narrows_params::suggest;
use narrows_path::{
    Delivery, DisciplineChoice, EcnField, Jitter, JitterDist, LinkConfig, LossModel, RateSource,
    Reorder,
};
use narrows_units::{Depth, Rate, Span};
use std::collections::BTreeMap;
use std::ops::Range;

/// Name of the interval of `aggregate` in errors.
pub(super) const BURSTS: &str = "time between bursts";

/// The nodes and links of a scenario. Limits of queues are not set yet, because a buffer in round
/// trips needs the flows.
pub(super) struct Network {
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    /// Buffer of each link, as the file writes it.
    pub buffers: Vec<Option<At<Depth>>>,
    /// Opposite direction of each link; `None` for a one-way link.
    pub twins: Vec<Option<LinkId>>,
}

pub(super) fn check(raw: &RawScenario, duration: Span, read: &ReadFile) -> Checked<Network> {
    if raw.link.is_empty() {
        return Err(Problem::at(
            &(0..0),
            "the scenario has no links",
            "add a [[link]] with a name, between = [\"left\", \"right\"], a rate and a delay",
        ));
    }
    let mut builder = Builder {
        network: Network {
            nodes: Vec::new(),
            links: Vec::new(),
            buffers: Vec::new(),
            twins: Vec::new(),
        },
        nodes: BTreeMap::new(),
        names: BTreeMap::new(),
        declared: !raw.node.is_empty(),
        traces: Traces::new(read),
        duration,
        information_centric: raw.icn.is_some(),
    };
    for node in &raw.node {
        builder.declare(&node.name)?;
    }
    for link in &raw.link {
        builder.add(link)?;
    }
    Ok(builder.network)
}

struct Builder<'a> {
    network: Network,
    nodes: BTreeMap<String, (NodeId, Range<usize>)>,
    names: BTreeMap<String, Range<usize>>,
    /// True if the file lists the nodes, so that links cannot add new ones.
    declared: bool,
    traces: Traces<'a>,
    duration: Span,
    information_centric: bool,
}

impl Builder<'_> {
    fn declare(&mut self, name: &At<String>) -> Checked<()> {
        checked_name(name)?;
        if let Some((_, first)) = self.nodes.get(&name.value) {
            return Err(twice("nodes", name, first));
        }
        self.new_node(name);
        Ok(())
    }

    fn new_node(&mut self, name: &At<String>) -> NodeId {
        let id = NodeId(self.network.nodes.len());
        self.network.nodes.push(Node { name: name.value.clone() });
        self.nodes.insert(name.value.clone(), (id, name.span.clone()));
        id
    }

    fn end(&mut self, name: &At<String>) -> Checked<NodeId> {
        if let Some((id, _)) = self.nodes.get(&name.value) {
            return Ok(*id);
        }
        if self.declared {
            let known = self.network.nodes.iter().map(|node| node.name.as_str());
            let help = format!(
                "{} (where there is a [[node]], every node needs one)",
                suggest(&name.value, "nodes", known)
            );
            return Err(Problem::at(
                &name.span,
                format!("there is no node \"{}\"", name.value),
                help,
            ));
        }
        checked_name(name)?;
        Ok(self.new_node(name))
    }

    fn add(&mut self, raw: &At<RawLink>) -> Checked<()> {
        let link = &raw.value;
        let name = checked_name(&link.name)?;
        match (&link.between, &link.from, &link.to) {
            (Some(ends), None, None) => {
                let [near, far] = ends.value.as_slice() else {
                    return Err(Problem::at(
                        &ends.span,
                        format!("a link has two ends, not {}", ends.value.len()),
                        "write for example between = [\"left\", \"right\"]",
                    ));
                };
                let ends = (self.end(near)?, self.end(far)?);
                self.distinct(ends, &far.span)?;
                let (forward, back) = (link.forward(), link.reverse());
                let first = LinkId(self.network.links.len());
                let twins = (Some(LinkId(first.0 + 1)), Some(first));
                self.direction(name.clone(), &link.name.span, ends, &forward, twins.0)?;
                self.direction(
                    format!("{name}.back"),
                    &link.name.span,
                    (ends.1, ends.0),
                    &back,
                    twins.1,
                )
            }
            (None, Some(from), Some(to)) => {
                let ends = (self.end(from)?, self.end(to)?);
                self.distinct(ends, &to.span)?;
                if let Some(back) = &link.back {
                    return Err(Problem::at(
                        &back.span,
                        format!("the link \"{name}\" is one-way and has no reverse direction"),
                        "write between = [...] instead of from and to, or leave [link.back] out",
                    ));
                }
                self.direction(name, &link.name.span, ends, &link.forward(), None)
            }
            (None, _, _) => Err(Problem::at(
                &raw.span,
                format!("the link \"{name}\" has no ends"),
                "add between = [\"left\", \"right\"] for both ways, or from = \"left\" and to = \"right\" for one",
            )),
            (Some(ends), _, _) => {
                let extra =
                    link.from.as_ref().or(link.to.as_ref()).map_or(&ends.span, |end| &end.span);
                Err(Problem::at(
                    extra,
                    format!("the link \"{name}\" has its ends given twice"),
                    "keep either between, or from and to",
                )
                .and(&ends.span, "already given here"))
            }
        }
    }

    fn distinct(&self, (near, far): (NodeId, NodeId), span: &Range<usize>) -> Checked<()> {
        if near == far {
            let node = &self.network.nodes[near.0].name;
            return Err(Problem::at(
                span,
                format!("the link leads from \"{node}\" to itself"),
                "give two different nodes",
            ));
        }
        Ok(())
    }

    fn direction(
        &mut self,
        name: String,
        span: &Range<usize>,
        (from, to): (NodeId, NodeId),
        direction: &Direction,
        twin: Option<LinkId>,
    ) -> Checked<()> {
        if let Some(first) = self.names.get(&name) {
            return Err(twice("links", &At { span: span.clone(), value: name }, first));
        }
        let (rate, trace_file) = self.rate(direction)?;
        let burst_rate = burst_rate(direction, &rate)?;
        let config = LinkConfig {
            rate,
            delay: self.delay(direction.delay, "delay")?,
            delivery: Delivery {
                jitter: direction
                    .jitter
                    .map_or(Ok(Jitter::default()), |raw| jitter(raw, self.duration))?,
                reorder: direction
                    .reorder
                    .map_or(Ok(Reorder::default()), |raw| reorder(raw, self.duration))?,
                aggregate: self.delay(direction.aggregate, BURSTS)?,
                burst_rate,
                ecn: direction.ecn.map_or(EcnField::Keep, |raw| ecn(raw.value)),
            },
            loss: loss(direction.loss)?,
            queue: self.queue(direction)?,
            ..LinkConfig::default()
        };
        if let (Some(queue), Some(written), RateSource::Unlimited) =
            (&config.queue, direction.queue, &config.rate)
            && !queue.entry().offers.is_empty()
        {
            let problem = format!(
                "the {} router computes with its link's rate, and this link has none",
                queue.entry().name
            );
            return Err(Problem::at(
                &written.span,
                problem,
                "give the link a rate, or leave the queue out",
            ));
        }
        self.names.insert(name.clone(), span.clone());
        self.network.links.push(Link { name, from, to, config, trace_file });
        let buffer = direction
            .buffer
            .and_then(|depth| depth.value.0.map(|value| At { span: depth.span.clone(), value }));
        self.network.buffers.push(buffer);
        self.network.twins.push(twin);
        Ok(())
    }

    /// Returns the queue; `None` for a FIFO. By default, links of an information-centric network
    /// send Interests first.
    fn queue(&self, direction: &Direction) -> Checked<Option<DisciplineChoice>> {
        Ok(match direction.queue {
            Some(written) => Some(choice(written)?)
                .filter(|queue: &DisciplineChoice| queue.entry().name != "fifo"),
            None => self
                .information_centric
                .then(|| "priority".parse().expect("a discipline of the registry")),
        })
    }

    fn rate(&mut self, direction: &Direction) -> Checked<(RateSource, Option<String>)> {
        match (direction.rate, direction.trace) {
            (Some(rate), Some(trace)) => Err(Problem::at(
                &trace.span,
                "a link has a rate or a trace, not both",
                "keep one of the two",
            )
            .and(&rate.span, "the rate")),
            (None, Some(trace)) => Ok((
                RateSource::trace(self.traces.get(trace)?, self.duration),
                Some(trace.value.clone()),
            )),
            (None, None) => Ok((RateSource::Unlimited, None)),
            (Some(rate), None) => match rate.value.0 {
                None => Ok((RateSource::Unlimited, None)),
                Some(Rate::ZERO) => Err(Problem::at(
                    &rate.span,
                    "a link's rate must be greater than zero",
                    "give a rate above zero, or \"unlimited\" for a link that only delays",
                )),
                Some(constant) => Ok((RateSource::Constant(constant), None)),
            },
        }
    }

    fn delay(&self, delay: Option<&At<Quantity<Span>>>, what: &str) -> Checked<Span> {
        delay.map_or(Ok(Span::ZERO), |delay| {
            shorter(delay.value.0, &delay.span, what, self.duration)
        })
    }
}

/// Refuses a time (`what` names it) that is as long as the run or longer.
pub(super) fn shorter(
    time: Span,
    span: &Range<usize>,
    what: &str,
    duration: Span,
) -> Checked<Span> {
    if time < duration {
        return Ok(time);
    }
    let message = format!("a {what} of {time} is not shorter than the run, which lasts {duration}");
    Err(Problem::at(span, message, format!("give a {what} shorter than the duration")))
}

pub(super) fn jitter(raw: &At<RawJitter>, duration: Span) -> Checked<Jitter> {
    let RawSpread { uniform, normal, wifi, reorders } = match &raw.value {
        RawJitter::Uniform(most) => {
            return Ok(Jitter::uniform(shorter(most.0, &raw.span, "jitter", duration)?));
        }
        RawJitter::Spread(spread) => spread,
    };
    let reorders = reorders.unwrap_or(false);
    let time = |time: &At<Quantity<Span>>| shorter(time.value.0, &time.span, "jitter", duration);
    let spread = match (uniform, normal, wifi) {
        (Some(most), None, None) => Jitter::uniform(time(most)?).spread,
        (None, Some(deviation), None) if deviation.value.0.is_zero() => JitterDist::None,
        (None, Some(deviation), None) => JitterDist::Normal(time(deviation)?),
        (None, None, Some(average)) => Jitter::wifi(wifi_average(average)?).spread,
        _ => {
            let help = "write { uniform = \"5 ms\" }, { normal = \"5 ms\" } or { wifi = \"7 ms\" }, with reorders = true to let packets overtake";
            return Err(Problem::at(
                &raw.span,
                "a jitter is one of uniform, normal and wifi",
                help,
            ));
        }
    };
    Ok(Jitter { spread, reorders })
}

fn wifi_average(average: &At<Quantity<Span>>) -> Checked<Span> {
    let most = Jitter::MOST_WIFI;
    if average.value.0 <= most {
        return Ok(average.value.0);
    }
    let message = format!("an average jitter of {} is more than Wi-Fi has here", average.value.0);
    let help = format!("give at most {most}, at which every packet is retransmitted");
    Err(Problem::at(&average.span, message, help))
}

pub(super) fn reorder(raw: &At<RawReorder>, duration: Span) -> Checked<Reorder> {
    let RawReorder { share, delay } = &raw.value;
    if share.0 == 0.0 {
        return Ok(Reorder::default());
    }
    Ok(Reorder { share: share.0, delay: shorter(delay.0, &raw.span, "delay", duration)? })
}

pub(super) fn ecn(raw: RawEcn) -> EcnField {
    match raw {
        RawEcn::Keep => EcnField::Keep,
        RawEcn::Bleach => EcnField::Bleach,
        RawEcn::Unmark => EcnField::Unmark,
    }
}

pub(super) fn loss(raw: Option<&At<RawLoss>>) -> Checked<LossModel> {
    const MODELS: &str = "write { probability = 0.01 }, { every = 1000 }, { to_bad = 0.001, to_good = 0.1, loss_good = 0, loss_bad = 1 } or { good_for = \"1 s\", bad_for = \"20 ms\" }";
    let Some(raw) = raw else { return Ok(LossModel::None) };
    let RawLossModel {
        probability,
        every,
        to_bad,
        to_good,
        good_for,
        bad_for,
        loss_good,
        loss_bad,
    } = match &raw.value {
        RawLoss::Share(share) => return Ok(independent(share.0)),
        RawLoss::Model(model) => &**model,
    };
    for key in [probability, to_bad, to_good, loss_good, loss_bad].into_iter().flatten() {
        if !(0.0..=1.0).contains(&key.value) {
            return Err(Problem::at(
                &key.span,
                format!("{} is not a probability", key.value),
                "give a number from 0 to 1",
            ));
        }
    }
    for key in [good_for, bad_for].into_iter().flatten() {
        if key.value.0.is_zero() {
            return Err(Problem::at(
                &key.span,
                "a state that lasts 0 s is none",
                "give a time above zero",
            ));
        }
    }
    let rest = [to_bad, to_good, loss_good, loss_bad];
    let timed = good_for.as_ref().zip(bad_for.as_ref());
    if good_for.is_some() || bad_for.is_some() {
        return match (timed, probability, every, to_bad, to_good) {
            (Some((good_for, bad_for)), None, None, None, None) => {
                Ok(LossModel::GilbertElliottInTime {
                    good_for: good_for.value.0,
                    bad_for: bad_for.value.0,
                    loss_good: loss_good.as_ref().map_or(0.0, |key| key.value),
                    loss_bad: loss_bad.as_ref().map_or(1.0, |key| key.value),
                })
            }
            _ => Err(Problem::at(&raw.span, "these keys do not make one loss model", MODELS)),
        };
    }
    let value = |key: &Option<At<f64>>, default: f64| key.as_ref().map_or(default, |key| key.value);
    match (probability, every, to_bad, to_good) {
        (Some(probability), None, ..) if rest.iter().all(|key| key.is_none()) => {
            Ok(independent(probability.value))
        }
        (None, Some(every), ..) if rest.iter().all(|key| key.is_none()) => match every.value {
            0 => Err(Problem::at(
                &every.span,
                "every must be at least 1",
                "give 1 or more, or leave the losses out",
            )),
            n => Ok(LossModel::Periodic(n)),
        },
        (None, None, Some(to_bad), Some(to_good)) => Ok(LossModel::GilbertElliott {
            to_bad: to_bad.value,
            to_good: to_good.value,
            loss_good: value(loss_good, 0.0),
            loss_bad: value(loss_bad, 1.0),
        }),
        _ => Err(Problem::at(&raw.span, "these keys do not make one loss model", MODELS)),
    }
}

/// Rate of the wired link behind a wireless or cable link: Gigabit Ethernet (IEEE 802.3ab).
const BURST_RATE: Rate = Rate::from_mbps(1_000);

/// Returns the default rate within bursts.
pub(crate) fn default_burst_rate(rate: &RateSource) -> Rate {
    rate.mean().map_or(BURST_RATE, |rate| rate.max(BURST_RATE))
}

/// Returns the rate within bursts. Refuses a rate below the link's rate, because the backlog would
/// grow without limit.
fn burst_rate(direction: &Direction, rate: &RateSource) -> Checked<Option<Rate>> {
    let Some(written) = direction.burst_rate else { return Ok(Some(default_burst_rate(rate))) };
    let least = rate.mean().unwrap_or(Rate::from_bps(1));
    match written.value.0 {
        Some(burst) if burst < least => {
            let message = format!("bursts at {burst} cannot carry what the link sends, {least}");
            Err(Problem::at(
                &written.span,
                message,
                "give a burst_rate of at least the link's rate, or leave it out",
            ))
        }
        burst => Ok(burst),
    }
}

fn independent(probability: f64) -> LossModel {
    if probability == 0.0 { LossModel::None } else { LossModel::Independent(probability) }
}

fn twice(what: &str, name: &At<String>, first: &Range<usize>) -> Box<Problem> {
    Problem::at(
        &name.span,
        format!("two {what} are called \"{}\"", name.value),
        "rename one of the two",
    )
    .and(first, "the first")
}
