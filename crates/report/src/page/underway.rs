//! The page of a run in progress.

use super::frame::{self, Frame, Plots, fill, setup as setup_line};
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

/// Limits on the plotted points. They are lower than those of a report, because the data is sent
/// again and again.
const OFTEN: Budget = Budget { first: 20_000, finer: 0 };

/// Limit on the samples stored of a run. If a run has more, only every second, third and so on is
/// stored.
const KEPT: u64 = 200_000;

/// The runs of a command with their progress. It follows the current run, and its page shows the
/// state of that run.
#[derive(Clone, Debug)]
pub struct Underway {
    title: String,
    names: Vec<String>,
    /// Number of runs that have begun.
    begun: usize,
    /// The current run: its record at the start, with the samples stored since.
    record: Option<Record>,
    /// Time between stored samples.
    every: Span,
    /// Time of the latest sample, and the largest sample time so far. They differ if the parts of a
    /// network run one after another.
    at: Time,
    reached: Time,
    heard: u64,
}

/// The data that the page receives.
#[derive(Serialize)]
struct Told<'a> {
    /// Number of the current run, starting at 1; the number of runs; and the name of the run.
    run: usize,
    runs: usize,
    name: &'a str,
    /// Time of the latest sample, in seconds.
    at: f64,
    setup: String,
    #[serde(flatten)]
    plots: plots::Plots<'a>,
}

impl Underway {
    /// Creates a series of runs with this title. The runs follow one another, each with a name. No
    /// run has begun.
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

    /// Returns the number of updates. It differs between any two states of the runs.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// Returns the page with the data so far. The page reads the state of the runs from the
    /// relative address `events`: a stream of server-sent events, each with [`Underway::json`] as
    /// its data. At an event named `end` it reloads its own address.
    pub fn html(&self) -> String {
        let comparison = self.so_far();
        let seeds: Vec<u64> = self.record.iter().map(|record| record.seed).collect();
        let main = fill(MAIN, &[("time", over_time(&comparison, &seeds))]);
        let frame = Frame {
            title: &self.title,
            css: CSS,
            above: setup_line(""),
            version: &comparison.version,
            reading: include_str!("assets/reading/comparison.html"),
            explained: frame::PLOTS_AND_METRICS,
            plots: Some(Plots { data: self.json(), js: JS }),
        };
        frame.around(main)
    }

    /// Returns the state of the current run as JSON: its number and name, the time of the latest
    /// sample in seconds, and the data of the plots. `null` before the first run has begun.
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

    /// Returns the current run with its samples so far.
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
