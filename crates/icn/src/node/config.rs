//! The configuration of a node.

use super::strategy::StrategyChoice;
use crate::route::Form;

/// The configuration of a node.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Identifies the node in the hashes of paths.
    pub id: u64,
    /// Seed of its random choices: first ticks of laws, and next hops.
    pub seed: u64,
    /// The form of its steering hints.
    pub form: Form,
    /// Chooses next hops of Interests without a usable hint.
    pub strategy: StrategyChoice,
    /// Capacity of the content store in Data packets; 0 for none.
    pub cache: usize,
    /// Most pending Interests per face. Further ones are returned with a Nack.
    pub pit_per_face: usize,
    /// Laws share out what shapers leave for Data, which is less than the link where Data crosses it both ways; false: the whole link.
    pub shaped_capacity: bool,
}

impl Default for NodeConfig {
    /// Path labels, next hops at random by capacity, no content store, 65,536 pending Interests per face, laws that share out
    /// what shapers leave.
    fn default() -> NodeConfig {
        NodeConfig {
            id: 0,
            seed: 0,
            form: Form::Labels,
            strategy: "weighted".parse().expect("a strategy of the registry"),
            cache: 0,
            pit_per_face: 1 << 16,
            shaped_capacity: true,
        }
    }
}
