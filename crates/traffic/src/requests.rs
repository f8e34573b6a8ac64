//! Contents asked for at random in an information-centric network: when, where, which, and how long
//! they are.

use crate::contents::{ContentId, Contents};
use narrows_scenario::{Catalogue, Icn, RequestProcess};
use narrows_units::{Random, Span, Time};

/// One content asked for, by a consumer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When.
    pub at: Time,
    /// The place of its process in [`Icn::requests`].
    pub process: usize,
    /// The place of the node in [`RequestProcess::at`].
    pub node: usize,
    /// The flow that its consumer counts for: of the process at the node, in the order of
    /// [`Icn::names`].
    pub flow: usize,
    /// The content that it asks for.
    pub content: ContentId,
    /// Data packets of the content.
    pub segments: u64,
    /// Of the random choices of its consumer.
    pub seed: u64,
}

/// All request processes of a scenario. A world takes the next request when [`Requests::due`] has
/// come, or all of them before the run: each world sees the same ones.
#[derive(Clone, Debug)]
pub struct Requests<'a> {
    icn: &'a Icn,
    seed: u64,
    draws: Vec<Draws>,
}

impl<'a> Requests<'a> {
    /// Those of a scenario with this seed. Contents of catalogues are added to `contents`, which
    /// must be those of the same scenario.
    pub fn new(seed: u64, icn: &'a Icn, contents: &mut Contents) -> Requests<'a> {
        let mut first_flow = icn.consumers.len();
        let mut draws = Vec::new();
        for process in &icn.requests {
            draws.push(Draws::new(seed, process, contents, first_flow));
            first_flow += process.at.len();
        }
        Requests { icn, seed, draws }
    }

    /// When the next request comes; [`Time::NEVER`] if none does.
    #[inline]
    pub fn due(&self) -> Time {
        self.first().map_or(Time::NEVER, |(at, _)| at)
    }

    /// The next request: the earliest, among several at one time the first process's. A content
    /// that is asked for once is added to `contents`. `None` if no more come.
    pub fn next(&mut self, contents: &mut Contents) -> Option<Request> {
        let (at, process) = self.first().filter(|(at, _)| *at < Time::NEVER)?;
        Some(self.draws[process].next(
            &self.icn.requests[process],
            process,
            at,
            self.seed,
            contents,
        ))
    }

    fn first(&self) -> Option<(Time, usize)> {
        self.draws.iter().enumerate().map(|(process, draws)| (draws.next, process)).min()
    }
}

/// The draws of a request process.
#[derive(Clone, Debug)]
struct Draws {
    times: Random,
    places: Random,
    choices: Random,
    lengths: Random,
    /// When its next content is asked for.
    next: Time,
    /// The flow of its first node.
    first_flow: usize,
    /// For each prefix of the process, the contents of the catalogue with their lengths.
    catalogue: Vec<Vec<(ContentId, u64)>>,
    /// How likely a content of the catalogue or one before it is.
    popularity: Vec<f64>,
    asked: u64,
}

impl Draws {
    fn new(
        seed: u64,
        process: &RequestProcess,
        contents: &mut Contents,
        first_flow: usize,
    ) -> Draws {
        let stream = |what: &str| Random::stream(seed, &format!("request {} {what}", process.name));
        let mut lengths = stream("lengths");
        let mut catalogue = Vec::new();
        let mut popularity = Vec::new();
        if let Some(Catalogue { contents: count, zipf }) = process.catalogue {
            for prefix in &process.prefixes {
                let all = (0..count).map(|_| {
                    (contents.add(*prefix, first_flow as u32), length(process, &mut lengths))
                });
                catalogue.push(all.collect());
            }
            let mut sum = 0.0;
            popularity = (1..=count)
                .map(|rank| {
                    sum += libm::pow(f64::from(rank), -zipf);
                    sum
                })
                .collect();
        }
        let places = stream("places");
        let choices = stream("contents");
        let next = Time::NEVER;
        let mut draws = Draws {
            times: stream("times"),
            places,
            choices,
            lengths,
            next,
            first_flow,
            catalogue,
            popularity,
            asked: 0,
        };
        draws.wait(process, process.start);
        draws
    }

    /// Draws when the next content is asked for, after one at `now`.
    fn wait(&mut self, process: &RequestProcess, now: Time) {
        let next = now + Span::from_secs_f64(self.times.exponential(process.every.as_secs_f64()));
        self.next = if process.stop.is_some_and(|stop| next >= stop) { Time::NEVER } else { next };
    }

    /// The content that is asked for now.
    fn next(
        &mut self,
        process: &RequestProcess,
        number: usize,
        at: Time,
        seed: u64,
        contents: &mut Contents,
    ) -> Request {
        let node = self.places.below(process.at.len() as u64) as usize;
        let chosen = self.choices.below(process.prefixes.len() as u64) as usize;
        let flow = self.first_flow + node;
        let (content, segments) = match self.catalogue.get(chosen) {
            Some(all) => {
                let total = self.popularity.last().copied().unwrap_or(1.0);
                let point = self.choices.uniform() * total;
                all[self.popularity.partition_point(|sum| *sum <= point).min(all.len() - 1)]
            }
            None => (
                contents.add(process.prefixes[chosen], flow as u32),
                length(process, &mut self.lengths),
            ),
        };
        self.asked += 1;
        self.wait(process, at);
        let seed =
            Random::stream(seed, &format!("request {} consumer {}", process.name, self.asked))
                .bits();
        Request { at, process: number, node, flow, content, segments, seed }
    }
}

fn length(process: &RequestProcess, random: &mut Random) -> u64 {
    let mut point = random.uniform();
    let drawn = process.segments.iter().find(|(_, share)| {
        point -= share;
        point < 0.0
    });
    drawn.or(process.segments.last()).map_or(1, |(number, _)| *number)
}
