//! Which way an Interest takes that follows no path.

use super::fib::NextHop;
use crate::FaceId;
use narrows_params;
use narrows_params::{Param, Registered};
use narrows_units::Random;

/// The next hops that an Interest may take: all those of its prefix but the face it came from.
#[derive(Clone, Copy, Debug)]
pub struct Hops<'a> {
    all: &'a [NextHop],
    from: FaceId,
}

impl<'a> Hops<'a> {
    pub(crate) fn new(all: &'a [NextHop], from: FaceId) -> Hops<'a> {
        Hops { all, from }
    }

    /// One by one, in the order of the route.
    pub fn iter(self) -> impl Iterator<Item = NextHop> + Clone {
        self.all.iter().copied().filter(move |hop| hop.face != self.from)
    }
}

/// Chooses between next hops (NFD Developer's Guide, section 5).
pub trait Strategy {
    /// One of `hops`, of which there are at least two.
    fn choose(&mut self, hops: Hops<'_>, random: &mut Random) -> Option<NextHop>;
}

/// One of `hops`, with a probability in proportion to its weight: `draw` is uniform over all numbers of 64 bits.
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

/// What a registry line says of a strategy.
pub struct StrategyEntry {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The document it follows.
    pub source: &'static str,
    /// What can be set.
    pub params: &'static [Param],
}

/// A strategy chosen by name.
pub type StrategyChoice = narrows_params::Choice<StrategyEntry>;

impl Registered for StrategyEntry {
    const WHAT: &'static str = "forwarding scheme";
    fn all() -> &'static [&'static StrategyEntry] {
        STRATEGIES
    }
    fn name(&self) -> &'static str {
        self.name
    }
    fn params(&self) -> &'static [Param] {
        self.params
    }
}

/// Every strategy, in the order in which lists show them.
pub const STRATEGIES: &[&StrategyEntry] = &[
    &StrategyEntry {
        name: "weighted",
        summary: "any next hop at random, with a probability in proportion to the capacity of the link there",
        source: "Mahdian, Arianfar, Gibson, Oran, ACM ICN 2016, section 4.2.2",
        params: &[],
    },
    &StrategyEntry {
        name: "best-route",
        summary: "always the first next hop of the route",
        source: "NFD Developer's Guide, section 5.2",
        params: &[],
    },
];

/// Any of the strategies.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnyStrategy {
    Weighted,
    BestRoute,
}

impl AnyStrategy {
    pub(crate) fn new(choice: &StrategyChoice) -> AnyStrategy {
        match choice.entry().name {
            "weighted" => AnyStrategy::Weighted,
            "best-route" => AnyStrategy::BestRoute,
            name => unreachable!("{name} is in the registry and not in the enum"),
        }
    }
}

impl Strategy for AnyStrategy {
    fn choose(&mut self, hops: Hops<'_>, random: &mut Random) -> Option<NextHop> {
        match self {
            AnyStrategy::Weighted => weighted(hops.iter(), random.bits()),
            AnyStrategy::BestRoute => hops.iter().next(),
        }
    }
}
