//! Checks the information-centric part of a scenario.

use super::asking::Asking;
use super::model::{Catalogue, Consumer, Icn, Prefix, PrefixId, RequestProcess};
use super::raw::{
    RawCapacity, RawConsumer, RawIcn, RawRequest, RawSegments, RawShaperForm, RawSteering,
};
use super::ways::{Nodes, distinct, faces, ways};
use crate::check::{checked_name, choice};
use crate::error::{Checked, Problem};
use crate::raw::RawScenario;
use crate::text::{At, Quantity};
use crate::{LinkId, NodeId, Scenario};
use narrows_icn::{HintForm, ShaperForm};
use narrows_params::suggest;
use narrows_path::LawChoice;
use narrows_units::{Bytes, Span, Time};
use std::collections::BTreeMap;
use std::ops::Range;

/// Most consumers, and most contents of a catalogue; no run can hold more.
const MOST: u64 = 1_000_000;

/// Checks the information-centric part of a scenario, whose nodes and links are complete.
pub(crate) fn check(
    raw: &RawScenario,
    scenario: &Scenario,
    twins: &[Option<LinkId>],
) -> Checked<Option<Icn>> {
    let Some(written) = &raw.icn else {
        let stray = (raw.prefix.first().map(|table| &table.span))
            .or(raw.consumer.first().map(|table| &table.span))
            .or(raw.request.first().map(|table| &table.span));
        return match stray {
            Some(span) => Err(Problem::at(
                span,
                "this key is only valid in an information-centric network",
                "add an [icn] table; it may be empty",
            )),
            None => Ok(None),
        };
    };
    if let Some(flow) = raw.flow.first() {
        let help = "make it a [[consumer]] with at and prefix, or take [icn] out";
        return Err(Problem::at(
            &flow.span,
            "an information-centric network has consumers, not flows",
            help,
        ));
    }
    if let Some(change) = raw.change.iter().find_map(|change| change.value.flow.as_ref()) {
        let help = "change a link instead";
        return Err(Problem::at(
            &change.span,
            "an information-centric network has no flows whose routes could change",
            help,
        ));
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
            "the scenario has no prefixes",
            "add a [[prefix]] with name and at, the node of its producer",
        ));
    }
    let multipath = written.value.multipath.unwrap_or(true);
    let data = size(written.value.data.as_ref(), Bytes::new(1000), "Data")?;
    let mut prefixes: BTreeMap<String, Range<usize>> = BTreeMap::new();
    for prefix in &raw.prefix {
        if let Some(first) =
            prefixes.insert(prefix.value.name.value.clone(), prefix.value.name.span.clone())
        {
            let message = format!("two prefixes are called \"{}\"", prefix.value.name.value);
            return Err(Problem::at(
                &prefix.value.name.span,
                message,
                "give one [[prefix]] a list of nodes",
            )
            .and(&first, "the first"));
        }
        let name = checked_name(&prefix.value.name)?;
        let at = nodes.all(&prefix.value.at)?;
        let next_hops = ways(&prefix.value, &at, multipath, &icn.faces, &nodes, scenario)?;
        icn.prefixes.push(Prefix {
            name,
            at,
            data: size(prefix.value.data.as_ref(), data, "Data")?,
            next_hops,
        });
    }
    let default = Asking {
        consumer: written.value.consumer.as_ref(),
        controller: written.value.controller.as_ref(),
    };
    let mut names = Names::default();
    for consumer in &raw.consumer {
        let checked = check_consumer(consumer, &icn, &nodes, default, scenario, &mut names)?;
        agrees(&consumer.value, &checked[0], &icn)?;
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
        return Err(Problem::at(
            &written.span,
            "the scenario has no consumers",
            "add a [[consumer]] with at and prefix, or a [[request]]",
        ));
    }
    Ok(Some(icn))
}

fn settings(raw: &At<RawIcn>, law: Option<LawChoice>) -> Checked<Icn> {
    let written = &raw.value;
    let at_least_one = |number: &Option<At<u32>>, default: u32, what: &str| match number {
        Some(number) if number.value == 0 => {
            Err(Problem::at(&number.span, format!("{what} of 0 holds nothing"), "give 1 or more"))
        }
        Some(number) => Ok(number.value),
        None => Ok(default),
    };
    let lifetime = match &written.lifetime {
        Some(lifetime) if lifetime.value.0.is_zero() => {
            return Err(Problem::at(
                &lifetime.span,
                "an Interest's lifetime must be greater than zero",
                "give for example \"4 s\"",
            ));
        }
        Some(lifetime) => lifetime.value.0,
        None => Span::from_secs(4),
    };
    let strategy = match &written.strategy {
        Some(text) => choice(text)?,
        // A window does not distinguish paths: it takes Data that arrives on several paths for
        // lost.
        None => if law.is_some() { "weighted" } else { "best-route" }
            .parse()
            .expect("a strategy of the registry"),
    };
    if let Some(shaped) = written.shaped_capacity.as_ref().filter(|shaped| shaped.value)
        && (law.is_none() || written.shaper == Some(false))
    {
        let message = "this key needs a rate law and a shaper";
        return Err(Problem::at(
            &shaped.span,
            message,
            "take it out, or keep the shaper and choose a law",
        ));
    }
    let measured =
        written.capacity.as_ref().filter(|capacity| capacity.value == RawCapacity::Measured);
    if let Some(measured) = measured.filter(|_| law.is_none()) {
        let message = "nodes measure capacities for a rate law to share out, and there is none";
        return Err(Problem::at(&measured.span, message, "take it out, or choose a law"));
    }
    if let Some(proxy) = written.proxy.as_ref().filter(|proxy| proxy.value)
        && law.is_none()
    {
        return Err(Problem::at(
            &proxy.span,
            "a proxy follows rates, but the links advertise none",
            "take it out, or choose a law",
        ));
    }
    if let Some(police) = written.police.as_ref().filter(|police| police.value)
        && law.is_none()
    {
        return Err(Problem::at(
            &police.span,
            "police bounds consumers by rates, but the links advertise none",
            "take it out, or choose a law",
        ));
    }
    let shaper = written.shaper.unwrap_or(true);
    Ok(Icn {
        shaper,
        shaper_form: match written.shaper_form {
            None | Some(RawShaperForm::Boundary) => ShaperForm::Boundary,
            Some(RawShaperForm::Published) => ShaperForm::Published,
        },
        shaped_capacity: written
            .shaped_capacity
            .as_ref()
            .map_or(law.is_some() && shaper, |shaped| shaped.value),
        proxy: written.proxy.as_ref().map_or(law.is_some(), |proxy| proxy.value),
        measured: measured.is_some(),
        police: written.police.as_ref().is_some_and(|police| police.value),
        law,
        shaper_queue: at_least_one(&written.shaper_queue, 100, "a shaper queue")?,
        steering: match written.steering {
            None | Some(RawSteering::Labels) => HintForm::Labels,
            Some(RawSteering::Hashes) => HintForm::Hashes,
            Some(RawSteering::Random) => HintForm::Random,
            Some(RawSteering::Bloom) => HintForm::Bloom,
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
        Some(size) if !(1..=LARGEST).contains(&size.value.0.get()) => Err(Problem::at(
            &size.span,
            format!("{what} cannot be of {}", size.value.0),
            format!("give 1 B to {LARGEST} B"),
        )),
        Some(size) => Ok(size.value.0),
        None => Ok(default),
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
    let asking =
        Asking { consumer: written.consumer.as_ref(), controller: written.controller.as_ref() };
    let by = asking.resolve(default, icn.law.as_ref(), icn.prefixes[prefix.0].data, &raw.span)?;
    let segments = written
        .segments
        .as_ref()
        .map(|segments| positive(segments.value, &segments.span))
        .transpose()?;
    let (start, stop) = times(written.start.as_ref(), written.stop.as_ref(), scenario.duration)?;
    let count = written.count.as_ref().map_or(1, |count| count.value);
    if let Some(count) = written.count.as_ref().filter(|count| !(1..=MOST).contains(&count.value)) {
        return Err(Problem::at(
            &count.span,
            format!("there cannot be {} consumers", count.value),
            format!("give 1 to {MOST}"),
        ));
    }
    let stagger = match &written.stagger {
        Some(stagger) if count == 1 => {
            return Err(Problem::at(
                &stagger.span,
                "stagger needs more than one consumer",
                "add count = 2 or more, or use start",
            ));
        }
        Some(stagger) => stagger.value.0,
        None => Span::ZERO,
    };
    let last = start + stagger * (count - 1);
    if let Some(stagger) =
        written.stagger.as_ref().filter(|_| last.since(Time::ZERO) >= scenario.duration)
    {
        let message = format!(
            "consumer {count} of {count} would start at {last}, when the run of {} is over",
            scenario.duration
        );
        return Err(Problem::at(
            &stagger.span,
            message,
            "start earlier, or make the duration longer",
        ));
    }
    if let (Some(stop), Some(written)) = (stop.filter(|stop| *stop <= last), &written.stop) {
        let message = format!("it would stop at {stop}, but the last of {count} starts at {last}");
        return Err(Problem::at(&written.span, message, "let it stop after its start"));
    }
    let name = match &written.name {
        Some(name) => checked_name(name)?,
        None => names.free("consumer"),
    };
    let content = written.content.as_ref().map(checked_name).transpose()?;
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

/// Requires that all consumers of a content have the same number of Data packets.
fn agrees(written: &RawConsumer, consumer: &Consumer, icn: &Icn) -> Checked<()> {
    let Some(content) = &written.content else { return Ok(()) };
    let same =
        |other: &&Consumer| other.content == consumer.content && other.prefix == consumer.prefix;
    match icn.consumers.iter().find(same).filter(|other| other.segments != consumer.segments) {
        Some(other) => {
            let message = format!(
                "for \"{}\" the content \"{}\" has another number of Data packets",
                other.name, content.value
            );
            let span = written.segments.as_ref().map_or(&content.span, |segments| &segments.span);
            Err(Problem::at(
                span,
                message,
                "give both the same segments, or each a content of its own",
            ))
        }
        None => Ok(()),
    }
}

fn check_request(
    raw: &At<RawRequest>,
    icn: &Icn,
    nodes: &Nodes,
    default: Asking,
    scenario: &Scenario,
) -> Checked<RequestProcess> {
    let written = &raw.value;
    let at = nodes.all(&written.at)?;
    let mut prefixes = Vec::new();
    for name in written.prefix.value.list() {
        let found = at
            .iter()
            .map(|at| prefix(icn, name, &written.prefix.span, *at, scenario))
            .collect::<Checked<Vec<_>>>()?;
        prefixes.push(found[0]);
    }
    let prefixes = distinct(prefixes, &written.prefix.span, "prefix")?;
    let asking =
        Asking { consumer: written.consumer.as_ref(), controller: written.controller.as_ref() };
    let by =
        asking.resolve(default, icn.law.as_ref(), icn.prefixes[prefixes[0].0].data, &raw.span)?;
    if written.every.value.0.is_zero() {
        return Err(Problem::at(
            &written.every.span,
            "the mean time between contents must be greater than zero",
            "give a mean time above zero, such as \"0.5 s\"",
        ));
    }
    let (start, stop) = times(written.start.as_ref(), written.stop.as_ref(), scenario.duration)?;
    let catalogue = match (&written.catalogue, &written.zipf) {
        (None, Some(zipf)) => {
            return Err(Problem::at(
                &zipf.span,
                "popularity needs a catalogue of contents",
                "add catalogue = 1000, or take zipf out",
            ));
        }
        (None, None) => None,
        (Some(contents), _) if !(1..=MOST).contains(&u64::from(contents.value)) => {
            let message = format!("a catalogue cannot have {} contents", contents.value);
            return Err(Problem::at(&contents.span, message, format!("give 1 to {MOST}")));
        }
        (Some(contents), zipf) => {
            if let Some(zipf) = zipf.as_ref().filter(|zipf| !(0.0..=10.0).contains(&zipf.value)) {
                return Err(Problem::at(
                    &zipf.span,
                    format!("zipf = {} is not allowed", zipf.value),
                    "give a number from 0 to 10",
                ));
            }
            Some(Catalogue {
                contents: contents.value,
                zipf: zipf.as_ref().map_or(0.8, |zipf| zipf.value),
            })
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
            return Err(Problem::at(
                &written.span,
                format!("{share} is no probability"),
                "give numbers from 0 to 1",
            ));
        }
    }
    if list.is_empty() {
        return Err(Problem::at(
            &written.span,
            "the list has no lengths",
            "give a number, or numbers with their probabilities",
        ));
    }
    let sum: f64 = list.iter().map(|(_, share)| share).sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(Problem::at(
            &written.span,
            format!("the probabilities sum to {sum}"),
            "let them sum to 1",
        ));
    }
    Ok(list)
}

fn positive(number: u64, span: &Range<usize>) -> Checked<u64> {
    const LARGEST: u64 = u32::MAX as u64 - 1;
    if (1..=LARGEST).contains(&number) {
        return Ok(number);
    }
    Err(Problem::at(
        span,
        format!("a content cannot have {number} Data packets"),
        format!("give 1 to {LARGEST}"),
    ))
}

fn times(
    start: Option<&At<Quantity<Span>>>,
    stop: Option<&At<Quantity<Span>>>,
    duration: Span,
) -> Checked<(Time, Option<Time>)> {
    let begin = start.map_or(Span::ZERO, |start| start.value.0);
    if let Some(start) = start.filter(|start| start.value.0 >= duration) {
        let message = format!("it would start at {begin}, when the run of {duration} is over");
        return Err(Problem::at(
            &start.span,
            message,
            "start earlier, or make the duration longer",
        ));
    }
    if let Some(stop) = stop.filter(|stop| stop.value.0 <= begin) {
        let message = format!("it would stop at {}, but it starts at {begin}", stop.value.0);
        return Err(Problem::at(&stop.span, message, "let it stop after its start"));
    }
    Ok((
        Time::ZERO + begin,
        stop.map(|stop| Time::ZERO + stop.value.0).filter(|stop| stop.since(Time::ZERO) < duration),
    ))
}

/// Finds the prefix of this name. Refuses it if no path leads to it from `from`.
fn prefix(
    icn: &Icn,
    name: &str,
    span: &Range<usize>,
    from: NodeId,
    scenario: &Scenario,
) -> Checked<PrefixId> {
    let Some(place) = icn.prefixes.iter().position(|prefix| prefix.name == name) else {
        let known = icn.prefixes.iter().map(|prefix| prefix.name.as_str());
        return Err(Problem::at(
            span,
            format!("there is no prefix \"{name}\""),
            suggest(name, "prefixes", known),
        ));
    };
    let prefix = &icn.prefixes[place];
    if prefix.at.contains(&from) {
        let message = format!(
            "\"{}\" has a producer of \"{name}\" itself: no link lies between",
            scenario.nodes[from.0].name
        );
        return Err(Problem::at(span, message, "ask at another node, or for another prefix"));
    }
    if !prefix.next_hops.contains_key(&from) {
        let message = format!(
            "there is no way from \"{}\" to a producer of \"{name}\"",
            scenario.nodes[from.0].name
        );
        return Err(Problem::at(span, message, "add the links that are missing"));
    }
    Ok(PrefixId(place))
}

/// The names of consumers, each used once.
#[derive(Default)]
struct Names(BTreeMap<String, Range<usize>>);

impl Names {
    fn free(&self, base: &str) -> String {
        let numbered = (2u64..).map(|number| format!("{base}-{number}"));
        // Several copies are named name.1, name.2 and so on.
        let taken =
            |name: &String| self.0.contains_key(name) || self.0.contains_key(&format!("{name}.1"));
        let name = std::iter::once(base.to_owned()).chain(numbered).find(|name| !taken(name));
        name.unwrap_or_default()
    }

    fn take(&mut self, name: &str, span: &Range<usize>) -> Checked<()> {
        match self.0.insert(name.to_owned(), span.clone()) {
            Some(first) => Err(Problem::at(
                span,
                format!("two consumers are called \"{name}\""),
                "rename one of the two",
            )
            .and(&first, "the first")),
            None => Ok(()),
        }
    }
}
