//! Nodes.

/// The place of a node in [`Scenario::nodes`](crate::Scenario::nodes).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub usize);

/// A host or router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name.
    pub name: String,
}
