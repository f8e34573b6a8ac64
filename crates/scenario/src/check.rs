//! Checks raw structures and builds the scenario from them.

mod buffers;
mod changes;
mod common;
mod expect;
mod flows;
mod guest;
mod links;
mod routes;
mod traces;
mod transport;
mod workload;

pub(crate) use common::{checked_name, choice, refused_parameters};
pub(crate) use links::default_burst_rate;

use crate::controllers;
use crate::error::{Checked, Problem};
use crate::icn;
use crate::raw::RawScenario;
use crate::text::{At, Quantity};
use crate::{LinkId, ReadFile, Scenario, What, paths};
use narrows_units::Span;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Checks all parts, each after the parts that it depends on.
pub(crate) fn check(raw: &mut RawScenario, file: &str, read: &ReadFile) -> Checked<Scenario> {
    controllers::resolve(raw, file)?;
    let raw = &*raw;
    if let Some(sweep) = &raw.sweep {
        return Err(Problem::at(
            &sweep.span,
            "this file describes many runs",
            format!("run it with: narrows sweep {file}"),
        ));
    }
    let duration = raw.duration.value.0;
    if duration.is_zero() {
        return Err(Problem::at(
            &raw.duration.span,
            "duration must be greater than zero",
            "give a duration above zero, for example \"60 s\"",
        ));
    }
    let warmup = raw.warmup.as_ref().map_or(Span::ZERO, |warmup| warmup.value.0);
    if let Some(written) = &raw.warmup
        && warmup >= duration
    {
        return Err(Problem::at(
            &written.span,
            format!("the warm-up of {warmup} must be shorter than the run, which lasts {duration}"),
            "make the warm-up shorter than the duration",
        )
        .and(&raw.duration.span, "the duration"));
    }
    let interval = match &raw.sample {
        Some(sample) => check_interval(sample, duration)?,
        None => Span::ZERO,
    };
    let name = match &raw.name {
        Some(name) => checked_name(name)?,
        None => Path::new(file)
            .file_stem()
            .map_or("scenario".to_owned(), |stem| stem.to_string_lossy().into_owned()),
    };
    let network = links::check(raw, duration, read)?;
    let links::Network { nodes, links, buffers, twins } = network;
    let mut scenario = Scenario {
        name,
        seed: raw.seed.unwrap_or(1),
        duration,
        warmup,
        interval,
        send_overhead: raw.send_overhead.unwrap_or(true),
        nodes,
        links,
        flows: Arc::default(),
        icn: None,
        changes: Vec::new(),
        expect: expect::check(raw)?,
    };
    scenario.icn = icn::check(raw, &scenario, &twins)?;
    if scenario.icn.is_none() {
        scenario.flows = Arc::new(flows::check(raw, &scenario, &twins)?);
    }
    let series = scenario.traffic().len() + scenario.links.len();
    match &raw.sample {
        Some(sample) => check_samples(sample, duration, series)?,
        None => scenario.interval = default_interval(duration, series),
    }
    buffers::resolve(&mut scenario, &buffers)?;
    buffers::check_bursts(&scenario, |id| written_queue(raw, &scenario.links[id.0].name))?;
    scenario.changes = changes::check(raw, &scenario, &twins)?;
    if let Some(path) = &raw.path {
        check_path(path, &scenario)?;
    }
    Ok(scenario)
}

/// Returns the place of a link's queue in the file. Returns the beginning of the file if an option
/// or a named path has chosen the queue.
fn written_queue(raw: &RawScenario, name: &str) -> Range<usize> {
    let base = name.strip_suffix(".back").unwrap_or(name);
    let link =
        raw.link.iter().find(|link| link.value.name.value == name || link.value.name.value == base);
    let queue = link.and_then(|link| {
        if link.value.name.value == name {
            link.value.forward().queue
        } else {
            link.value.reverse().queue
        }
    });
    queue.map_or(0..0, |queue| queue.span.clone())
}

/// Refuses a named path if no packet of the flows takes it.
fn check_path(path: &At<String>, scenario: &Scenario) -> Checked<()> {
    let own = paths::links(&path.value);
    let is_own = |link: &LinkId| {
        let name = &scenario.links[link.0].name;
        own.iter().any(|own| name == own || name.strip_suffix(".back") == Some(own))
    };
    let later = scenario.changes.iter().filter_map(|change| match &change.what {
        What::Route { route, back, .. } => Some((route, back)),
        What::Link(..) => None,
    });
    let mut routes = scenario.flows.iter().map(|flow| (&flow.route, &flow.back)).chain(later);
    if scenario.icn.is_some() || routes.any(|(route, back)| route.iter().chain(back).any(is_own)) {
        return Ok(());
    }
    Err(Problem::at(
        &path.span,
        format!(
            "no flow takes the path {}, which lies between the nodes \"sender\" and \"receiver\"",
            path.value
        ),
        "let a flow go from \"sender\" to \"receiver\", or leave path out",
    ))
}

fn check_interval(sample: &At<Quantity<Span>>, duration: Span) -> Checked<Span> {
    const LEAST: Span = Span::from_micros(1);
    let interval = sample.value.0;
    if interval < LEAST {
        return Err(Problem::at(
            &sample.span,
            format!("samples {interval} apart are too many"),
            format!("take {LEAST} or more"),
        ));
    }
    if interval > duration {
        return Err(Problem::at(
            &sample.span,
            format!("the run ends after {duration}, before the first sample at {interval}"),
            "sample more often than once per run",
        ));
    }
    Ok(interval)
}

/// Most samples of all flows and links together that a run can keep, our choice: about 5 GB. A
/// sample takes 211 B until the tables are written (measured as the difference between runs with
/// 0.75 and 3 million samples).
const MOST_SAMPLES: u64 = 24_000_000;

/// Refuses a sampling interval with more samples than [`MOST_SAMPLES`], before the run begins.
fn check_samples(sample: &At<Quantity<Span>>, duration: Span, series: usize) -> Checked<()> {
    let samples =
        |interval: Span| (duration.as_nanos() / interval.as_nanos()).saturating_mul(series as u64);
    let interval = sample.value.0;
    if samples(interval) <= MOST_SAMPLES {
        return Ok(());
    }
    let least = steps().find(|step| samples(*step) <= MOST_SAMPLES).unwrap_or(duration);
    Err(Problem::at(
        &sample.span,
        format!(
            "samples every {interval} for {duration} of {series} flows and links are {}, more than the {MOST_SAMPLES} that a run keeps",
            samples(interval)
        ),
        format!("take sample = \"{least}\" or more, or a shorter duration"),
    ))
}

/// Most samples of all flows and links together that a run takes by default: about 210 MB.
const SAMPLES: u64 = 1_000_000;

/// Returns the default sampling interval: a 600th of the run, or longer if that would give more
/// than [`SAMPLES`] samples. It is rounded up to 1, 2 or 5 times a power of ten, and is at least a
/// millisecond, but at most the run.
fn default_interval(duration: Span, series: usize) -> Span {
    let samples = (SAMPLES / series.max(1) as u64).clamp(1, 600);
    let aim = Span::from_nanos(duration.as_nanos().div_ceil(samples)).max(Span::from_millis(1));
    steps().find(|step| *step >= aim).unwrap_or(duration).min(duration)
}

/// Yields 1, 2 and 5 times every power of ten, in nanoseconds.
fn steps() -> impl Iterator<Item = Span> {
    (0..19).flat_map(|power| [1, 2, 5].map(|factor| Span::from_nanos(factor * 10u64.pow(power))))
}
