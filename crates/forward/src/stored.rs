//! Generated Data that clients may request again: events, and segments of datasets.

use crate::management::reply::management_data;
use crate::name::PacketName;
use narrows_icn::{Budget, Data, Interest, Name};
use narrows_ndn::signature::Signer;
use narrows_ndn::{DataDraft, MetaInfo, Name as NdnName, number};
use narrows_units::{Span, Time};
use std::collections::VecDeque;
use std::sync::Arc;

/// Data is kept for this time, or until [`MOST_ENTRIES`] newer packets and datasets have been
/// stored, or until there is no room for it.
const KEEP_TIME: Span = Span::from_secs(10);
const MOST_ENTRIES: usize = 4096;
/// Octets of content in a segment of a dataset.
const SEGMENT: usize = 8000;
/// Octets that a packet or a dataset counts for in addition to its content. Our choice.
const OVERHEAD: u64 = 512;

/// One version of a dataset. Its segments are encoded on request, so that many requests cost
/// little.
#[derive(Debug)]
pub(crate) struct Dataset {
    /// Source of the dataset, and a number that changes with the source. `None` if the dataset is
    /// made for each request.
    pub(crate) source: Option<(&'static str, u64)>,
    /// Name of the dataset, with its version.
    pub(crate) base: PacketName,
    /// Content of all segments.
    pub(crate) content: Arc<[u8]>,
}

impl Dataset {
    /// A segment, counted from 0. `None` if the dataset has no such segment.
    pub(crate) fn segment(&self, segment: u64) -> Option<Data<PacketName>> {
        let content = &self.content;
        let last = (content.len().saturating_sub(1) / SEGMENT) as u64;
        if segment > last {
            return None;
        }
        let start = segment as usize * SEGMENT;
        let slice = &content[start..content.len().min(start + SEGMENT)];
        let last_name = NdnName::new().segment(last);
        let meta = MetaInfo {
            freshness_ms: Some(1000),
            final_block: last_name.as_ref().last(),
            ..MetaInfo::default()
        };
        let mut octets = Vec::new();
        let name = NdnName::new().join(&self.base.view()).segment(segment);
        DataDraft { name: name.as_ref(), meta, content: Some(slice) }
            .write(&Signer::DIGEST, &mut octets);
        Some(management_data(octets))
    }
}

#[derive(Debug)]
enum StoredEntry {
    Packet(Data<PacketName>),
    Dataset(Dataset),
}

impl StoredEntry {
    /// Octets that only this entry holds.
    fn octets(&self) -> u64 {
        OVERHEAD
            + match self {
                StoredEntry::Packet(data) => data.size.get(),
                // Datasets with the same content share it.
                StoredEntry::Dataset(dataset) if Arc::strong_count(&dataset.content) > 1 => 0,
                StoredEntry::Dataset(dataset) => dataset.content.len() as u64,
            }
    }
}

/// Stored packets and datasets, the oldest first.
#[derive(Debug)]
pub(crate) struct DatasetStore {
    kept: VecDeque<(Time, StoredEntry)>,
    budget: Budget,
}

impl DatasetStore {
    /// Makes a store of at most `most` octets. A single dataset may be larger.
    pub(crate) fn new(most: u64) -> DatasetStore {
        DatasetStore { kept: VecDeque::new(), budget: Budget::new(most) }
    }

    /// Octets in the store, and their limit.
    pub(crate) fn budget(&self) -> Budget {
        self.budget
    }

    pub(crate) fn insert(&mut self, now: Time, data: Data<PacketName>) {
        self.keep(now, StoredEntry::Packet(data));
    }

    pub(crate) fn insert_dataset(&mut self, now: Time, dataset: Dataset) {
        self.keep(now, StoredEntry::Dataset(dataset));
    }

    fn keep(&mut self, now: Time, kept: StoredEntry) {
        let octets = kept.octets();
        while self.kept.len() == MOST_ENTRIES
            || !self.kept.is_empty() && !self.budget.admits(0, octets)
        {
            self.drop_oldest();
        }
        self.budget.charge(octets);
        self.kept.push_back((now + KEEP_TIME, kept));
    }

    fn drop_oldest(&mut self) {
        if let Some((_, kept)) = self.kept.pop_front() {
            self.budget.release(kept.octets());
        }
    }

    /// Content of a stored dataset with the same source.
    pub(crate) fn content_of(&self, now: Time, source: (&'static str, u64)) -> Option<Arc<[u8]>> {
        self.kept.iter().rev().find_map(|(until, kept)| match kept {
            StoredEntry::Dataset(dataset) if *until > now && dataset.source == Some(source) => {
                Some(dataset.content.clone())
            }
            _ => None,
        })
    }

    /// The Data with exactly this name. If the Interest is for a prefix and does not require fresh
    /// Data, also Data below this name.
    pub(crate) fn find(
        &self,
        now: Time,
        interest: &Interest<PacketName>,
    ) -> Option<Data<PacketName>> {
        let below = interest.can_be_prefix && !interest.must_be_fresh;
        let asked = &interest.name;
        self.kept.iter().filter(|(until, _)| *until > now).find_map(|(_, kept)| match kept {
            StoredEntry::Packet(data) => {
                (data.name == *asked || below && data.name.has_prefix(asked)).then(|| data.clone())
            }
            StoredEntry::Dataset(dataset)
                if asked.has_prefix(&dataset.base)
                    && asked.components() == dataset.base.components() + 1 =>
            {
                let number = asked.view().last().and_then(|last| last.nni_of(number::SEGMENT))?;
                dataset.segment(number)
            }
            StoredEntry::Dataset(dataset) => {
                (below && dataset.base.has_prefix(asked)).then(|| dataset.segment(0)).flatten()
            }
        })
    }

    pub(crate) fn due(&self) -> Option<Time> {
        self.kept.front().map(|(until, _)| *until)
    }

    pub(crate) fn expire(&mut self, now: Time) {
        while self.due().is_some_and(|due| due <= now) {
            self.drop_oldest();
        }
    }
}
