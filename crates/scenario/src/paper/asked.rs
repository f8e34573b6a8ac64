//! Numbers of runs that plots and claims use, and the parts that a run must have for them.

use super::places::RawNames;
use crate::Scenario;
use crate::error::{Checked, Problem};
use crate::text::{At, Quantity};
use narrows_measure::metrics::{METRICS, Metric, metric};
use narrows_params::suggest;
use narrows_units::{Span, Time};
use std::ops::Range;

/// A number of a run: a metric of the whole run after its warm-up or of a window, of all or some
/// flows, at the bottleneck or at another link.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The metric.
    pub metric: &'static Metric,
    /// Begin and end of the window; `None` for the end of the warm-up to the end of the run.
    pub window: Option<(Time, Time)>,
    /// Flows of the metric, by their names in the file; empty for all flows.
    pub flows: Vec<String>,
    /// Link that the metric takes as the bottleneck; `None` if the metric finds it itself.
    pub link: Option<String>,
}

impl PartialEq for Asked {
    fn eq(&self, other: &Asked) -> bool {
        self.metric.name == other.metric.name
            && self.window == other.window
            && self.flows == other.flows
            && self.link == other.link
    }
}

/// True if `wanted` names the flow, or the table of which the flow is a copy.
pub fn is_named(flow: &str, wanted: &str) -> bool {
    let copy = |rest: &str| {
        rest.strip_prefix('.').is_some_and(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    flow.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || copy(rest))
}

/// Requirements that can only be checked with the scenarios of the cells, each with its cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits(Vec<(Vec<usize>, Limit)>);

/// A requirement on the run of a cell.
#[derive(Clone, Debug)]
enum Limit {
    Length(Time, Range<usize>),
    Flow(At<String>),
    Link(At<String>),
    Icn(At<String>),
}

impl Limits {
    /// Reads a metric with its window, flows and link, and requires these of the cells.
    pub fn asked(
        &mut self,
        name: &At<String>,
        window: Option<&At<Vec<Quantity<Span>>>>,
        flows: Option<&RawNames>,
        link: Option<&At<String>>,
        cells: &[usize],
    ) -> Checked<Asked> {
        let Some(metric) = metric(&name.value) else {
            let help = suggest(&name.value, "metrics", METRICS.iter().map(|metric| metric.name));
            return Err(Problem::at(
                &name.span,
                format!("there is no metric \"{}\"", name.value),
                help,
            ));
        };
        let window = window.map(|written| self.window(written, cells)).transpose()?;
        Ok(Asked { metric, window, flows: self.flows(flows, cells), link: self.link(link, cells) })
    }

    /// Reads names of flows, and requires the flows of the cells.
    pub fn flows(&mut self, names: Option<&RawNames>, cells: &[usize]) -> Vec<String> {
        let names = names.map_or(&[][..], |names| &names.0[..]);
        self.0.extend(names.iter().map(|name| (cells.to_vec(), Limit::Flow(name.clone()))));
        names.iter().map(|name| name.value.clone()).collect()
    }

    /// Reads the name of a link, and requires the link of the cells.
    pub fn link(&mut self, name: Option<&At<String>>, cells: &[usize]) -> Option<String> {
        self.0.extend(name.map(|name| (cells.to_vec(), Limit::Link(name.clone()))));
        name.map(|name| name.value.clone())
    }

    /// Requires an information-centric network of the cells.
    pub fn icn(&mut self, name: &At<String>, cells: &[usize]) {
        self.0.push((cells.to_vec(), Limit::Icn(name.clone())));
    }

    fn window(
        &mut self,
        written: &At<Vec<Quantity<Span>>>,
        cells: &[usize],
    ) -> Checked<(Time, Time)> {
        let refuse = |message: String| {
            Problem::at(
                &written.span,
                message,
                "give from when to when, for example [\"10 s\", \"20 s\"]",
            )
        };
        let [Quantity(from), Quantity(to)] = written.value[..] else {
            return Err(refuse("a window has two ends".to_owned()));
        };
        if from >= to {
            return Err(refuse(format!("{to} does not come after {from}")));
        }
        self.0.push((cells.to_vec(), Limit::Length(Time::ZERO + to, written.span.clone())));
        Ok((Time::ZERO + from, Time::ZERO + to))
    }

    pub fn check(&self, cell: usize, scenario: &Scenario) -> Checked<()> {
        self.0
            .iter()
            .filter(|(cells, _)| cells.contains(&cell))
            .try_for_each(|(_, limit)| limit.check(scenario))
    }
}

impl Limit {
    fn check(&self, scenario: &Scenario) -> Checked<()> {
        let flows = scenario.traffic();
        let flows = || flows.iter().map(String::as_str);
        let links = || scenario.links.iter().map(|link| link.name.as_str());
        match self {
            Limit::Length(to, span) if *to > Time::ZERO + scenario.duration => {
                let message = format!(
                    "the window ends at {}, and the run at {}",
                    to.since(Time::ZERO),
                    scenario.duration
                );
                Err(Problem::at(
                    span,
                    message,
                    "end it with the run; quick = { window = [...] } gives one of its own to --quick",
                ))
            }
            Limit::Flow(name) if !flows().any(|flow| is_named(flow, &name.value)) => {
                let help = suggest(&name.value, "flows", flows());
                Err(Problem::at(&name.span, format!("no flow is called \"{}\"", name.value), help))
            }
            Limit::Link(name) if !links().any(|link| link == name.value) => {
                let help = suggest(&name.value, "links", links());
                Err(Problem::at(&name.span, format!("no link is called \"{}\"", name.value), help))
            }
            Limit::Icn(name) if scenario.icn.is_none() => {
                let message = format!(
                    "\"{}\" exists only in information-centric networks, and this one has no [icn]",
                    name.value
                );
                Err(Problem::at(
                    &name.span,
                    message,
                    "trace a flow or a link of it, for example \"throughput\" or \"queue\"",
                ))
            }
            _ => Ok(()),
        }
    }
}
