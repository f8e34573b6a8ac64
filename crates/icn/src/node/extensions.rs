//! The hashes of paths that a node has extended lately.

use crate::route::extend;

/// Remembers the latest extensions of path hashes by hops into one node: consecutive Data mostly
/// comes by the same paths, and a hash takes longer than to find it here.
#[derive(Clone, Debug)]
pub(crate) struct Extensions {
    node: u64,
    known: Box<[Extension]>,
}

#[derive(Clone, Copy, Debug)]
struct Extension {
    upstream: u64,
    label: u16,
    downstream: u64,
}

/// Extensions remembered, each in the place that its upstream hash and label give.
const KNOWN: usize = 32;

impl Extensions {
    pub(crate) fn new(node: u64) -> Extensions {
        Extensions {
            node,
            known: vec![Extension { upstream: 0, label: 0, downstream: extend(0, node, 0) }; KNOWN]
                .into(),
        }
    }

    /// The hash of path `upstream`, extended by a hop into the node on a face with `label`.
    pub(crate) fn of(&mut self, upstream: u64, label: u16) -> u64 {
        let known = &mut self.known[(upstream ^ u64::from(label)) as usize % KNOWN];
        if (known.upstream, known.label) != (upstream, label) {
            *known = Extension { upstream, label, downstream: extend(upstream, self.node, label) };
        }
        known.downstream
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_remembered_is_right(node: u64, asked in prop::collection::vec((0u64..100, 0u16..4), 1..200)) {
            let mut extensions = Extensions::new(node);
            for (upstream, label) in asked {
                prop_assert_eq!(extensions.of(upstream, label), extend(upstream, node, label));
            }
        }
    }
}
