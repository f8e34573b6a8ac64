//! What a node is made with.

use super::strategy::StrategyChoice;
use crate::Form;

/// What a node is made with.
#[derive(Clone, Debug)]
pub struct NodeConfig {
    /// Tells nodes of a network apart in the hashes of paths.
    pub id: u64,
    /// Of its draws: when laws begin to tick, and which way Interests take.
    pub seed: u64,
    /// How paths are told apart and followed.
    pub form: Form,
    /// Which way Interests take that follow no path.
    pub strategy: StrategyChoice,
    /// Data packets in the content store; 0 for none.
    pub cache: usize,
    /// Interests of a face that may wait for an answer at once. Others are refused.
    pub pit_per_face: usize,
    /// Laws share out what the shaper lets through, if that is less than the link's capacity.
    pub shaped_capacity: bool,
}

impl Default for NodeConfig {
    /// Path labels, draws by capacity, no content store, 65,536 Interests for each face.
    fn default() -> NodeConfig {
        NodeConfig {
            id: 0,
            seed: 0,
            form: Form::Labels,
            strategy: "weighted".parse().expect("a strategy of the registry"),
            cache: 0,
            pit_per_face: 1 << 16,
            shaped_capacity: false,
        }
    }
}
