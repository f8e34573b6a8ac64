//! Which contents there are, how long they are, and whose they are.

use narrows_icn::{Interned, InternedContent};
use narrows_scenario::{Catalogue, Icn, PrefixId, RequestProcess};
use narrows_units::Random;
use std::collections::BTreeMap;

/// The contents under all prefixes, numbered in the order in which they become known.
#[derive(Debug)]
pub(crate) struct Contents {
    /// Of each prefix, the flow that each of its contents is counted for: that which asked first.
    owners: Vec<Vec<u32>>,
    /// Contents with a name.
    named: BTreeMap<(usize, String), u32>,
}

impl Contents {
    pub(crate) fn new(icn: &Icn) -> Contents {
        Contents { owners: vec![Vec::new(); icn.prefixes.len()], named: BTreeMap::new() }
    }

    /// A content that nobody else asks for.
    pub(crate) fn add(&mut self, prefix: PrefixId, flow: u32) -> InternedContent {
        let owners = &mut self.owners[prefix.0];
        owners.push(flow);
        InternedContent { prefix: prefix.0 as u32, content: owners.len() as u32 - 1 }
    }

    /// The content of this name.
    pub(crate) fn named(&mut self, prefix: PrefixId, name: &str, flow: u32) -> InternedContent {
        let key = (prefix.0, name.to_owned());
        if let Some(content) = self.named.get(&key) {
            return InternedContent { prefix: prefix.0 as u32, content: *content };
        }
        let added = self.add(prefix, flow);
        self.named.insert(key, added.content);
        added
    }

    /// The flow that a packet with this name is counted for.
    pub(crate) fn owner(&self, name: &Interned) -> Option<u32> {
        let content = name.content_id()?;
        self.owners[content.prefix as usize].get(content.content as usize).copied()
    }
}

/// What a request process draws: when the next content is asked for, where, which, and how long it is.
#[derive(Debug)]
pub(crate) struct Draws {
    times: Random,
    places: Random,
    choices: Random,
    lengths: Random,
    /// Of each prefix of the process, the contents of the catalogue with their lengths.
    catalogue: Vec<Vec<(InternedContent, u64)>>,
    /// How likely a content of the catalogue or one before it is.
    popularity: Vec<f64>,
    asked: u64,
}

/// One content asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    /// The place of the node in the process's list.
    pub(crate) at: usize,
    pub(crate) prefix: PrefixId,
    pub(crate) content: InternedContent,
    pub(crate) segments: u64,
    /// How many the process has asked for, this one included.
    pub(crate) number: u64,
}

impl Draws {
    /// `flow` is that of the process's first node.
    pub(crate) fn new(seed: u64, process: &RequestProcess, contents: &mut Contents, flow: u32) -> Draws {
        let stream = |what: &str| Random::stream(seed, &format!("request {} {what}", process.name));
        let mut lengths = stream("lengths");
        let (mut catalogue, mut popularity) = (Vec::new(), Vec::new());
        if let Some(Catalogue { contents: count, zipf }) = process.catalogue {
            for prefix in &process.prefixes {
                let all = (0..count).map(|_| (contents.add(*prefix, flow), length(process, &mut lengths)));
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
        Draws { times: stream("times"), places: stream("places"), choices: stream("contents"), lengths, catalogue, popularity, asked: 0 }
    }

    /// Seconds until the next content is asked for.
    pub(crate) fn wait(&mut self, process: &RequestProcess) -> f64 {
        self.times.exponential(process.every.as_secs_f64())
    }

    /// The next content; `flow` is that of the process's first node.
    pub(crate) fn next(&mut self, process: &RequestProcess, contents: &mut Contents, flow: u32) -> Request {
        let at = self.places.below(process.at.len() as u64) as usize;
        let chosen = self.choices.below(process.prefixes.len() as u64) as usize;
        let prefix = process.prefixes[chosen];
        let (content, segments) = match self.catalogue.get(chosen) {
            Some(all) => {
                let total = self.popularity.last().copied().unwrap_or(1.0);
                let point = self.choices.uniform() * total;
                all[self.popularity.partition_point(|sum| *sum <= point).min(all.len() - 1)]
            }
            None => (contents.add(prefix, flow + at as u32), length(process, &mut self.lengths)),
        };
        self.asked += 1;
        Request { at, prefix, content, segments, number: self.asked }
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
