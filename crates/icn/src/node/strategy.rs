//! Forwarding strategies: they choose the next hop of Interests without a usable hint.

use super::fib::NextHop;
use crate::face_id::FaceId;
use narrows_params::{Catalogue, Registered, Spec};
use narrows_units::Random;
use std::borrow::Cow;

/// The next hops available to an Interest: those of its prefix, except the face on which it
/// arrived, and those beyond the scope of its name.
#[derive(Clone, Copy, Debug)]
pub struct Hops<'a> {
    all: &'a [NextHop],
    from: FaceId,
    local: bool,
}

impl<'a> Hops<'a> {
    /// `local` leaves out the neighbours on other hosts.
    pub(crate) fn new(all: &'a [NextHop], from: FaceId, local: bool) -> Hops<'a> {
        Hops { all, from, local }
    }

    /// Iterates in the order of the route.
    pub fn iter(self) -> impl Iterator<Item = NextHop> + Clone {
        self.all
            .iter()
            .copied()
            .filter(move |hop| hop.face != self.from && (hop.local || !self.local))
    }
}

/// Chooses next hops (NFD Developer's Guide, section 5).
pub trait Strategy {
    /// Returns one of `hops`, which are at least two, for an Interest that is not pending.
    fn choose(&mut self, hops: Hops<'_>, random: &mut Random) -> Option<NextHop>;

    /// Returns one of `hops` for an Interest that a neighbour repeats. `asked` are the faces asked
    /// before, the one asked longest ago first.
    fn again(&mut self, hops: Hops<'_>, asked: &[FaceId], random: &mut Random) -> Option<NextHop>;

    /// Returns one of `hops` for an Interest to which no neighbour asked so far had a route; `None`
    /// tells those who wait.
    fn elsewhere(&mut self, hops: Hops<'_>, asked: &[FaceId]) -> Option<NextHop>;

    /// True if Interests go to all next hops.
    fn asks_all(&self) -> bool;
}

/// The first of `hops` that has not been asked.
fn unasked(hops: Hops<'_>, asked: &[FaceId]) -> Option<NextHop> {
    hops.iter().find(|hop| !asked.contains(&hop.face))
}

/// One of `hops`, with a probability in proportion to its weight. `draw` is uniform over all 64-bit
/// numbers.
// Requirement, MIRCC slide 12: "Forwarders with multiple next hops choose probabilistically"
pub(crate) fn weighted(hops: impl Iterator<Item = NextHop> + Clone, draw: u64) -> Option<NextHop> {
    let total: u64 = hops.clone().map(|hop| hop.weight).sum();
    let mut rest = ((u128::from(draw) * u128::from(total)) >> 64) as u64;
    let mut last = None;
    for hop in hops {
        last = Some(hop);
        match rest.checked_sub(hop.weight) {
            Some(less) => rest = less,
            None => break,
        }
    }
    last
}

/// The registry entry of a strategy.
pub struct StrategyEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// Description in one line.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// Its parameters.
    pub params: &'static [Spec],
}

/// A strategy chosen by name.
pub type StrategyChoice = narrows_params::Choice<StrategyEntry>;

impl Registered for &'static StrategyEntry {
    const WHAT: &'static str = "forwarding scheme";
    fn name(&self) -> &str {
        self.name
    }
    fn params(&self) -> &[Spec] {
        self.params
    }
    fn kept(&self) -> (Cow<'static, str>, Cow<'static, [Spec]>) {
        (Cow::Borrowed(self.name), Cow::Borrowed(self.params))
    }
}

impl Catalogue for StrategyEntry {
    type Entry = &'static StrategyEntry;
    fn built_in() -> Vec<&'static StrategyEntry> {
        STRATEGIES.to_vec()
    }
}

/// Every strategy, in the order in which lists show them.
pub static STRATEGIES: &[&StrategyEntry] = &[
    &StrategyEntry {
        name: "weighted",
        summary: "a random next hop, weighted by link capacity",
        source: "Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, section 4.3.3",
        params: &[],
    },
    &StrategyEntry {
        name: "best-route",
        summary: "always the first next hop of the route",
        source: "NFD Developer's Guide, section 5.2",
        params: &[],
    },
    &StrategyEntry {
        name: "multicast",
        summary: "all next hops at once",
        source: "NFD Developer's Guide, section 5.3",
        params: &[],
    },
];

/// Any of the strategies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyStrategy {
    Weighted,
    BestRoute,
    Multicast,
}

impl AnyStrategy {
    pub(crate) fn new(choice: &StrategyChoice) -> AnyStrategy {
        match choice.entry().name {
            "weighted" => AnyStrategy::Weighted,
            "best-route" => AnyStrategy::BestRoute,
            "multicast" => AnyStrategy::Multicast,
            name => unreachable!("{name} is in the registry and not in the enum"),
        }
    }
}

impl Strategy for AnyStrategy {
    fn choose(&mut self, hops: Hops<'_>, random: &mut Random) -> Option<NextHop> {
        match self {
            AnyStrategy::Weighted => weighted(hops.iter(), random.bits()),
            AnyStrategy::BestRoute | AnyStrategy::Multicast => hops.iter().next(),
        }
    }

    fn again(&mut self, hops: Hops<'_>, asked: &[FaceId], random: &mut Random) -> Option<NextHop> {
        match self {
            AnyStrategy::Weighted => self.choose(hops, random),
            AnyStrategy::BestRoute => {
                let longest_ago =
                    || asked.iter().find_map(|face| hops.iter().find(|hop| hop.face == *face));
                unasked(hops, asked).or_else(longest_ago)
            }
            AnyStrategy::Multicast => hops.iter().next(),
        }
    }

    fn elsewhere(&mut self, hops: Hops<'_>, asked: &[FaceId]) -> Option<NextHop> {
        match self {
            AnyStrategy::BestRoute => unasked(hops, asked),
            AnyStrategy::Weighted | AnyStrategy::Multicast => None,
        }
    }

    fn asks_all(&self) -> bool {
        matches!(self, AnyStrategy::Multicast)
    }
}
