//! Path steering: Interests follow paths that earlier Data has taken (MIRCC, section 4.3.2, and RFC
//! 9531).

use super::extensions::Extensions;
use super::fib::NextHop;
use super::strategy::{AnyStrategy, Hops, Strategy, weighted};
use crate::face_id::FaceId;
use crate::packet::NackReason;
use crate::route::{Bloom, Hint, HintForm, Route, Steer, extend};
use hashbrown::HashTable;
use narrows_units::Random;
use narrows_wire::Labels;

/// A path that Data has taken: its hash downstream of this node, the face on which the Data
/// arrived, and its hash upstream (MIRCC, section 4.3.2).
#[derive(Clone, Copy, Debug)]
struct Path {
    downstream: u64,
    face: FaceId,
    upstream: u64,
}

/// The face by which an Interest leaves, and how it was chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Egress {
    pub(crate) face: FaceId,
    /// The node had several next hops to choose from.
    pub(crate) split: bool,
    /// The hint names no next hop, so that the strategy chose one.
    pub(crate) fallback: bool,
    /// The random value that the Interest carries, in [`HintForm::Random`].
    pub(crate) random: u64,
}

/// The fate of the hint of an Interest as it leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Turn {
    /// It stays.
    Keep,
    /// Its top label goes.
    Pop,
    /// It goes.
    Drop,
    /// It becomes the hash of the rest of the path.
    Hash(u64),
    /// It becomes this random value.
    Random(u64),
}

impl Turn {
    /// Updates the hint.
    pub(crate) fn apply(self, hint: &mut Hint) {
        match self {
            Turn::Keep => {}
            Turn::Pop => {
                if let Hint::Labels(labels) = hint {
                    labels.pop();
                }
            }
            Turn::Drop => *hint = Hint::None,
            Turn::Hash(hash) => *hint = Hint::Hash(hash),
            Turn::Random(random) => *hint = Hint::Random(random),
        }
    }
}

/// Chooses next hops by hints, and extends the routes of Data.
#[derive(Clone, Debug)]
pub(crate) struct Steering {
    node: u64,
    extensions: Extensions,
    /// The keys of links: paths of one hop.
    links: Extensions,
    form: HintForm,
    random: Random,
    paths: HashTable<Path>,
}

impl Steering {
    pub(crate) fn new(node: u64, form: HintForm, random: Random) -> Steering {
        Steering {
            node,
            extensions: Extensions::new(node),
            links: Extensions::new(node),
            form,
            random,
            paths: HashTable::new(),
        }
    }

    /// Forgets the paths over a face.
    pub(crate) fn remove_face(&mut self, face: FaceId) {
        self.paths.retain(|path| path.face != face);
    }

    /// Chooses one of `hops` for an Interest, and what becomes of its hint. `strategy` chooses if
    /// the hint does not; `asked` are the faces asked before, if the Interest is repeated. `label`
    /// returns the label of a face.
    pub(crate) fn choose(
        &mut self,
        hops: Hops<'_>,
        strategy: &mut AnyStrategy,
        asked: Option<&[FaceId]>,
        label: impl Fn(FaceId) -> u16,
        steer: &Steer,
    ) -> Result<(Egress, Turn), NackReason> {
        let mut iter = hops.iter();
        let first = iter.next().ok_or(NackReason::NoRoute)?;
        let split = iter.next().is_some();
        let egress = |hop: NextHop| Egress { face: hop.face, split, fallback: false, random: 0 };
        let mut missed = false;
        match (self.form, &steer.hint) {
            (HintForm::Labels, Hint::Labels(labels)) => {
                if let Some(top) = labels.top() {
                    match hops.iter().find(|hop| label(hop.face) == top) {
                        Some(hop) => return Ok((egress(hop), Turn::Pop)),
                        None => missed = true,
                    }
                }
            }
            (HintForm::Hashes, Hint::Hash(hash)) if *hash != 0 => {
                let known = self.paths.find(*hash, |path| path.downstream == *hash);
                match known.and_then(|path| {
                    Some((path.upstream, hops.iter().find(|hop| hop.face == path.face)?))
                }) {
                    Some((upstream, hop)) => return Ok((egress(hop), Turn::Hash(upstream))),
                    None => missed = true,
                }
            }
            (HintForm::Random, hint) => {
                let random = match *hint {
                    Hint::Random(random) => random,
                    _ => self.random.bits(),
                };
                let hop =
                    weighted(hops.iter(), mix(random ^ extend(0, self.node, 0))).unwrap_or(first);
                return Ok((Egress { random, ..egress(hop) }, Turn::Random(random)));
            }
            (HintForm::Bloom, Hint::Bloom(bloom)) if split => {
                let draw = self.random.bits();
                match weighted(
                    hops.iter().filter(|hop| bloom.contains(extend(0, self.node, label(hop.face)))),
                    draw,
                ) {
                    Some(hop) => return Ok((egress(hop), Turn::Keep)),
                    None => missed = true,
                }
            }
            _ => {}
        }
        if missed && steer.strict {
            return Err(NackReason::InvalidLabel);
        }
        // The rest of a path that ends here leads elsewhere; a Bloom filter still names links
        // further on.
        let turn =
            if missed && !matches!(steer.hint, Hint::Bloom(_)) { Turn::Drop } else { Turn::Keep };
        let chosen = match asked {
            _ if !split => None,
            Some(asked) => strategy.again(hops, asked, &mut self.random),
            None => strategy.choose(hops, &mut self.random),
        };
        let hop = chosen.unwrap_or(first);
        Ok((Egress { fallback: missed, ..egress(hop) }, turn))
    }

    /// Extends the route of Data or a Nack by its hop into this node, on `face` with `label`.
    /// `egress` is how the Interest left by that face.
    pub(crate) fn extend(
        &mut self,
        route: &mut Route,
        face: FaceId,
        label: u16,
        egress: Option<Egress>,
    ) {
        let upstream = route.id;
        route.id = self.extensions.of(upstream, label);
        match self.form {
            HintForm::Labels => {
                if !matches!(route.hint, Hint::Labels(_)) {
                    route.hint = Hint::Labels(Labels::default());
                }
                if let Hint::Labels(labels) = &mut route.hint {
                    // A path too long for the bitmap keeps the labels nearest to the producer.
                    let _ = labels.push(label);
                }
            }
            HintForm::Hashes => {
                let downstream = route.id;
                if self.paths.find(downstream, |path| path.downstream == downstream).is_none() {
                    self.paths.insert_unique(
                        downstream,
                        Path { downstream, face, upstream },
                        |path| path.downstream,
                    );
                }
                route.hint = Hint::Hash(downstream);
            }
            HintForm::Random => {
                if let Some(egress) = egress {
                    route.hint = Hint::Random(egress.random);
                }
            }
            HintForm::Bloom => {
                let mut bloom =
                    if let Hint::Bloom(bloom) = route.hint { bloom } else { Bloom::default() };
                if egress.is_some_and(|egress| egress.split) {
                    bloom.insert(self.link(label));
                }
                route.hint = Hint::Bloom(bloom);
            }
        }
    }

    /// The key of a link, by the label of its face: in Bloom filters, and of the link that limits
    /// the rate of a path.
    pub(crate) fn link(&mut self, label: u16) -> u64 {
        self.links.of(0, label)
    }
}

/// Mixes `value` so that each bit of it affects every bit of the result (SplitMix64, Steele, Lea
/// and Flood 2014).
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
