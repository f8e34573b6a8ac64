//! How Interests follow paths that Data has shown, in each of the forms (MIRCC, section 4.2).

use super::fib::NextHop;
use super::pit::OutRecord;
use super::strategy::{AnyStrategy, Hops, Strategy, weighted};
use crate::{Bloom, FaceId, Form, Hint, Labels, Reason, Route, Steer, extend};
use hashbrown::HashTable;
use narrows_units::Random;

/// A path that Data has come by: its hash as it left here, the face it came in on, and its hash as it came.
#[derive(Clone, Copy, Debug)]
struct Path {
    after: u64,
    face: FaceId,
    before: u64,
}

/// The way an Interest takes from here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) face: FaceId,
    /// There was a choice.
    pub(crate) split: bool,
    /// It was to take another way, which is not there.
    pub(crate) fallback: bool,
    /// The random value it carries, if the form has one.
    pub(crate) random: u64,
}

/// What a node knows of paths.
#[derive(Clone, Debug)]
pub(crate) struct Steering {
    node: u64,
    form: Form,
    strategy: AnyStrategy,
    random: Random,
    paths: HashTable<Path>,
}

impl Steering {
    pub(crate) fn new(node: u64, form: Form, strategy: AnyStrategy, random: Random) -> Steering {
        Steering { node, form, strategy, random, paths: HashTable::new() }
    }

    /// The way that an Interest takes which came from `from`, and in `steer` what it carries on from here. `label` tells the label of a face.
    pub(crate) fn choose(
        &mut self,
        all: &[NextHop],
        from: FaceId,
        label: impl Fn(FaceId) -> u16,
        steer: &mut Steer,
    ) -> Result<Way, Reason> {
        let hops = Hops::new(all, from);
        let mut iter = hops.iter();
        let first = iter.next().ok_or(Reason::NoRoute)?;
        let split = iter.next().is_some();
        let way = |hop: NextHop| Way { face: hop.face, split, fallback: false, random: 0 };
        let mut missed = false;
        match (self.form, &mut steer.hint) {
            (Form::Labels, Hint::Labels(labels)) => {
                if let Some(top) = labels.pop() {
                    match hops.iter().find(|hop| label(hop.face) == top) {
                        Some(hop) => return Ok(way(hop)),
                        None => missed = true,
                    }
                }
            }
            (Form::Hashes, Hint::Hash(hash)) if *hash != 0 => {
                let known = self.paths.find(*hash, |path| path.after == *hash);
                match known.and_then(|path| Some((path.before, hops.iter().find(|hop| hop.face == path.face)?))) {
                    Some((before, hop)) => {
                        *hash = before;
                        return Ok(way(hop));
                    }
                    None => missed = true,
                }
            }
            (Form::Random, hint) => {
                let random = match *hint {
                    Hint::Random(random) => random,
                    _ => self.random.bits(),
                };
                *hint = Hint::Random(random);
                let hop = weighted(hops.iter(), mix(random ^ extend(0, self.node, 0))).unwrap_or(first);
                return Ok(Way { random, ..way(hop) });
            }
            (Form::Bloom, Hint::Bloom(bloom)) if split => {
                let draw = self.random.bits();
                match weighted(hops.iter().filter(|hop| bloom.contains(self.link(label(hop.face)))), draw) {
                    Some(hop) => return Ok(way(hop)),
                    None => missed = true,
                }
            }
            _ => {}
        }
        if missed {
            if steer.strict {
                return Err(Reason::InvalidLabel);
            }
            // What is left of a path that ended here leads elsewhere; links of a filter are still links.
            if !matches!(steer.hint, Hint::Bloom(_)) {
                steer.hint = Hint::None;
            }
        }
        let hop = if split { self.strategy.choose(hops, &mut self.random).unwrap_or(first) } else { first };
        Ok(Way { fallback: missed, ..way(hop) })
    }

    /// Data or a refusal came in on `face`, whose label is `label`; `asked` is how it was asked for there. Extends its route by that hop.
    pub(crate) fn extend(&mut self, route: &mut Route, face: FaceId, label: u16, asked: Option<&OutRecord>) {
        let before = route.id;
        route.id = extend(before, self.node, label);
        match self.form {
            Form::Labels => {
                let mut labels = if let Hint::Labels(labels) = route.hint { labels } else { Labels::default() };
                // A path that is too long for the bitmap keeps the labels next to the responder.
                let _ = labels.push(label);
                route.hint = Hint::Labels(labels);
            }
            Form::Hashes => {
                let after = route.id;
                if self.paths.find(after, |path| path.after == after).is_none() {
                    self.paths.insert_unique(after, Path { after, face, before }, |path| path.after);
                }
                route.hint = Hint::Hash(after);
            }
            Form::Random => {
                if let Some(out) = asked {
                    route.hint = Hint::Random(out.random);
                }
            }
            Form::Bloom => {
                let mut bloom = if let Hint::Bloom(bloom) = route.hint { bloom } else { Bloom::default() };
                if asked.is_some_and(|out| out.split) {
                    bloom.insert(self.link(label));
                }
                route.hint = Hint::Bloom(bloom);
            }
        }
    }

    /// The key of a link in a filter.
    fn link(&self, label: u16) -> u64 {
        extend(0, self.node, label)
    }
}

/// A hash of 64 bits whose every bit follows every bit of `value` (SplitMix64, Steele, Lea and Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
