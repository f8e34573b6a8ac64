//! Checks flows.

use super::common::{checked_name, choice, refused_parameters};
use super::guest;
use super::routes::Map;
use super::transport;
use super::workload::{self, Path};
use crate::error::{Checked, Problem};
use crate::implied;
use crate::raw::RawScenario;
use crate::raw::flow::{RawFlow, RawSaved};
use crate::text::At;
use crate::{Flow, Frames, LinkId, NodeId, Pause, Scenario, Workload};
use narrows_control::{Choice, Saved, Setup};
use narrows_transport::Transport;
use narrows_units::{Segments, Span, Time};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Most flows of a scenario; no run can hold more.
const MOST_FLOWS: u64 = 1_000_000;

/// Returns the flows of a scenario. Its nodes and links must be complete.
pub(super) fn check(
    raw: &RawScenario,
    scenario: &Scenario,
    twins: &[Option<LinkId>],
) -> Checked<Vec<Flow>> {
    if raw.flow.is_empty() {
        return Err(Problem::at(
            &(0..0),
            "the scenario has no flows",
            "add a [[flow]] with from, to and a controller",
        ));
    }
    let map = Map::new(&scenario.nodes, &scenario.links, twins);
    let mut names = Names::new(raw)?;
    let common = Common {
        transport: transport::check(
            raw.transport.as_ref(),
            &(0..0),
            &Transport::default(),
            |_| {},
        )?,
        acks: raw.transport.as_ref().is_some_and(|table| table.value.acks.is_some()),
        ack_every: raw.transport.as_ref().is_some_and(|table| table.value.ack_every.is_some()),
    };
    let mut flows: Vec<Flow> = Vec::new();
    for (place, one) in raw.flow.iter().enumerate() {
        let flow = check_one(one, place, &map, &mut names, &common, scenario)?;
        let copies = copies(one, &flow, scenario.duration)?;
        for copy in &copies {
            names.take(&copy.name, &one.span)?;
        }
        flows.extend(copies);
        if flows.len() as u64 > MOST_FLOWS {
            return Err(too_many(&one.span));
        }
    }
    guest::check_common(raw, &flows)?;
    Ok(flows)
}

/// The transport of all flows, with true for the keys that the scenario sets, because a controller
/// does not change these.
struct Common {
    transport: Transport,
    acks: bool,
    ack_every: bool,
}

impl Common {
    /// Sets the keys that `controller` implies and nothing else sets. Skips all if the flow or the
    /// scenario sets the acknowledgement format.
    fn adapt(&self, transport: &mut Transport, controller: Option<&Choice>, written: bool) {
        if let Some((acks, ack_every)) =
            implied::acknowledgements(controller).filter(|_| !self.acks && !written)
        {
            transport.acks = acks;
            if !self.ack_every {
                transport.ack_every = ack_every;
            }
        }
    }
}

fn check_one(
    raw: &At<RawFlow>,
    place: usize,
    map: &Map,
    names: &mut Names,
    common: &Common,
    scenario: &Scenario,
) -> Checked<Flow> {
    let (written, duration) = (&raw.value, scenario.duration);
    let (from, to) = (map.node(&written.from)?, map.node(&written.to)?);
    if from == to {
        return Err(Problem::at(
            &written.to.span,
            format!("the flow leads from \"{}\" to itself", written.to.value),
            "give two different nodes",
        ));
    }
    let chosen: Option<Choice> = written.controller.as_ref().map(choice).transpose()?;
    let span = written.controller.as_ref().map_or(&raw.span, |text| &text.span);
    let own_acks = written.transport.as_ref().is_some_and(|table| table.value.acks.is_some());
    let guest = chosen.as_ref().filter(|choice| choice.entry().is_guest());
    let transport = match guest {
        Some(_) => implied::transport(guest),
        None => {
            transport::check(written.transport.as_ref(), span, &common.transport, |transport| {
                common.adapt(transport, chosen.as_ref(), own_acks)
            })?
        }
    };
    let controller = written
        .controller
        .as_ref()
        .zip(chosen)
        .map(|(text, chosen)| controller(text, chosen, &transport))
        .transpose()?;
    let (route, back) = routes(raw, map, (from, to), controller.is_some())?;
    let path = Path { scenario, route: &route, transport: &transport };
    let workload = written
        .workload
        .as_ref()
        .map_or(Ok(Workload::Bulk), |workload| workload::check(workload, &path))?;
    if let Some(guest) = controller.as_ref().filter(|choice| choice.entry().is_guest()) {
        guest::check(written, guest, &workload)?;
    }
    if controller.is_none() && !workload::paces_itself(&workload) {
        let span = written.workload.as_ref().map_or(&raw.span, |workload| &workload.span);
        return Err(Problem::at(
            span,
            "a flow without a controller needs a workload with a rate",
            "add controller = \"newreno\", or workload = { rate = \"5 Mbit/s\" } for traffic that does not react",
        ));
    }
    if let (Some(workload), true) = (
        written.workload.as_ref().filter(|_| controller.is_some() && workload.is_transfers()),
        transport.ack_ahead > 0,
    ) {
        return Err(Problem::at(
            &workload.span,
            "transfers would never be complete, because a receiver with ack_ahead does not report what is lost",
            "take workload = \"bulk\" or a rate, or leave ack_ahead out",
        ));
    }
    if controller.is_none() && matches!(workload, Workload::Frames(Frames { follows: Some(_), .. }))
    {
        let span = written.workload.as_ref().map_or(&raw.span, |workload| &workload.span);
        return Err(Problem::at(
            span,
            "these frames follow a controller, and the flow has none",
            "add controller = \"screamv2\", or leave min_rate and max_rate out",
        ));
    }
    let start = Time::ZERO + written.start.as_ref().map_or(Span::ZERO, |start| start.value.0);
    if let Some(span) = written
        .start
        .as_ref()
        .map(|start| &start.span)
        .filter(|_| start.since(Time::ZERO) >= duration)
    {
        return Err(never_starts(span, "the flow", start, duration));
    }
    let stop = written.stop.as_ref().map(|stop| Time::ZERO + stop.value.0);
    let pauses = pauses(written, &workload, (start, stop), duration)?;
    let saved =
        written.saved.as_ref().map(|saved| check_saved(saved, controller.is_some())).transpose()?;
    let name = match &written.name {
        Some(name) => checked_name(name)?,
        None => names.default(controller.as_ref().map_or("udp", |choice| choice.entry().name())),
    };
    let stream = match (&written.stream, &written.name) {
        (Some(stream), _) => checked_name(stream)?,
        (None, None) if workload != Workload::Bulk => format!("flow {}", place + 1),
        (None, _) => name.clone(),
    };
    Ok(Flow {
        name,
        from,
        to,
        route,
        back,
        controller,
        transport: Arc::new(transport),
        workload,
        stream,
        start,
        stop,
        pauses,
        saved,
    })
}

/// Returns the saved path. A controller that does not resume ignores it, so that comparisons may
/// have both kinds.
fn check_saved(raw: &At<RawSaved>, controlled: bool) -> Checked<Saved> {
    if !controlled {
        return Err(Problem::at(
            &raw.span,
            "a flow without a controller resumes nothing",
            "write for example controller = \"cubic?resume\", or leave saved out",
        ));
    }
    let RawSaved { rtt, window, age } = &raw.value;
    if rtt.value.0.is_zero() {
        return Err(Problem::at(
            &rtt.span,
            "no path has a round trip of 0 s",
            "give the round trip that was found, for example \"600 ms\"",
        ));
    }
    if window.value == 0 {
        return Err(Problem::at(
            &window.span,
            "a window of 0 segments is nothing to resume from",
            "give the segments that were delivered per round trip, for example 2500",
        ));
    }
    Ok(Saved {
        rtt: rtt.value.0,
        window: Segments::new(f64::from(window.value)),
        age: age.as_ref().map_or(Span::ZERO, |age| age.value.0),
    })
}

/// Returns the times in which the flow offers no data.
fn pauses(
    written: &RawFlow,
    workload: &Workload,
    (start, stop): (Time, Option<Time>),
    duration: Span,
) -> Checked<Vec<Pause>> {
    let Some(raw) = &written.pauses else { return Ok(Vec::new()) };
    if !matches!(workload, Workload::Bulk | Workload::Constant(_) | Workload::Frames(_)) {
        let message = "only bulk data, a rate and frames can pause; other workloads have silences of their own";
        return Err(Problem::at(
            &raw.span,
            message,
            "leave pauses out, or take workload = \"bulk\"",
        ));
    }
    let mut pauses: Vec<Pause> = Vec::new();
    for written in &raw.value {
        let (from, to) = (Time::ZERO + written.value.0.0, Time::ZERO + written.value.1.0);
        let refuse = |message: String, help: &str| Err(Problem::at(&written.span, message, help));
        if from >= to {
            return refuse(
                format!("a pause from {from} to {to} is none"),
                "let it end after it begins: [[\"10 s\", \"16 s\"]]",
            );
        }
        if let Some(before) = pauses.last().filter(|before| from <= before.to) {
            return refuse(
                format!("the pause before lasts until {}", before.to),
                "let pauses be in order and apart, or write one for both",
            );
        }
        if from >= Time::ZERO + duration {
            return refuse(
                format!("a pause at {from} never happens, because the run lasts {duration}"),
                "let it begin earlier",
            );
        }
        if to <= start {
            return refuse(
                format!("the flow starts at {start}, when this pause is over"),
                "let it end after the flow's start",
            );
        }
        if let Some(stop) = stop.filter(|stop| from >= *stop) {
            return refuse(
                format!("the flow stops at {stop}, before this pause"),
                "let it begin before the flow's stop",
            );
        }
        pauses.push(Pause { from, to });
    }
    Ok(pauses)
}

/// Returns the `count` flows of a table.
fn copies(raw: &At<RawFlow>, flow: &Flow, duration: Span) -> Checked<Vec<Flow>> {
    let written = &raw.value;
    let count = match &written.count {
        Some(count) if count.value == 0 => {
            return Err(Problem::at(
                &count.span,
                "a count of 0 makes no flow",
                "give 1 or more, or take the [[flow]] out",
            ));
        }
        Some(count) if count.value > MOST_FLOWS => return Err(too_many(&count.span)),
        Some(count) => count.value,
        None => 1,
    };
    let stagger = match &written.stagger {
        Some(stagger) if written.count.is_none() => {
            return Err(Problem::at(
                &stagger.span,
                "stagger needs more than one flow",
                "add count = 2 or more, or use start",
            ));
        }
        Some(stagger) => stagger.value.0,
        None => Span::ZERO,
    };
    let later = |index: u64| flow.start + stagger * index;
    let last = later(count - 1);
    if let Some(stagger) = &written.stagger
        && last.since(Time::ZERO) >= duration
    {
        return Err(never_starts(
            &stagger.span,
            &format!("flow {count} of {count}"),
            last,
            duration,
        ));
    }
    if let (Some(stop), Some(written)) = (flow.stop, &written.stop)
        && stop <= last
    {
        return Err(Problem::at(
            &written.span,
            format!("the flow would stop at {stop}, but it starts at {last}"),
            "let it stop after its start",
        ));
    }
    let stop = flow.stop.filter(|stop| stop.since(Time::ZERO) < duration);
    let copy = |index: u64| {
        let numbered =
            |name: &String| if count == 1 { name.clone() } else { format!("{name}.{}", index + 1) };
        Flow {
            name: numbered(&flow.name),
            stream: numbered(&flow.stream),
            start: later(index),
            stop,
            ..flow.clone()
        }
    };
    Ok((0..count).map(copy).collect())
}

fn routes(
    raw: &At<RawFlow>,
    map: &Map,
    (from, to): (NodeId, NodeId),
    acknowledged: bool,
) -> Checked<(Vec<LinkId>, Vec<LinkId>)> {
    let written = &raw.value;
    let no_way = |from: &At<String>, to: &At<String>| {
        Problem::at(
            &written.to.span,
            format!("there is no way from \"{}\" to \"{}\"", from.value, to.value),
            "add the links that are missing; a [[link]] with between leads both ways, one with from and to only one way",
        )
    };
    let route = match &written.route {
        Some(route) => map.written(route, from, to)?,
        None => map.shortest(from, to).ok_or_else(|| no_way(&written.from, &written.to))?,
    };
    let back = match (&written.back, acknowledged) {
        (Some(back), false) => {
            return Err(Problem::at(
                &back.span,
                "a flow without a controller is not acknowledged, so nothing comes back",
                "leave back out",
            ));
        }
        (None, false) => Vec::new(),
        (Some(back), true) => map.written(back, to, from)?,
        (None, true) => map
            .reverse(&route)
            .or_else(|| map.shortest(to, from))
            .ok_or_else(|| no_way(&written.to, &written.from))?,
    };
    Ok((route, back))
}

fn controller(text: &At<String>, chosen: Choice, transport: &Transport) -> Checked<Choice> {
    let setup = Setup {
        mss: transport.mss,
        headers: transport.headers,
        initial_window: Segments::new(f64::from(transport.initial_window)),
        ..Setup::default()
    };
    let made = match chosen.entry().guest(&setup, &chosen.params()) {
        Some(guest) => guest.map(drop),
        None => chosen.build(&setup).map(drop),
    };
    match made {
        Ok(()) => Ok(chosen),
        Err(error) => Err(refused_parameters(text, &error)),
    }
}

fn never_starts(span: &Range<usize>, what: &str, start: Time, duration: Span) -> Box<Problem> {
    let message = format!("{what} would start at {start}, when the run of {duration} is over");
    Problem::at(span, message, "start earlier, or make the duration longer")
}

fn too_many(span: &Range<usize>) -> Box<Problem> {
    Problem::at(span, format!("these are more than {MOST_FLOWS} flows"), "make the count smaller")
}

/// The names of flows, each used once.
struct Names {
    taken: BTreeMap<String, Range<usize>>,
    /// Names before `count` numbers them; default names avoid them.
    bases: BTreeMap<String, Range<usize>>,
    /// Next number of each default name; lower numbers are taken.
    next: BTreeMap<String, u64>,
}

impl Names {
    fn new(raw: &RawScenario) -> Checked<Names> {
        let mut bases: BTreeMap<String, Range<usize>> = BTreeMap::new();
        for name in raw.flow.iter().filter_map(|flow| flow.value.name.as_ref()) {
            if let Some(first) = bases.insert(name.value.clone(), name.span.clone()) {
                return Err(Names::twice(&name.value, &name.span, &first));
            }
        }
        Ok(Names { taken: BTreeMap::new(), bases, next: BTreeMap::new() })
    }

    /// Returns `base`, with a number from the second use on.
    fn default(&mut self, base: &str) -> String {
        let next = self.next.entry(base.to_owned()).or_insert(1);
        loop {
            let name = if *next == 1 { base.to_owned() } else { format!("{base}-{next}") };
            *next += 1;
            if !self.bases.contains_key(&name) {
                self.bases.insert(name.clone(), 0..0);
                return name;
            }
        }
    }

    fn take(&mut self, name: &str, span: &Range<usize>) -> Checked<()> {
        match self.taken.insert(name.to_owned(), span.clone()) {
            Some(first) => Err(Names::twice(name, span, &first)),
            None => Ok(()),
        }
    }

    fn twice(name: &str, span: &Range<usize>, first: &Range<usize>) -> Box<Problem> {
        Problem::at(span, format!("two flows are called \"{name}\""), "rename one of the two")
            .and(first, "the first")
    }
}
