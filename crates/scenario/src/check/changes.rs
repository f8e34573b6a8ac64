//! Changes during the run: expands repetitions and ramps to single changes.

use super::buffers::Demand;
use super::routes::Map;
use super::{buffers, links};
use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::raw::change::RawChange;
use crate::text::At;
use crate::{Change, FlowId, LinkId, Scenario, What};
use narrows_params::suggest;
use narrows_path::{Limit, LinkChange, LossModel, RateSource};
use narrows_units::Span;
use narrows_units::{Bytes, Rate, Time};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Most changes of a scenario; results cannot show more.
const MOST_CHANGES: usize = 1_000_000;

/// Number of steps of a ramp, fewer if they would be shorter than [`SHORTEST_STEP`].
const RAMP_STEPS: u64 = 100;
const SHORTEST_STEP: Span = Span::from_millis(1);

/// Returns all changes of a scenario in time order. Its links, flows and buffers must be complete.
pub(super) fn check(
    raw: &RawScenario,
    scenario: &Scenario,
    twins: &[Option<LinkId>],
) -> Checked<Vec<Change>> {
    let mut occurrences: Vec<(Time, &At<RawChange>)> = Vec::new();
    for change in &raw.change {
        occurrences.extend(times(change, scenario.duration)?.into_iter().map(|at| (at, change)));
        if occurrences.len() > MOST_CHANGES {
            return Err(too_many(&change.span));
        }
    }
    occurrences.sort_by_key(|(at, _)| *at);
    let map = Map::new(&scenario.nodes, &scenario.links, twins);
    let mut timeline = Timeline {
        scenario: scenario.clone(),
        changes: Vec::new(),
        demands: None,
        down: BTreeMap::new(),
        ramps: BTreeMap::new(),
    };
    for (at, raw) in occurrences {
        check_keys(raw)?;
        if let Some(name) = &raw.value.flow {
            timeline.reroute(at, name, raw, &map)?;
        }
        for link in targets(raw, &map, twins)? {
            timeline.apply(at, link, raw)?;
        }
        if timeline.changes.len() > MOST_CHANGES {
            return Err(too_many(&raw.span));
        }
    }
    let mut changes = timeline.changes;
    // At the same time, the end of an outage comes before other changes.
    changes
        .sort_by_key(|change| (change.at, !matches!(change.what, What::Link(_, LinkChange::Up))));
    Ok(changes)
}

/// Returns the times of a change.
fn times(raw: &At<RawChange>, duration: Span) -> Checked<Vec<Time>> {
    let RawChange { at, every, times, until, .. } = &raw.value;
    let end = Time::ZERO + duration;
    let first = Time::ZERO + at.value.0;
    if first >= end {
        let message =
            format!("a change at {first} never happens, because the run lasts {duration}");
        return Err(Problem::at(
            &at.span,
            message,
            "let it happen earlier, or make the duration longer",
        ));
    }
    let Some(every) = every else {
        let repeated =
            times.as_ref().map(|times| &times.span).or(until.as_ref().map(|until| &until.span));
        return match repeated {
            Some(span) => Err(Problem::at(
                span,
                "a change without every happens once",
                "add for example every = \"20 s\", or leave this out",
            )),
            None => Ok(vec![first]),
        };
    };
    if every.value.0.is_zero() {
        return Err(Problem::at(
            &every.span,
            "a change cannot happen every 0 s",
            "give a time above zero, for example \"20 s\"",
        ));
    }
    let (most, stop) = match (times, until) {
        (Some(times), Some(until)) => {
            return Err(Problem::at(
                &until.span,
                "the repeats have two ends",
                "keep either times or until",
            )
            .and(&times.span, "the other"));
        }
        (Some(times), None) if times.value == 0 => {
            return Err(Problem::at(
                &times.span,
                "times must be at least 1",
                "give 1 or more, or take the [[change]] out",
            ));
        }
        (Some(times), None) => (times.value, end),
        (None, Some(until)) if Time::ZERO + until.value.0 <= first => {
            let message = format!(
                "the repeats would end at {}, but the change first happens at {first}",
                until.value.0
            );
            return Err(Problem::at(&until.span, message, "let them end later"));
        }
        (None, Some(until)) => (u64::MAX, end.min(Time::ZERO + until.value.0)),
        (None, None) => (u64::MAX, end),
    };
    let least = (stop.since(first).as_nanos() / every.value.0.as_nanos()).min(most);
    if least > MOST_CHANGES as u64 {
        return Err(too_many(&every.span));
    }
    Ok((0..most)
        .map(|index| first + every.value.0 * index)
        .take_while(|time| *time < stop)
        .collect())
}

/// Refuses keys that contradict each other.
fn check_keys(raw: &At<RawChange>) -> Checked<()> {
    let RawChange {
        link,
        both,
        rate,
        delay,
        jitter,
        reorder,
        aggregate,
        ecn,
        loss,
        buffer,
        down_for,
        flow,
        route,
        back,
        over,
        ..
    } = &raw.value;
    fn span<T>(key: &Option<At<T>>) -> Option<&Range<usize>> {
        key.as_ref().map(|key| &key.span)
    }
    let link_keys = [
        span(rate),
        span(delay),
        span(jitter),
        span(reorder),
        span(aggregate),
        span(ecn),
        span(loss),
        span(buffer),
        span(down_for),
    ];
    let of_link = link_keys.into_iter().flatten().next();
    let of_flow = span(route).or(span(back));
    match (link, flow) {
        (None, None) => Err(Problem::at(
            &raw.span,
            "this change names neither a link nor a flow",
            "add the name of a link or of a flow",
        )),
        (Some(_), Some(flow)) => Err(Problem::at(
            &flow.span,
            "this change names both a link and a flow",
            "write two of them",
        )),
        (Some(_), None) => match (of_link, of_flow) {
            (_, Some(span)) => Err(Problem::at(
                span,
                "a link has no route",
                "give the flow instead of the link, or leave this out",
            )),
            (None, None) => {
                let help = "add what changes: rate, delay, jitter, reorder, aggregate, ecn, loss, buffer or down_for";
                Err(Problem::at(&raw.span, "this change changes nothing", help))
            }
            (Some(_), None) => Ok(()),
        },
        (None, Some(_)) => match (of_flow, of_link.or(span(both)).or(span(over))) {
            (_, Some(span)) => Err(Problem::at(
                span,
                "a flow changes its route and nothing else",
                "give the link instead of the flow, or leave this out",
            )),
            (None, None) => Err(Problem::at(
                &raw.span,
                "this change changes nothing",
                "add route, back or both",
            )),
            (Some(_), None) => Ok(()),
        },
    }
}

/// Returns the links that a change affects.
fn targets(raw: &At<RawChange>, map: &Map, twins: &[Option<LinkId>]) -> Checked<Vec<LinkId>> {
    let Some(name) = &raw.value.link else { return Ok(Vec::new()) };
    let id = map.link(name)?;
    match &raw.value.both {
        Some(both) if both.value => match twins[id.0] {
            Some(twin) => Ok(vec![id, twin]),
            None => Err(Problem::at(
                &both.span,
                format!("the link \"{}\" is one-way", name.value),
                "leave both out",
            )),
        },
        _ => Ok(vec![id]),
    }
}

/// The state of the scenario at a time, and the changes before it.
struct Timeline<'a> {
    scenario: Scenario,
    changes: Vec<Change>,
    /// Demands of flows on buffers; `None` after a change that may affect them.
    demands: Option<Vec<Demand>>,
    /// End of the outage of each link, and its place in the file.
    down: BTreeMap<LinkId, (Time, &'a Range<usize>)>,
    /// End of the ramp of each quantity of a link, and its place in the file.
    ramps: BTreeMap<(LinkId, &'static str), (Time, &'a Range<usize>)>,
}

impl<'a> Timeline<'a> {
    fn apply(&mut self, at: Time, link: LinkId, raw: &'a At<RawChange>) -> Checked<()> {
        let RawChange {
            rate,
            delay,
            jitter,
            reorder,
            aggregate,
            ecn,
            loss,
            buffer,
            down_for,
            over,
            every,
            ..
        } = &raw.value;
        if let Some(over) = over {
            self.check_ramp(at, raw, over.value.0, &over.span)?;
        }
        if let (Some(span), Some(every)) = (down_for, every)
            && span.value.0 >= every.value.0
        {
            let message = format!(
                "an outage of {} is not over when the next begins, after {}",
                span.value.0, every.value.0
            );
            return Err(Problem::at(
                &span.span,
                message,
                "make it shorter than every, or write one outage that is longer",
            ));
        }
        let over = over.as_ref().map_or(Span::ZERO, |over| over.value.0);
        if let Some(rate) = rate {
            let old = self.rate(link, &rate.span)?;
            self.claim(at, over, link, "rate", &rate.span)?;
            self.scenario.links[link.0].config.rate = RateSource::Constant(rate.value.0);
            self.emit(at, over, link, |part| {
                LinkChange::Rate(Rate::from_bps(part.between(old.as_bps(), rate.value.0.as_bps())))
            });
        }
        if let Some(delay) = delay {
            links::shorter(delay.value.0, &delay.span, "delay", self.scenario.duration)?;
            self.claim(at, over, link, "delay", &delay.span)?;
            let old =
                std::mem::replace(&mut self.scenario.links[link.0].config.delay, delay.value.0);
            self.demands = None;
            self.emit(at, over, link, |part| LinkChange::Delay(part.span(old, delay.value.0)));
        }
        if let Some(jitter) = jitter {
            let new = links::jitter(jitter, self.scenario.duration)?;
            self.at_once(over, "jitter", &jitter.span)?;
            self.push(at, link, LinkChange::Jitter(new));
        }
        if let Some(reorder) = reorder {
            let new = links::reorder(reorder, self.scenario.duration)?;
            self.at_once(over, "reordering", &reorder.span)?;
            self.push(at, link, LinkChange::Reorder(new));
        }
        if let Some(aggregate) = aggregate {
            let new = links::shorter(
                aggregate.value.0,
                &aggregate.span,
                links::BURSTS,
                self.scenario.duration,
            )?;
            self.at_once(over, "aggregation", &aggregate.span)?;
            self.push(at, link, LinkChange::Aggregate(new));
        }
        if let Some(ecn) = ecn {
            self.at_once(over, "the ECN field", &ecn.span)?;
            self.push(at, link, LinkChange::Ecn(links::ecn(ecn.value)));
        }
        if let Some(loss) = loss {
            let new = links::loss(Some(loss))?;
            self.claim(at, over, link, "loss", &loss.span)?;
            let old = std::mem::replace(&mut self.scenario.links[link.0].config.loss, new);
            self.change_loss(at, over, link, (old, new), &loss.span)?;
        }
        if let Some(buffer) = buffer {
            self.claim(at, over, link, "buffer", &buffer.span)?;
            let new = match buffer.value.0 {
                Some(depth) => {
                    let demand = self
                        .demands
                        .get_or_insert_with(|| buffers::demands(&self.scenario))[link.0];
                    buffers::limit(
                        &self.scenario,
                        link,
                        &At { span: buffer.span.clone(), value: depth },
                        demand,
                    )?
                }
                None => Limit::None,
            };
            let old = std::mem::replace(&mut self.scenario.links[link.0].config.limit, new);
            self.change_limit(at, over, link, (old, new), &buffer.span)?;
        }
        if let Some(span) = down_for {
            self.outage(at, link, span.value.0, &span.span)?;
        }
        Ok(())
    }

    fn check_ramp(
        &self,
        at: Time,
        raw: &At<RawChange>,
        over: Span,
        span: &Range<usize>,
    ) -> Checked<()> {
        let duration = self.scenario.duration;
        if over.is_zero() {
            return Err(Problem::at(
                span,
                "a ramp over 0 s is none",
                "give a time above zero, or leave over out",
            ));
        }
        if Time::ZERO + raw.value.at.value.0 + over > Time::ZERO + duration {
            let message = format!(
                "the ramp from {at} over {over} ends after the run, which lasts {duration}"
            );
            return Err(Problem::at(span, message, "make it shorter"));
        }
        if let Some(every) = raw.value.every.as_ref().filter(|every| every.value.0 < over) {
            let message = format!(
                "a ramp over {over} is not finished when the next begins, after {}",
                every.value.0
            );
            return Err(Problem::at(span, message, "make it at most as long as every"));
        }
        if let Some(down) = &raw.value.down_for {
            return Err(Problem::at(
                &down.span,
                "an outage has no ramp",
                "write it as a [[change]] of its own",
            ));
        }
        Ok(())
    }

    /// Returns the rate before a change. Refuses links without a constant rate.
    fn rate(&self, link: LinkId, span: &Range<usize>) -> Checked<Rate> {
        let link = &self.scenario.links[link.0];
        match (&link.config.rate, &link.trace_file) {
            (RateSource::Constant(rate), _) => Ok(*rate),
            (RateSource::Unlimited, _) => Err(Problem::at(
                span,
                format!("\"{}\" has no rate that could change", link.name),
                "give the link a rate, which holds until this change",
            )),
            (RateSource::Trace { .. }, file) => Err(Problem::at(
                span,
                format!(
                    "the rate of \"{}\" comes from the trace {}",
                    link.name,
                    file.as_deref().unwrap_or_default()
                ),
                "write the change into the trace: lines seconds,Mbit/s",
            )),
        }
    }

    fn at_once(&self, over: Span, what: &str, span: &Range<usize>) -> Checked<()> {
        if over.is_zero() {
            return Ok(());
        }
        Err(Problem::at(
            span,
            format!("{what} changes at once, not on a ramp"),
            "write it as a [[change]] of its own",
        ))
    }

    /// Changes the routes of a flow.
    fn reroute(
        &mut self,
        at: Time,
        name: &At<String>,
        raw: &At<RawChange>,
        map: &Map,
    ) -> Checked<()> {
        let known = self.scenario.flows.iter().map(|flow| flow.name.as_str());
        let Some(index) = known.clone().position(|known| known == name.value) else {
            return Err(Problem::at(
                &name.span,
                format!("there is no flow \"{}\"", name.value),
                suggest(&name.value, "flows", known),
            ));
        };
        let flow = &mut Arc::make_mut(&mut self.scenario.flows)[index];
        if let Some(route) = &raw.value.route {
            flow.route = map.written(route, flow.from, flow.to)?;
        }
        if let Some(back) = &raw.value.back {
            if flow.controller.is_none() {
                let message =
                    "a flow without a controller is not acknowledged, so nothing comes back";
                return Err(Problem::at(&back.span, message, "leave back out"));
            }
            flow.back = map.written(back, flow.to, flow.from)?;
        }
        let (route, back) = (flow.route.clone(), flow.back.clone());
        self.demands = None;
        self.changes.push(Change { at, what: What::Route { flow: FlowId(index), route, back } });
        Ok(())
    }

    fn push(&mut self, at: Time, link: LinkId, change: LinkChange) {
        self.changes.push(Change { at, what: What::Link(link, change) });
    }

    /// Records a ramp of a quantity. Refuses a change of a quantity that is on a ramp.
    fn claim(
        &mut self,
        at: Time,
        over: Span,
        link: LinkId,
        what: &'static str,
        span: &'a Range<usize>,
    ) -> Checked<()> {
        if let Some((until, ramp)) = self.ramps.get(&(link, what))
            && at < *until
        {
            let name = &self.scenario.links[link.0].name;
            let message = format!(
                "the {what} of \"{name}\" changes at {at}, on a ramp that lasts until {until}"
            );
            return Err(Problem::at(
                span,
                message,
                "wait for the end of the ramp, or make it shorter",
            )
            .and(ramp, "the ramp"));
        }
        if !over.is_zero() {
            self.ramps.insert((link, what), (at + over, span));
        }
        Ok(())
    }

    fn change_loss(
        &mut self,
        at: Time,
        over: Span,
        link: LinkId,
        (old, new): (LossModel, LossModel),
        span: &Range<usize>,
    ) -> Checked<()> {
        if over.is_zero() {
            self.emit(at, over, link, |_| LinkChange::Loss(new));
            return Ok(());
        }
        let share = |model| match model {
            LossModel::None => Some(0.0),
            LossModel::Independent(probability) => Some(probability),
            _ => None,
        };
        let (Some(from), Some(to)) = (share(old), share(new)) else {
            return Err(Problem::at(
                span,
                "a ramp leads from one share of losses to another",
                "write \"1 %\" before and after, or leave over out",
            ));
        };
        self.emit(at, over, link, |part| {
            match from + (to - from) * (part.step as f64 / part.steps as f64) {
                0.0 => LinkChange::Loss(LossModel::None),
                probability => LinkChange::Loss(LossModel::Independent(probability)),
            }
        });
        Ok(())
    }

    fn change_limit(
        &mut self,
        at: Time,
        over: Span,
        link: LinkId,
        (old, new): (Limit, Limit),
        span: &Range<usize>,
    ) -> Checked<()> {
        match (old, new) {
            _ if over.is_zero() => self.emit(at, over, link, |_| LinkChange::Limit(new)),
            (Limit::Bytes(old), Limit::Bytes(new)) => {
                self.emit(at, over, link, |part| {
                    LinkChange::Limit(Limit::Bytes(Bytes::new(part.between(old.get(), new.get()))))
                });
            }
            (Limit::Packets(old), Limit::Packets(new)) => {
                self.emit(at, over, link, |part| {
                    LinkChange::Limit(Limit::Packets(part.between(old as u64, new as u64) as u32))
                });
            }
            _ => {
                let message =
                    "a ramp leads from one size to another, both in bytes or both in packets";
                return Err(Problem::at(
                    span,
                    message,
                    "give the buffer before in the same unit, or leave over out",
                ));
            }
        }
        Ok(())
    }

    fn outage(
        &mut self,
        at: Time,
        link: LinkId,
        length: Span,
        span: &'a Range<usize>,
    ) -> Checked<()> {
        let crate::Link { name, trace_file, .. } = &self.scenario.links[link.0];
        if length.is_zero() {
            return Err(Problem::at(span, "an outage of 0 s is none", "give a time above zero"));
        }
        if let Some(file) = trace_file {
            let message = format!("the rate of \"{name}\" comes from the trace {file}");
            return Err(Problem::at(span, message, "write the outage into the trace"));
        }
        if let Some((until, first)) = self.down.get(&link)
            && at < *until
        {
            let message = format!("\"{name}\" is already down at {at}, until {until}");
            return Err(Problem::at(span, message, "write one outage that lasts for both")
                .and(first, "the outage before"));
        }
        self.down.insert(link, (at + length, span));
        self.push(at, link, LinkChange::Down);
        self.push(at + length, link, LinkChange::Up);
        Ok(())
    }

    /// Adds a single change, or the steps of a ramp.
    fn emit(&mut self, at: Time, over: Span, link: LinkId, change: impl Fn(Part) -> LinkChange) {
        let steps = (over.as_nanos() / SHORTEST_STEP.as_nanos()).clamp(1, RAMP_STEPS);
        let end = Time::ZERO + self.scenario.duration;
        for step in 1..=steps {
            let part = Part { step, steps };
            let at = at + part.span(Span::ZERO, over);
            if at < end {
                self.push(at, link, change(part));
            }
        }
    }
}

/// The end of a step of a ramp.
#[derive(Clone, Copy)]
struct Part {
    step: u64,
    steps: u64,
}

impl Part {
    fn between(self, from: u64, to: u64) -> u64 {
        let (from, to, step, steps) =
            (from as i128, to as i128, self.step as i128, self.steps as i128);
        (from + (to - from) * step / steps) as u64
    }

    fn span(self, from: Span, to: Span) -> Span {
        Span::from_nanos(self.between(from.as_nanos(), to.as_nanos()))
    }
}

fn too_many(span: &Range<usize>) -> Box<Problem> {
    Problem::at(
        span,
        format!("these are more than {MOST_CHANGES} changes"),
        "let them come less often",
    )
}
