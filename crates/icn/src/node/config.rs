//! The configuration of a node.

use super::cache::CacheLimits;
use super::strategy::StrategyChoice;
use crate::route::HintForm;
use narrows_units::{Bytes, Span};

/// The configuration of a node.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Identifies the node in the hashes of paths.
    pub id: u64,
    /// Seed of its random choices: first ticks of laws, and next hops.
    pub seed: u64,
    /// The form of its steering hints.
    pub form: HintForm,
    /// Chooses next hops of Interests without a usable hint.
    pub strategy: StrategyChoice,
    /// The most that the content store keeps.
    pub cache: CacheLimits,
    /// Most pending Interests. Further ones are returned with a Nack.
    pub pit_limit: usize,
    /// Most pending Interests per face. Further ones are returned with a Nack.
    pub pit_per_face: usize,
    /// Most octets of pending Interests and of what the table needs for each; one face gets at most
    /// as much as is free. Further ones are returned with a Nack.
    pub pit_octets: Bytes,
    /// Longer lifetimes of Interests are shortened to this one.
    pub longest_lifetime: Span,
    /// Remember Interests after their PIT entries have ended, to know those that loop. Hop limits
    /// end loops too.
    pub dead_nonces: bool,
    /// Laws share out what shapers leave for Data, which is less than the link where Data crosses
    /// it both ways; false: the whole link.
    pub shaped_capacity: bool,
}

impl Default for NodeConfig {
    /// Path labels, next hops at random by capacity, no content store, 65,536 pending Interests per
    /// face and no limit to all, lifetimes of any length, no memory of earlier Interests, laws that
    /// share out what shapers leave.
    fn default() -> NodeConfig {
        NodeConfig {
            id: 0,
            seed: 0,
            form: HintForm::Labels,
            strategy: "weighted".parse().expect("a strategy of the registry"),
            cache: CacheLimits::OFF,
            pit_limit: usize::MAX,
            pit_per_face: 1 << 16,
            pit_octets: Bytes::new(u64::MAX),
            longest_lifetime: Span::MAX,
            dead_nonces: false,
            shaped_capacity: true,
        }
    }
}
