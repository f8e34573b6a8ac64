//! The page of a run that goes on.

use super::frame::{Frame, Plots, fill};
use super::over_time::over_time;
use super::plots::{self, Budget, plots};
use crate::setup::setup;
use crate::{Case, Comparison};
use narrows_measure::{FlowSample, Follower, LinkSample, Record};
use narrows_units::{Span, Time};
use serde::Serialize;

const MAIN: &str = include_str!("assets/underway.html");
const CSS: &str = include_str!("assets/underway.css");
const JS: &str = concat!(include_str!("assets/time.js"), include_str!("assets/underway.js"));

/// What is sent again and again is less than what a report has.
const OFTEN: Budget = Budget { first: 20_000, finer: 0 };

/// Samples that are kept of a run: of a longer or larger one every second, third and so on.
const KEPT: u64 = 200_000;

/// A command's runs, of which one goes on: it follows them, and its page shows how far they are.
#[derive(Clone, Debug)]
pub struct Underway {
    title: String,
    names: Vec<String>,
    /// How many have begun.
    begun: usize,
    /// The latest: its record as it began, with the samples that are kept.
    record: Option<Record>,
    /// Time from one kept sample to the next.
    every: Span,
    /// When the latest sample was taken, and the latest of all, which differ while the parts of a network are run one after another.
    at: Time,
    reached: Time,
    heard: u64,
}

/// What the page is told.
#[derive(Serialize)]
struct Told<'a> {
    /// Which run it is, from 1 on, of how many, and its name.
    run: usize,
    runs: usize,
    name: &'a str,
    /// The time that its samples have reached, in seconds.
    at: f64,
    setup: String,
    #[serde(flatten)]
    plots: plots::Plots<'a>,
}

impl Underway {
    /// Runs under this title, one after another, with a name each. None has begun.
    pub fn new(title: impl Into<String>, names: Vec<String>) -> Underway {
        let (every, at) = (Span::ZERO, Time::ZERO);
        Underway {
            title: title.into(),
            names,
            begun: 0,
            record: None,
            every,
            at,
            reached: at,
            heard: 0,
        }
    }

    /// How often something was heard of the runs: no two states of them have the same number.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// The page, with what is known so far. It asks for the state of the runs at `events` beside it, a stream of server-sent events each of which has
    /// [`Underway::json`] as its data; at an event called `end` it loads its own address again.
    pub fn html(&self) -> String {
        let comparison = self.so_far();
        let seeds: Vec<u64> = self.record.iter().map(|record| record.seed).collect();
        let main = fill(MAIN, &[("time", &over_time(&comparison, &seeds))]);
        let frame = Frame {
            title: &self.title,
            css: CSS,
            above: "<p class=\"setup\"></p>\n".to_owned(),
            version: &comparison.version,
            reading: include_str!("assets/reading/comparison.html"),
            plots: Some(Plots { data: self.json(), js: JS }),
        };
        frame.around(&main)
    }

    /// The run that goes on: its number and name, the time reached in seconds, and what is drawn of it. `null` before the first has begun.
    pub fn json(&self) -> String {
        let comparison = self.so_far();
        let told = self.record.is_some().then(|| Told {
            run: self.begun,
            runs: self.names.len(),
            name: self.names.get(self.begun.saturating_sub(1)).map_or("", String::as_str),
            at: self.at.as_secs_f64(),
            setup: setup(&comparison),
            plots: plots(&comparison, OFTEN),
        });
        serde_json::to_string(&told).unwrap_or_default()
    }

    /// What is known of the run that goes on.
    fn so_far(&self) -> Comparison {
        let runs: Vec<Record> =
            self.record.iter().map(|record| record.so_far(self.reached)).collect();
        let case = (!runs.is_empty()).then(|| Case {
            label: self.title.clone(),
            scenario_toml: String::new(),
            runs,
        });
        Comparison::new(&self.title, case.into_iter().collect(), "")
    }

    fn keeps(&self, at: Time) -> bool {
        at.as_nanos().is_multiple_of(self.every.as_nanos().max(1))
    }
}

impl Follower for Underway {
    fn begun(&mut self, record: Record) {
        let samples = record.duration.as_nanos() / record.interval.as_nanos().max(1);
        let series = (record.flows.len() + record.links.len()) as u64;
        self.every = record.interval * (samples * series).div_ceil(KEPT).max(1);
        self.record = Some(Record { interval: self.every, ..record });
        (self.at, self.reached) = (Time::ZERO, Time::ZERO);
        self.begun += 1;
        self.heard += 1;
    }

    fn sampled(&mut self, flows: &[(usize, FlowSample)], links: &[(usize, LinkSample)]) {
        let first = flows
            .first()
            .map(|(_, sample)| sample.at)
            .or_else(|| links.first().map(|(_, sample)| sample.at));
        let Some(at) = first.filter(|at| self.keeps(*at)) else { return };
        let Some(record) = &mut self.record else { return };
        for (flow, sample) in flows {
            record.flows[*flow].samples.push(*sample);
        }
        for (link, sample) in links {
            record.links[*link].samples.push(*sample);
        }
        (self.at, self.reached) = (at, self.reached.max(at));
        self.heard += 1;
    }
}
