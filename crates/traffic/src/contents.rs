//! Which contents of an information-centric network there are, and whose they are.

use narrows_scenario::{Icn, PrefixId};
use std::collections::BTreeMap;

/// A content: one of those under a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContentId {
    /// The prefix.
    pub prefix: PrefixId,
    /// Its number under the prefix, from 0 in the order in which contents become known.
    pub number: u32,
}

/// The contents under all prefixes. A packet counts for the flow that its content belongs to; flows
/// are in the order of [`Icn::names`].
#[derive(Clone, Debug)]
pub struct Contents {
    /// For each prefix, the flow that each of its contents is counted for: the flow that asked
    /// first.
    owners: Vec<Vec<u32>>,
    /// Contents with a name.
    named: BTreeMap<(PrefixId, String), ContentId>,
    /// Of each consumer.
    consumers: Vec<ContentId>,
}

impl Contents {
    /// Those of the consumers that a scenario names.
    pub fn new(icn: &Icn) -> Contents {
        let mut contents = Contents {
            owners: vec![Vec::new(); icn.prefixes.len()],
            named: BTreeMap::new(),
            consumers: Vec::new(),
        };
        for (flow, consumer) in icn.consumers.iter().enumerate() {
            let content = match &consumer.content {
                Some(name) => contents.named(consumer.prefix, name, flow as u32),
                None => contents.add(consumer.prefix, flow as u32),
            };
            contents.consumers.push(content);
        }
        contents
    }

    /// A content that nobody has asked for before.
    pub(crate) fn add(&mut self, prefix: PrefixId, flow: u32) -> ContentId {
        let owners = &mut self.owners[prefix.0];
        owners.push(flow);
        ContentId { prefix, number: owners.len() as u32 - 1 }
    }

    /// The content of this name.
    fn named(&mut self, prefix: PrefixId, name: &str, flow: u32) -> ContentId {
        let key = (prefix, name.to_owned());
        if let Some(content) = self.named.get(&key) {
            return *content;
        }
        let added = self.add(prefix, flow);
        self.named.insert(key, added);
        added
    }

    /// The content of the consumer at this place of [`Icn::consumers`].
    pub fn of_consumer(&self, place: usize) -> ContentId {
        self.consumers[place]
    }

    /// The flow that packets for a content count for; `None` if the content is not known.
    #[inline]
    pub fn owner(&self, content: ContentId) -> Option<u32> {
        self.owners.get(content.prefix.0)?.get(content.number as usize).copied()
    }

    /// The flows of all contents under a prefix, in the order of their numbers.
    pub fn owners(&self, prefix: PrefixId) -> &[u32] {
        &self.owners[prefix.0]
    }
}
