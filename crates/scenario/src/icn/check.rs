//! From the raw structures to the checked ones.

use super::model::{Catalogue, Consumer, Face, Icn, Prefix, PrefixId, RequestProcess};
use super::next_hops::next_hops;
use super::raw::{OneOrMore, RawConsumer, RawIcn, RawPrefix, RawRequest, RawSegments, RawSteering};
use crate::check::{checked_name, choice};
use crate::error::{Checked, Problem};
use crate::near::suggest;
use crate::raw::RawScenario;
use crate::text::{At, Quantity};
use crate::{LinkId, NodeId, Scenario};
use narrows_icn::{Form, Method, OFFERS};
use narrows_path::{LawChoice, RateSource};
use narrows_units::{Bytes, Span, Time};
use std::collections::BTreeMap;
use std::ops::Range;

/// More consumers than any run can hold.
const MOST: u64 = 1_000_000;

/// The information-centric part of a scenario whose nodes and links are already there.
pub(crate) fn check(raw: &RawScenario, scenario: &Scenario, twins: &[Option<LinkId>]) -> Checked<Option<Icn>> {
    let Some(written) = &raw.icn else {
        let stray = (raw.prefix.first().map(|table| &table.span))
            .or(raw.consumer.first().map(|table| &table.span))
            .or(raw.request.first().map(|table| &table.span));
        return match stray {
            Some(span) => Err(Problem::at(span, "only an information-centric network has this", "add an [icn] table; it may be empty")),
            None => Ok(None),
        };
    };
    if let Some(flow) = raw.flow.first() {
        let help = "make it a [[consumer]] with at and prefix, or take [icn] out";
        return Err(Problem::at(&flow.span, "an information-centric network has consumers, not flows", help));
    }
    if let Some(change) = raw.change.iter().find_map(|change| change.value.flow.as_ref()) {
        let help = "change a link instead";
        return Err(Problem::at(&change.span, "an information-centric network has no flows whose routes could change", help));
    }
    if let Some(transport) = &raw.transport {
        let help = "leave it out: sizes and lifetimes are in [icn], and consumers have parameters";
        return Err(Problem::at(&transport.span, "consumers have no transport", help));
    }
    let law: Option<LawChoice> = match &written.value.law {
        Some(text) if text.value == "none" => None,
        Some(text) => Some(choice(text)?),
        None => Some("mircc".parse().expect("a law of the registry")),
    };
    let mut icn = settings(written, law)?;
    icn.faces = faces(raw, scenario, twins)?;
    let nodes = Nodes::new(scenario);
    if raw.prefix.is_empty() {
        return Err(Problem::at(
            &written.span,
            "there is nothing to ask for",
            "add a [[prefix]] with name and at, the node of its producer",
        ));
    }
    let multipath = written.value.multipath.unwrap_or(true);
    let data = size(written.value.data.as_ref(), Bytes::new(1000), "Data")?;
    let mut prefixes: BTreeMap<String, Range<usize>> = BTreeMap::new();
    for prefix in &raw.prefix {
        if let Some(first) = prefixes.insert(prefix.value.name.value.clone(), prefix.value.name.span.clone()) {
            let message = format!("two prefixes are called \"{}\"", prefix.value.name.value);
            return Err(Problem::at(&prefix.value.name.span, message, "give one [[prefix]] a list of nodes").and(&first, "the first"));
        }
        let checked = check_prefix(&prefix.value, data, multipath, &icn.faces, &nodes, scenario)?;
        icn.prefixes.push(checked);
    }
    let default = Asking { consumer: written.value.consumer.as_ref(), controller: written.value.controller.as_ref() };
    let mut names = Names::default();
    for consumer in &raw.consumer {
        let checked = check_consumer(consumer, &icn, &nodes, default, scenario, &mut names)?;
        icn.consumers.extend(checked);
    }
    for request in &raw.request {
        let checked = check_request(request, &icn, &nodes, default, scenario)?;
        for at in &checked.at {
            names.take(&checked.at_node(&scenario.nodes[at.0].name), &request.value.name.span)?;
        }
        icn.requests.push(checked);
    }
    if icn.consumers.is_empty() && icn.requests.is_empty() {
        return Err(Problem::at(&written.span, "nobody asks for anything", "add a [[consumer]] with at and prefix, or a [[request]]"));
    }
    Ok(Some(icn))
}

fn settings(raw: &At<RawIcn>, law: Option<LawChoice>) -> Checked<Icn> {
    let written = &raw.value;
    let at_least_one = |number: &Option<At<u32>>, default: u32, what: &str| match number {
        Some(number) if number.value == 0 => Err(Problem::at(&number.span, format!("{what} of 0 holds nothing"), "give 1 or more")),
        Some(number) => Ok(number.value),
        None => Ok(default),
    };
    let lifetime = match &written.lifetime {
        Some(lifetime) if lifetime.value.0.is_zero() => {
            return Err(Problem::at(&lifetime.span, "an Interest without a lifetime cannot be answered", "give for example \"4 s\""));
        }
        Some(lifetime) => lifetime.value.0,
        None => Span::from_secs(4),
    };
    let strategy = match &written.strategy {
        Some(text) => choice(text)?,
        // Windows know no paths: Data that comes by several looks lost to them.
        None => if law.is_some() { "weighted" } else { "best-route" }.parse().expect("a strategy of the registry"),
    };
    Ok(Icn {
        law,
        shaper: written.shaper.unwrap_or(true),
        shaped_capacity: written.shaped_capacity.unwrap_or(false),
        shaper_queue: at_least_one(&written.shaper_queue, 100, "a shaper queue")?,
        steering: match written.steering {
            None | Some(RawSteering::Labels) => Form::Labels,
            Some(RawSteering::Hashes) => Form::Hashes,
            Some(RawSteering::Random) => Form::Random,
            Some(RawSteering::Bloom) => Form::Bloom,
        },
        strategy,
        cache: written.cache.unwrap_or(0),
        pending: at_least_one(&written.pending, 65536, "a table of pending Interests")?,
        lifetime,
        interest: size(written.interest.as_ref(), Bytes::new(100), "Interests")?,
        prefixes: Vec::new(),
        consumers: Vec::new(),
        requests: Vec::new(),
        faces: Vec::new(),
    })
}

fn size(written: Option<&At<Quantity<Bytes>>>, default: Bytes, what: &str) -> Checked<Bytes> {
    const LARGEST: u64 = 65_535;
    match written {
        Some(size) if !(1..=LARGEST).contains(&size.value.0.get()) => {
            Err(Problem::at(&size.span, format!("{what} cannot be of {}", size.value.0), format!("give 1 B to {LARGEST} B")))
        }
        Some(size) => Ok(size.value.0),
        None => Ok(default),
    }
}

/// Both ends of every two-way link.
fn faces(raw: &RawScenario, scenario: &Scenario, twins: &[Option<LinkId>]) -> Checked<Vec<Face>> {
    let twin = |index: usize| twins[index].or_else(|| opposite(scenario, index));
    for (index, link) in scenario.links.iter().enumerate() {
        let span = raw.link.iter().find(|table| table.value.name.value == link.name).map_or(0..0, |table| table.span.clone());
        if twin(index).is_none() {
            let message = format!("\"{}\" leads one way, but Data comes back where its Interest went", link.name);
            return Err(Problem::at(&span, message, "give the link between = [\"one\", \"other\"] instead of from and to"));
        }
        if !matches!(link.config.rate, RateSource::Constant(_)) {
            let message = format!("\"{}\" has no constant rate, which shapers and laws of rates need", link.name);
            return Err(Problem::at(&span, message, "give the link a rate"));
        }
    }
    let ends = scenario.links.iter().enumerate();
    let faces = ends.filter_map(|(index, link)| Some(Face { node: link.from, leaving: LinkId(index), coming: twin(index)? }));
    Ok(faces.collect())
}

/// The only link that leads the other way between the same nodes, if the way there is the only one too.
fn opposite(scenario: &Scenario, index: usize) -> Option<LinkId> {
    let between = |from, to| {
        let mut found = scenario.links.iter().enumerate().filter(move |(_, link)| link.from == from && link.to == to);
        found.next().filter(|_| found.next().is_none()).map(|(index, _)| LinkId(index))
    };
    let link = &scenario.links[index];
    between(link.from, link.to)?;
    between(link.to, link.from)
}

/// The nodes by name.
struct Nodes<'a>(BTreeMap<&'a str, NodeId>);

impl<'a> Nodes<'a> {
    fn new(scenario: &'a Scenario) -> Nodes<'a> {
        Nodes(scenario.nodes.iter().enumerate().map(|(index, node)| (node.name.as_str(), NodeId(index))).collect())
    }

    fn find(&self, name: &str, span: &Range<usize>) -> Checked<NodeId> {
        self.0
            .get(name)
            .copied()
            .ok_or_else(|| Problem::at(span, format!("there is no node \"{name}\""), suggest(name, "nodes", self.0.keys().copied())))
    }

    fn all(&self, names: &At<OneOrMore>) -> Checked<Vec<NodeId>> {
        let found = names.value.list().iter().map(|name| self.find(name, &names.span)).collect::<Checked<Vec<_>>>()?;
        distinct(found, &names.span, "node")
    }
}

/// At least one, and none twice.
fn distinct<T: PartialEq>(list: Vec<T>, span: &Range<usize>, what: &str) -> Checked<Vec<T>> {
    if list.is_empty() {
        return Err(Problem::at(span, format!("the list names no {what}"), "name at least one"));
    }
    if list.iter().enumerate().any(|(place, one)| list[..place].contains(one)) {
        return Err(Problem::at(span, format!("a {what} is named twice"), "name each once"));
    }
    Ok(list)
}

fn check_prefix(raw: &RawPrefix, data: Bytes, multipath: bool, faces: &[Face], nodes: &Nodes, scenario: &Scenario) -> Checked<Prefix> {
    let name = checked_name(&raw.name)?;
    let at = nodes.all(&raw.at)?;
    let mut hops = next_hops(scenario.nodes.len(), &scenario.links, faces, &at, multipath);
    for (node, next) in &raw.next_hops {
        let id = nodes.find(&node.value, &node.span)?;
        if at.contains(&id) {
            let message = format!("\"{}\" has a producer of \"{name}\", and passes no Interest on", node.value);
            return Err(Problem::at(&node.span, message, "take its next hops out"));
        }
        let links = next.value.iter().map(|neighbour| {
            let to = nodes.find(&neighbour.value, &neighbour.span)?;
            let link = faces.iter().map(|face| face.leaving).find(|link| {
                let link = &scenario.links[link.0];
                link.from == id && link.to == to
            });
            link.ok_or_else(|| {
                let message = format!("no link leads from \"{}\" to \"{}\"", node.value, neighbour.value);
                Problem::at(&neighbour.span, message, "name a neighbour of the node")
            })
        });
        let links = distinct(links.collect::<Checked<Vec<_>>>()?, &next.span, "next hop")?;
        match hops.iter_mut().find(|(known, _)| *known == id) {
            Some((_, known)) => *known = links,
            None => hops.push((id, links)),
        }
    }
    hops.sort_by_key(|(node, _)| *node);
    Ok(Prefix { name, at, data: size(raw.data.as_ref(), data, "Data")?, next_hops: hops })
}

/// How somebody asks, as written.
#[derive(Clone, Copy)]
struct Asking<'a> {
    consumer: Option<&'a At<String>>,
    controller: Option<&'a At<String>>,
}

impl Asking<'_> {
    fn is_empty(self) -> bool {
        self.consumer.is_none() && self.controller.is_none()
    }

    /// What it says, or what `default` says, or what the law suggests.
    fn resolve(self, default: Asking, law: Option<&LawChoice>, span: &Range<usize>) -> Checked<Method> {
        let chosen = if self.is_empty() { default } else { self };
        match (chosen.consumer, chosen.controller) {
            (Some(consumer), Some(controller)) => {
                Err(Problem::at(&controller.span, "a consumer asks in one way", "keep one of the two").and(&consumer.span, "the other"))
            }
            (None, Some(controller)) => {
                let choice: narrows_control::registry::Choice = choice(controller)?;
                match choice.needs().into_iter().find(|need| !OFFERS.contains(need)) {
                    Some(need) => Err(Problem::at(
                        &controller.span,
                        format!("{} needs {need}, which Interests and Data do not give", choice.entry().name),
                        "take another controller, or a consumer that follows rates",
                    )),
                    None => Ok(Method::Window(choice)),
                }
            }
            (Some(consumer), None) => {
                let checked: narrows_icn::ConsumerChoice = choice(consumer)?;
                let (needed, given) = (checked.entry().classes, law.map_or(0, |law| law.entry().classes));
                if needed > given {
                    let message = match law {
                        None => format!("{} follows rates, but links say none", checked.entry().name),
                        Some(law) => {
                            format!("{} needs rates of {needed} classes, but {} has {given}", checked.entry().name, law.entry().name)
                        }
                    };
                    return Err(Problem::at(&consumer.span, message, "choose another law in [icn], or another consumer"));
                }
                Ok(Method::Rates(checked))
            }
            (None, None) => match law.map_or(0, |law| law.entry().classes) {
                0 => Err(Problem::at(
                    span,
                    "nothing says how fast it asks: links say no rates",
                    "add controller = \"cubic\", or choose a law in [icn]",
                )),
                1 => Ok(Method::Rates("single".parse().expect("a consumer of the registry"))),
                _ => Ok(Method::Rates("mircc".parse().expect("a consumer of the registry"))),
            },
        }
    }
}

fn check_consumer(
    raw: &At<RawConsumer>,
    icn: &Icn,
    nodes: &Nodes,
    default: Asking,
    scenario: &Scenario,
    names: &mut Names,
) -> Checked<Vec<Consumer>> {
    let written = &raw.value;
    let at = nodes.find(&written.at.value, &written.at.span)?;
    let prefix = prefix(icn, &written.prefix.value, &written.prefix.span, at, scenario)?;
    let asking = Asking { consumer: written.consumer.as_ref(), controller: written.controller.as_ref() };
    let by = asking.resolve(default, icn.law.as_ref(), &raw.span)?;
    let segments = written.segments.as_ref().map(|segments| positive(segments.value, &segments.span)).transpose()?;
    let (start, stop) = times(written.start.as_ref(), written.stop.as_ref(), scenario.duration)?;
    let count = written.count.as_ref().map_or(1, |count| count.value);
    if let Some(count) = written.count.as_ref().filter(|count| !(1..=MOST).contains(&count.value)) {
        return Err(Problem::at(&count.span, format!("there cannot be {} consumers", count.value), format!("give 1 to {MOST}")));
    }
    let stagger = written.stagger.as_ref().map_or(Span::ZERO, |stagger| stagger.value.0);
    let name = match &written.name {
        Some(name) => checked_name(name)?,
        None => names.free("consumer"),
    };
    let content = written.content.as_ref().map(|content| content.value.clone());
    let copies = (0..count).map(|index| Consumer {
        name: if count == 1 { name.clone() } else { format!("{name}.{}", index + 1) },
        at,
        by: by.clone(),
        prefix,
        content: content.clone(),
        segments,
        start: start + stagger * index,
        stop,
    });
    let copies: Vec<Consumer> = copies.collect();
    for copy in &copies {
        names.take(&copy.name, written.name.as_ref().map_or(&raw.span, |name| &name.span))?;
    }
    Ok(copies)
}

fn check_request(raw: &At<RawRequest>, icn: &Icn, nodes: &Nodes, default: Asking, scenario: &Scenario) -> Checked<RequestProcess> {
    let written = &raw.value;
    let at = nodes.all(&written.at)?;
    let mut prefixes = Vec::new();
    for name in written.prefix.value.list() {
        for at in &at {
            let found = prefix(icn, name, &written.prefix.span, *at, scenario)?;
            if !prefixes.contains(&found) {
                prefixes.push(found);
            }
        }
    }
    let asking = Asking { consumer: written.consumer.as_ref(), controller: written.controller.as_ref() };
    let by = asking.resolve(default, icn.law.as_ref(), &raw.span)?;
    if written.every.value.0.is_zero() {
        return Err(Problem::at(
            &written.every.span,
            "contents cannot come at the same time",
            "give a mean time above zero, such as \"0.5 s\"",
        ));
    }
    let (start, stop) = times(written.start.as_ref(), written.stop.as_ref(), scenario.duration)?;
    let catalogue = match (&written.catalogue, &written.zipf) {
        (None, Some(zipf)) => {
            return Err(Problem::at(&zipf.span, "popularity needs a catalogue of contents", "add catalogue = 1000, or take zipf out"));
        }
        (None, None) => None,
        (Some(contents), _) if contents.value == 0 => {
            return Err(Problem::at(&contents.span, "the catalogue is empty", "give 1 or more"));
        }
        (Some(contents), zipf) => {
            if let Some(zipf) = zipf.as_ref().filter(|zipf| !(0.0..=10.0).contains(&zipf.value)) {
                return Err(Problem::at(&zipf.span, format!("zipf = {} is not allowed", zipf.value), "give a number from 0 to 10"));
            }
            Some(Catalogue { contents: contents.value, zipf: zipf.as_ref().map_or(0.8, |zipf| zipf.value) })
        }
    };
    let segments = segments(&written.segments)?;
    Ok(RequestProcess {
        name: checked_name(&written.name)?,
        at,
        by,
        prefixes,
        every: written.every.value.0,
        segments,
        catalogue,
        start,
        stop,
    })
}

fn segments(written: &At<RawSegments>) -> Checked<Vec<(u64, f64)>> {
    let list = match &written.value {
        RawSegments::Fixed(number) => vec![(*number, 1.0)],
        RawSegments::Drawn(list) => list.clone(),
    };
    for (number, share) in &list {
        positive(*number, &written.span)?;
        if !(0.0..=1.0).contains(share) {
            return Err(Problem::at(&written.span, format!("{share} is no probability"), "give numbers from 0 to 1"));
        }
    }
    let sum: f64 = list.iter().map(|(_, share)| share).sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(Problem::at(&written.span, format!("the probabilities sum to {sum}"), "let them sum to 1"));
    }
    Ok(list)
}

fn positive(number: u64, span: &Range<usize>) -> Checked<u64> {
    if (1..=u64::from(u32::MAX) - 1).contains(&number) {
        return Ok(number);
    }
    Err(Problem::at(span, format!("a content cannot have {number} Data packets"), "give 1 or more"))
}

fn times(start: Option<&At<Quantity<Span>>>, stop: Option<&At<Quantity<Span>>>, duration: Span) -> Checked<(Time, Option<Time>)> {
    let begin = start.map_or(Span::ZERO, |start| start.value.0);
    if let Some(start) = start.filter(|start| start.value.0 >= duration) {
        let message = format!("it would start at {begin}, when the run of {duration} is over");
        return Err(Problem::at(&start.span, message, "start earlier, or make the duration longer"));
    }
    if let Some(stop) = stop.filter(|stop| stop.value.0 <= begin) {
        let message = format!("it would stop at {}, but it starts at {begin}", stop.value.0);
        return Err(Problem::at(&stop.span, message, "let it stop after its start"));
    }
    Ok((Time::ZERO + begin, stop.map(|stop| Time::ZERO + stop.value.0).filter(|stop| stop.since(Time::ZERO) < duration)))
}

/// The prefix of this name, to which a way must lead from `from`.
fn prefix(icn: &Icn, name: &str, span: &Range<usize>, from: NodeId, scenario: &Scenario) -> Checked<PrefixId> {
    let Some(place) = icn.prefixes.iter().position(|prefix| prefix.name == name) else {
        let known = icn.prefixes.iter().map(|prefix| prefix.name.as_str());
        return Err(Problem::at(span, format!("there is no prefix \"{name}\""), suggest(name, "prefixes", known)));
    };
    let prefix = &icn.prefixes[place];
    if !prefix.at.contains(&from) && !prefix.next_hops.iter().any(|(node, _)| *node == from) {
        let message = format!("there is no way from \"{}\" to a producer of \"{name}\"", scenario.nodes[from.0].name);
        return Err(Problem::at(span, message, "add the links that are missing"));
    }
    Ok(PrefixId(place))
}

/// The names of consumers, which are all different.
#[derive(Default)]
struct Names(BTreeMap<String, Range<usize>>);

impl Names {
    fn free(&self, base: &str) -> String {
        let numbered = (2u64..).map(|number| format!("{base}-{number}"));
        let name = std::iter::once(base.to_owned()).chain(numbered).find(|name| !self.0.contains_key(name));
        name.unwrap_or_default()
    }

    fn take(&mut self, name: &str, span: &Range<usize>) -> Checked<()> {
        match self.0.insert(name.to_owned(), span.clone()) {
            Some(first) => {
                Err(Problem::at(span, format!("two consumers are called \"{name}\""), "rename one of the two").and(&first, "the first"))
            }
            None => Ok(()),
        }
    }
}
